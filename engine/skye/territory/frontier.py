"""The frontier of a territory: the empty cells next to its tiles.

A frontier is a dictionary from each empty cell to its edge constraint, an integer that encodes the terrains
that the neighbouring tiles show to the cell (see `skye.tiles.TileSet`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from skye.tiles.geometry import SIDE_NAMES, SIDES, STEPS
from skye.tiles.tile import RotatedTile, Terrain

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


class EdgeMismatch(NamedTuple):
    """A shared edge on which the terrains of a tile and its neighbour differ."""

    side: str
    own: str
    neighbor: str

    def __str__(self) -> str:
        return f"its {self.side} is {self.own}, its neighbour there shows {self.neighbor}"


def first_edge_mismatch(edges: Sequence[Terrain], constraint: int) -> EdgeMismatch:
    """Return the first edge on which a tile with these edges would meet a different terrain."""
    for side in SIDES:
        required = constraint >> 2 * side & 3
        if required and required != edges[side]:
            return EdgeMismatch(SIDE_NAMES[side], edges[side].label, Terrain(required).label)
    raise AssertionError("the tile fits")
