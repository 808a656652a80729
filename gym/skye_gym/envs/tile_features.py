"""The features of a tile as numbers: what a learner sees instead of the tile's id.

| columns | feature                                                                                   |
|---------|-------------------------------------------------------------------------------------------|
| 0 - 11  | terrain at north, east, south, west: pasture, mountain, water for each (0 or 1)           |
| 12 - 14 | terrain of the middle: pasture, mountain, water (0 or 1)                                  |
| 15 - 18 | a road leaves at north, east, south, west (0 or 1)                                        |
| 19 - 24 | a road joins N and E, N and S, N and W, E and S, E and W, S and W (0 or 1)                |
| 25 - 31 | the number of whisky, sheep, cattle, farm, broch, ship, lighthouse (0 to 3)               |
| 32 - 38 | the tile has a scroll of the kind whisky, sheep, ..., lighthouse (0 or 1)                 |

No two landscape tiles of the base game have the same features, in any rotation. Castles have features too.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import combinations
from typing import Final

from skye.rulesets.ruleset import Ruleset
from skye.tiles.geometry import SIDES
from skye.tiles.tile import OBJECTS, RotatedTile, Terrain

TILE_FEATURES: Final = 39
"""The number of features of a tile."""

_PAIRS: Final = tuple(combinations(SIDES, 2))


def _features(rotated: RotatedTile) -> bytes:
    terrains = [terrain == each for terrain in (*rotated.edges, rotated.tile.center) for each in Terrain]
    leaves = [rotated.road_at[side] >= 0 for side in SIDES]
    joins = [any(one in road and other in road for road in rotated.roads) for one, other in _PAIRS]
    scrolls = [rotated.tile.scroll == kind for kind in OBJECTS]
    return bytes([*terrains, *leaves, *joins, *rotated.tile.counts, *scrolls])


@cache
def features_of(ruleset: Ruleset) -> Mapping[tuple[str, int], bytes]:
    """Return the features of the tiles of a ruleset by (tile, rotation), one byte for each feature.

    >>> from skye.rulesets import BASE
    >>> len(features_of(BASE)["L01", 90]) == TILE_FEATURES
    True
    """
    return {placed: _features(rotated) for placed, rotated in ruleset.tiles.rotated.items()}
