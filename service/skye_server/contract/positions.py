"""Positions: `GET /games/{game}/position` returns one, and `POST /games` begins a game from one.

The schemas describe positions in the contract. The engine reads and checks the positions that clients send.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, NamedTuple

from marshmallow import Schema, ValidationError

from skye import TieBreak
from skye.fields import MAX_TILES, BySeat, Component, InTerritory, Keywords, RulesetName
from skye.positions import MAX_GOLD
from skye.rulesets import MAX_DRAWN, MAX_PLAYERS, MAX_ROUNDS, MAX_SLOTS, MIN_PLAYERS
from skye.views import TerritoryTileView
from skye_server.contract import enums
from skye_server.contract.enums import AnyTile, Color, GamePhase, LandscapeTile, ScoringTileId
from skye_server.contract.fields import Boolean, Coordinate, Integer, Name, Rotation, Seat
from skye_server.contract.objects import ListOf, NestedObject, Object


class PositionTile(Object):
    """A tile in a territory."""

    tile = AnyTile("The tile.", required=True)
    x = Coordinate("Cells east of the castle.", required=True)
    y = Coordinate("Cells south of the castle.", required=True)
    rotation = Rotation("The rotation; 0 if left out.")


class PositionDraw(Object):
    """A tile that a seat has drawn in this round, or still offers for sale in the buying phase."""

    tile = LandscapeTile("The tile.", required=True)
    price = Integer(1, MAX_GOLD, "The gold laid on the tile.", allow_none=True)
    discard = Boolean("Whether it is marked for discarding.", allow_none=True)


class FinalPoints(Object):
    """The points of final scoring."""

    scroll_points = Integer(0, MAX_GOLD, "Points for scrolls.", required=True)
    gold_points = Integer(0, MAX_GOLD, "1 point for every 5 gold.", required=True)


class PlayerPosition(Object):
    """One seat of a position. All fields are optional."""

    color = Color("The colour; if left out, that of the castle or the first free one.", allow_none=True)
    gold = Integer(
        0,
        MAX_GOLD,
        "The gold in the purse, without gold on tiles; the income of the round if left out.",
        allow_none=True,
    )
    score = Integer(0, MAX_GOLD, "The points so far; the sum of `points` if left out.", allow_none=True)
    territory = ListOf(
        PositionTile,
        "The placed tiles in placing order. The castle at (0, 0) can be left out.",
        length=(0, MAX_TILES + 1),
        allow_none=True,
    )
    tiles_on_offer = ListOf(
        PositionDraw,
        "The tiles drawn in the pricing phase, or those on offer in the buying phase; drawn if left out.",
        length=(0, 3),
        allow_none=True,
    )
    offer_set = Boolean(
        "Whether the seat has set an offer in the pricing phase. If it has and `tiles_on_offer` has no "
        "prices, the server chooses the offer.",
        allow_none=True,
    )
    tiles_to_build = ListOf(
        LandscapeTile(),
        "The tiles in hand: in the buying phase at most the tile bought. In the building phase the server "
        "draws two if left out.",
        length=(0, 3),
        allow_none=True,
    )
    placed_this_round = Integer(
        0,
        3,
        "How many of the last tiles of the territory can be taken back; 0 if left out.",
        allow_none=True,
    )
    building_finished = Boolean(
        "Whether the seat has declared its build finished; `false` if left out.", allow_none=True
    )
    points = ListOf(
        ListOf(
            Integer(0, MAX_GOLD, "The points of one slot."),
            "The points of each slot scored in the round.",
            length=(0, MAX_SLOTS),
        ),
        "The points of each scored round; 0 for every slot if left out. What `score` exceeds them by belongs "
        "to no scoring tile.",
        length=(0, MAX_ROUNDS),
        allow_none=True,
    )
    territory_sizes = ListOf(
        Integer(1, MAX_TILES + 1, "A number of tiles."),
        "The number of tiles after each scored round, with the castle; evenly growing if left out.",
        length=(0, MAX_ROUNDS),
        allow_none=True,
    )
    final = NestedObject(FinalPoints, "The points of final scoring; null before it.", allow_none=True)


class Position(Object):
    """A game at one moment. Only `players` is required; the server derives or draws what is left out.

    The server checks it against the rules and reports each fault in `errors`.
    """

    ruleset = enums.RulesetName("The rules; `base` if left out.", allow_none=True)
    seed = Name(
        "The seed of all further draws; random if left out. A client that knows it can compute every draw.",
        64,
        allow_none=True,
    )
    next_draws = ListOf(
        LandscapeTile(),
        "The tiles that come out of the bag next, as secret as the seed: first for what this position leaves "
        "out, then in each round three for seat 0, three for seat 1 and so on. The seed determines the draws "
        "after them; all if left out.",
        length=(0, MAX_TILES),
        unique=True,
        allow_none=True,
    )
    round = Integer(1, MAX_ROUNDS, "The round; 1 if left out.", allow_none=True)
    phase = GamePhase(
        "The phase; `pricing` if left out. Null: the game is over, after its last round.", allow_none=True
    )
    starting_seat = Seat("The seat that starts this round; drawn if left out.", allow_none=True)
    buys = Integer(
        0,
        MAX_PLAYERS,
        "How many seats have bought or passed in this round; derived if left out.",
        allow_none=True,
    )
    scoring_tiles = ListOf(
        ScoringTileId(),
        "A different scoring tile for each slot, four in `base`; drawn if left out.",
        length=(1, MAX_SLOTS),
        error="These are not {min} to {max} scoring tiles.",
        unique=True,
        allow_none=True,
    )
    tie_break = enums.TieBreakRule("What breaks a tie; `leftover_gold` if left out.", allow_none=True)
    open_gold = Boolean("Whether all gold is public; `false` if left out.", allow_none=True)
    players = ListOf(
        PlayerPosition,
        "The seats, in seat order.",
        length=(MIN_PLAYERS, MAX_PLAYERS),
        error="This is not from {min} to {max} players.",
        required=True,
    )


class SentPosition(NestedObject):
    """A position in a request. Only its seed is checked here; `skye.game_from_position` reads the rest."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(Position, description, **kwargs)

    def _load(self, value: Any, partial: Any = None) -> Any:
        del partial
        if not isinstance(value, dict):
            raise ValidationError(Position.error_messages["type"])
        try:
            return value | {"seed": _SEED.deserialize(value.get("seed"))}
        except ValidationError as error:
            raise ValidationError({"seed": error.messages}) from error


