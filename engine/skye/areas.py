"""Areas: connected stretches of one terrain, kept as a territory grows.

An area is completed when every tile edge that it reaches has a tile on its other side; areas wholly inside a
tile are completed, and roads play no part. So all there is to remember of a territory's border is which area
lies behind each open edge: a new tile only joins those that it touches.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from skye.geometry import OPPOSITE, SIDES, STEPS
from skye.tiles import Form, Region, Terrain
from skye.values import made


class Area(NamedTuple):
    """A connected stretch of one terrain.

    `openings` counts the tile edges that it reaches and that have no tile on the other side. `parts` are the
    regions of tiles that it consists of, each with its cell; a tile can have several in one area.
    """

    terrain: Terrain
    openings: int
    parts: tuple[tuple[int, Region], ...]

    @property
    def completed(self) -> bool:
        """Whether nothing of it is open."""
        return not self.openings

    @property
    def cells(self) -> tuple[int, ...]:
        """Where it lies, each cell once: `len(cells)` is its size in tiles."""
        return tuple(dict(self.parts))

    @property
    def brochs(self) -> int:
        """The brochs in it (R1)."""
        number = 0
        for _, region in self.parts:
            number += region.brochs
        return number

    @property
    def ships(self) -> int:
        """The ships in it (R1)."""
        number = 0
        for _, region in self.parts:
            number += region.ships
        return number

    @property
    def lighthouses(self) -> int:
        """The lighthouses adjacent to it (R2), those of one tile once."""
        return sum([region.lighthouses for region in dict(self.parts).values()])

    @property
    def scrolls(self) -> list[tuple[str, int]]:
        """The scrolls that lie in it (R3), as (kind, cell)."""
        return [(region.scroll, cell) for cell, region in self.parts if region.scroll]


# An edge is an empty cell and one of its sides, as one number: cell * 4 + side.
_ACROSS: Final = tuple(4 * STEPS[side] + OPPOSITE[side] for side in SIDES)
"""What to add to a tile's cell * 4 for the edge that an empty neighbour on each side has towards it."""


class Areas(NamedTuple):
    """The areas of so many tiles.

    They are by a number that means nothing else; `facing` has the number of the area behind each open edge.
    """

    tiles: int
    by_number: dict[int, Area]
    facing: dict[int, int]

    def extended(self, tiles: Iterable[tuple[int, Form]]) -> Areas:
        """Return the areas with more tiles, each with its cell."""
        number, areas, facing = self.tiles, self.by_number.copy(), self.facing.copy()
        for cell, form in tiles:
            number += 1
            _join(areas, facing, cell, form)
        return Areas(number, areas, facing)


NO_AREAS: Final = Areas(0, {}, {})
"""Those of no tile at all."""


def _join(areas: dict[int, Area], facing: dict[int, int], cell: int, form: Form) -> None:
    """Add the regions of a tile to the areas that they touch, in place."""
    first_edge = 4 * cell
    for own_number, region in enumerate(form.regions, 8 * cell):
        number = None
        openings = 0
        parts: tuple[tuple[int, Region], ...] = ()
        opened = []
        for side in region.sides:
            behind = facing.pop(first_edge + side, None)
            if behind is None:
                opened.append(first_edge + _ACROSS[side])
            elif number is None:
                number = behind
                _, openings, parts = areas[number]
            elif behind != number:
                _, more_openings, more_parts = areas.pop(behind)
                openings += more_openings
                parts += more_parts
                _renumber(facing, behind, number)
        if number is None:
            number = own_number
        openings += 2 * len(opened) - len(region.sides)  # where nothing opens, an opening is closed
        areas[number] = made(Area, (region.terrain, openings, (*parts, (cell, region))))
        for edge in opened:
            facing[edge] = number


def _renumber(facing: dict[int, int], old: int, new: int) -> None:
    for edge, number in facing.items():
        if number == old:
            facing[edge] = new
