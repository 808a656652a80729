"""The tables that the extension reads, derived from a ruleset; the extension has no data of a game.

The points of a tile, and of an area by what it contains, are those that the functions of the ruleset return.
Patterns are functions of whole territories: the extension has those of the base game, and refuses others.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, product
from typing import Final, NamedTuple

from skye.rulesets import BASE, Ruleset
from skye.scoring import AreaRule, MajorityRule, ScoringTile, TileRule
from skye.territory import Area, TerritorySummary
from skye.territory.areas import NO_AREAS
from skye.tiles import OBJECTS, ROTATIONS, Region, RotatedTile, Terrain, Tile, cell_at
from skye.tiles.tile import BROCH, LIGHTHOUSE, SHIP, parse_tile, rotated_tile

# The kinds of scoring tiles, as in `src/core.h`.
AREAS, LARGEST_AREA, TILES, ROAD_TILES, MAJORITY, GOLD = range(6)
SQUARES, BUILDING_SETS, ANIMALS_NEAR_FARMS, VERTICAL_LINES = range(6, 10)

_PATTERNS: Final = {
    "squares": (SQUARES, ((0, 0), (1, 0), (0, 1), (1, 1))),
    "building_sets": (BUILDING_SETS, ((0, 0),)),
    "animals_near_farms": (ANIMALS_NEAR_FARMS, ((0, 0),)),
    "vertical_lines": (VERTICAL_LINES, ((0, 0), (0, 1), (0, 2))),
}
"""By scoring tile of the base game: the kind of a pattern, and where `_EXAMPLE` lies to form it once."""

_EXAMPLE: Final = rotated_tile(parse_tile("example WWWM/P - sheep farm broch lighthouse"), 0)

_MAX_REGIONS: Final = 5
_MAX_ROADS: Final = 4
_REGION_FIELDS: Final = 6


class UnsupportedScoring(ValueError):
    """A scoring tile of a ruleset scores in a way that the extension lacks; the message names the tile."""


class Bounds(NamedTuple):
    """What an area has at most: tiles, brochs, ships and lighthouses."""

    size: int
    brochs: int
    ships: int
    lighthouses: int


class Tables(NamedTuple):
    """The tables of a ruleset, arrays of 16-bit integers, in the order of the arguments of the extension.

    :param turned: by tile and rotation: edges, regions and roads.
    :param counts: by tile: the number of each of `OBJECTS`.
    :param kinds: by scoring tile: the kind; the points for most or for a pattern, or the number of its table
        in `area_points`; the points for second most.
    :param values: by scoring tile and tile: the points or the count of the tile.
    :param area_points: by table, completeness, size and contents: the points of an area.
    :param per_point: by object: how many give a point of a scroll.
    :param castles: the number of castles, which are the first tiles.
    :param bounds: the bounds of areas.
    """

    turned: array[int]
    counts: array[int]
    kinds: array[int]
    values: array[int]
    area_points: array[int]
    per_point: array[int]
    castles: int
    bounds: Bounds


def tiles_of(ruleset: Ruleset) -> tuple[str, ...]:
    """Return the ids of the tiles by their number: castles first."""
    castles = [tile.id for tile in ruleset.tiles.by_id.values() if tile.is_castle]
    return (*castles, *ruleset.tiles.landscape)


def tables_of(ruleset: Ruleset) -> Tables:
    """Return the tables of a ruleset.

    :raises UnsupportedScoring: when the extension lacks the way in which a scoring tile scores.
    """
    tiles = [ruleset.tiles.by_id[tile] for tile in tiles_of(ruleset)]
    turned = [ruleset.tiles.rotated[tile.id, rotation] for tile in tiles for rotation in ROTATIONS]
    scoring_tiles = tuple(ruleset.scoring_tiles.values())
    of_areas = [tile for tile in scoring_tiles if isinstance(tile.rule, AreaRule)]
    bounds = _bounds(tiles)
    return Tables(
        array("h", [number for rotated in turned for number in _turned(rotated)]),
        array("h", [count for tile in tiles for count in tile.counts]),
        array("h", [number for tile in scoring_tiles for number in _kind(tile, of_areas)]),
        array("h", [value for tile in scoring_tiles for value in _values(tile, tiles)]),
        _area_points(of_areas, bounds),
        array("h", [ruleset.final.objects_per_point.get(thing, 1) for thing in OBJECTS]),
        sum(tile.is_castle for tile in tiles),
        bounds,
    )


def _bounds(tiles: Iterable[Tile]) -> Bounds:
    """Return the bounds of areas of one castle and all landscape tiles."""
    castles = [tile.counts for tile in tiles if tile.is_castle]
    landscape = [tile.counts for tile in tiles if not tile.is_castle]
    brochs, ships, lighthouses = (
        max(counts[thing] for counts in castles) + sum(counts[thing] for counts in landscape)
        for thing in (BROCH, SHIP, LIGHTHOUSE)
    )
    return Bounds(len(landscape) + 1, brochs, ships, lighthouses)


def _turned(rotated: RotatedTile) -> list[int]:
    regions = [_region(region) for region in rotated.regions]
    regions += [[0] * _REGION_FIELDS] * (_MAX_REGIONS - len(regions))
    roads = [_bits(road) for road in rotated.roads]
    roads += [0] * (_MAX_ROADS - len(roads))
    return [
        *rotated.edges,
        *rotated.region_at,
        *rotated.road_at,
        len(rotated.regions),
        *chain.from_iterable(regions),
        *roads,
    ]


def _region(region: Region) -> list[int]:
    scroll = -1 if region.scroll is None else OBJECTS.index(region.scroll)
    return [region.terrain, region.brochs, region.ships, region.lighthouses, scroll, _bits(region.sides)]


def _bits(sides: Iterable[int]) -> int:
    return sum(1 << side for side in sides)


def _kind(tile: ScoringTile, of_areas: Sequence[ScoringTile]) -> tuple[int, int, int]:
    """Return the row of a scoring tile in `Tables.kinds`."""
    rule = tile.rule
    if isinstance(rule, AreaRule):
        return LARGEST_AREA if rule.largest_only else AREAS, of_areas.index(tile), 0
    if isinstance(rule, TileRule):
        return ROAD_TILES if rule.connected_only else TILES, 0, 0
    if isinstance(rule, MajorityRule):
        return GOLD if rule.value is None else MAJORITY, rule.most, rule.second
    for known, (kind, positions) in _PATTERNS.items():
        if rule == BASE.scoring_tiles[known].rule:
            cells = {cell_at(x, y): _EXAMPLE for x, y in positions}
            earned = rule.earns(TerritorySummary(cells, (), {}, NO_AREAS))
            return kind, sum([points for points, _ in earned]), 0
    raise UnsupportedScoring(
        f"the core lacks the {type(rule).__name__} of the scoring tile {tile.id!r}: "
        f"of such rules it has {', '.join(_PATTERNS)}"
    )


def _values(tile: ScoringTile, tiles: Iterable[Tile]) -> list[int]:
    rule = tile.rule
    if isinstance(rule, TileRule | MajorityRule) and rule.value is not None:
        return [rule.value(each) for each in tiles]
    return [0 for _ in tiles]


def _area_points(of_areas: Iterable[ScoringTile], bounds: Bounds) -> array[int]:
    """Return the points of all areas: by scoring tile of areas, completeness, size and contents.

    Each area is valued twice, with other cells and scrolls and, if it is open, another number of openings.
    """
    pairs = list(_pairs_of_areas(bounds))
    table = array("h")
    for tile in of_areas:
        rule = tile.rule
        assert isinstance(rule, AreaRule)
        points = [rule.value(area) for area, _ in pairs]
        if points != [rule.value(other) for _, other in pairs]:
            raise UnsupportedScoring(
                f"the core lacks the AreaRule of the scoring tile {tile.id!r}: it depends on more than the "
                "terrain, the size, the brochs, the ships, the lighthouses, and whether the area is completed"
            )
        table.extend(points)
    return table


def _pairs_of_areas(bounds: Bounds) -> Iterator[tuple[Area, Area]]:
    region = Region(Terrain.WATER, ())
    for openings, size in product((1, 0), range(bounds.size + 1)):
        parts = tuple([(cell, region) for cell in range(size)])
        for terrain, contents in _contents(bounds):
            area = Area(terrain, openings, (), size, *contents)
            yield area, Area(terrain, 7 * openings, parts, size, *contents, (("sheep", 0),))


def _contents(bounds: Bounds) -> Iterator[tuple[Terrain, tuple[int, int, int]]]:
    """Yield what areas may contain: brochs in mountains; ships and lighthouses in water."""
    yield Terrain.PASTURE, (0, 0, 0)
    for brochs in range(bounds.brochs + 1):
        yield Terrain.MOUNTAIN, (brochs, 0, 0)
    for ships, lighthouses in product(range(bounds.ships + 1), range(bounds.lighthouses + 1)):
        yield Terrain.WATER, (0, ships, lighthouses)
