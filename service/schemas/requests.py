"""What the service takes: shape and range of every request body and query. Rules are the engine's."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, ValidationError, fields, validate, validates_schema

from service.matches.match import Clock
from service.schemas.enums import (
    AnyTile,
    ChosenClock,
    ChosenScenario,
    ChosenTieBreak,
    ChosenTimeoutRule,
    Color,
    GamePhase,
    Inclusion,
    LandscapeTile,
    ListedOrigin,
    ListedStatus,
    Prices,
    ScoringTileId,
    SeatableBot,
)
from service.schemas.fields import (
    MAX_GOLD,
    MAX_TURN_MS,
    Always,
    Boolean,
    Coordinate,
    EitherOf,
    Integer,
    InviteCode,
    ListOf,
    Name,
    Object,
    One,
    PlayerKey,
    QueryBoolean,
    QueryInteger,
    QueryRotation,
    Rotation,
    Seat,
    Variants,
)
from service.schemas.positions import MAX_ROUNDS, Position
from service.schemas.records import MAX_ACTIONS, GameRecord
from skye import LANDSCAPE, PLAYERS, SCORING_TILES, SLOTS

_LEAST, _MOST = PLAYERS[0], PLAYERS[-1]

MIN_TURN_MS = 1_000
"""The shortest time for a decision by the clock of the server, in milliseconds."""

MAX_ADVANCE_MS = 366 * 86_400_000
"""How far a clock can be advanced at once, in milliseconds: a year."""

MAX_TILES_TO_PLACE = 2 * (_MOST - 1)
"""As many tiles as the other seats can offer for sale."""


class PersonToSeat(Object):
    """A person who takes a seat."""

    name = Name("What the player is called.", required=True)
    color = Color("The player's colour; the first that is free if none is named.")


class PersonToJoin(PersonToSeat):
    """A person who takes a seat of a game that exists."""

    invite = InviteCode("An invitation code, for a caller that sends a player key as the bearer token.")


class BotToSeat(Object):
    """A bot that takes a seat; only the host may seat one."""

    bot = SeatableBot("The bot that plays.", required=True)
    name = Name("What the bot is called; it is given a name if it has none.")
    color = Color("The bot's colour; the first that is free if none is named.")


class PlayerToInvite(Object):
    """A player to invite: a seat is reserved for the holder of a single-use code."""

    invite = Always(True, "Always true.")


class PlayerChanges(Object):
    """What a player changes in the lobby."""

    min_properties = 1
    name = Name("The new name; unchanged if left out.")
    color = Color("The new colour; unchanged if left out.")


class FirstPlayer(Variants):
    """A player of a new game: a person or a bot to seat, or a player to invite."""

    variants = (PersonToSeat, BotToSeat, PlayerToInvite)

    def variant(self, data: dict[str, Any]) -> type[Schema]:
        """Return the form that has the field sent: `invite`, `bot` or neither."""
        if "invite" in data:
            return PlayerToInvite
        return BotToSeat if "bot" in data else PersonToSeat


class PlayerToSeat(Variants):
    """A person or a bot that takes a seat."""

    variants = (PersonToJoin, BotToSeat)

    def variant(self, data: dict[str, Any]) -> type[Schema]:
        """Tell a bot by its `bot`."""
        return BotToSeat if "bot" in data else PersonToJoin


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


class Advance(Object):
    """How far to advance a clock."""

    advance_ms = Integer(1, MAX_ADVANCE_MS, "Milliseconds.", required=True)


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
        "Whether the game is unlisted, and 404 to whoever has none of its tokens; `false` if not given.",
        load_default=False,
    )


class FreshGame(_Named):
    """A game to open and begin from the beginning. Everything may be left out."""

    seats = Integer(_LEAST, _MOST, "How many can sit down; with `start` as many as `players`, else 5.")
    players = ListOf(
        FirstPlayer,
        "Players to seat at once, in seat order, and to invite; their tokens and codes come back.",
        length=(0, _MOST),
        error="There is room for {max} players.",
        load_default=list,
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
    options = One(TimeLimits, "What can be chosen beside a record.", load_default=dict)


class PlayerOfPosition(Object):
    """A person or a bot who plays a seat of a position, in the colour that the position gives it."""

    name = Name("What the player is called; `Player 1` and so on, or the bot's name, if left out.")
    bot = SeatableBot("The bot that plays; a person if left out.")


class PositionedGame(_Named):
    """A game to begin from a position. It starts at once, with every seat taken."""

    position = One(Position, "The position to begin from.", required=True)
    players = ListOf(
        PlayerOfPosition,
        "Who plays the seats of the position, in seat order; persons if left out.",
        length=(0, _MOST),
        error="There is room for {max} players.",
        load_default=list,
    )
    options = One(TimeLimits, "What can be chosen beside a position.", load_default=dict)


class ScenarioGame(_Named):
    """A game to begin from a scenario. It starts at once, with every seat taken."""

    scenario = ChosenScenario("The scenario to begin from.", required=True)
    players = ListOf(
        PlayerOfPosition,
        "Who plays the seats of the scenario, in seat order; persons if left out.",
        length=(0, _MOST),
        error="There is room for {max} players.",
        load_default=list,
    )
    options = One(TimeLimits, "What can be chosen beside a scenario.", load_default=dict)


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


class KeyToUse(Object):
    """A player key that replaces the one that is sent as the bearer token."""

    key = PlayerKey("The new key. Send the same one again after a failure.", required=True)


class Offer(Object):
    """An offer: one of the three drawn tiles to discard, and a price for each of the other two."""

    discard = LandscapeTile("The tile that goes back into the bag.", required=True)
    prices = Prices("Gold of one's own to lay on each of the other two tiles.", required=True)


class TileToBuy(Object):
    """A tile to buy from another player, at its price."""

    tile = LandscapeTile("The tile to buy.", required=True)


class PassToBuy(Object):
    """A wish to buy nothing."""

    pass_ = Always(True, "Always true.", data_key="pass")


_EITHER = 'Send either {"tile": "L01"} or {"pass": true}'


class Purchase(Variants):
    """A tile to buy, or a pass."""

    variants = (TileToBuy, PassToBuy)

    def variant(self, data: dict[str, Any]) -> type[Schema]:
        """Return the form that has the field sent.

        :raises ValidationError: when both fields are sent, neither is, or the one sent is null.
        """
        if "tile" in data and "pass" in data:
            raise ValidationError(f"{_EITHER}, not both.")
        for name in data.keys() & {"tile", "pass"}:
            if data[name] is None:
                raise ValidationError({name: [f"{_EITHER}."]})
        if not data.keys() & {"tile", "pass"}:
            raise ValidationError(f"{_EITHER}.")
        return TileToBuy if "tile" in data else PassToBuy


class Placement(Object):
    """A tile to place, where, and how turned."""

    tile = LandscapeTile("The tile to place.", required=True)
    x = Coordinate("Position eastwards of the castle.", required=True)
    y = Coordinate("Position southwards of the castle.", required=True)
    rotation = Rotation("How the tile is turned; 0 if not given.", load_default=0)


class Trial(Object):
    """Placements to try, one after the other."""

    placements = ListOf(
        Placement,
        "The placements, in order.",
        length=(0, 20),
        error="At most {max} placements can be tried at once.",
        required=True,
    )


class TileToScore(Object):
    """A tile as it lies in a territory."""

    tile = AnyTile("The tile.", required=True)
    x = Coordinate("Position eastwards of the castle.", required=True)
    y = Coordinate("Position southwards of the castle.", required=True)
    rotation = Rotation("How the tile is turned; 0 if not given.", load_default=0)


class TerritoryToScore(Object):
    """A territory to score, and the gold of its owner."""

    tiles = ListOf(
        TileToScore,
        "The tiles in any order: one castle at (0, 0), the others joined to it.",
        length=(1, len(LANDSCAPE) + 1),
        error="This is not from {min} to {max} tiles.",
        required=True,
    )
    gold = Integer(0, MAX_GOLD, "The gold in the purse; 0 if not given.", load_default=0)


class ScoringQuery(Object):
    """Territories to score, apart from any game."""

    territories = ListOf(
        TerritoryToScore,
        "One territory for each player; majorities compare them.",
        length=(1, _MOST),
        error="This is not from {min} to {max} territories.",
        required=True,
    )
    scoring_tiles = ListOf(
        ScoringTileId(),
        "The scoring tiles to score; all 16 if left out.",
        length=(0, len(SCORING_TILES)),
        error="There are {max} scoring tiles.",
    )


class _Query(Schema):
    error_messages = {"unknown": "There is no such parameter."}  # noqa: RUF012 - as marshmallow has it


class GamesQuery(_Query):
    """Which games to list."""

    status = ListedStatus("Only games of this status.")
    origin = ListedOrigin("Only games that began from this; only games that began as new ones if left out.")
    limit = QueryInteger(1, 100, "How many games at most.", load_default=20)
    cursor = fields.String(
        validate=validate.Regexp("^[0-9]{1,16}$", error="This is no cursor of an earlier page."),
        metadata={"description": "`next_cursor` of the page before."},
    )


class OwnGamesQuery(_Query):
    """Which games of a player to list."""

    limit = QueryInteger(1, 100, "How many games at most.", load_default=20)
    cursor = fields.String(
        validate=validate.Regexp(
            "^[0-9]{1,16}-[a-z0-9]{1,64}$", error="This is no cursor of an earlier page."
        ),
        metadata={"description": "`next_cursor` of the page before."},
    )


class PlayerStreamQuery(_Query):
    """Where a player's events begin."""

    after = fields.String(
        validate=validate.Regexp("^[0-9]{1,19}-[0-9]{1,19}$", error="This is no id of an event."),
        metadata={
            "description": "Only events after the one with this id; from the first one kept if left out."
        },
        load_default="0-0",
    )


