"""The positions of objects on a tile: each in its own terrain, away from roads, borders and each other.

They are computed once for a tile, in reference orientation, with a circle of room for each object. So the
same positions are used in every rotation, and the objects stay upright.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations
from random import Random
from typing import Final, NamedTuple

from skye.svg.curves import HALF, Curve, edge_gap, inside, rounded, sampled
from skye.svg.terrain import Ground, middle_region
from skye.tiles import RotatedTile, Terrain

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
"""The radius of the room that each object takes."""

ROAD: Final = 13.0
"""Half the width of a road."""
_GRID: Final = 20
_WIDE_GAP: Final = 36.0
"""The gap beyond which more space does not improve the layout."""

_APART: Final = {
    Terrain.PASTURE: (12, 8, 20, 58),
    Terrain.MOUNTAIN: (27, 22, 32, 50),
    Terrain.WATER: (24, 9, 34, 72),
}
"""For the dots of a terrain's texture, the minimum distance to edge, road, border, and each other."""


class Spot(NamedTuple):
    """An object and the position of its middle. A scroll is named with its kind: `scroll-sheep`."""

    thing: str
    point: complex


class Site(NamedTuple):
    """A point of the tile: its region, and its distances to the tile's edge, a road and a border."""

    point: complex
    region: int
    edge: float
    road: float
    border: float


class _Item(NamedTuple):
    """An object to place.

    :param sites: the candidates: a point, its gap to everything fixed, and a bonus for its position.
    """

    thing: str
    room: float
    sites: list[tuple[complex, float, float]]


@dataclass(frozen=True, slots=True)
class Layout:
    """The objects on a tile, and the dots of each terrain's texture."""

    spots: tuple[Spot, ...]
    texture: dict[Terrain, tuple[complex, ...]]


def layout_of(rotated: RotatedTile, ground: Ground, roads: tuple[Curve, ...]) -> Layout:
    """Find a place for everything that a tile shows, in reference orientation."""
    sites = _sites(ground, roads)
    items = [*_land_items(rotated, sites, roads), *_water_items(rotated, ground, sites, roads)]
    castle = (Spot(rotated.tile.id, 0j),) if rotated.tile.is_castle else ()
    spots = castle + _arranged(items)
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


def _land_items(rotated: RotatedTile, sites: list[Site], roads: tuple[Curve, ...]) -> list[_Item]:
    """Return the objects on land, and the scroll, which lies in the middle (R3)."""
    tile = rotated.tile
    items = []
    terrains = {
        "farm": {Terrain.PASTURE},
        "cattle": {Terrain.PASTURE},
        "sheep": {Terrain.PASTURE},
        "broch": {Terrain.MOUNTAIN},
        "whisky": {Terrain.PASTURE, Terrain.MOUNTAIN},
    }
    if tile.scroll:
        items.append(_item("scroll-" + tile.scroll, sites, {middle_region(rotated)}))
    for thing, grounds in terrains.items():
        regions = {i for i, region in enumerate(rotated.regions) if region.terrain in grounds}
        items += [_item(thing, sites, regions)] * tile.count(thing)
    if tile.count("whisky") and [len(road) for road in tile.roads] == [1]:
        # A road that ends here ends at the distillery.
        items[-1] = _Item("whisky", ROOM["whisky"], [(roads[0][-1][-1], _WIDE_GAP, 0.0)])
    return items


def _water_items(
    rotated: RotatedTile, ground: Ground, sites: list[Site], roads: tuple[Curve, ...]
) -> list[_Item]:
    """Return the ships, each in its own water (R1), and the lighthouse on the shore (R2)."""
    items = []
    for index, region in enumerate(rotated.regions):
        items += [_item("ship", sites, {index})] * region.ships
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
        items += [_item("lighthouse", places, {0})] * rotated.tile.count("lighthouse")
    return items


def _item(thing: str, sites: list[Site], regions: set[int]) -> _Item:
    room = ROOM[thing.partition("-")[0]]
    candidates = []
    for site in sites:
        if site.region in regions:
            gap = min(site.edge - room - 3, site.road - room - 5, site.border - 0.8 * room)
            # A distillery gives income only if a road connects it.
            bonus = -0.45 * site.road if thing == "whisky" else 0.0
            candidates.append((site.point, gap, bonus))
    candidates.sort(key=lambda place: -place[1])
    return _Item(thing, room, candidates[:80])


def _arranged(items: list[_Item]) -> tuple[Spot, ...]:
    """Place all objects so that the smallest gap is as large as possible."""
    best: list[complex] = []
    widest = float("-inf")
    for order in permutations(range(len(items))):
        points, gap = _arrange(items, order)
        if gap > widest:
            best, widest = points, gap
        if widest >= 0:
            break
    return tuple(Spot(item.thing, point) for item, point in zip(items, best, strict=True))


def _arrange(items: list[_Item], order: tuple[int, ...]) -> tuple[list[complex], float]:
    """Place objects one after the other, then move each while the others stay."""
    placed: dict[int, complex] = {}
    gaps: dict[int, float] = {}
    for _ in range(4):
        for index in order:
            others = [(point, items[i].room) for i, point in placed.items() if i != index]
            placed[index], gaps[index] = _best_place(items[index], others)
    return [placed[i] for i in range(len(items))], min(gaps.values(), default=0.0)


def _best_place(item: _Item, others: list[tuple[complex, float]]) -> tuple[complex, float]:
    best, best_gap, best_score = 0j, 0.0, float("-inf")
    for point, fixed, bonus in item.sites:
        gap = min([fixed, *(round(abs(point - other), 3) - room - item.room - 4 for other, room in others)])
        score = min(gap, _WIDE_GAP) + bonus
        if score > best_score:
            best, best_gap, best_score = point, gap, score
    return best, best_gap


def _texture(
    rotated: RotatedTile, sites: list[Site], spots: tuple[Spot, ...]
) -> dict[Terrain, tuple[complex, ...]]:
    """Distribute tufts, peaks and waves over the free space."""
    rng = Random(rotated.tile.id + " texture")
    placed: dict[Terrain, tuple[complex, ...]] = dict.fromkeys(Terrain, ())
    for site in rng.sample(sites, len(sites)):
        terrain = rotated.regions[site.region].terrain
        edge, road, border, apart = _APART[terrain]
        if site.edge < edge or site.road < road or site.border < border:
            continue
        point = rounded(site.point + complex(rng.uniform(-5, 5), rng.uniform(-5, 5)))
        if _gap(point, placed[terrain]) < apart:
            continue
        if all(abs(point - spot.point) > ROOM[spot.thing.partition("-")[0]] + edge * 0.8 for spot in spots):
            placed[terrain] += (point,)
    return placed
