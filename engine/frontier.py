"""Where the next tile may go: the empty cells beside a territory, and every way to lay a tile on one.

A frontier is a dictionary: each empty cell next to a tile has its opening, `cell * 256 + demand`, where the
demand says what the neighbours show (see `tiles.FITS`). So an opening tells all that placing asks of a cell.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from engine.geometry import SIDE_NAMES, SIDES, STEPS, position_of
from engine.tiles import FITS, FORMS, LANDSCAPE, Form, Terrain
from engine.values import made


class Place(NamedTuple):
    """A tile as it lies, or as it would: id, position, clockwise rotation in degrees."""

    tile: str
    x: int
    y: int
    rotation: int

    def __str__(self) -> str:
        return f"{self.tile}@{self.x},{self.y}" + (f"/{self.rotation}" if self.rotation else "")


_OPEN: Final = tuple(tuple(side for side in SIDES if not demand >> 2 * side & 3) for demand in range(256))
"""For each demand the sides that nothing is demanded on: those without a neighbour."""


def cover(frontier: dict[int, int], cell: int, form: Form) -> None:
    """Lay a tile on a cell, in place: the cell is open no more, its empty neighbours are."""
    opening = frontier.pop(cell, 0)
    demands = form.demands
    for side in _OPEN[opening % 256]:
        beside = cell + STEPS[side]
        frontier[beside] = frontier.get(beside, 256 * beside) | demands[side]


class _Ways(dict[int, tuple[Place, ...]]):
    """Every way to lay one tile on an open cell, by the cell's opening, kept as they come up.

    The same few thousand come up again and again; whoever plays on and on far from home starts afresh.
    """

    _MOST = 4096

    def __init__(self, tile: str) -> None:
        super().__init__()
        self._tile = tile
        self._fits = FITS[tile]

    def __missing__(self, opening: int) -> tuple[Place, ...]:
        if len(self) == self._MOST:
            self.clear()
        cell, demand = divmod(opening, 256)
        ways: tuple[Place, ...] = ()
        if rotations := self._fits[demand]:
            x, y = position_of(cell)
            ways = tuple([made(Place, (self._tile, x, y, rotation)) for rotation in rotations])
        self[opening] = ways
        return ways


WAYS: Final = {tile: _Ways(tile) for tile in LANDSCAPE}
"""For each landscape tile and each opening, every way to lay it there."""


def clash(tile: str, rotation: int, demand: int) -> str:
    """Name the first edge on which a tile meets another terrain."""
    edges = FORMS[tile, rotation].edges
    for side in SIDES:
        wanted = demand >> 2 * side & 3
        if wanted and wanted != edges[side]:
            name, here, there = SIDE_NAMES[side], edges[side].label, Terrain(wanted).label
            return f"its {name} is {here}, its neighbour there shows {there}"
    raise AssertionError("the tile fits")
