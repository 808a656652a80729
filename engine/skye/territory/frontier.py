"""The frontier of a territory: the empty cells next to its tiles, and the legal placements on them.

A frontier is a dictionary from each empty cell to its edge constraint, an integer that encodes the terrains
that the neighbouring tiles show to the cell (see `tiles.FITTING_ROTATIONS`).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from skye.tiles.catalogue import FITTING_ROTATIONS, LANDSCAPE, ROTATED_TILES, RotatedTile, Terrain
from skye.tiles.geometry import SIDE_NAMES, SIDES, STEPS, coordinates_of


class Place(NamedTuple):
    """A placement of a tile: also the move that places it.

    :param tile: the id of the tile.
    :param x: columns east of the castle.
    :param y: rows south of the castle.
    :param rotation: clockwise degrees: 0, 90, 180 or 270.
    """

    tile: str
    x: int
    y: int
    rotation: int

    def __str__(self) -> str:
        return f"{self.tile}@{self.x},{self.y}" + (f"/{self.rotation}" if self.rotation else "")


OPEN_SIDES: Final = tuple(
    tuple((side, STEPS[side]) for side in SIDES if not constraint >> 2 * side & 3)
    for constraint in range(256)
)
"""By constraint: the sides without a neighbour, each with the step to the cell on that side."""


def occupy_cell(frontier: dict[int, int], cell: int, rotated: RotatedTile) -> None:
    """Update a frontier in place for a tile on a cell: remove the cell, constrain its empty neighbours."""
    constraint = frontier.pop(cell, 0)
    constraints = rotated.constraints
    for side, step in OPEN_SIDES[constraint]:
        neighbor = cell + step
        frontier[neighbor] = frontier.get(neighbor, 0) | constraints[side]


_MAX_CELLS: Final = 512
"""The maximum number of cached cells for a tile; the cache is cleared when it is full."""


class _PlacesByCell(dict[int, tuple[Place, ...]]):
    """A cache of the placements of one tile in some rotations, by cell; missing cells are computed."""

    def __init__(self, tile: str, rotations: tuple[int, ...]) -> None:
        super().__init__()
        self._tile = tile
        self._rotations = rotations

    def __missing__(self, cell: int) -> tuple[Place, ...]:
        if len(self) == _MAX_CELLS:
            self.clear()
        x, y = coordinates_of(cell)
        places = tuple([Place(self._tile, x, y, rotation) for rotation in self._rotations])
        self[cell] = places
        return places


def _places_by_constraint(tile: str) -> tuple[_PlacesByCell | None, ...]:
    by_rotations = {
        rotations: _PlacesByCell(tile, rotations) for rotations in FITTING_ROTATIONS[tile] if rotations
    }
    return tuple([by_rotations.get(rotations) for rotations in FITTING_ROTATIONS[tile]])


PLACES_BY_CONSTRAINT: Final = {tile: _places_by_constraint(tile) for tile in LANDSCAPE}
"""By landscape tile and constraint: the legal placements by cell; None where no rotation fits."""


class EdgeMismatch(NamedTuple):
    """A shared edge on which the terrains of a tile and its neighbour differ."""

    side: str
    own: str
    neighbor: str

    def __str__(self) -> str:
        return f"its {self.side} is {self.own}, its neighbour there shows {self.neighbor}"


def first_edge_mismatch(tile: str, rotation: int, constraint: int) -> EdgeMismatch:
    """Return the first edge on which a tile would meet a different terrain."""
    edges = ROTATED_TILES[tile, rotation].edges
    for side in SIDES:
        required = constraint >> 2 * side & 3
        if required and required != edges[side]:
            return EdgeMismatch(SIDE_NAMES[side], edges[side].label, Terrain(required).label)
    raise AssertionError("the tile fits")
