"""The ground of a tile: the outlines of its regions and the borders between them.

A terrain fills its whole edge of the tile, so borders begin and end exactly at corners, and the terrain
continues on any neighbouring tile. Inside the tile the borders are irregular, and different on each tile.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from skye.svg.curves import (
    HALF,
    Curve,
    backwards,
    corner,
    edge_gap,
    line,
    rounded,
    sampled,
    smooth,
    toward,
)
from skye.tiles import RotatedTile, Terrain


class Border(NamedTuple):
    """A curve between two regions, named by their index in `RotatedTile.regions`."""

    curve: Curve
    regions: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Ground:
    """The ground of a tile in reference orientation; `outlines` are in the order of `RotatedTile.regions`."""

    outlines: tuple[Curve, ...]
    borders: tuple[Border, ...]


class _Section(NamedTuple):
    """A section of the middle region's border; the region beyond it has `sides` sides, from `side` on."""

    region: int
    side: int
    sides: int
    curve: Curve

    @property
    def end(self) -> int:
        """The corner, from 0 to 7, at which the last of its sides ends."""
        return self.side + self.sides


def ground_of(rotated: RotatedTile) -> Ground:
    """Draw the borders of a tile in reference orientation."""
    middle = middle_region(rotated)
    apart = [rotated.region_at[side] != middle for side in range(4)]
    if not any(apart):
        return Ground((line(*map(corner, range(5))),), ())
    shape = _Shape(rotated, middle, Random(rotated.tile.id))
    sections: list[_Section] = []
    if all(apart):
        start = next((s for s in range(4) if rotated.region_at[s] != rotated.region_at[s - 1]), 0)
        sections = shape.closed_border(start)
    else:
        for start in range(4):
            if apart[start] and not apart[start - 1]:
                count = next(n for n in range(1, 5) if not apart[(start + n) % 4])
                sections += shape.open_border(start, count)
    corner_curves = shape.corner_curves(sections)
    outlines = [_outline(region, sections, corner_curves) for region in range(len(rotated.regions))]
    outlines[middle] = _middle_outline(sections)
    borders = [Border(section.curve, (middle, section.region)) for section in sections]
    for index, curve in corner_curves.items():
        beyond = (rotated.region_at[index], rotated.region_at[index - 1])
        if beyond[0] != beyond[1]:
            borders.append(Border(curve, beyond))
    return Ground(tuple(outlines), tuple(borders))


def middle_region(rotated: RotatedTile) -> int:
    """Return the index of the region that holds the middle of the tile.

    An edge with the middle's terrain is always connected to the middle, so the terrain is sufficient.
    """
    center = rotated.tile.center
    return next(i for i, region in enumerate(rotated.regions) if region.terrain is center)


def detour(rotated: RotatedTile) -> int | None:
    """Return the side that a road takes around water in the middle, when it cannot go straight."""
    if rotated.tile.center is not Terrain.WATER:
        return None
    for road in rotated.roads:
        if len(road) == 3:
            return next(side for side in road if (side + 2) % 4 not in road)
        if len(road) == 2 and (road[1] - road[0]) % 4 == 2:
            beside = [(road[0] + 1) % 4, (road[0] + 3) % 4]
            return next(side for side in beside if rotated.edges[side] is not Terrain.WATER)
    return None


