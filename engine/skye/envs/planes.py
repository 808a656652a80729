"""Planes of a territory: what lies on each cell of a window, one byte for each cell and plane.

The window has 21 x 21 cells; row 0 is its northern edge, column 0 its western edge. Its middle, (10, 10), is
the middle of the territory's bounding box, rounded to the north and west (`window_origin`). A territory has
at most 19 tiles, so the window contains it and every cell to which a tile can be added. The same window
locates the cells of factored actions (see `skye.envs.actions`).

| own planes | contents                                                                                  |
|------------|-------------------------------------------------------------------------------------------|
| 0 - 38     | the features of the tile on the cell, as it is turned (see `skye.envs.tile_features`)     |
| 39         | 1 for the castle                                                                          |
| 40         | 0 for an empty cell; 1 for the castle, 2 for the tile placed first, up to 19              |
| 41         | the tile is joined to the castle by road (0 or 1)                                         |
| 42 - 46    | the area at north, east, south, west, in the middle of the tile is completed (0 or 1)     |
| 47 - 58    | empty cells: the terrain that a tile must have at north, east, south, west (three each)   |
| 59         | empty cells: the cell is adjacent to a tile (0 or 1)                                      |
| 60 - 71    | the first tile of the seat fits here with rotation 0, 90, 180, 270; then the other two    |
| 72         | the cell is chosen for the tile, between two factored actions (0 or 1)                    |

The planes of another seat are the first 41 of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from skye.envs.tile_features import FEATURES, TILE_FEATURES
from skye.territory.territory import Territory
from skye.tiles.catalogue import FITTING_ROTATIONS, LANDSCAPE, Terrain
from skye.tiles.geometry import ROTATIONS, SIDES, cell_at

WINDOW: Final = 21
"""The side of the window in cells."""

MAX_TILES: Final = 19
"""The maximum number of tiles of a territory, the castle included."""

OTHER_PLANES: Final = TILE_FEATURES + 2
OWN_PLANES: Final = OTHER_PLANES + 32

_MIDDLE: Final = WINDOW // 2
_ORDER: Final = OTHER_PLANES - 1
_CONNECTED: Final = OTHER_PLANES
_COMPLETED: Final = _CONNECTED + 1
_FRONTIER: Final = _COMPLETED + 5
_CHOSEN: Final = OWN_PLANES - 1

_ROW: Final = cell_at(0, 1) - cell_at(0, 0)

_CELL: Final = [WINDOW * row + column for row in range(WINDOW) for column in range(_ROW)]
"""By the difference of a cell and the first one of the window: the number of the cell in the window."""

_TILES: Final = {
    placed: features + bytes([placed[0].startswith("castle-")]) for placed, features in FEATURES.items()
}
_CONSTRAINTS: Final = [
    bytes([constraint >> 2 * side & 3 == terrain for side in SIDES for terrain in Terrain]) + b"\1"
    for constraint in range(256)
]
_FITTING: Final = {
    tile: [bytes([rotation in fits for rotation in ROTATIONS]) for fits in FITTING_ROTATIONS[tile]]
    for tile in LANDSCAPE
}
_NO_TILE: Final = [bytes(len(ROTATIONS))] * 256


def window_origin(territory: Territory) -> tuple[int, int]:
    """Return the (x, y) of the cell in row 0, column 0 of a territory's window.

    >>> from skye.territory.territory import castle_alone
    >>> window_origin(castle_alone("red"))
    (-10, -10)
    """
    xs = [place.x for place in territory.placed]
    ys = [place.y for place in territory.placed]
    return (min(xs) + max(xs)) // 2 - _MIDDLE, (min(ys) + max(ys)) // 2 - _MIDDLE


class TerritoryPlanes:
    """The planes of one territory, made on first use.

    :param territory: the territory.
    """

    __slots__ = ("_first", "_other", "_own", "_places", "territory")

    def __init__(self, territory: Territory) -> None:
        self.territory = territory
        self._first = cell_at(*window_origin(territory))
        self._own: bytearray | None = None
        self._other: bytearray | None = None
        self._places: list[tuple[int, int]] = []

    def own_with(self, tiles: Sequence[str], chosen: int | None = None) -> bytearray:
        """Return the own planes, for at most three tiles of the seat and the cell chosen for one of them."""
        if self._own is None:
            self._own = self._own_planes()
        own = bytearray(self._own)
        if tiles:
            one, two, three = [*[_FITTING[tile] for tile in tiles], _NO_TILE, _NO_TILE][:3]
            for start, constraint in self._places:
                own[start : start + 12] = one[constraint] + two[constraint] + three[constraint]
        if chosen is not None:
            own[OWN_PLANES * chosen + _CHOSEN] = 1
        return own

    @property
    def other(self) -> bytearray:
        """The planes as another seat sees them; do not change them."""
        if self._other is None:
            self._other = bytearray(WINDOW * WINDOW * OTHER_PLANES)
            self._write_tiles(self._other, OTHER_PLANES)
        return self._other

    def _own_planes(self) -> bytearray:
        """Return the own planes without those that depend on the tiles of the seat (60 - 72)."""
        own, first = bytearray(WINDOW * WINDOW * OWN_PLANES), self._first
        self._write_tiles(own, OWN_PLANES)
        for cell, constraint in self.territory.frontier.items():
            start = OWN_PLANES * _CELL[cell - first] + _FRONTIER
            own[start : start + 13] = _CONSTRAINTS[constraint]
            self._places.append((start + 13, constraint))
        summary = self.territory.summary
        for cell in summary.connected:
            own[OWN_PLANES * _CELL[cell - first] + _CONNECTED] = 1
        for area in summary.areas:
            if not area.openings:
                for cell, region in area.parts:
                    start = OWN_PLANES * _CELL[cell - first] + _COMPLETED
                    for side in region.sides:
                        own[start + side] = 1
                    if region.center:
                        own[start + len(SIDES)] = 1
        return own

    def _write_tiles(self, planes: bytearray, width: int) -> None:
        first = self._first
        for number, (tile, x, y, rotation) in enumerate(self.territory.placed, 1):
            start = width * _CELL[cell_at(x, y) - first]
            planes[start : start + _ORDER] = _TILES[tile, rotation]
            planes[start + _ORDER] = number
