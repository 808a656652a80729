"""Records: `GET /games/{game}/record` returns one, and `POST /games` begins a game from one."""

from __future__ import annotations

from typing import Any

from marshmallow import fields, post_load, validate

from skye import Action
from skye.positions import OLDEST_RECORD_FORMAT, RECORD_FORMAT, RecordedDraws
from skye.rulesets import MAX_PLAYERS, MAX_ROUNDS, MAX_SLOTS, MIN_PLAYERS
from skye.views import move_from
from skye_server.contract.enums import (
    BotName,
    Color,
    GamePhase,
    LandscapeTile,
    RulesetName,
    ScoringTileId,
    SeatEndType,
    TieBreakRule,
)
from skye_server.contract.fields import Boolean, Coordinate, Integer, Name, Rotation, Seat, Time
from skye_server.contract.moves import Prices
from skye_server.contract.objects import Constant, EitherOf, ListOf, NestedObject, Object, Tagged
from skye_server.contract.positions import SentPosition
from skye_server.games.views.fields import MAX_ACTIONS, MAX_DRAWS


class RecordedEnd(Object):
    """How a seat of a recorded game ended."""

    type = SeatEndType("How the seat ended.", required=True)
    at = Time("When the seat was given up; null if its player stayed.", allow_none=True)
    bot = BotName("The bot that played it from then on; null if its player stayed.", allow_none=True)
    round = Integer(1, MAX_ROUNDS, "The round in which the seat was given up.", allow_none=True)
    phase = GamePhase("The phase in which the seat was given up.", allow_none=True)
    missed_deadlines = Integer(0, 2**31 - 1, "How many deadlines the seat has missed.")
    server_decisions = Integer(0, 2**31 - 1, "How many of its decisions the server made.")
    decisions = Integer(0, 2**31 - 1, "How many decisions the game had for the seat.")


class RecordedPlayer(Object):
    """A player of a recorded game."""

    name = Name("The name of the player.", required=True)
    color = Color("The player's colour.", required=True)
    bot = BotName(
        "The bot that played the seat from the start; null for a person.", required=True, allow_none=True
    )
    end = NestedObject(RecordedEnd, "How the seat ended; needed for the seats in `gave_up` only.")


class RecordedOptions(Object):
    """The seed and the options of a recorded game."""

    seed = Name("The seed; null until the game is finished.", 64, required=True, allow_none=True)
    scoring_tiles = ListOf(
        ScoringTileId(),
        "The scoring tiles that the creator named for slots A to D; null: drawn.",
        length=(1, MAX_SLOTS),
        error="These are not four scoring tiles.",
        required=True,
        allow_none=True,
    )
    first_seat = Seat(
        "The seat to start round 1 that the creator named; null: drawn.", required=True, allow_none=True
    )
    tie_break = TieBreakRule("What breaks a tie.", required=True)
    open_gold = Boolean("Whether all gold is public.", required=True)


class DrawsOfRecord(Object):
    """What was drawn in a recorded game."""

    scoring_tiles = ListOf(
        ScoringTileId(),
        "The scoring tiles by slot, drawn or named.",
        length=(1, MAX_SLOTS),
        error="These are not {min} to {max} scoring tiles.",
        required=True,
    )
    starting_seat = Seat(
        "The seat that started round 1, or the round of the position, drawn or named.", required=True
    )
    tiles = ListOf(
        LandscapeTile(),
        "The tiles that came out of the bag in this record, in order: in each round that began three of "
        "seat 0, three of seat 1 and so on.",
        length=(0, MAX_DRAWS),
        required=True,
    )

    @post_load
    def _draws(self, data: dict[str, Any], **_: Any) -> RecordedDraws:
        return RecordedDraws(tuple(data["scoring_tiles"]), data["starting_seat"], tuple(data["tiles"]))


class _Recorded(Object):
    seat = Seat("The seat that acted.", required=True)
    round = Integer(1, MAX_ROUNDS, "The round in which it acted.", required=True)
    phase = GamePhase("The phase in which it acted.", required=True)

    @post_load
    def _move(self, data: dict[str, Any], **_: Any) -> Action | None:
        """Return the action, or None when it is hidden."""
        if None in data.values():
            return None
        move = {name: value for name, value in data.items() if name not in ("seat", "round", "phase")}
        return Action(data["seat"], move_from(move.pop("type"), move))


