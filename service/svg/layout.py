"""Where things stand on a tile: each object in its own terrain, clear of roads, borders and one another.

Worked out once for a tile, in reference orientation, with a circle of room for each thing: so the same
places serve every rotation, while the things themselves stay upright.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations
from random import Random
from typing import Final, NamedTuple

from service.svg.curves import HALF, Curve, edge_gap, inside, rounded, sampled
from service.svg.terrain import Ground, middle_region
from skye import RotatedTile, Terrain

ROOM: Final = {
    "whisky": 33.0,
    "sheep": 36.0,
    "cattle": 41.0,
    "farm": 46.0,
    "broch": 42.0,
    "ship": 45.0,
    "lighthouse": 46.0,
    "scroll": 50.0,
    "castle": 106.0,
}
"""The radius of the room that each thing takes."""

ROAD: Final = 13.0
"""Half the width of a road."""
_GRID: Final = 20
_AIR: Final = 36.0
"""The gap beyond which more space does not improve the layout."""

_APART: Final = {
    Terrain.PASTURE: (12, 8, 20, 58),
    Terrain.MOUNTAIN: (27, 22, 32, 50),
    Terrain.WATER: (24, 9, 34, 72),
}
"""For the dots of a terrain's texture, the least distance to edge, road, border, and one another."""


class Spot(NamedTuple):
    """A thing and where its middle is. A scroll is named with its kind: `scroll-sheep`."""

    thing: str
    point: complex


class Site(NamedTuple):
    """A point of the tile: its region, and how far it is from the tile's edge, a road, a border."""

    point: complex
    region: int
    edge: float
    road: float
    border: float


class _Wish(NamedTuple):
    """A thing to be placed: the sites that would do, each with its gap to everything fixed."""

    thing: str
    room: float
    sites: list[tuple[complex, float, float]]


@dataclass(frozen=True, slots=True)
class Layout:
    """What stands on a tile, and the dots of each terrain's texture."""

    spots: tuple[Spot, ...]
    texture: dict[Terrain, tuple[complex, ...]]


def layout_of(rotated: RotatedTile, ground: Ground, roads: tuple[Curve, ...]) -> Layout:
    """Find a place for everything that a tile shows, in reference orientation."""
    sites = _sites(ground, roads)
    wishes = [*_land_wishes(rotated, sites, roads), *_water_wishes(rotated, ground, sites, roads)]
    castle = (Spot(rotated.tile.id, 0j),) if rotated.tile.is_castle else ()
    spots = castle + _settled(wishes)
    return Layout(spots, _texture(rotated, sites, spots))


def _sites(ground: Ground, roads: tuple[Curve, ...]) -> list[Site]:
    outlines = [sampled(outline, 3) for outline in ground.outlines]
    border = [point for line in ground.borders for point in sampled(line.curve, 3)]
    road = [point for curve in roads for point in sampled(curve, 12)]
    span = range(-HALF + _GRID, HALF, _GRID)
    return [
        _site(complex(x, y), _region_at(complex(x, y), outlines), border, road) for y in span for x in span
    ]


def _site(point: complex, region: int, border: Iterable[complex], road: Iterable[complex]) -> Site:
    return Site(point, region, edge_gap(point), _gap(point, road) - ROAD, _gap(point, border))


def _region_at(point: complex, outlines: list[list[complex]]) -> int:
    """Return the region that a point lies in: the last, when in none of the others."""
    *others, _ = outlines
    return next((i for i, outline in enumerate(others) if inside(outline, point)), len(others))


def _gap(point: complex, others: Iterable[complex]) -> float:
    # Rounded, so that no machine's last digit decides which of two places is the better.
    return round(min([abs(point - other) for other in others], default=2.0 * HALF), 3)


def _land_wishes(rotated: RotatedTile, sites: list[Site], roads: tuple[Curve, ...]) -> list[_Wish]:
    """Return the wishes of what stands on land, and of the scroll, which lies in the middle (R3)."""
    tile = rotated.tile
    wishes = []
    terrains = {
        "farm": {Terrain.PASTURE},
        "cattle": {Terrain.PASTURE},
        "sheep": {Terrain.PASTURE},
        "broch": {Terrain.MOUNTAIN},
        "whisky": {Terrain.PASTURE, Terrain.MOUNTAIN},
    }
    if tile.scroll:
        wishes.append(_wish("scroll-" + tile.scroll, sites, {middle_region(rotated)}))
    for thing, grounds in terrains.items():
        regions = {i for i, region in enumerate(rotated.regions) if region.terrain in grounds}
        wishes += [_wish(thing, sites, regions)] * tile.count(thing)
    if tile.count("whisky") and [len(road) for road in tile.roads] == [1]:
        # A road that ends here ends at the distillery.
        wishes[-1] = _Wish("whisky", ROOM["whisky"], [(roads[0][-1][-1], _AIR, 0.0)])
    return wishes


