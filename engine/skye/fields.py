"""The types of the fields of views, with their meaning and range, which every ruleset keeps.

In `Annotated`, a string describes the field, and a TypedDict describes a mapping.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, NamedTuple, TypeAlias, TypeVar

from skye.rules.moves import MAX_GOLD
from skye.rulesets.data import MAX_PLAYERS, MAX_ROUNDS
from skye.rulesets.ruleset import MAX_SCORING_TILES, MAX_SLOTS
from skye.tiles.geometry import LIMIT

MAX_POINTS: Final = 1000
"""More points than a placement can add or cost."""

MAX_TILES: Final = LIMIT
"""The maximum number of landscape tiles of a ruleset."""

MAX_REGIONS: Final = 5 * (MAX_TILES + 1)
"""More than the number of areas of a territory: a tile has five regions at most."""

Entry = TypeVar("Entry")


class Keywords:
    """Keywords of JSON Schema that limit the values of a type; unlike a dictionary, it has a hash."""

    def __init__(self, **keywords: Any) -> None:
        self.keywords = keywords


class Component(NamedTuple):
    """The name of a schema that the contract of a service defines once."""

    name: str


Count: TypeAlias = Annotated[int, Keywords(minimum=0)]
Gain: TypeAlias = Annotated[int, Keywords(minimum=-MAX_POINTS, maximum=MAX_POINTS)]
Price: TypeAlias = Annotated[int, Keywords(minimum=1, maximum=MAX_GOLD)]
Coordinate: TypeAlias = Annotated[int, Keywords(minimum=-LIMIT, maximum=LIMIT)]
Round: TypeAlias = Annotated[int, Keywords(minimum=1, maximum=MAX_ROUNDS), "The round, counted from 1."]
Rounds: TypeAlias = Annotated[int, Keywords(minimum=1, maximum=MAX_ROUNDS)]
Seat: TypeAlias = Annotated[int, Keywords(minimum=0, maximum=MAX_PLAYERS - 1), "The seat."]
EventSeat: TypeAlias = Annotated[Seat, "The seat that the event is about."]

RulesetName: TypeAlias = Annotated[
    str,
    Component("RulesetName"),
    "The rules of the game: `GET /v1/tiles` and `GET /v1/scoring-tiles` show those of a `ruleset`.",
]
Rotation: TypeAlias = Annotated[int, Component("Rotation"), "The rotation."]
Color: TypeAlias = Annotated[str, Component("Color")]
LandscapeTileId: TypeAlias = Annotated[str, Component("LandscapeTileId"), "A landscape tile."]
TileId: TypeAlias = Annotated[str, Component("TileId"), "A tile."]
ScoringTileId: TypeAlias = Annotated[str, Component("ScoringTileId"), "A scoring tile."]
ScoringSlot: TypeAlias = Annotated[str, Component("ScoringSlot"), "A slot."]
TerrainName: TypeAlias = Annotated[str, Component("TerrainName"), "The terrain."]
Side: TypeAlias = Annotated[str, Component("Side"), "An edge."]
ObjectKind: TypeAlias = Annotated[str, Component("ObjectKind")]
ProblemCode: TypeAlias = Annotated[str, Component("ProblemCode")]
Prices: TypeAlias = Annotated[Mapping[str, int], Component("Prices")]

Seats: TypeAlias = Annotated[
    Sequence[Annotated[Seat, "A seat."]], Keywords(maxItems=MAX_PLAYERS, uniqueItems=True)
]
BySeat: TypeAlias = Annotated[Sequence[Entry], Keywords(maxItems=MAX_PLAYERS)]
BySlot: TypeAlias = Annotated[Sequence[Entry], Keywords(maxItems=MAX_SLOTS)]
LandscapeTileIds: TypeAlias = Annotated[
    Sequence[LandscapeTileId], Keywords(maxItems=MAX_TILES, uniqueItems=True)
]
TileIds: TypeAlias = Annotated[Sequence[TileId], Keywords(maxItems=MAX_TILES + 1, uniqueItems=True)]
ByScoringTile: TypeAlias = Annotated[Sequence[Entry], Keywords(maxItems=MAX_SCORING_TILES)]
InTerritory: TypeAlias = Annotated[Sequence[Entry], Keywords(maxItems=MAX_TILES + 1)]