class PlayerEventsQuery(PlayerStreamQuery):
    """Which events of a player to list."""

    limit = QueryInteger(1, 1000, "How many events at most.", load_default=1000)
    wait_ms = QueryInteger(
        0, 60_000, "How many milliseconds to wait for an event if there is none yet.", load_default=0
    )


class StreamQuery(_Query):
    """Where a stream of events begins."""

    after = QueryInteger(0, 10**9, "Only events with a higher number.", load_default=0)


class EventsQuery(StreamQuery):
    """Which events to list."""

    limit = QueryInteger(1, 1000, "How many events at most.", load_default=1000)
    wait_ms = QueryInteger(
        0, 60_000, "How many milliseconds to wait for an event if there is none yet.", load_default=0
    )


class ViewQuery(_Query):
    """What the view of a game carries."""

    include = Inclusion("`actions`: the view also has the legal actions of the caller's seat.")


class GameQuery(ViewQuery):
    """When, and with what, to show a game."""

    at = QueryInteger(
        1, 10**9, "The number of an event: the game is shown as it was when this event had happened."
    )


class PlacesQuery(_Query):
    """Which tiles to find places for."""

    tile = ListOf(
        LandscapeTile(),
        "A landscape tile that lies in no territory; repeat the parameter for several tiles.",
        length=(1, MAX_TILES_TO_PLACE),
        error="This is not from {min} to {max} tiles.",
        required=True,
    )


class TilePictureQuery(_Query):
    """How to draw a tile."""

    rotation = QueryRotation(load_default=0)


class TerritoryPictureQuery(_Query):
    """How to draw a territory."""

    coordinates = QueryBoolean("Whether a picture shows the coordinates.", load_default=False)
