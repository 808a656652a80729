"""The features of a tile as numbers: what a learner sees instead of the tile's id.

| columns | feature                                                                                   |
|---------|-------------------------------------------------------------------------------------------|
| 0 - 11  | terrain at north, east, south, west: pasture, mountain, water for each (0 or 1)           |
| 12 - 14 | terrain of the middle: pasture, mountain, water (0 or 1)                                  |
| 15 - 18 | a road leaves at north, east, south, west (0 or 1)                                        |
| 19 - 24 | a road joins N and E, N and S, N and W, E and S, E and W, S and W (0 or 1)                |
| 25 - 31 | the number of whisky, sheep, cattle, farm, broch, ship, lighthouse (0 to 3)               |
| 32 - 38 | the tile has a scroll of the kind whisky, sheep, ..., lighthouse (0 or 1)                 |

No two landscape tiles have the same features, in any rotation. Castles have features too.
"""

from __future__ import annotations

from itertools import combinations
from typing import Final

from skye.tiles.catalogue import OBJECTS, ROTATED_TILES, RotatedTile, Terrain
from skye.tiles.geometry import SIDES

TILE_FEATURES: Final = 39
"""The number of features of a tile."""

_PAIRS: Final = tuple(combinations(SIDES, 2))


def _features(rotated: RotatedTile) -> bytes:
    terrains = [terrain == each for terrain in (*rotated.edges, rotated.tile.center) for each in Terrain]
    leaves = [rotated.road_at[side] >= 0 for side in SIDES]
    joins = [any(one in road and other in road for road in rotated.roads) for one, other in _PAIRS]
    scrolls = [rotated.tile.scroll == kind for kind in OBJECTS]
    return bytes([*terrains, *leaves, *joins, *rotated.tile.counts, *scrolls])


FEATURES: Final = {placed: _features(rotated) for placed, rotated in ROTATED_TILES.items()}
"""By (tile, rotation): the features, one byte for each."""
