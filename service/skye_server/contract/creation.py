"""The request bodies that create a game, and the players that take its seats."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from marshmallow import Schema, ValidationError, validates_schema

from skye.rulesets import MAX_PLAYERS, MAX_ROUNDS, MAX_SLOTS, MIN_PLAYERS
from skye_server.contract.enums import (
    BotName,
    ClockName,
    Color,
    GamePhase,
    PublicFromName,
    RulesetName,
    ScenarioName,
    ScoringTileId,
    TieBreakRule,
    TimeoutRule,
    VisibilityName,
)
from skye_server.contract.fields import Boolean, Integer, Name, Seat, Secret, Url
from skye_server.contract.objects import Constant, EitherOf, ListOf, NestedObject, Object, Variants
from skye_server.contract.positions import SentPosition
from skye_server.contract.records import GameRecord
from skye_server.features import installed
from skye_server.games.game import Clock, Visibility
from skye_server.games.views.fields import MAX_ACTIONS, MAX_TURN_MS

MIN_TURN_MS = 1_000
"""The shortest time for a decision, in milliseconds."""


class PersonToSeat(Object):
    """A person who takes a seat."""

    name = Name("The player's name.", required=True)
    color = Color("The player's colour; the first free one if left out.")


class BotToSeat(Object):
    """A bot that takes a seat; only the host may seat one."""

    bot = BotName("The bot that plays.", required=True)
    name = Name("The bot's name; the server chooses one if left out.")
    color = Color("The bot's colour; the first free one if left out.")


HAS_URL_BOTS: Final = any(feature.name == "url_bots" for feature in installed())
"""Whether the server has bots at URLs; without them no body can name one."""


class UrlBot(Object):
    """A bot at a URL. The URL must repeat a challenge, as that of a webhook."""

    bot_url = Url("Where the server sends the decisions of the seat.", required=True)
    secret = Secret("The secret that signs requests; the server makes one if left out.", allow_none=True)


class UrlBotToSeat(UrlBot):
    """A bot at a URL that takes a seat; only the host may seat one.

    The server sends it each decision of the seat, and plays the action that it answers, while a dispatcher
    runs (`send_decision` in `webhooks`).
    """

    name = Name("The bot's name; the server chooses one if left out.")
    color = Color("The bot's colour; the first free one if left out.")


class PlayerToInvite(Object):
    """An invitation: the server reserves a seat for the holder of a single-use code."""

    invite = Constant(True, "Always true.")


class FirstPlayer(Variants):
    """A player of a new game: a person or a bot to seat, or an invitation."""

    variants = (PersonToSeat, BotToSeat, *([UrlBotToSeat] if HAS_URL_BOTS else []), PlayerToInvite)

    def variant(self, data: dict[str, Any]) -> type[Schema]:
        """Return the form that has the field sent: `invite`, `bot_url`, `bot` or none of them."""
        if "invite" in data:
            return PlayerToInvite
        if "bot_url" in data and HAS_URL_BOTS:
            return UrlBotToSeat
        return BotToSeat if "bot" in data else PersonToSeat


class TimeLimits(Object):
    """The time limit of decisions, and what happens when a seat exceeds it."""

    turn_ms = Integer(
        MIN_TURN_MS,
        MAX_TURN_MS,
        "Milliseconds for each decision; no limit if left out. A manual clock requires this or `budget_ms`.",
        allow_none=True,
    )
    budget_ms = Integer(
        MIN_TURN_MS,
        MAX_TURN_MS,
        "Milliseconds of each seat for the whole game, beside `turn_ms` or without it; no limit if left out. "
        "They pass while the game waits for the seat.",
        allow_none=True,
    )
    increment_ms = Integer(
        0,
        MAX_TURN_MS,
        "Milliseconds that each decision of a seat adds to what it has left of `budget_ms`; 0 if left out.",
    )
    max_pause_ms = Integer(
        0,
        MAX_TURN_MS,
        "The longest pause, in milliseconds; a day if left out. With 0 the game cannot pause.",
    )
    clock = ClockName("The clock of the game; `real` if left out.")
    on_timeout = TimeoutRule("What happens when a seat misses its deadline; `auto` if left out.")

    @validates_schema
    def _fits_clock(self, data: dict[str, Any], **_: Any) -> None:
        if data.get("clock") == Clock.MANUAL and not data.keys() & {"turn_ms", "budget_ms"}:
            detail = "A manual clock needs a time limit: without one no deadline passes."
            raise ValidationError(detail, "turn_ms")
        check_increment(data)


def check_increment(data: dict[str, Any]) -> None:
    """Check that an increment has a budget to which it is added.

    :raises ValidationError: about `increment_ms`.
    """
    if data.get("increment_ms") and "budget_ms" not in data:
        raise ValidationError("This belongs to a `budget_ms` only.", "increment_ms")


class OptionsOfPlay(TimeLimits):
    """The options that every game has, whatever it begins from: time limits, and what the server shows."""

    hints = Boolean(
        "Whether the server shows the gains of placements and the list of the bag; `true` if left out. "
        "Without hints it shows both when the game is over."
    )
    host_may_abort = Boolean(
        "Whether the host may abort the game alone, also while several people play it; `false` if left out. "
        "Players who join see it; a rematch does not have it."
    )
    public_from = PublicFromName("When spectators see the content of the game; `start` if left out.")


class ChosenOptions(OptionsOfPlay):
    """The options of a game. All are public; `fairness` of a finished game shows the seed."""

    scoring_tiles = ListOf(
        ScoringTileId(),
        "A different scoring tile for each slot, four in `base`; drawn if left out.",
        length=(1, MAX_SLOTS),
        error="These are not {min} to {max} scoring tiles.",
        unique=True,
        allow_none=True,
    )
    first_seat = Seat(
        "The seat of the lobby whose player starts round 1; drawn if left out, or if nobody sits there when "
        "the game starts.",
        allow_none=True,
    )
    seed = Name(
        "The seed of all draws; random if left out. A client that knows it can compute every draw. The first "
        "draws reveal a short seed to a brute-force search: use at least 22 random characters.",
        64,
        allow_none=True,
    )
    tie_break = TieBreakRule("What breaks a tie; `leftover_gold` if left out.")
    open_gold = Boolean("Whether all gold is public; `false` if left out.")

    @validates_schema
    def _different(self, data: dict[str, Any], **_: Any) -> None:
        tiles = data.get("scoring_tiles", [])
        if len(set(tiles)) < len(tiles):
            raise ValidationError("These scoring tiles are not all different.", "scoring_tiles")


class _Named(Object):
    name = Name("The name of the game; `Isle of Skye` if left out.", 60, load_default="Isle of Skye")
    visibility = VisibilityName(
        "Who can find and read the game; `public` if left out.", load_default=Visibility.PUBLIC
    )


class Players(ListOf):
    """The players of a new game, at most one for each seat."""

    def __init__(self, form: type[Schema], description: str) -> None:
        super().__init__(
            form,
            description,
            length=(0, MAX_PLAYERS),
            error="There is room for {max} players.",
            load_default=list,
        )


class OptionsBeside(NestedObject):
    """The options of a game that begins from a record, a position or a scenario, which has the others.

    :param beginning: a word of `_PLACES_OF_OPTIONS`.
    """

    def __init__(self, beginning: str) -> None:
        self._place = _PLACES_OF_OPTIONS[beginning]
        super().__init__(OptionsOfPlay, f"The options that a {beginning} does not have.", load_default=dict)

    def _load(self, value: Any, partial: Any = None) -> Any:
        of_beginning = _fields(ChosenOptions) - _fields(OptionsOfPlay)
        if isinstance(value, dict):
            value = {key: sent for key, sent in value.items() if sent is not None or key not in of_beginning}
            if misplaced := of_beginning & value.keys():
                raise ValidationError({name: [self._place] for name in misplaced})
        return super()._load(value, partial)


_PLACES_OF_OPTIONS: Final = {
    "record": "This option belongs into the `options` of the record.",
    "position": "This option is a field of the position, `first_seat` as `starting_seat`: send it there.",
    "scenario": "A scenario has its own value. For another one, send the `position` that `GET /v1/scenarios` "
    "returns for the scenario, with this field.",
}
"""By the beginning of a game: where options other than time limits belong."""


@cache
def _fields(form: type[Schema]) -> frozenset[str]:
    return frozenset(form().fields)


class FreshGame(_Named):
    """A game to open that begins from the start. All fields are optional."""

    seat_count = Integer(
        MIN_PLAYERS,
        MAX_PLAYERS,
        "The number of seats; if left out: with `auto_start` that of `players`, otherwise all that can play.",
    )
    ruleset = RulesetName("The rules; `base`, or its correction, if left out.")
    players = Players(
        FirstPlayer,
        "Players to seat at once, in seat order, and to invite; the response has their tokens and codes.",
    )
    auto_start = Boolean(
        "Whether to start as soon as every seat is taken; `false` if left out.", load_default=False
    )
    options = NestedObject(ChosenOptions, "The options of the game.", load_default=dict)


class Moment(Object):
    """The beginning of a phase of a round."""

    round = Integer(1, MAX_ROUNDS, "The round.", required=True)
    phase = GamePhase("The phase.", required=True)


class ActionCount(Integer):
    """A number of actions."""

    component = "ActionCount"

    def __init__(self) -> None:
        super().__init__(0, MAX_ACTIONS, "A number of actions.")


class StopAt(EitherOf):
    """Where to stop in a record: after a number of actions, or at the beginning of a phase of a round."""

    component = "StopAt"
    _number = ActionCount()
    _moment = Moment()
    forms = (_number, Moment)

    def __init__(self) -> None:
        super().__init__("Where to stop in the record; after all actions if left out.")

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, dict):
            return self._moment.load(value)
        return self._number.deserialize(value, attr, data, **kwargs)


class RecordedGame(_Named):
    """A game to begin from the record of a finished game. It has the players of the record."""

    record = NestedObject(GameRecord, "The record to begin from.", required=True)
    stop_at = StopAt()
    options = OptionsBeside("record")

    @validates_schema
    def _stops_in_record(self, data: dict[str, Any], **_: Any) -> None:
        actions = len(data["record"]["actions"])
        if isinstance(data.get("stop_at"), int) and data["stop_at"] > actions:
            raise ValidationError(
                f"The record has {actions} actions: this is not from 0 to {actions}.", "stop_at"
            )


class PlayerOfPosition(Object):
    """A person or a bot that plays a seat of a position, in the colour of that seat."""

    name = Name("The player's name; `Player 1` and so on, or the bot's name, if left out.")
    bot = BotName("The bot that plays; a person if left out.", allow_none=True)
    if HAS_URL_BOTS:
        bot_url = Url("Where the server sends the decisions of the seat, which a bot at a URL plays then.")
        secret = Secret(
            "The secret that signs requests to `bot_url`; the server makes one if left out.", allow_none=True
        )

    @validates_schema
    def _one_bot(self, data: dict[str, Any], **_: Any) -> None:
        if "bot_url" in data and "bot" in data:
            raise ValidationError("`bot` and `bot_url` exclude each other: send one.", "bot_url")
        if "secret" in data and "bot_url" not in data:
            raise ValidationError("This belongs to a `bot_url` only.", "secret")


class PlayersOf(Players):
    """The players of a position."""

    def __init__(self, beginning: str) -> None:
        super().__init__(
            PlayerOfPosition, f"The players of the {beginning}, in seat order; persons if left out."
        )


class PositionedGame(_Named):
    """A game to begin from a position. It starts at once, with every seat taken."""

    position = SentPosition("The position to begin from.", required=True)
    players = PlayersOf("position")
    options = OptionsBeside("position")


class ScenarioGame(_Named):
    """A game to begin from a scenario. It starts at once, with every seat taken."""

    scenario = ScenarioName("The scenario to begin from.", required=True)
    players = PlayersOf("scenario")
    options = OptionsBeside("scenario")


class GameToCreate(Variants):
    """A game to open: from the start, or from a record, a position or a scenario."""

    variants = (FreshGame, RecordedGame, PositionedGame, ScenarioGame)

    def variant(self, data: dict[str, Any]) -> type[Schema]:
        """Return the form that has the field sent: `record`, `position`, `scenario` or none of them."""
        sent = [name for name in _BEGINNINGS if name in data]
        if len(sent) > 1:
            both = " and ".join(f"`{name}`" for name in sent)
            raise ValidationError({name: [f"{both} exclude each other: send one."] for name in sent})
        form = _BEGINNINGS[sent[0]] if sent else RecordedGame if "stop_at" in data else FreshGame
        misplaced = data.keys() & _FIELDS_OF_SOME_FORMS.keys() - _fields(form)
        if sent and misplaced:
            raise ValidationError({name: [_FIELDS_OF_SOME_FORMS[name]] for name in misplaced})
        return form


_BEGINNINGS: Final = {"record": RecordedGame, "position": PositionedGame, "scenario": ScenarioGame}
"""The forms of games that begin from something, by the field that names it."""

_FIELDS_OF_SOME_FORMS: Final = {
    "stop_at": "This belongs to a `record` only.",
    "players": "The record has the players: change them there.",
    "seat_count": "The game has the seats of what it begins from.",
    "auto_start": "The game starts at once: leave this out.",
}
"""The fields that some forms have, with the error text for the others."""