class RecordedOffer(_Recorded):
    """A seat set or replaced its offer.

    The offer is null while it is hidden from the caller.
    """

    type = Constant("set_offer")
    discard = LandscapeTile("The tile to discard.", required=True, allow_none=True)
    prices = Prices("Gold for each of the other two tiles.", required=True, allow_none=True)


class RecordedPurchase(_Recorded):
    """A seat bought a tile."""

    type = Constant("buy")
    tile = LandscapeTile("The tile it bought.", required=True)


class RecordedPass(_Recorded):
    """A seat bought nothing."""

    type = Constant("pass")


class RecordedPlacement(_Recorded):
    """A seat placed a tile."""

    type = Constant("place")
    tile = LandscapeTile("The tile it placed.", required=True)
    x = Coordinate("Cells east of the castle.", required=True)
    y = Coordinate("Cells south of the castle.", required=True)
    rotation = Rotation(required=True)


class RecordedTakeBack(_Recorded):
    """A seat took its last placement back."""

    type = Constant("take_back")


class RecordedFinish(_Recorded):
    """A seat declared its build finished."""

    type = Constant("finish_building")


class RecordedAction(Tagged):
    """One action of a game."""

    variants = (
        RecordedOffer,
        RecordedPurchase,
        RecordedPass,
        RecordedPlacement,
        RecordedTakeBack,
        RecordedFinish,
    )


class SeatThatGaveUp(Seat):
    """A seat that was given up."""

    component = "SeatThatGaveUp"

    def __init__(self) -> None:
        super().__init__("A seat that was given up.")


class SeatsThatGaveUp(ListOf):
    """Seats that were given up at the same time."""

    component = "SeatsThatGaveUp"

    def __init__(self) -> None:
        super().__init__(
            SeatThatGaveUp(), "Seats that were given up at once.", length=(1, MAX_PLAYERS), unique=True
        )


class GaveUp(EitherOf):
    """Seats that were given up at the same time; format 2 names them one by one."""

    component = "GaveUp"
    _seat = SeatThatGaveUp()
    _seats = SeatsThatGaveUp()
    forms = (_seats, _seat)

    def __init__(self) -> None:
        super().__init__("Seats that were given up at the same time.")

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, list):
            return self._seats.deserialize(value, attr, data, **kwargs)
        return [self._seat.deserialize(value, attr, data, **kwargs)]


class GameRecord(Object):
    """How a game began, what was drawn, and every action since; the state of the game follows from it.

    A new game can begin from all or the first actions of a record, if the recorded game is finished.
    """

    format = Integer(
        OLDEST_RECORD_FORMAT, RECORD_FORMAT, "The version of the format of records.", required=True
    )
    ruleset = RulesetName("The rules; `base` if left out.")
    game_id = fields.String(
        validate=validate.Length(max=64, error="This is longer than {max} characters."),
        metadata={"description": "The id of the recorded game."},
    )
    version = Integer(0, 2**31 - 1, "The version of the game when the record was made.")
    nonce = fields.String(
        validate=validate.Length(max=32, error="This is longer than {max} characters."),
        allow_none=True,
        metadata={"description": "The nonce of the recorded game; a new game gets a nonce of its own."},
    )
    players = ListOf(
        RecordedPlayer,
        "The players, in seat order.",
        length=(MIN_PLAYERS, MAX_PLAYERS),
        error="This is not from {min} to {max} players.",
        required=True,
    )
    options = NestedObject(RecordedOptions, "The options and the seed.", required=True)
    position: NestedObject = SentPosition(
        "The position that the game began from; null: the start.", allow_none=True
    )
    draws = NestedObject(
        DrawsOfRecord,
        "What was drawn. The new game has these draws up to where it stops; the seed determines those after "
        "it, and all if this is left out.",
        allow_none=True,
    )
    gave_up = ListOf(
        GaveUp(),
        "The seats that their players gave up: those of one date together, the earliest date first. The new "
        "game has them if it plays all actions to the end; otherwise nobody has given up yet.",
        length=(0, MAX_PLAYERS),
        load_default=list,
    )
    actions = ListOf(
        RecordedAction,
        "Every action, in order.",
        length=(0, MAX_ACTIONS),
        error="This is more than {max} actions.",
        required=True,
    )
