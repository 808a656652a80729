"""Areas: connected parts of one terrain, updated incrementally as a territory grows.

An area is completed when every tile edge that it reaches has a tile on the other side. An area inside one
tile is completed, and roads do not divide areas. To add a tile, it is enough to know the area at each open
edge.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from skye.tiles.geometry import OPPOSITE, SIDES, STEPS
from skye.tiles.tile import Region, RotatedTile, Terrain


class Area(NamedTuple):
    """A connected area of one terrain.

    :param terrain: the terrain.
    :param openings: the number of tile edges of the area without a tile on the other side.
    :param parts: the regions of tiles that form the area, each with its cell. A tile can have several.
    :param size: the number of different tiles.
    :param brochs: the brochs in the area (R1).
    :param ships: the ships in the area (R1).
    :param lighthouses: the lighthouses adjacent to the area; those of one tile count once (R2).
    :param scrolls: the scrolls in the area (R3), each as (kind, cell).
    """

    terrain: Terrain
    openings: int
    parts: tuple[tuple[int, Region], ...]
    size: int
    brochs: int = 0
    ships: int = 0
    lighthouses: int = 0
    scrolls: tuple[tuple[str, int], ...] = ()

    def __repr__(self) -> str:
        return f"<Area {self.terrain.label}: {self.size} tiles, {self.openings} openings>"

    @property
    def completed(self) -> bool:
        """Whether no edge of the area is open."""
        return not self.openings

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells of the area, each once."""
        return tuple(dict(self.parts))


# An open edge is the side of an empty cell that a tile touches, encoded as cell * 4 + side.
_ACROSS: Final = tuple(4 * STEPS[side] + OPPOSITE[side] for side in SIDES)
"""By side: what to add to a tile's cell * 4 for the open edge on that side."""


class JoinedAreas(NamedTuple):
    """The areas that a new tile creates from those that it touches.

    :param areas: the areas of the tile's regions, by number.
    :param new_numbers: the new number of every area that the tile touches, by its old number.
    :param numbers: the number of the area of each region, unless a later region has joined it to another.
    """

    areas: dict[int, Area]
    new_numbers: dict[int, int]
    numbers: list[int]


class Areas(NamedTuple):
    """The areas of the first tiles of a territory.

    :param tiles: the number of tiles.
    :param by_number: the areas by an arbitrary number.
    :param area_at_edge: the number of the area at each open edge.
    """

    tiles: int
    by_number: dict[int, Area]
    area_at_edge: dict[int, int]

    def extended(self, tiles: Iterable[tuple[int, RotatedTile]]) -> Areas:
        """Return the areas after adding tiles, each given with its cell."""
        count, areas, area_at_edge = self.tiles, self.by_number.copy(), self.area_at_edge.copy()
        for cell, rotated in tiles:
            count += 1
            _join(areas, area_at_edge, cell, rotated)
        return Areas(count, areas, area_at_edge)


NO_AREAS: Final = Areas(0, {}, {})
"""The areas of an empty territory."""


def join_regions(
    areas: Mapping[int, Area], area_at_edge: Mapping[int, int], cell: int, rotated: RotatedTile
) -> JoinedAreas:
    """Return the areas that a tile would create from those that its regions touch; change nothing.

    :param areas: all areas of the territory by number.
    :param area_at_edge: the number of the area at each open edge.
    :param cell: the empty cell for the tile.
    """
    # `number` and `area` are those of the area that the region joins, `counted` whether the tile is in it
    # already, and `neighbor` the number of the area across an edge.
    joined: dict[int, Area] = {}
    new_numbers: dict[int, int] = {}
    numbers: list[int] = []
    first_edge = 4 * cell
    new_number = 8 * cell  # unique, since a tile has at most five regions
    for region in rotated.regions:
        number, area, counted = new_number, None, False
        openings = 0
        for side in region.sides:
            neighbor = area_at_edge.get(first_edge + side)
            if neighbor is None:
                openings += 1
                continue
            openings -= 1
            neighbor = new_numbers.setdefault(neighbor, neighbor)
            if area is not None and neighbor == number:
                continue
            touched = joined.get(neighbor)
            if touched is None:
                touched = areas[neighbor]
            else:
                counted = True
            if area is None:
                number, area = neighbor, touched
                continue
            area = _merged(area, touched)
            joined.pop(neighbor, None)
            for old, new in new_numbers.items():
                if new == neighbor:
                    new_numbers[old] = number
        numbers.append(number)
        joined[number] = with_region(area, cell, region, openings, counted=counted)
        new_number += 1
    return tuple.__new__(JoinedAreas, (joined, new_numbers, numbers))


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


def with_region(area: Area | None, cell: int, region: Region, openings: int, *, counted: bool) -> Area:
    """Return an area after adding a region of the tile on a cell.

    :param openings: the change of the number of openings.
    :param counted: whether another region of the tile is in the area already.
    """
    scrolls = ((region.scroll, cell),) if region.scroll else ()
    own = ((cell, region),)
    if area is None:
        brochs, ships, lighthouses = region.brochs, region.ships, region.lighthouses
        new = (region.terrain, openings, own, 1, brochs, ships, lighthouses, scrolls)
        return tuple.__new__(Area, new)
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
    return tuple.__new__(Area, fields)


def _join(areas: dict[int, Area], area_at_edge: dict[int, int], cell: int, rotated: RotatedTile) -> None:
    """Add the regions of a tile to the areas that they touch; update both dictionaries in place."""
    joined, new_numbers, numbers = join_regions(areas, area_at_edge, cell, rotated)
    first_edge = 4 * cell
    renumbered = {old: new for old, new in new_numbers.items() if old != new}
    opened = [
        (side, renumbered.get(number, number))
        for number, region in zip(numbers, rotated.regions, strict=True)
        for side in region.sides
        if area_at_edge.pop(first_edge + side, None) is None
    ]
    if renumbered:
        for old in renumbered:
            del areas[old]
        for edge, number in area_at_edge.items():
            if number in renumbered:
                area_at_edge[edge] = renumbered[number]
    areas.update(joined)
    for side, number in opened:
        area_at_edge[first_edge + _ACROSS[side]] = number