def _water_wishes(
    rotated: RotatedTile, ground: Ground, sites: list[Site], roads: tuple[Curve, ...]
) -> list[_Wish]:
    """Return the wishes of ships, each in its own water (R1), and of the lighthouse on the shore (R2)."""
    wishes = []
    for index, region in enumerate(rotated.regions):
        wishes += [_wish("ship", sites, {index})] * region.ships
    if rotated.tile.count("lighthouse"):
        waters = {i for i, region in enumerate(rotated.regions) if region.terrain is Terrain.WATER}
        shore = [
            point
            for border in ground.borders
            if waters & set(border.regions)
            for point in sampled(border.curve, 4)
        ]
        road = [point for curve in roads for point in sampled(curve, 12)]
        # A shore is a border: only roads and the tile's edge matter to what stands on it.
        places = [_site(rounded(point), 0, (), road) for point in shore]
        wishes += [_wish("lighthouse", places, {0})] * rotated.tile.count("lighthouse")
    return wishes


def _wish(thing: str, sites: list[Site], regions: set[int]) -> _Wish:
    room = ROOM[thing.partition("-")[0]]
    sought = []
    for site in sites:
        if site.region in regions:
            gap = min(site.edge - room - 3, site.road - room - 5, site.border - 0.8 * room)
            # A distillery is only of use by a road.
            charm = -0.45 * site.road if thing == "whisky" else 0.0
            sought.append((site.point, gap, charm))
    sought.sort(key=lambda place: -place[1])
    return _Wish(thing, room, sought[:80])


def _settled(wishes: list[_Wish]) -> tuple[Spot, ...]:
    """Place all things so that the tightest gap is as wide as can be."""
    best: list[complex] = []
    widest = float("-inf")
    for order in permutations(range(len(wishes))):
        points, gap = _settle(wishes, order)
        if gap > widest:
            best, widest = points, gap
        if widest >= 0:
            break
    return tuple(Spot(wish.thing, point) for wish, point in zip(wishes, best, strict=True))


def _settle(wishes: list[_Wish], order: tuple[int, ...]) -> tuple[list[complex], float]:
    """Place things one after the other, then let each move while the others stay."""
    placed: dict[int, complex] = {}
    gaps: dict[int, float] = {}
    for _ in range(4):
        for index in order:
            others = [(point, wishes[i].room) for i, point in placed.items() if i != index]
            placed[index], gaps[index] = _best_place(wishes[index], others)
    return [placed[i] for i in range(len(wishes))], min(gaps.values(), default=0.0)


def _best_place(wish: _Wish, others: list[tuple[complex, float]]) -> tuple[complex, float]:
    best, best_gap, best_score = 0j, 0.0, float("-inf")
    for point, fixed, charm in wish.sites:
        gap = min([fixed, *(round(abs(point - other), 3) - room - wish.room - 4 for other, room in others)])
        score = min(gap, _AIR) + charm
        if score > best_score:
            best, best_gap, best_score = point, gap, score
    return best, best_gap


def _texture(
    rotated: RotatedTile, sites: list[Site], spots: tuple[Spot, ...]
) -> dict[Terrain, tuple[complex, ...]]:
    """Distribute tufts, peaks and waves over the free space."""
    chance = Random(rotated.tile.id + " texture")
    strewn: dict[Terrain, tuple[complex, ...]] = dict.fromkeys(Terrain, ())
    for site in chance.sample(sites, len(sites)):
        terrain = rotated.regions[site.region].terrain
        edge, road, border, apart = _APART[terrain]
        if site.edge < edge or site.road < road or site.border < border:
            continue
        point = rounded(site.point + complex(chance.uniform(-5, 5), chance.uniform(-5, 5)))
        if _gap(point, strewn[terrain]) < apart:
            continue
        if all(abs(point - spot.point) > ROOM[spot.thing.partition("-")[0]] + edge * 0.8 for spot in spots):
            strewn[terrain] += (point,)
    return strewn
