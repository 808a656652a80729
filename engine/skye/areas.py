"""Areas: connected parts of one terrain, updated incrementally as a territory grows.

An area is completed when every tile edge that it reaches has a tile on its other side; areas wholly inside a
tile are completed, and roads do not matter. So the state of a territory's border is only the area behind each
open edge: a new tile joins the areas that it touches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from skye.geometry import OPPOSITE, SIDES, STEPS
from skye.tiles import Form, Region, Terrain


class Area(NamedTuple):
    """A connected stretch of one terrain.

    `openings` counts the tile edges that it reaches and that have no tile on the other side. `parts` are the
    regions of tiles that it consists of, each with its cell; a tile can have several in one area. `size`
    counts its tiles, each once. Brochs and ships are those in it (R1), lighthouses those adjacent to it,
    those of one tile once (R2). `scrolls` lie in it (R3), each as (kind, cell).
    """

    terrain: Terrain
    openings: int
    parts: tuple[tuple[int, Region], ...]
    size: int
    brochs: int = 0
    ships: int = 0
    lighthouses: int = 0
    scrolls: tuple[tuple[str, int], ...] = ()

    @property
    def completed(self) -> bool:
        """Whether nothing of it is open."""
        return not self.openings

    @property
    def cells(self) -> tuple[int, ...]:
        """Where it lies, each cell once."""
        return tuple(dict(self.parts))


# An edge is an empty cell and one of its sides, as one number: cell * 4 + side.
_ACROSS: Final = tuple(4 * STEPS[side] + OPPOSITE[side] for side in SIDES)
"""What to add to a tile's cell * 4 for the edge that an empty neighbour on each side has towards it."""


class Joined(NamedTuple):
    """The areas that a new tile creates from those that it touches.

    `areas` are the areas of its regions, by number. `became` has the new number of every area touched, and
    `numbers` that of the area of each region, unless a later region has joined it to another.
    """

    areas: dict[int, Area]
    became: dict[int, int]
    numbers: list[int]


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


def join_regions(areas: Mapping[int, Area], facing: Mapping[int, int], cell: int, form: Form) -> Joined:
    """Return the areas that a tile would create from those that its regions touch, without changing any."""
    joined: dict[int, Area] = {}
    became: dict[int, int] = {}
    numbers: list[int] = []
    first_edge = 4 * cell
    number_of_own = 8 * cell
    for region in form.regions:
        number, area, counted = number_of_own, None, False  # counted: whether the tile is in the area already
        openings = 0
        for side in region.sides:
            behind = facing.get(first_edge + side)
            if behind is None:
                openings += 1
                continue
            openings -= 1
            behind = became.setdefault(behind, behind)
            if area is not None and behind == number:
                continue
            touched = joined.get(behind)
            if touched is None:
                touched = areas[behind]
            else:
                counted = True
            if area is None:
                number, area = behind, touched
                continue
            area = _merged(area, touched)
            joined.pop(behind, None)
            for old, new in became.items():
                if new == behind:
                    became[old] = number
        numbers.append(number)
        joined[number] = _with_region(area, cell, region, openings, counted=counted)
        number_of_own += 1
    return Joined(joined, became, numbers)


def _merged(area: Area, other: Area) -> Area:
    parts = area.parts + other.parts
    regions = dict(parts)
    return Area(
        area.terrain,
        area.openings + other.openings,
        parts,
        len(regions),
        area.brochs + other.brochs,
        area.ships + other.ships,
        sum([region.lighthouses for region in regions.values()]),
        area.scrolls + other.scrolls,
    )


def _with_region(area: Area | None, cell: int, region: Region, openings: int, *, counted: bool) -> Area:
    """Return an area with a region of the tile on a cell, and that many more openings."""
    scrolls = ((region.scroll, cell),) if region.scroll else ()
    own = ((cell, region),)
    if area is None:  # the region itself
        brochs, ships, lighthouses = region.brochs, region.ships, region.lighthouses
        return Area(region.terrain, openings, own, 1, brochs, ships, lighthouses, scrolls)
    terrain, before, parts, size, brochs, ships, lighthouses, others = area
    if not counted:
        size += 1
        lighthouses += region.lighthouses
    fields = (
        terrain,
        before + openings,
        parts + own,
        size,
        brochs + region.brochs,
        ships + region.ships,
        lighthouses,
        others + scrolls,
    )
    return Area(*fields)


def _join(areas: dict[int, Area], facing: dict[int, int], cell: int, form: Form) -> None:
    """Add the regions of a tile to the areas that they touch, in place."""
    joined, became, numbers = join_regions(areas, facing, cell, form)
    first_edge = 4 * cell
    renumbered = {old: new for old, new in became.items() if old != new}
    opened = [
        (side, renumbered.get(number, number))
        for number, region in zip(numbers, form.regions, strict=True)
        for side in region.sides
        if facing.pop(first_edge + side, None) is None
    ]
    if renumbered:
        for old in renumbered:
            del areas[old]
        for edge, number in facing.items():
            if number in renumbered:
                facing[edge] = renumbered[number]
    areas.update(joined)
    for side, number in opened:
        facing[first_edge + _ACROSS[side]] = number
