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

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from skye.envs.tile_features import FEATURES, TILE_FEATURES
from skye.territory.frontier import Place
from skye.territory.summary import TerritorySummary
from skye.territory.territory import Territory
from skye.tiles.catalogue import FITTING_ROTATIONS, LANDSCAPE, Terrain
from skye.tiles.geometry import ROTATIONS, SIDES, STEPS, cell_at

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
_FITS: Final = _FRONTIER + 13
_CHOSEN: Final = OWN_PLANES - 1

_ROW: Final = cell_at(0, 1) - cell_at(0, 0)

_CELL: Final = [WINDOW * row + column for row in range(WINDOW) for column in range(_ROW)]
"""By the difference of a cell and the first one of the window: the number of the cell in the window."""

_TILES: Final = {
    placed: features + bytes([placed[0].startswith("castle-")]) for placed, features in FEATURES.items()
}
_OWN_TILES: Final = {placed: tile.ljust(_FITS, b"\0") for placed, tile in _TILES.items()}
_CONSTRAINTS: Final = [
    bytes([constraint >> 2 * side & 3 == terrain for side in SIDES for terrain in Terrain]) + b"\1"
    for constraint in range(256)
]
_FITTING: Final = {
    tile: [bytes([rotation in fits for rotation in ROTATIONS]) for fits in FITTING_ROTATIONS[tile]]
    for tile in LANDSCAPE
}
_NO_TILE: Final = [bytes(len(ROTATIONS))] * 256


_Box: TypeAlias = tuple[int, int, int, int]
"""The smallest rectangle that contains a territory: its west, east, north and south."""

_CASTLE: Final = (0, 0, 0, 0)


def _box_with(box: _Box, places: Iterable[Place]) -> _Box:
    """Return the smallest rectangle that contains more places too."""
    west, east, north, south = box
    for _, x, y, _ in places:
        if x < west:
            west = x
        elif x > east:
            east = x
        if y < north:
            north = y
        elif y > south:
            south = y
    return west, east, north, south


def _origin(box: _Box) -> tuple[int, int]:
    """Return the (x, y) of the window's first cell."""
    west, east, north, south = box
    return (west + east) // 2 - _MIDDLE, (north + south) // 2 - _MIDDLE


def window_origin(territory: Territory) -> tuple[int, int]:
    """Return the (x, y) of the cell in row 0, column 0 of a territory's window.

    >>> from skye.territory.territory import castle_alone
    >>> window_origin(castle_alone("red"))
    (-10, -10)
    """
    return _origin(_box_with(_CASTLE, territory.placed))


class TerritoryPlanes:
    """The planes of one territory, except those that depend on the tiles of the seat.

    :param territory: the territory.
    :param before: the planes of another territory, which are updated if this one extends it in the same
        window.
    """

    __slots__ = ("before", "box", "completed", "first", "other_planes", "own_planes", "territory")

    def __init__(self, territory: Territory, before: TerritoryPlanes | None = None) -> None:
        self.territory = territory
        self.own_planes: bytearray | None = None
        self.other_planes: bytearray | None = None
        self.completed: set[int] = set()
        placed = territory.placed
        known = len(before.territory.placed) if before is not None else 0
        if before is not None and before.territory.placed == placed[:known]:
            self.box = _box_with(before.box, placed[known:])
        else:
            before, self.box = None, _box_with(_CASTLE, placed)
        self.first = cell_at(*_origin(self.box))
        self.before = before if before is not None and before.first == self.first else None
        if before is not None:
            before.before = None

    @property
    def own(self) -> bytearray:
        """The planes as the seat itself sees them, without those from 60 on; do not change them."""
        if self.own_planes is None:
            before, known = self.before, 0
            if before is None or before.own_planes is None:
                self.own_planes = bytearray(WINDOW * WINDOW * OWN_PLANES)
            else:
                self.own_planes, known = bytearray(before.own_planes), len(before.territory.placed)
                self.completed = before.completed.copy()
            self._write_tiles(self.own_planes, OWN_PLANES, _OWN_TILES, known)
            self._write_frontier(self.own_planes, known)
            self._write_joined(self.own_planes, self.territory.summary)
        return self.own_planes

    @property
    def other(self) -> bytearray:
        """The planes as another seat sees them; do not change them."""
        if self.other_planes is None:
            before, known = self.before, 0
            if before is None or before.other_planes is None:
                self.other_planes = bytearray(WINDOW * WINDOW * OTHER_PLANES)
            else:
                self.other_planes, known = bytearray(before.other_planes), len(before.territory.placed)
            self._write_tiles(self.other_planes, OTHER_PLANES, _TILES, known)
        return self.other_planes

    def _write_tiles(
        self, planes: bytearray, width: int, tiles: dict[tuple[str, int], bytes], known: int
    ) -> None:
        """Write the tiles after the first ones, which are known."""
        first, size = self.first, len(tiles["L01", 0])
        for number, (tile, x, y, rotation) in enumerate(self.territory.placed[known:], known + 1):
            start = width * _CELL[cell_at(x, y) - first]
            planes[start : start + size] = tiles[tile, rotation]
            planes[start + _ORDER] = number

    def _write_frontier(self, own: bytearray, known: int) -> None:
        """Write the empty cells next to the tiles after the first ones, which are known."""
        first, frontier = self.first, self.territory.frontier
        cells: Iterable[int] = frontier
        if known:
            new = [cell_at(x, y) for _, x, y, _ in self.territory.placed[known:]]
            cells = [cell + step for cell in new for step in STEPS if cell + step in frontier]
        for cell in cells:
            start = OWN_PLANES * _CELL[cell - first] + _FRONTIER
            own[start : start + 13] = _CONSTRAINTS[frontier[cell]]

    def _write_joined(self, own: bytearray, summary: TerritorySummary) -> None:
        """Mark the tiles that are joined to the castle, and the parts of completed areas."""
        first = self.first
        for cell in summary.connected:
            own[OWN_PLANES * _CELL[cell - first] + _CONNECTED] = 1
        for number, area in summary._joined_areas().by_number.items():
            if area.openings or number in self.completed:
                continue
            self.completed.add(number)  # no further tile can touch it
            for cell, region in area.parts:
                start = OWN_PLANES * _CELL[cell - first] + _COMPLETED
                for side in region.sides:
                    own[start + side] = 1
                if region.center:
                    own[start + len(SIDES)] = 1

    def own_with(self, tiles: Sequence[str], chosen: int | None = None) -> bytearray:
        """Return all own planes, for at most three tiles of the seat and the cell chosen for one of them."""
        own, first = bytearray(self.own), self.first
        if tiles:
            one, two, three = [*[_FITTING[tile] for tile in tiles], _NO_TILE, _NO_TILE][:3]
            for cell, constraint in self.territory.frontier.items():
                start = OWN_PLANES * _CELL[cell - first] + _FITS
                own[start : start + 12] = one[constraint] + two[constraint] + three[constraint]
        if chosen is not None:
            own[OWN_PLANES * chosen + _CHOSEN] = 1
        return own
