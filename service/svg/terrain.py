"""The ground of a tile: the outlines of its regions and the borders between them.

A terrain fills its whole edge of the tile, so borders begin and end exactly at corners: whatever tile
lies beside it, the same terrain goes on. Inside the tile the borders wander, each tile in its own way.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from service.svg.curves import (
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
from skye import RotatedTile, Terrain


class Border(NamedTuple):
    """A curve between two regions, named by their index in `RotatedTile.regions`."""

    curve: Curve
    regions: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Ground:
    """The ground of a tile in reference orientation; `outlines` are in the order of `RotatedTile.regions`."""

    outlines: tuple[Curve, ...]
    borders: tuple[Border, ...]


class _Bite(NamedTuple):
    """A part of the middle's border: the region beyond it has `sides` sides from `side` on."""

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
    bites: list[_Bite] = []
    if all(apart):
        start = next((s for s in range(4) if rotated.region_at[s] != rotated.region_at[s - 1]), 0)
        bites = shape.ring(start)
    else:
        for start in range(4):
            if apart[start] and not apart[start - 1]:
                count = next(n for n in range(1, 5) if not apart[(start + n) % 4])
                bites += shape.bay(start, count)
    spokes = shape.spokes(bites)
    outlines = [_outline(region, bites, spokes) for region in range(len(rotated.regions))]
    outlines[middle] = _middle_outline(bites)
    borders = [Border(bite.curve, (middle, bite.region)) for bite in bites]
    for index, spoke in spokes.items():
        beyond = (rotated.region_at[index], rotated.region_at[index - 1])
        if beyond[0] != beyond[1]:
            borders.append(Border(spoke, beyond))
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
    """Where the borders of one tile run."""

    def __init__(self, rotated: RotatedTile, middle: int, chance: Random) -> None:
        self.rotated = rotated
        self.middle = middle
        self.chance = chance
        self.depths = [self._depth(side) for side in range(4)]
        self.knees = [self._knee(index) for index in range(4)]

    def bay(self, start: int, count: int) -> list[_Bite]:
        """Return the border along sides that have the middle's terrain at both ends."""
        end = start + count
        if count == 2:
            knee = self.knees[(start + 1) % 4]
            nodes = [corner(start), self._halfway(start, knee), knee, self._halfway(end, knee), corner(end)]
            cuts = [0, 2, 4]
        else:
            nodes = [corner(start), self._shoulder(start), self._inner(start)]
            for side in range(start + 1, end):
                nodes += [self.knees[side % 4], self._inner(side)]
            nodes += [self._shoulder(end), corner(end)]
            cuts = [0, *(3 + 2 * n for n in range(count - 1)), len(nodes) - 1]
        return self._bites(start, count, nodes, cuts)

    def ring(self, start: int) -> list[_Bite]:
        """Return the border of a middle that reaches no edge."""
        nodes = []
        for side in range(start, start + 4):
            nodes += [self.knees[side % 4], self._inner(side)]
        return self._bites(start, 4, [*nodes, nodes[0]], [0, 2, 4, 6, 8])

    def spokes(self, bites: list[_Bite]) -> dict[int, Curve]:
        """Return, by corner, the curves from the corner to where two bites meet."""
        ends = {bite.curve[0][0] for bite in bites}
        spokes = {}
        for index, knee in enumerate(self.knees):
            if knee in ends:
                middle = (corner(index) + knee) / 2 + self._jitter(9)
                spokes[index] = smooth([corner(index), middle, knee])
        return spokes

    def _bites(self, start: int, count: int, nodes: list[complex], cuts: list[int]) -> list[_Bite]:
        """Cut a border, at the nodes given, into one bite for each region along it."""
        region_at = self.rotated.region_at
        curve = self._wandering(nodes)
        bites = []
        first = 0
        for n in range(1, count + 1):
            region = region_at[(start + first) % 4]
            if n == count or region_at[(start + n) % 4] != region:
                piece = curve[2 * cuts[first] : 2 * cuts[n]]
                bites.append(_Bite(region, (start + first) % 4, n - first, piece))
                first = n
        return bites

    def _wandering(self, nodes: list[complex]) -> Curve:
        """Return a curve through the nodes that strays a little in between, but never over an edge."""
        between = sampled(smooth(nodes), 2)[1::2]
        strayed = [point + self._jitter(min(8, 0.1 * edge_gap(point))) for point in between]
        return smooth([node for pair in zip(nodes, strayed, strict=False) for node in pair] + nodes[-1:])

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

    def _knee(self, index: int) -> complex:
        """Return the point of the border nearest to a corner, when neither side there is the middle's."""
        a, b = index % 4, (index - 1) % 4
        crossed = any({a, b} <= set(road) and len(road) == 2 for road in self.rotated.roads)
        if sum(region != self.middle for region in self.rotated.region_at) == 2:
            inset = 182.0 if crossed else 156.0
            return rounded(corner(index) - inset * (toward(a) + toward(b)) + self._jitter(9))
        more = 20 if crossed else 0
        point = sum(toward(side) * (self._center(side) + 0.71 * self._radius(side) - more) for side in (a, b))
        return rounded(point + self._jitter(6))

    def _inner(self, side: int) -> complex:
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

    def _shoulder(self, index: int) -> complex:
        """Return the point by which a border leaves a corner."""
        return rounded(corner(index) * 0.74 + self._jitter(6))

    def _halfway(self, index: int, knee: complex) -> complex:
        """Return a point between a corner and a knee, off the straight line."""
        way = knee - corner(index)
        return rounded(corner(index) + way / 2 + way / abs(way) * 1j * self.chance.uniform(-24, 24))

    def _jitter(self, size: float) -> complex:
        return complex(self.chance.uniform(-size, size), self.chance.uniform(-size, size))


def _outline(region: int, bites: list[_Bite], spokes: dict[int, Curve]) -> Curve:
    """Return the outline of a region that lies beyond one bite: along its edges, and back along the bite."""
    bite = next((bite for bite in bites if bite.region == region), None)
    if bite is None:
        return ()
    outline = line(*map(corner, range(bite.side, bite.end + 1)))
    if bite.curve[-1][-1] != corner(bite.end):
        outline += spokes[bite.end % 4]
    outline += backwards(bite.curve)
    if bite.curve[0][0] != corner(bite.side):
        outline += backwards(spokes[bite.side])
    return outline


def _middle_outline(bites: list[_Bite]) -> Curve:
    """Return the outline of the middle: along the bites, and along its own edges between them."""
    outline: Curve = ()
    for bite, following in zip(bites, [*bites[1:], bites[0]], strict=True):
        outline += bite.curve
        if bite.curve[-1][-1] != following.curve[0][0]:
            edges = (following.side - bite.end) % 4
            outline += line(*map(corner, range(bite.end, bite.end + edges + 1)))
    return outline
