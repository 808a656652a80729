"""Where the next tile may go: the empty cells beside a territory, and every way to lay a tile on one.

A frontier is a dictionary: each empty cell next to a tile has its demand, which says what the neighbours show
(see `tiles.FITS`) and so all that placing asks of a cell.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from skye.geometry import SIDE_NAMES, SIDES, STEPS, coordinates_of
from skye.tiles import FITS, FORMS, LANDSCAPE, Form, Terrain


class Place(NamedTuple):
    """A tile as it lies, or as it would: id, position, clockwise rotation in degrees."""

    tile: str
    x: int
    y: int
    rotation: int

    def __str__(self) -> str:
        return f"{self.tile}@{self.x},{self.y}" + (f"/{self.rotation}" if self.rotation else "")


OPEN_SIDES: Final = tuple(
    tuple((side, STEPS[side]) for side in SIDES if not demand >> 2 * side & 3) for demand in range(256)
)
"""For each demand the sides that nothing is demanded on, those without a neighbour, and the steps there."""


def cover(frontier: dict[int, int], cell: int, form: Form) -> None:
    """Lay a tile on a cell, in place: the cell is open no more, its empty neighbours are."""
    demand = frontier.pop(cell, 0)
    demands = form.demands
    for side, step in OPEN_SIDES[demand]:
        beside = cell + step
        frontier[beside] = frontier.get(beside, 0) | demands[side]


_MAX_CELLS: Final = 512
"""How many cells a tile's ways are cached for; beyond that the cache is cleared."""


class _Ways(dict[int, tuple[Place, ...]]):
    """The ways to lay one tile, turned as fits, by cell, kept as they come up: the same come up again."""

    def __init__(self, tile: str, rotations: tuple[int, ...]) -> None:
        super().__init__()
        self._tile = tile
        self._rotations = rotations

    def __missing__(self, cell: int) -> tuple[Place, ...]:
        if len(self) == _MAX_CELLS:
            self.clear()
        x, y = coordinates_of(cell)
        ways = tuple([Place(self._tile, x, y, rotation) for rotation in self._rotations])
        self[cell] = ways
        return ways


def _ways(tile: str) -> tuple[_Ways | None, ...]:
    by_rotations = {rotations: _Ways(tile, rotations) for rotations in FITS[tile] if rotations}
    return tuple([by_rotations.get(rotations) for rotations in FITS[tile]])


WAYS: Final = {tile: _ways(tile) for tile in LANDSCAPE}
"""For each landscape tile and each demand, every way to lay it, by cell; None where no rotation fits."""


class Clash(NamedTuple):
    """An edge on which the terrains of a tile and of its neighbour differ."""

    side: str
    own: str
    neighbor: str

    def __str__(self) -> str:
        return f"its {self.side} is {self.own}, its neighbour there shows {self.neighbor}"


def clash(tile: str, rotation: int, demand: int) -> Clash:
    """Return the first edge on which a tile meets another terrain."""
    edges = FORMS[tile, rotation].edges
    for side in SIDES:
        wanted = demand >> 2 * side & 3
        if wanted and wanted != edges[side]:
            return Clash(SIDE_NAMES[side], edges[side].label, Terrain(wanted).label)
    raise AssertionError("the tile fits")
