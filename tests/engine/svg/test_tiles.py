"""The picture of each tile agrees with the catalogue."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest

from skye.rulesets import BASE
from skye.svg import tile_svg
from skye.svg.art import plan_of
from skye.svg.curves import HALF, SIZE, inside, sampled, toward
from skye.svg.layout import ROAD, ROOM
from skye.tiles import OBJECTS, ROTATIONS, Terrain
from tests.support.pictures import (
    SVG,
    objects,
    terrain_at,
    things,
)

TILES, ROTATED_TILES = BASE.tiles.by_id, BASE.tiles.rotated

every_tile = pytest.mark.parametrize("tile", TILES)


@every_tile
def test_tile_is_well_formed_and_describes_itself(tile: str) -> None:
    for rotation in ROTATIONS:
        root = ET.fromstring(tile_svg(tile, rotation))
        assert root.tag == SVG + "svg"
        assert root.get("viewBox") == f"-{HALF} -{HALF} {SIZE} {SIZE}"
        assert tile in (root.findtext(SVG + "title") or "")
        assert (f"{rotation} degrees" in (root.findtext(SVG + "desc") or "")) is (rotation > 0)


@every_tile
def test_picture_of_a_tile_shows_its_catalogue_data(tile: str) -> None:
    expected = Counter(dict(zip(OBJECTS, TILES[tile].counts, strict=True)))
    if TILES[tile].scroll:
        expected[f"scroll-{TILES[tile].scroll}"] = 1
    if TILES[tile].is_castle:
        expected[tile] = 1
    for rotation in ROTATIONS:
        assert Counter(thing for thing, _ in objects(tile_svg(tile, rotation))) == +expected


@every_tile
def test_terrain_fills_its_edge_from_corner_to_corner(tile: str) -> None:
    for rotation in ROTATIONS:
        svg = tile_svg(tile, rotation)
        for side, terrain in enumerate(ROTATED_TILES[tile, rotation].edges):
            for along in range(-190, 191, 20):
                point = toward(side) * (HALF - 2) + toward(side + 1) * along
                assert terrain_at(svg, point) is terrain, (rotation, side, along)


@every_tile
def test_middle_shows_its_terrain(tile: str) -> None:
    rotated = ROTATED_TILES[tile, 0]
    center = next(i for i, region in enumerate(rotated.regions) if region.terrain is rotated.tile.center)
    outline = sampled(plan_of(TILES[tile])[0].outlines[center], 6)
    # Where a road passes water in the middle, the water lies a little aside.
    assert any(inside(outline, 40 * toward(side)) for side in range(4))


@every_tile
def test_objects_stand_in_their_own_terrain(tile: str) -> None:
    svg = tile_svg(tile)
    homes = {
        "sheep": {Terrain.PASTURE},
        "cattle": {Terrain.PASTURE},
        "farm": {Terrain.PASTURE},
        "broch": {Terrain.MOUNTAIN},
        "ship": {Terrain.WATER},
        "whisky": {Terrain.PASTURE, Terrain.MOUNTAIN},
        "scroll": {TILES[tile].center},
    }
    for thing, place in objects(svg):
        kind = thing.partition("-")[0]
        if kind in homes:
            assert terrain_at(svg, place) in homes[kind], thing


@every_tile
def test_lighthouse_stands_on_the_shore(tile: str) -> None:
    svg = tile_svg(tile)
    for thing, place in objects(svg):
        if thing == "lighthouse":
            around = {
                terrain_at(svg, place + 12 * way) for way in (1, 1 + 1j, 1j, 1j - 1, -1, -1 - 1j, -1j, 1 - 1j)
            }
            assert Terrain.WATER in around
            assert len(around) > 1


def test_two_waters_of_one_tile_have_a_ship_each() -> None:
    ground, _, layout = plan_of(TILES["L45"])
    waters = [
        i for i, region in enumerate(ROTATED_TILES["L45", 0].regions) if region.terrain is Terrain.WATER
    ]
    ships = [spot.point for spot in layout.spots if spot.thing == "ship"]
    assert len(waters) == len(ships) == 2
    for water in waters:
        outline = sampled(ground.outlines[water], 6)
        assert sum(inside(outline, ship) for ship in ships) == 1


@every_tile
def test_objects_keep_clear_of_one_another_and_of_the_edge(tile: str) -> None:
    placed = [(ROOM[thing.partition("-")[0]], place) for thing, place in objects(tile_svg(tile))]
    for (room, place), (other_room, other) in combinations(placed, 2):
        assert abs(place - other) >= room + other_room
    for room, place in placed:
        assert HALF - max(abs(place.real), abs(place.imag)) >= room


@every_tile
def test_roads_meet_the_middle_of_edges_and_keep_off_water_and_objects(tile: str) -> None:
    rotated = ROTATED_TILES[tile, 0]
    ground, roads, layout = plan_of(TILES[tile])
    ends = {point for road in roads for point in (road[0][0], road[-1][-1]) if abs(point) == HALF}
    assert ends == {HALF * toward(side) for road in rotated.roads for side in road}
    waters = [
        sampled(outline, 8)
        for outline, region in zip(ground.outlines, rotated.regions, strict=True)
        if region.terrain is Terrain.WATER
    ]
    for point in (point for road in roads for point in sampled(road, 20)):
        for water in waters:
            assert not inside(water, point)
            assert min(abs(point - wet) for wet in water) > ROAD
        for thing, place in layout.spots:
            if not thing.startswith("castle") and [len(road) for road in rotated.roads] != [1]:
                assert abs(point - place) > ROAD + ROOM[thing.partition("-")[0]]


@every_tile
def test_turning_a_tile_turns_its_ground_and_leaves_its_objects_upright(tile: str) -> None:
    for rotation, factor in ((90, 1j), (180, -1), (270, -1j)):
        svg = tile_svg(tile, rotation)
        turned = Counter((thing, place * factor) for thing, place in things(tile_svg(tile)))
        assert Counter(things(svg)) == turned
        assert not any(use.get("transform") for use in ET.fromstring(svg).findall(SVG + "use"))


def test_each_castle_is_in_its_own_colour() -> None:
    paints = set()
    for tile in TILES.values():
        if tile.is_castle:
            root = ET.fromstring(tile_svg(tile.id))
            castle = next(g for g in root.iter(SVG + "g") if g.get("id", "").endswith(tile.id))
            paints.add(castle[0].get("fill"))
    assert len(paints) == 5


def test_unknown_tile_has_no_picture() -> None:
    with pytest.raises(ValueError, match="no tile"):
        tile_svg("L74")
    with pytest.raises(ValueError, match="no tile"):
        tile_svg("L01", 45)
