"""What the service takes to create a game."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, ValidationError, validates_schema

from service.matches.match import Clock
from service.schemas.enums import (
    ChosenClock,
    ChosenScenario,
    ChosenTieBreak,
    ChosenTimeoutRule,
    GamePhase,
    ScoringTileId,
    SeatableBot,
)
from service.schemas.fields import MAX_TURN_MS, Boolean, Integer, ListOf, Seat
from service.schemas.objects import EitherOf, Object, One, Variants
from service.schemas.positions import MAX_ROUNDS, Position
from service.schemas.records import MAX_ACTIONS, GameRecord
from service.schemas.requests.lobby import BotToSeat, PersonToSeat, PlayerToInvite
from service.schemas.strings import Name
from skye import PLAYERS, SLOTS

MAX_GAMES = 100
"""How many games one request can create."""

MIN_TURN_MS = 1_000
"""The shortest time for a decision by the clock of the server, in milliseconds."""


class FirstPlayer(Variants):
    """A player of a new game: a person or a bot to seat, or a player to invite."""

    variants = (PersonToSeat, BotToSeat, PlayerToInvite)

    def variant(self, data: dict[str, Any]) -> type[Schema]:
        """Return the form that has the field sent: `invite`, `bot` or neither."""
        if "invite" in data:
            return PlayerToInvite
        return BotToSeat if "bot" in data else PersonToSeat


class TimeLimits(Object):
    """How long a decision may take, and what happens then."""

    turn_ms = Integer(
        1,
        MAX_TURN_MS,
        "Milliseconds for each decision, at least 1,000 by a real clock; no deadline if not given.",
    )
    clock = ChosenClock("The clock of the game; `real` if not given.")
    on_timeout = ChosenTimeoutRule("Who decides for a seat that lets its deadline pass; `auto` if not given.")

    @validates_schema
    def _long_enough(self, data: dict[str, Any], **_: Any) -> None:
        if data.get("turn_ms", MIN_TURN_MS) < MIN_TURN_MS and data.get("clock") != Clock.MANUAL:
            raise ValidationError(f"This is less than {MIN_TURN_MS}, with a real clock.", "turn_ms")


class ChosenOptions(TimeLimits):
    """What a creator may choose. All of it is public, but for the seed until the game is over."""

    scoring_tiles = ListOf(
        ScoringTileId(),
        "Four different scoring tiles, for slots A to D; drawn if not named.",
        length=(len(SLOTS), len(SLOTS)),
        error="These are not four scoring tiles.",
        unique=True,
    )
    starting_seat = Seat("The seat that starts; drawn if not named.")
    seed = Name(
        "What all draws follow from; random if not given. A client that knows it knows every draw. A short "
        "seed can be found from the first draws by trying: use at least 22 random characters.",
        64,
    )
    tie_break = ChosenTieBreak("What breaks a tie; `leftover_gold` if not given.")
    open_gold = Boolean("Whether every purse is shown to everybody; `false` if not given.")

    @validates_schema
    def _different(self, data: dict[str, Any], **_: Any) -> None:
        tiles = data.get("scoring_tiles", [])
        if len(set(tiles)) < len(tiles):
            raise ValidationError("These are not four different scoring tiles.", "scoring_tiles")


class _Named(Object):
    name = Name("What the game is called; `Isle of Skye` if not given.", 60, load_default="Isle of Skye")
    private = Boolean(
        "Whether the game is unlisted, and 404 to clients without a token of it; `false` if not given.",
        load_default=False,
    )


class Players(ListOf):
    """The players of a new game, at most as many as can sit down."""

    def __init__(self, form: type[Schema], description: str) -> None:
        super().__init__(
            form,
            description,
            length=(0, PLAYERS[-1]),
            error="There is room for {max} players.",
            load_default=list,
        )


class OptionsBeside(One):
    """The options of a game that begins from something that brings the others."""

    def __init__(self, beginning: str) -> None:
        super().__init__(TimeLimits, f"What can be chosen beside a {beginning}.", load_default=dict)


class FreshGame(_Named):
    """A game to open and begin from the beginning. Everything may be left out."""

    seats = Integer(
        PLAYERS[0], PLAYERS[-1], "How many can sit down; with `start` as many as `players`, else 5."
    )
    players = Players(
        FirstPlayer,
        "Players to seat at once, in seat order, and to invite; their tokens and codes come back.",
    )
    start = Boolean(
        "Whether to start as soon as every seat is taken; `false` if not given.", load_default=False
    )
    options = One(ChosenOptions, "What the creator chooses.", load_default=dict)


class Moment(Object):
    """The beginning of a phase of a round."""

    round = Integer(1, MAX_ROUNDS, "The round.", required=True)
    phase = GamePhase("The phase.", required=True)


class Until(EitherOf):
    """Where to stop in a record: after a number of actions, or where a phase of a round begins."""

    component = "Until"
    _number = Integer(0, MAX_ACTIONS, "A number of actions.")
    _moment = Moment()
    forms = (_number, Moment)

    def __init__(self) -> None:
        super().__init__("Where to stop in the record; all actions are played if left out.")

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, dict):
            return self._moment.load(value)
        return self._number.deserialize(value, attr, data, **kwargs)


class RecordedGame(_Named):
    """A game to begin from the record of another that is over. The record brings its own players."""

    record = One(GameRecord, "The record to begin from.", required=True)
    until = Until()
    options = OptionsBeside("record")


class PlayerOfPosition(Object):
    """A person or a bot who plays a seat of a position, in the colour that the position gives it."""

    name = Name("What the player is called; `Player 1` and so on, or the bot's name, if left out.")
    bot = SeatableBot("The bot that plays; a person if left out.")


class PlayersOf(Players):
    """The players of a position."""

    def __init__(self, beginning: str) -> None:
        super().__init__(
            PlayerOfPosition, f"Who plays the seats of the {beginning}, in seat order; persons if left out."
        )


class PositionedGame(_Named):
    """A game to begin from a position. It starts at once, with every seat taken."""

    position = One(Position, "The position to begin from.", required=True)
    players = PlayersOf("position")
    options = OptionsBeside("position")


class ScenarioGame(_Named):
    """A game to begin from a scenario. It starts at once, with every seat taken."""

    scenario = ChosenScenario("The scenario to begin from.", required=True)
    players = PlayersOf("scenario")
    options = OptionsBeside("scenario")


class GameToCreate(Variants):
    """A game to open: a new one, or one that begins from a record, a position or a scenario."""

    variants = (FreshGame, RecordedGame, PositionedGame, ScenarioGame)

    def variant(self, data: dict[str, Any]) -> type[Schema]:
        """Return the form that has the field sent: `record`, `position`, `scenario` or none of them."""
        if "scenario" in data:
            return ScenarioGame
        if "position" in data:
            return PositionedGame
        return RecordedGame if "record" in data or "until" in data else FreshGame


class GamesToCreate(Object):
    """Games to open at once, such as those of a league."""

    games = ListOf(
        GameToCreate,
        "The games, each as `POST /v1/games` takes it.",
        length=(1, MAX_GAMES),
        error="This is not from {min} to {max} games.",
        required=True,
    )