class _Shape:
    """Computes the borders of one tile."""

    def __init__(self, rotated: RotatedTile, middle: int, chance: Random) -> None:
        self.rotated = rotated
        self.middle = middle
        self.chance = chance
        self.depths = [self._depth(side) for side in range(4)]
        self.inner_corners = [self._inner_corner(index) for index in range(4)]

    def open_border(self, start: int, count: int) -> list[_Section]:
        """Return the border along sides between two sides of the middle's terrain."""
        end = start + count
        if count == 2:
            inner = self.inner_corners[(start + 1) % 4]
            halfway = self._halfway(start, inner), self._halfway(end, inner)
            nodes = [corner(start), halfway[0], inner, halfway[1], corner(end)]
            cuts = [0, 2, 4]
        else:
            nodes = [corner(start), self._corner_exit(start), self._inner_side(start)]
            for side in range(start + 1, end):
                nodes += [self.inner_corners[side % 4], self._inner_side(side)]
            nodes += [self._corner_exit(end), corner(end)]
            cuts = [0, *(3 + 2 * n for n in range(count - 1)), len(nodes) - 1]
        return self._sections(start, count, nodes, cuts)

    def closed_border(self, start: int) -> list[_Section]:
        """Return the border of a middle that reaches no edge."""
        nodes = []
        for side in range(start, start + 4):
            nodes += [self.inner_corners[side % 4], self._inner_side(side)]
        return self._sections(start, 4, [*nodes, nodes[0]], [0, 2, 4, 6, 8])

    def corner_curves(self, sections: list[_Section]) -> dict[int, Curve]:
        """Return, by corner, the curves from the corner to where two sections meet."""
        ends = {section.curve[0][0] for section in sections}
        corner_curves = {}
        for index, inner_corner in enumerate(self.inner_corners):
            if inner_corner in ends:
                middle = (corner(index) + inner_corner) / 2 + self._jitter(9)
                corner_curves[index] = smooth([corner(index), middle, inner_corner])
        return corner_curves

    def _sections(self, start: int, count: int, nodes: list[complex], cuts: list[int]) -> list[_Section]:
        """Cut a border, at the nodes given, into one section for each region along it."""
        region_at = self.rotated.region_at
        curve = self._irregular_curve(nodes)
        sections = []
        first = 0
        for n in range(1, count + 1):
            region = region_at[(start + first) % 4]
            if n == count or region_at[(start + n) % 4] != region:
                piece = curve[2 * cuts[first] : 2 * cuts[n]]
                sections.append(_Section(region, (start + first) % 4, n - first, piece))
                first = n
        return sections

    def _irregular_curve(self, nodes: list[complex]) -> Curve:
        """Return a curve through the nodes with random deviations between them, but never beyond an edge."""
        between = sampled(smooth(nodes), 2)[1::2]
        shifted = [point + self._jitter(min(8, 0.1 * edge_gap(point))) for point in between]
        return smooth([node for pair in zip(nodes, shifted, strict=False) for node in pair] + nodes[-1:])

    def _depth(self, side: int) -> float:
        """Return how far the terrain of a side reaches into the tile."""
        way = detour(self.rotated)
        if way is not None:
            return (172.0, 100.0, 84.0, 100.0)[(side - way) % 4]
        depth = 112.0 + self.chance.uniform(-6, 6)
        here, middle = self.rotated.regions[self.rotated.region_at[side]], self.rotated.regions[self.middle]
        if here.ships or here.brochs:
            depth += 30 if len(here.sides) == 1 else 18
        if middle.ships or middle.brochs or middle.scroll or not middle.sides:
            depth -= 16
        return depth

    def _inner_corner(self, index: int) -> complex:
        """Return the point of the border nearest to a corner, when neither side there is the middle's."""
        a, b = index % 4, (index - 1) % 4
        crossed = any({a, b} <= set(road) and len(road) == 2 for road in self.rotated.roads)
        if sum(region != self.middle for region in self.rotated.region_at) == 2:
            inset = 182.0 if crossed else 156.0
            return rounded(corner(index) - inset * (toward(a) + toward(b)) + self._jitter(9))
        more = 20 if crossed else 0
        point = sum(toward(side) * (self._center(side) + 0.71 * self._radius(side) - more) for side in (a, b))
        return rounded(point + self._jitter(6))

    def _inner_side(self, side: int) -> complex:
        """Return the point of the border over the middle of a side."""
        aside = side + 1
        point = toward(side) * (HALF - self.depths[side % 4]) + toward(aside) * self._center(aside)
        return rounded(point + self._jitter(7))

    def _center(self, side: int) -> float:
        """Return how far toward a side the middle region is centred, when it lies between two others."""
        apart = self.rotated.region_at[side % 4] != self.middle != self.rotated.region_at[(side + 2) % 4]
        return (self.depths[(side + 2) % 4] - self.depths[side % 4]) / 2 if apart else 0.0

    def _radius(self, side: int) -> float:
        """Return how far the middle region reaches from its centre toward a side."""
        return HALF - self.depths[side % 4] - self._center(side)

    def _corner_exit(self, index: int) -> complex:
        """Return the first point of a border after a corner."""
        return rounded(corner(index) * 0.74 + self._jitter(6))

    def _halfway(self, index: int, inner_corner: complex) -> complex:
        """Return a point between a corner and an inner corner, off the straight line."""
        way = inner_corner - corner(index)
        return rounded(corner(index) + way / 2 + way / abs(way) * 1j * self.chance.uniform(-24, 24))

    def _jitter(self, size: float) -> complex:
        return complex(self.chance.uniform(-size, size), self.chance.uniform(-size, size))


def _outline(region: int, sections: list[_Section], corner_curves: dict[int, Curve]) -> Curve:
    """Return the outline of a region beyond one section: along its edges, and back along the section."""
    section = next((section for section in sections if section.region == region), None)
    if section is None:
        return ()
    outline = line(*map(corner, range(section.side, section.end + 1)))
    if section.curve[-1][-1] != corner(section.end):
        outline += corner_curves[section.end % 4]
    outline += backwards(section.curve)
    if section.curve[0][0] != corner(section.side):
        outline += backwards(corner_curves[section.side])
    return outline


def _middle_outline(sections: list[_Section]) -> Curve:
    """Return the outline of the middle: along the sections, and along its own edges between them."""
    outline: Curve = ()
    for section, following in zip(sections, [*sections[1:], sections[0]], strict=True):
        outline += section.curve
        if section.curve[-1][-1] != following.curve[0][0]:
            edges = (following.side - section.end) % 4
            outline += line(*map(corner, range(section.end, section.end + edges + 1)))
    return outline
