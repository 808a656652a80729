"""Areas: connected stretches of one terrain, kept as a territory grows.

An area is completed when every tile edge that it reaches has a tile on its other side; areas wholly inside a
tile are completed, and roads play no part. So all there is to remember of a territory's border is which area
lies behind each open edge: a new tile only joins those that it touches.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from engine.geometry import OPPOSITE, SIDES, STEPS
from engine.tiles import LIGHTHOUSE, Form, Region, Terrain


class Area(NamedTuple):
    """A connected stretch of one terrain.

    `cells` has each cell once, so `len(cells)` is the area's size in tiles. `openings` counts the tile edges
    that it reaches and that have no tile on the other side. `lighthouses` counts those adjacent to it (R2),
    each once. `scrolls` are those that lie in it (R3), as (kind, cell).
    """

    terrain: Terrain
    cells: tuple[int, ...]
    openings: int
    brochs: int
    ships: int
    lighthouses: int
    scrolls: tuple[tuple[str, int], ...]

    @property
    def completed(self) -> bool:
        """Whether nothing of it is open."""
        return not self.openings


# An edge is an empty cell and one of its sides, as one number: cell * 4 + side.
_ACROSS: Final = tuple(4 * STEPS[side] + OPPOSITE[side] for side in SIDES)
"""What to add to a tile's cell * 4 for the edge that an empty neighbour on each side has towards it."""


def join_areas(
    areas: dict[int, Area], facing: dict[int, int], cells: dict[int, Form], cell: int, form: Form
) -> None:
    """Add the regions of a tile to the areas that they touch, in place.

    `areas` are by a number; `facing` has the number of the area behind each open edge. The tile lies in
    `cells` already.
    """
    across = [facing.pop(4 * cell + side, None) for side in SIDES]
    for index, region in enumerate(form.regions):
        number = None
        opened = 0
        for side in region.sides:
            behind = across[side]
            if behind is None:
                opened += 1
            elif number is None:
                number = behind
            elif behind != number:
                areas[number] = _merged(areas[number], areas.pop(behind), cells)
                _renumber(facing, across, behind, number)
        if number is None:
            number = 8 * cell + index
            areas[number] = _begun(region, cell)
        else:
            areas[number] = _grown(areas[number], region, cell, 2 * opened - len(region.sides))
        if opened:
            for side in region.sides:
                if across[side] is None:
                    facing[4 * cell + _ACROSS[side]] = number


def _begun(region: Region, cell: int) -> Area:
    """Make an area of a region that touches no other."""
    return Area(
        region.terrain,
        (cell,),
        len(region.sides),
        region.brochs,
        region.ships,
        region.lighthouses,
        ((region.scroll, cell),) if region.scroll else (),
    )


def _grown(area: Area, region: Region, cell: int, opened: int) -> Area:
    """Add a region to an area; another region of the same tile may be part of it already."""
    terrain, cells, openings, brochs, ships, lighthouses, scrolls = area
    if cell not in cells:
        cells += (cell,)
        lighthouses += region.lighthouses
    if region.scroll:
        scrolls += ((region.scroll, cell),)
    return Area(
        terrain, cells, openings + opened, brochs + region.brochs, ships + region.ships, lighthouses, scrolls
    )


def _merged(one: Area, other: Area, cells: dict[int, Form]) -> Area:
    """Make two areas one. A tile can have a region in each: it and its lighthouse still count once."""
    both = tuple(dict.fromkeys(one.cells + other.cells))
    lighthouses = one.lighthouses + other.lighthouses
    if lighthouses:
        lighthouses = sum([cells[cell].tile.counts[LIGHTHOUSE] for cell in both])
    return Area(
        one.terrain,
        both,
        one.openings + other.openings,
        one.brochs + other.brochs,
        one.ships + other.ships,
        lighthouses,
        one.scrolls + other.scrolls,
    )


def _renumber(facing: dict[int, int], across: list[int | None], old: int, new: int) -> None:
    for edge, number in facing.items():
        if number == old:
            facing[edge] = new
    for side in SIDES:
        if across[side] == old:
            across[side] = new
