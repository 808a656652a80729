"""Planes of a territory: what lies on each cell of a window, one byte for each cell and plane.

The sizes follow from the ruleset (`planes_of`); the numbers here are those of the base game. The window has
21 x 21 cells; row 0 is its northern edge, column 0 its western edge. Its middle, (10, 10), is the middle of
the territory's bounding box, rounded to the north and west (`PlaneLayout.origin`). A territory has at most 19
tiles, so the window contains it and every cell to which a tile can be added. The same window locates the
cells of factored actions (see `skye_gym.envs.actions`).

| own planes | contents                                                                                  |
|------------|-------------------------------------------------------------------------------------------|
| 0 - 38     | the features of the tile on the cell, as it is turned (see `skye_gym.envs.tile_features`) |
| 39         | 1 for the castle                                                                          |
| 40         | 0 for an empty cell; 1 for the castle, 2 for the tile placed first, up to 19              |
| 41         | the tile is joined to the castle by road (0 or 1)                                         |
| 42 - 46    | the area at north, east, south, west, in the middle of the tile is completed (0 or 1)     |
| 47 - 58    | empty cells: the terrain that a tile must have at north, east, south, west (three each)   |
| 59         | empty cells: the cell is adjacent to a tile (0 or 1)                                      |
| 60 - 71    | the first tile of the seat fits here with rotation 0, 90, 180, 270; then its other tiles  |
| 72         | the cell is chosen for the tile, between two factored actions (0 or 1)                    |

The planes of another seat are the first 41 of these.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache, lru_cache
from typing import Any, Final

from skye.rulesets.ruleset import Ruleset
from skye.territory.areas import Area
from skye.territory.territory import Territory
from skye.tiles.geometry import ROTATIONS, SIDES, STEPS, cell_at
from skye.tiles.tile import Terrain
from skye.tiles.tile_set import Place
from skye_gym.encoding import encoding_of
from skye_gym.envs.tile_features import TILE_FEATURES, features_of

OTHER_PLANES: Final = TILE_FEATURES + 2
"""The number of planes of another seat."""

_CONNECTED: Final = OTHER_PLANES
_COMPLETED: Final = _CONNECTED + 1
_FRONTIER: Final = _COMPLETED + 5
_FITS: Final = _FRONTIER + 13

_ROW: Final = cell_at(0, 1) - cell_at(0, 0)

_CONSTRAINTS: Final = [
    bytes([constraint >> 2 * side & 3 == terrain for side in SIDES for terrain in Terrain]) + b"\1"
    for constraint in range(256)
]
_MAX_CACHED: Final = 1024
_NO_TILE: Final = [bytes(len(ROTATIONS))] * 256


class Fits(dict[int, bytes]):
    """Whether each rotation of each tile fits, by edge constraint; missing constraints are computed.

    :param fitting: by tile and edge constraint, whether each rotation fits.
    """

    def __init__(self, fitting: list[list[bytes]]) -> None:
        super().__init__()
        self._fitting = fitting

    def __missing__(self, constraint: int) -> bytes:
        fits = self[constraint] = b"".join([each[constraint] for each in self._fitting])
        return fits


class PlaneLayout:
    """The sizes and the contents of planes in a ruleset. It never changes.

    :param ruleset: the ruleset.
    """

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.max_tiles = 1 + encoding_of(ruleset).reach
        """The maximum number of tiles of a territory, the castle included."""
        self.window = self.max_tiles + 2 | 1
        """The side of the window in cells: an odd number."""
        self.slots = ruleset.tiles_drawn
        """The maximum number of tiles that a seat has beside its territory."""
        self.own_planes = _FITS + len(ROTATIONS) * self.slots + 1
        """The number of planes of the own territory."""
        self.chosen = self.own_planes - 1
        """The plane of the cell chosen for a tile."""
        self.cells = [self.window * row + column for row in range(self.window) for column in range(_ROW)]
        """By the difference of a cell and the first one of the window: its number in the window."""
        self.tiles = {
            placed: features + bytes([ruleset.tiles.by_id[placed[0]].is_castle])
            for placed, features in features_of(ruleset).items()
        }
        """By (tile, rotation): what the first planes contain."""
        self.fitting = {
            tile: [bytes([rotation in fits for rotation in ROTATIONS]) for fits in by_constraint]
            for tile, by_constraint in ruleset.tiles.fitting_rotations.items()
        }
        """By tile and edge constraint: whether each rotation fits."""
        self.own_starts = [self.own_planes * cell for cell in self.cells]
        """By the difference of a cell and the first one of the window: its first byte in the own planes."""
        self.fits_of = lru_cache(maxsize=_MAX_CACHED)(self._fits_of)

    def __reduce__(self) -> tuple[Any, ...]:
        return planes_of, (self.ruleset,)

    def _fits_of(self, tiles: tuple[str, ...]) -> Fits:
        """Return by edge constraint whether each rotation of each of some tiles fits."""
        fitting = [*[self.fitting[tile] for tile in tiles], *[_NO_TILE] * self.slots]
        return Fits(fitting[: self.slots])

    def origin(self, territory: Territory) -> tuple[int, int]:
        """Return the (x, y) of the cell in row 0, column 0 of a territory's window.

        >>> from skye.rulesets import BASE
        >>> from skye.territory.territory import castle_alone
        >>> planes_of(BASE).origin(castle_alone("red"))
        (-10, -10)
        """
        left, right, top, bottom = 0, 0, 0, 0
        for _, x, y, _ in territory.placed:
            if x < left:
                left = x
            elif x > right:
                right = x
            if y < top:
                top = y
            elif y > bottom:
                bottom = y
        middle = self.window // 2
        return (left + right) // 2 - middle, (top + bottom) // 2 - middle


@cache
def planes_of(ruleset: Ruleset) -> PlaneLayout:
    """Return the layout of the planes of a ruleset, which is computed once.

    >>> from skye.rulesets import BASE
    >>> planes_of(BASE).window, planes_of(BASE).own_planes
    (21, 73)
    """
    return PlaneLayout(ruleset)


class TerritoryPlanes:
    """Keeps the planes of a territory in memory: a placement writes what it changes.

    :param layout: the sizes and contents.
    :param planes: the memory of `width` bytes for each cell of the window, all 0.
    """

    def __init__(self, layout: PlaneLayout, planes: memoryview) -> None:
        self.width = OTHER_PLANES
        self._layout = layout
        self._planes = planes
        self._territory: Territory | None = None
        self._placed: tuple[Place, ...] = ()
        self._origin = 0, 0

    def show(self, territory: Territory) -> None:
        """Write the planes of a territory."""
        if territory is self._territory:
            return
        known = len(self._placed)
        if territory.placed[:known] != self._placed:
            self._clear()
            known = 0
        self._move_to(self._layout.origin(territory))
        self._territory, self._placed = territory, territory.placed
        self._add(territory, known)

    def _clear(self) -> None:
        self._planes[:] = bytes(len(self._planes))

    def _move_to(self, origin: tuple[int, int]) -> None:
        """Move the window: all cells that are not blank are in the old and in the new window."""
        (old_x, old_y), (x, y) = self._origin, origin
        self._origin = origin
        distance = (self._layout.window * (old_y - y) + old_x - x) * self.width
        if distance > 0:
            self._planes[distance:] = self._planes[:-distance]
            self._planes[:distance] = bytes(distance)
        elif distance < 0:
            self._planes[:distance] = self._planes[-distance:]
            self._planes[distance:] = bytes(-distance)

    def _add(self, territory: Territory, known: int) -> None:
        """Write the tiles after the first `known` ones."""
        for number, (tile, x, y, rotation) in enumerate(territory.placed[known:], known + 1):
            start = self._start(cell_at(x, y))
            features = self._layout.tiles[tile, rotation] + bytes([number])
            self._planes[start : start + self.width] = features.ljust(self.width, b"\0")

    def _start(self, cell: int) -> int:
        """Return the index of the first byte of a cell."""
        return self.width * self._layout.cells[cell - cell_at(*self._origin)]


class OwnPlanes(TerritoryPlanes):
    """Keeps the planes of a seat's own territory in memory."""

    def __init__(self, layout: PlaneLayout, planes: memoryview) -> None:
        super().__init__(layout, planes)
        self.width = layout.own_planes
        self._tiles: tuple[str, ...] = ()
        self._connected: Collection[int] = ()
        self._completed: set[int] = set()
        self._chosen: int | None = None

    def show_own(self, territory: Territory, tiles: tuple[str, ...], chosen: int | None = None) -> None:
        """Write the planes of a territory, for the tiles of its seat and the cell chosen for one of them."""
        width, plane = self.width, self._layout.chosen
        if self._chosen is not None:
            self._planes[width * self._chosen + plane] = 0
        if territory is not self._territory or tiles != self._tiles:
            self.show(territory)
            self._write_fitting(territory, tiles)
            self._tiles = tiles
        self._chosen = chosen
        if chosen is not None:
            self._planes[width * chosen + plane] = 1

    def _clear(self) -> None:
        super()._clear()
        self._connected = ()
        self._completed.clear()

    def _add(self, territory: Territory, known: int) -> None:
        super()._add(territory, known)
        planes, frontier = self._planes, territory._open_cells
        for _, x, y, _ in territory.placed[known:]:
            for step in STEPS:
                neighbor = cell_at(x, y) + step
                if neighbor in frontier:
                    start = self._start(neighbor) + _FRONTIER
                    planes[start : start + 13] = _CONSTRAINTS[frontier[neighbor]]
        summary = territory.summary
        for cell in summary.connected.difference(self._connected):
            planes[self._start(cell) + _CONNECTED] = 1
        self._connected = summary.connected
        for number, area in summary._joined_areas().by_number.items():
            if not area.openings and number not in self._completed:
                self._completed.add(number)
                self._write_completed(area)

    def _write_completed(self, area: Area) -> None:
        for cell, region in area.parts:
            start = self._start(cell) + _COMPLETED
            for side in region.sides:
                self._planes[start + side] = 1
            if region.center:
                self._planes[start + len(SIDES)] = 1

    def _write_fitting(self, territory: Territory, tiles: tuple[str, ...]) -> None:
        if not tiles and not self._tiles:
            return
        planes, first, starts = self._planes, cell_at(*self._origin), self._layout.own_starts
        fits = self._layout.fits_of(tiles)
        size = len(ROTATIONS) * self._layout.slots
        for cell, constraint in territory._open_cells.items():
            start = starts[cell - first] + _FITS
            planes[start : start + size] = fits[constraint]