_SEED = Position().fields["seed"]


class Exported(NamedTuple):
    """An object in a response that has the fields of an object in requests."""

    description: str
    request: type[Schema]
    optional: frozenset[str]
    changed: Mapping[str, Any]
    """The types of the fields that are not those of the request."""


_TIE_BREAK: Final = Annotated[TieBreak, "What breaks a tie."]

EXPORTED: Final = {
    "ExportedDraw": Exported(
        "A drawn tile. Price and discard are missing while hidden, null while not set.",
        PositionDraw,
        frozenset(("price", "discard")),
        {},
    ),
    "ExportedPlayerPosition": Exported(
        "One seat. `gold` is missing while hidden, `offer_set` where `tiles_on_offer` has the offer.",
        PlayerPosition,
        frozenset(("gold", "offer_set")),
        {
            "territory": Annotated[
                InTerritory[TerritoryTileView], "The placed tiles in placing order, the castle first."
            ],
            "tiles_on_offer": Annotated[
                list[Annotated[object, Component("ExportedDraw")]],
                Keywords(maxItems=MAX_DRAWN),
                "The tiles drawn that are still on offer.",
            ],
        },
    ),
    "ExportedPosition": Exported(
        "A game at one moment, as the caller may see it; `POST /v1/games` can begin a game from it.\n\n"
        "The seed and the next draws are missing until the game is finished, except for the host of a game "
        "that began from a position; the next draws also when the seed determines all draws.",
        Position,
        frozenset(("seed", "next_draws")),
        {
            "ruleset": RulesetName,
            "tie_break": _TIE_BREAK,
            "players": Annotated[
                BySeat[Annotated[object, Component("ExportedPlayerPosition")]],
                Keywords(minItems=MIN_PLAYERS),
                "The seats, in seat order.",
            ],
        },
    ),
    "ScenarioPosition": Exported(
        "A position that `POST /v1/games` accepts as `position`. The server draws what is left out.",
        Position,
        frozenset(Position().fields.keys() - {"players"}),
        {"ruleset": RulesetName, "tie_break": _TIE_BREAK},
    ),
}
"""The objects by the names of their components."""
