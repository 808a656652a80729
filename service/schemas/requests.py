"""What the service takes: shape and range of every request body and query. Rules are the engine's."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, ValidationError, fields, post_load, validate, validates_schema

from engine import (
    BOTS,
    COLORS,
    LANDSCAPE,
    MOVE_TYPES,
    PLAYERS,
    SLOTS,
    TIE_BREAKS,
    Action,
    move_from,
)
from service.schemas.fields import (
    MOST_GOLD,
    AnyTile,
    Boolean,
    Coordinate,
    Integer,
    LandscapeTile,
    Name,
    Object,
    OneOf,
    Rotation,
    ScoringTileId,
)
from service.table import OnTimeout, Status

_DAY_MS = 86_400_000
_LEAST, _MOST = PLAYERS[0], PLAYERS[-1]


MOST_ACTIONS = 5_000
"""The most actions of a record; a game has about 30 for each player, and what was taken back."""


def _prices(**kwargs: Any) -> fields.Dict:
    return fields.Dict(
        keys=LandscapeTile("A tile."),
        values=Integer(1, MOST_GOLD, "Gold of one's own to lay on the tile."),
        validate=validate.Length(max=len(LANDSCAPE)),
        metadata={"description": "Gold for each tile on offer, at least 1, by tile id."},
        **kwargs,
    )


class NewPlayer(Object):
    """A player, or a bot, that takes a seat."""

    name = Name("What the player is called; a bot is given a name if it has none.")
    color = OneOf(COLORS, "The player's colour; the first that is free if none is named.")
    bot = OneOf(BOTS, "The bot that plays; only the host may seat one.")

    @validates_schema
    def _somebody(self, data: dict[str, Any], **_: Any) -> None:
        if "name" not in data and "bot" not in data:
            raise ValidationError("A player needs a name.", "name")


class NewOptions(Object):
    """What a creator may choose. All of it is public, but for the seed until the game is over."""

    scoring_tiles = fields.List(
        ScoringTileId("A scoring tile."),
        validate=validate.Length(equal=len(SLOTS), error="These are not four scoring tiles."),
        metadata={
            "description": "Four different scoring tiles, for slots A to D; drawn if not named.",
            "uniqueItems": True,
        },
    )
    starting_seat = Integer(0, _MOST - 1, "The seat that starts; drawn if not named.")
    seed = Name("What all draws follow from; random if not given. Who gives it knows every draw.", 64)
    tie_break = OneOf(TIE_BREAKS, "What breaks a tie (ruling R11).")
    open_gold = Boolean("Whether every purse is shown to everybody.")
    turn_ms = Integer(1000, 30 * _DAY_MS, "Milliseconds for each decision; no deadline if not given.")
    on_timeout = OneOf(
        OnTimeout, "Who decides for a seat that lets its deadline pass: `auto` once, `bot` for good."
    )

    @validates_schema
    def _different(self, data: dict[str, Any], **_: Any) -> None:
        tiles = data.get("scoring_tiles", [])
        if len(set(tiles)) < len(tiles):
            raise ValidationError("These are not four different scoring tiles.", "scoring_tiles")


class RecordedPlayer(Object):
    """A player of a recorded game."""

    name = Name("What the player is called.", required=True)
    color = OneOf(COLORS, "The player's colour.", required=True)
    bot = OneOf(BOTS, "The bot that plays the seat.", required=True, allow_none=True)


class RecordedOptions(Object):
    """What all draws of a recorded game follow from, and how it is scored."""

    seed = Name("The seed; a record has it once its game is over.", 64, required=True)
    scoring_tiles = fields.List(
        ScoringTileId("A scoring tile."),
        required=True,
        allow_none=True,
        validate=validate.Length(equal=len(SLOTS), error="These are not four scoring tiles."),
        metadata={"description": "The scoring tiles the creator named for slots A to D; null: drawn."},
    )
    starting_seat = Integer(
        0, _MOST - 1, "The seat the creator let start; null: drawn.", required=True, allow_none=True
    )
    tie_break = OneOf(TIE_BREAKS, "What breaks a tie (ruling R11).", required=True)
    open_gold = Boolean("Whether every purse is shown to everybody.", required=True)


class RecordedAction(Object):
    """An action: the seat, the type of move, and the fields of that type."""

    seat = Integer(0, _MOST - 1, "The seat that acted.", required=True)
    type = OneOf(MOVE_TYPES.values(), "The type of move.", required=True)
    discard = LandscapeTile("`set_offer`: the tile to discard.")
    prices = _prices()
    tile = LandscapeTile("`buy`, `place`: the tile.")
    x = Coordinate("`place`: position eastwards of the castle.")
    y = Coordinate("`place`: position southwards of the castle.")
    rotation = Rotation()

    @post_load
    def _move(self, data: dict[str, Any], **_: Any) -> Action:
        seat, name = data.pop("seat"), data.pop("type")
        try:
            return Action(seat, move_from(name, data))
        except KeyError as error:
            field = str(error.args[0])
            raise ValidationError(f"A {name} needs this.", field) from None


class GameRecord(Object):
    """The record of a game that is over, as `GET /games/{game}/record` gives it."""

    format = Integer(1, 1, "The number of the record's form.", required=True)
    game = fields.String(metadata={"description": "The id of the recorded game."})
    version = fields.Integer(metadata={"description": "The version of the recorded game."})
    players = fields.List(
        fields.Nested(RecordedPlayer),
        required=True,
        validate=validate.Length(_LEAST, _MOST, error="This is not from {min} to {max} players."),
        metadata={"description": "The players, in seat order."},
    )
    options = fields.Nested(RecordedOptions, required=True)
    actions = fields.List(
        fields.Nested(RecordedAction),
        required=True,
        validate=validate.Length(max=MOST_ACTIONS, error="This is more than {max} actions."),
        metadata={"description": "Every action, in order."},
    )


class NewGame(Object):
    """A game to open. Everything may be left out."""

    name = Name("What the game is called.", 60, load_default="Isle of Skye")
    private = Boolean(
        "Whether the game is unlisted, and 404 to whoever has none of its tokens.", load_default=False
    )
    seats = Integer(_LEAST, _MOST, "How many can sit down; with `start` as many as `players`, else 5.")
    players = fields.List(
        fields.Nested(NewPlayer),
        load_default=list,
        validate=validate.Length(max=_MOST, error="There is room for 5 players."),
        metadata={"description": "Players to seat at once, in seat order; their tokens come back."},
    )
    start = Boolean("Whether to start as soon as every seat is taken.", load_default=False)
    options = fields.Nested(NewOptions, load_default=dict)
    record = fields.Nested(
        GameRecord, metadata={"description": "The record of a game that is over, to begin from."}
    )
    until = Integer(0, MOST_ACTIONS, "How many actions of the record to play; all if left out.")

    @validates_schema
    def _record_alone(self, data: dict[str, Any], **_: Any) -> None:
        if "record" not in data:
            if "until" in data:
                raise ValidationError("This goes with a record.", "until")
            return
        if data["players"] or data["start"] or "seats" in data:
            raise ValidationError("A record brings its own players, seats and start.", "record")
        if data["options"].keys() - {"turn_ms", "on_timeout"}:
            raise ValidationError("Beside a record only turn_ms and on_timeout can be chosen.", "options")

    @validates_schema
    def _room_for_all(self, data: dict[str, Any], **_: Any) -> None:
        players = data["players"]
        if len(players) > data.get("seats", _MOST):
            raise ValidationError("There are more players than seats.", "players")
        colors = [player["color"] for player in players if "color" in player]
        if len(set(colors)) < len(colors):
            raise ValidationError("Two players have the same colour.", "players")


class Offer(Object):
    """An offer: one of the three drawn tiles to discard, and a price for each of the other two."""

    discard = LandscapeTile("The tile that goes back into the bag.", required=True)
    prices = _prices(required=True)


class Purchase(Object):
    """A tile to buy, or a pass."""

    tile = LandscapeTile("The tile to buy.")
    pass_ = Boolean("Whether to buy nothing.", data_key="pass")

    @validates_schema
    def _one_of_both(self, data: dict[str, Any], **_: Any) -> None:
        if ("tile" in data) == bool(data.get("pass_")):
            raise ValidationError('Send either {"tile": ...} or {"pass": true}.')


class Placement(Object):
    """A tile to place, where, and how turned."""

    tile = LandscapeTile("The tile to place.", required=True)
    x = Coordinate("Position eastwards of the castle.", required=True)
    y = Coordinate("Position southwards of the castle.", required=True)
    rotation = Rotation(load_default=0)


class Trial(Object):
    """Placements to try, one after the other."""

    placements = fields.List(
        fields.Nested(Placement),
        required=True,
        validate=validate.Length(max=20, error="At most 20 placements can be tried at once."),
        metadata={"description": "The placements, in order."},
    )


class PlacedTile(Object):
    """A tile as it lies in a territory."""

    tile = AnyTile("The tile.", required=True)
    x = Coordinate("Position eastwards of the castle.", required=True)
    y = Coordinate("Position southwards of the castle.", required=True)
    rotation = Rotation(load_default=0)


class ScoredTerritory(Object):
    """A territory to score, and the gold of its owner."""

    tiles = fields.List(
        fields.Nested(PlacedTile),
        required=True,
        validate=validate.Length(1, len(LANDSCAPE) + 1, error="This is not from {min} to {max} tiles."),
        metadata={"description": "The tiles in any order: one castle at (0, 0), the others joined to it."},
    )
    gold = Integer(0, MOST_GOLD, "The gold in the purse.", load_default=0)


class ScoringQuery(Object):
    """Territories to score, apart from any game."""

    territories = fields.List(
        fields.Nested(ScoredTerritory),
        required=True,
        validate=validate.Length(1, _MOST, error="This is not from {min} to {max} territories."),
        metadata={"description": "One territory for each player; majorities compare them."},
    )
    scoring_tiles = fields.List(
        ScoringTileId("A scoring tile."),
        validate=validate.Length(max=16, error="There are 16 scoring tiles."),
        metadata={"description": "The scoring tiles to score; all 16 if left out."},
    )


class GamesQuery(Schema):
    """Which games to list."""

    status = OneOf((Status.LOBBY, Status.PLAYING, Status.FINISHED), "Only games of this status.")
    limit = fields.Integer(
        load_default=20,
        validate=validate.Range(1, 100, error="This is not from {min} to {max}."),
        metadata={"description": "How many games at most."},
    )
    cursor = fields.String(
        validate=validate.Length(1, 64), metadata={"description": "`next_cursor` of the page before."}
    )


class EventsQuery(Schema):
    """Which events to list."""

    after = fields.Integer(
        load_default=0,
        validate=validate.Range(0, 10**9, error="This is not from {min} to {max}."),
        metadata={"description": "Only events with a higher number."},
    )
    limit = fields.Integer(
        load_default=1000,
        validate=validate.Range(1, 1000, error="This is not from {min} to {max}."),
        metadata={"description": "How many events at most."},
    )
    wait_ms = fields.Integer(
        load_default=0,
        validate=validate.Range(0, 60_000, error="This is not from {min} to {max}."),
        metadata={"description": "How many milliseconds to wait for an event if there is none yet."},
    )
