"""Pictures of whole territories, and content that no picture may have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skye import Place, Territory
from skye.rulesets import BASE
from skye.svg import tile_svg
from skye.svg.art import art_of
from skye.svg.curves import HALF, SIZE, inside, toward
from skye.territory import castle_alone
from tests.engine.playing import printed_by
from tests.support.pictures import (
    SEEDS,
    SVG,
    drawn,
    grown,
    objects,
    shapes,
    terrain_at,
)
from tests.support.sizes import sized

every_territory = pytest.mark.parametrize("territory", SEEDS, ids="castle-{}".format, indirect=True)


@pytest.fixture
def territory(request: pytest.FixtureRequest) -> Territory:
    """A territory whose castle has the color of the parameter."""
    return grown(request.param)


@every_territory
def test_territory_shows_everything_on_its_tiles(territory: Territory) -> None:
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


def test_completed_area_is_gilded_and_an_open_one_is_not() -> None:
    def gilded(territory: Territory) -> list[list[complex]]:
        paths = ET.fromstring(drawn(territory)).iter(SVG + "path")
        return next(list(shapes(path.get("d", ""))) for path in paths if "gold" in path.get("fill", ""))

    assert gilded(castle_alone("red")) == []
    # The lake of L05 lies wholly inside it; nothing else is completed.
    [lake] = gilded(Territory.parse("castle-red L05@0,-1"))
    assert inside(lake, complex(0, -SIZE))


@every_territory
def test_whole_territory_is_small(territory: Territory) -> None:
    assert len(drawn(territory, title="A name", coordinates=True).encode()) < 60_000


def test_even_the_most_crowded_tiles_of_all_stay_under_100_kb() -> None:
    def weight(tile: str) -> int:
        art = art_of(BASE.tiles.by_id[tile], 90)
        return sum(map(len, (*art.outlines, *art.rims, art.coast, art.tufts, art.waves))) + 60 * len(
            art.things
        )

    heaviest = sorted(BASE.tiles.landscape, key=weight, reverse=True)[:18]
    cells = [(x, y) for x in range(-2, 3) for y in range(-2, 2) if (x, y) not in {(0, 0), (2, 1)}]
    placed = [Place(tile, *cell, 90) for tile, cell in zip(heaviest, cells, strict=True)]
    crowded = Territory((*castle_alone("white").placed, *placed))
    assert len(drawn(crowded, title="&" * 200, coordinates=True).encode()) < 80_000


def test_coordinates_are_written_on_request_only() -> None:
    territory = Territory.parse("castle-red L05@0,-1 L44@-1,0/90")
    assert "<text" not in drawn(territory)
    labels = [text.text for text in ET.fromstring(drawn(territory, coordinates=True)).iter(SVG + "text")]
    assert labels == ["-1", "0", "-1", "0"]


def test_description_names_what_a_picture_shows() -> None:
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
def test_title_with_markup_is_shown_as_text(title: str) -> None:
    plain = drawn(grown("red"), title="plain")
    root = ET.fromstring(drawn(grown("red"), title=title))
    tags = Counter(element.tag for element in root.iter())
    assert tags[SVG + "script"] == 0
    assert tags[SVG + "text"] <= 1
    assert tags - Counter(element.tag for element in ET.fromstring(plain).iter()) == Counter()
    assert len(root.findtext(SVG + "title") or "") <= 80


@settings(
    max_examples=150,
    derandomize=sized(True, False),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(st.text(st.characters(exclude_categories=())))
def test_any_text_makes_a_title(title: str) -> None:
    svg = drawn(castle_alone("blue"), title=title)
    root = ET.fromstring(svg.encode())
    text = root.find(SVG + "text")
    assert text is None or text.text == root.findtext(SVG + "title")


def test_title_is_kept_as_it_was_written() -> None:
    root = ET.fromstring(drawn(castle_alone("blue"), title="Màiri & <Iain> 島"))
    assert root.findtext(SVG + "text") == root.findtext(SVG + "title") == "Màiri & <Iain> 島"


@pytest.mark.parametrize(
    "draw",
    [lambda: tile_svg("L45", 90), lambda: tile_svg("castle-white"), lambda: drawn(grown("blue"))],
    ids=["tile", "castle", "territory"],
)
def test_picture_needs_nothing_from_outside_itself(draw: Callable[[], str]) -> None:
    svg = draw()
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
    pictures = [tile_svg("L01"), tile_svg("L01", 90), drawn(grown("red")), drawn(grown("red"), title="x")]
    ids = [{element.get("id") for element in ET.fromstring(svg).iter()} - {None} for svg in pictures]
    assert all(a.isdisjoint(b) for a, b in combinations(ids, 2))


def test_picture_is_the_same_in_every_process() -> None:
    script = (
        "import hashlib; from skye.svg import tile_svg;"
        "print(hashlib.sha256(''.join(tile_svg(f'L{n:02}', 90) for n in range(1, 74)).encode()).hexdigest())"
    )
    assert printed_by(script, "1") == printed_by(script, "2")
