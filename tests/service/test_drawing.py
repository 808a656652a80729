"""The pictures, read as a viewer would: parsed, and asked what is painted where."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import (
    FORMS,
    LANDSCAPE,
    OBJECTS,
    ROTATIONS,
    TILES,
    Place,
    Terrain,
    Territory,
    castle_alone,
    survey_of,
)
from service.drawing import territory_svg, tile_svg
from service.drawing.art import art_of, plan_of
from service.drawing.completion import completed_regions
from service.drawing.curves import HALF, SIZE, inside, sampled, toward
from service.drawing.layers import MOUNTAIN, PASTURE
from service.drawing.layout import ROAD, ROOM

SVG = "{http://www.w3.org/2000/svg}"
every_tile = pytest.mark.parametrize("tile", TILES)
NO_OBJECTS = {"peak"}


def grown(seed: int, color: str, tiles: int = 18) -> Territory:
    """Grow a compact territory at random."""
    chance = random.Random(seed)
    territory = castle_alone(color)
    for tile in chance.sample(LANDSCAPE, len(LANDSCAPE)):
        places = territory.legal_places(tile)
        if places and len(territory.placed) <= tiles:
            nearest = min(places, key=lambda place: (place.x**2 + place.y**2, chance.random()))
            territory = territory.place(*nearest)
    return territory


TERRITORIES = [grown(seed, color) for seed, color in enumerate(("red", "blue", "yellow", "white", "green"))]
every_territory = pytest.mark.parametrize("territory", TERRITORIES, ids=lambda t: t.placed[0].tile)


def drawn(territory: Territory, *, title: str | None = None, coordinates: bool = False) -> str:
    return territory_svg(territory, survey_of(territory), title=title, coordinates=coordinates)


def things(svg: str) -> list[tuple[str, complex]]:
    """Return what stands upright in the picture, each with its place."""
    return [
        (
            use.get("href", "").partition("-")[2],
            complex(float(use.get("x", "nan")), float(use.get("y", "nan"))),
        )
        for use in ET.fromstring(svg).findall(SVG + "use")
        if use.get("x")
    ]


def objects(svg: str) -> list[tuple[str, complex]]:
    return [(thing, place) for thing, place in things(svg) if thing not in NO_OBJECTS]


def shapes(data: str) -> Iterator[list[complex]]:
    """Read path data of filled shapes into outlines of points."""
    here, start = 0j, 0j
    points: list[complex] = []
    for letter, words in _commands(data):
        if letter in "Mm":
            here = start = words[0] + (here if letter == "m" else 0)
            points = [here]
        elif letter == "l":
            here += words[0]
            points.append(here)
        elif letter == "c":
            curve = (here, *(here + word for word in words))
            points += sampled((curve,), 6)[1:]
            here = curve[-1]
            points.append(here)
        else:
            yield points
            here = start


def _commands(data: str) -> Iterator[tuple[str, list[complex]]]:
    for letter in "Mmlcz":
        data = data.replace(letter, f"\n{letter}")
    for word in data.split("\n")[1:]:
        yield word[0], [complex(*map(float, pair.split(","))) for pair in word[1:].split()]


@cache
def painted(svg: str) -> list[tuple[Terrain, list[list[complex]]]]:
    """Return the shapes of land, the topmost first; what none of them covers is water."""
    fills = {path.get("fill"): path.get("d", "") for path in ET.fromstring(svg).iter(SVG + "path")}
    colors = {Terrain.MOUNTAIN: MOUNTAIN, Terrain.PASTURE: PASTURE}
    return [(terrain, list(shapes(fills[color]))) for terrain, color in colors.items()]


def terrain_at(svg: str, point: complex) -> Terrain:
    for terrain, outlines in painted(svg):
        if any(inside(outline, point) for outline in outlines):
            return terrain
    return Terrain.WATER


# Every tile


@every_tile
def test_a_tile_is_well_formed_and_describes_itself(tile: str) -> None:
    for rotation in ROTATIONS:
        root = ET.fromstring(tile_svg(tile, rotation))
        assert root.tag == SVG + "svg"
        assert root.get("viewBox") == f"-{HALF} -{HALF} {SIZE} {SIZE}"
        assert tile in (root.findtext(SVG + "title") or "")
        assert (f"{rotation} degrees" in (root.findtext(SVG + "desc") or "")) is (rotation > 0)


@every_tile
def test_a_tile_shows_what_the_catalogue_says(tile: str) -> None:
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
        for side, terrain in enumerate(FORMS[tile, rotation].edges):
            for along in range(-190, 191, 20):
                point = toward(side) * (HALF - 2) + toward(side + 1) * along
                assert terrain_at(svg, point) is terrain, (rotation, side, along)


@every_tile
def test_the_middle_shows_its_terrain(tile: str) -> None:
    form = FORMS[tile, 0]
    center = next(i for i, region in enumerate(form.regions) if region.terrain is form.tile.center)
    outline = sampled(plan_of(tile)[0].outlines[center], 6)
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
def test_a_lighthouse_stands_on_the_shore(tile: str) -> None:
    svg = tile_svg(tile)
    for thing, place in objects(svg):
        if thing == "lighthouse":
            around = {
                terrain_at(svg, place + 12 * way) for way in (1, 1 + 1j, 1j, 1j - 1, -1, -1 - 1j, -1j, 1 - 1j)
            }
            assert Terrain.WATER in around
            assert len(around) > 1


def test_two_waters_of_one_tile_have_a_ship_each() -> None:
    ground, _, layout = plan_of("L45")
    waters = [i for i, region in enumerate(FORMS["L45", 0].regions) if region.terrain is Terrain.WATER]
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
    form = FORMS[tile, 0]
    ground, roads, layout = plan_of(tile)
    ends = {point for road in roads for point in (road[0][0], road[-1][-1]) if abs(point) == HALF}
    assert ends == {HALF * toward(side) for road in form.roads for side in road}
    waters = [
        sampled(outline, 8)
        for outline, region in zip(ground.outlines, form.regions, strict=True)
        if region.terrain is Terrain.WATER
    ]
    for point in (point for road in roads for point in sampled(road, 20)):
        for water in waters:
            assert not inside(water, point)
            assert min(abs(point - wet) for wet in water) > ROAD
        for thing, place in layout.spots:
            if not thing.startswith("castle") and [len(road) for road in form.roads] != [1]:
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


def test_an_unknown_tile_has_no_picture() -> None:
    with pytest.raises(KeyError):
        tile_svg("L74")
    with pytest.raises(KeyError):
        tile_svg("L01", 45)


# Whole territories


@every_territory
def test_a_territory_shows_everything_on_its_tiles(territory: Territory) -> None:
    shown = Counter(thing for thing, _ in objects(drawn(territory)))
    expected: Counter[str] = Counter()
    for placed in territory.placed:
        expected.update(thing for thing, _ in objects(tile_svg(placed.tile, placed.rotation)))
    assert len(territory.placed) == 19
    assert shown == expected


@every_territory
def test_neighbours_show_the_same_terrain_along_their_whole_edge(territory: Territory) -> None:
    svg = drawn(territory)
    positions = {(placed.x, placed.y) for placed in territory.placed}
    for x, y in positions:
        for side, beside in ((1, (x + 1, y)), (2, (x, y + 1))):
            if beside in positions:
                edge = SIZE * complex(x, y) + HALF * toward(side)
                for along in range(-180, 181, 60):
                    point = edge + toward(side + 1) * along
                    assert terrain_at(svg, point - 2 * toward(side)) is terrain_at(
                        svg, point + 2 * toward(side)
                    )


@every_territory
def test_completed_areas_are_those_of_the_engine(territory: Territory) -> None:
    regions = completed_regions(territory)
    for completed in (True, False):
        by_engine = {
            (area.terrain, cell)
            for area in survey_of(territory).areas
            if area.completed is completed
            for cell in area.cells
        }
        forms = survey_of(territory).cells
        by_drawing = {
            (region.terrain, cell)
            for (cell, form), placed in zip(forms.items(), territory.placed, strict=True)
            for i, region in enumerate(form.regions)
            if (i in regions[placed.x, placed.y]) is completed
        }
        assert by_drawing == by_engine


def test_a_completed_area_is_gilded_and_an_open_one_is_not() -> None:
    def gilded(territory: Territory) -> list[list[complex]]:
        paths = ET.fromstring(drawn(territory)).iter(SVG + "path")
        return next(list(shapes(path.get("d", ""))) for path in paths if "gold" in path.get("fill", ""))

    assert gilded(castle_alone("red")) == []
    # The lake of L05 lies wholly inside it; nothing else is completed.
    [lake] = gilded(Territory.parse("castle-red L05@0,-1"))
    assert inside(lake, complex(0, -SIZE))


@every_territory
def test_a_whole_territory_is_small(territory: Territory) -> None:
    assert len(drawn(territory, title="A name", coordinates=True).encode()) < 60_000


def test_even_the_most_crowded_tiles_of_all_stay_under_100_kb() -> None:
    def weight(tile: str) -> int:
        art = art_of(tile, 90)
        return sum(map(len, (*art.outlines, *art.rims, art.coast, art.tufts, art.waves))) + 60 * len(
            art.things
        )

    heaviest = sorted(LANDSCAPE, key=weight, reverse=True)[:18]
    cells = [(x, y) for x in range(-2, 3) for y in range(-2, 2) if (x, y) not in {(0, 0), (2, 1)}]
    placed = [Place(tile, *cell, 90) for tile, cell in zip(heaviest, cells, strict=True)]
    crowded = Territory((*castle_alone("white").placed, *placed))
    assert len(drawn(crowded, title="&" * 200, coordinates=True).encode()) < 80_000


def test_coordinates_are_written_on_request_only() -> None:
    territory = Territory.parse("castle-red L05@0,-1 L44@-1,0/90")
    assert "<text" not in drawn(territory)
    labels = [text.text for text in ET.fromstring(drawn(territory, coordinates=True)).iter(SVG + "text")]
    assert labels == ["-1", "0", "-1", "0"]


def test_the_description_tells_what_a_picture_shows() -> None:
    description = ET.fromstring(drawn(Territory.parse("castle-red L05@0,-1"))).findtext(SVG + "desc")
    assert description == (
        "2 tiles, 0 of them joined to the castle by road. 1 of 5 areas are completed. "
        "Shows farm 1, ship 1, castle red."
    )


# Safety


HOSTILE = [
    "</title><script>alert(1)</script>",
    "<b>&amp;\"'`",
    "]]><![CDATA[<x/>",
    "\x00\x08\x1b[31mred\ud800\ufffe\uffff",
    "\u202egnp.exe\u2066",
    "<!DOCTYPE x [<!ENTITY y SYSTEM 'file:///etc/passwd'>]>&y;",
    "x" * 100_000,
    " \n\t ",
]


@pytest.mark.parametrize("title", HOSTILE, ids=ascii)
def test_a_hostile_title_is_only_text(title: str) -> None:
    plain = drawn(TERRITORIES[0], title="plain")
    root = ET.fromstring(drawn(TERRITORIES[0], title=title))
    tags = Counter(element.tag for element in root.iter())
    assert tags[SVG + "script"] == 0
    assert tags[SVG + "text"] <= 1
    assert tags - Counter(element.tag for element in ET.fromstring(plain).iter()) == Counter()
    assert len(root.findtext(SVG + "title") or "") <= 80


@settings(max_examples=150, deadline=None)
@given(st.text(st.characters(exclude_categories=())))
def test_any_text_makes_a_title(title: str) -> None:
    svg = drawn(castle_alone("blue"), title=title)
    root = ET.fromstring(svg.encode())
    text = root.find(SVG + "text")
    assert text is None or text.text == root.findtext(SVG + "title")


def test_a_title_is_kept_as_it_was_written() -> None:
    root = ET.fromstring(drawn(castle_alone("blue"), title="Màiri & <Iain> 島"))
    assert root.findtext(SVG + "text") == root.findtext(SVG + "title") == "Màiri & <Iain> 島"


@pytest.mark.parametrize("svg", [tile_svg("L45", 90), tile_svg("castle-white"), drawn(TERRITORIES[1])])
def test_a_picture_needs_nothing_from_outside_itself(svg: str) -> None:
    root = ET.fromstring(svg)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    allowed = "svg title desc defs g path circle ellipse use clipPath pattern text"
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= set(allowed.split())
    for element in root.iter():
        assert not any(name.startswith("on") or name == "style" for name in element.attrib)
        assert all(value.startswith("url(#") for value in element.attrib.values() if "url" in value)
        if "href" in element.attrib:
            assert element.attrib["href"].removeprefix("#") in ids
    assert svg.replace("http://www.w3.org/2000/svg", "").count("//") == 0


def test_pictures_in_one_page_share_no_ids() -> None:
    pictures = [tile_svg("L01"), tile_svg("L01", 90), drawn(TERRITORIES[0]), drawn(TERRITORIES[0], title="x")]
    ids = [{element.get("id") for element in ET.fromstring(svg).iter()} - {None} for svg in pictures]
    assert all(a.isdisjoint(b) for a, b in combinations(ids, 2))


def test_a_picture_is_the_same_in_every_process() -> None:
    script = (
        "import hashlib; from service.drawing import tile_svg;"
        "print(hashlib.sha256(''.join(tile_svg(f'L{n:02}', 90) for n in range(1, 74)).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1
