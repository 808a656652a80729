"""Sides of a tile, rotation, and cells of the grid.

The rules have no limit of the grid. Here a cell is one small integer, so that a territory is a dictionary of
integers. `x` grows east, `y` grows south, and the castle lies at (0, 0).
"""

from __future__ import annotations

from typing import Final

NORTH: Final = 0
EAST: Final = 1
SOUTH: Final = 2
WEST: Final = 3

SIDES: Final = (NORTH, EAST, SOUTH, WEST)
SIDE_NAMES: Final = ("north", "east", "south", "west")
OPPOSITE: Final = (SOUTH, WEST, NORTH, EAST)
ROTATIONS: Final = (0, 90, 180, 270)
"""Clockwise degrees."""

LIMIT: Final = 100
"""Largest distance from the castle along either axis; no ruleset has more landscape tiles."""

_WIDTH: Final = 256
_ORIGIN: Final = 128 * _WIDTH + 128

STEPS: Final = (-_WIDTH, 1, _WIDTH, -1)
"""What to add to a cell to reach its neighbour on each side."""


def cell_at(x: int, y: int) -> int:
    """Return the cell at a position.

    >>> coordinates_of(cell_at(-3, 7))
    (-3, 7)

    :raises ValueError: when `x` or `y` is farther than `LIMIT` from the castle.
    """
    if not (-LIMIT <= x <= LIMIT and -LIMIT <= y <= LIMIT):
        raise ValueError(f"({x}, {y}) is farther than {LIMIT} from the castle")
    return y * _WIDTH + x + _ORIGIN


def coordinates_of(cell: int) -> tuple[int, int]:
    """Return the (x, y) of a cell.

    >>> coordinates_of(cell_at(2, -1))
    (2, -1)
    """
    y, x = divmod(cell, _WIDTH)
    return x - 128, y - 128


def turned(side: int, rotation: int) -> int:
    """Return the side to which a clockwise rotation moves a side of a tile.

    >>> SIDE_NAMES[turned(NORTH, 90)]
    'east'
    """
    return (side + rotation // 90) % 4
