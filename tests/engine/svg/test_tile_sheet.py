"""The sheet with the pictures of all tiles, and the pictures of the scoring tiles."""

import re
from xml.etree import ElementTree as ET

import pytest

from skye.rulesets import BASE
from skye.svg import scoring_tile_svg, tile_sheet_svg, tile_svg
from skye.tiles import ROTATIONS

TILES, SCORING_TILES = BASE.tiles.by_id, BASE.scoring_tiles

LINE = re.compile(r'<\w+ id="([^"]+)"')


def lines():
    """Return the lines of the sheet by their ids."""
    return {found[1]: line for line in tile_sheet_svg().split("\n") if (found := LINE.match(line))}


def test_sheet_has_a_view_of_every_tile_in_every_rotation():
    views = {f"{tile}-{rotation}" for tile in TILES for rotation in ROTATIONS}
    found = {
        one.get("id") for one in ET.fromstring(tile_sheet_svg()).iter("{http://www.w3.org/2000/svg}view")
    }
    assert found == views


def test_tiles_of_the_sheet_have_no_frame_as_single_pictures_have_none():
    frame = 'stroke="#3a302a" stroke-width="14"'
    inside = tile_svg("L35").partition("clip-path=")[2]
    assert frame not in inside
    assert frame not in tile_sheet_svg()


def test_every_reference_in_the_sheet_is_a_line_of_its_own():
    by_id = lines()
    for line in by_id.values():
        assert set(re.findall(r'href="#([^"]+)"', line)) <= by_id.keys()


@pytest.mark.parametrize("rotation", ROTATIONS)
def test_sheet_shows_the_same_objects_as_the_single_pictures(rotation):
    by_id = lines()
    for tile in TILES:
        shown = re.findall(r'<use href="#([^"]+)" x="([^"]+)" y="([^"]+)"', by_id[f"{tile}-{rotation}"])
        single = re.findall(r'<use href="#s\w+-([^"]+)" x="([^"]+)" y="([^"]+)"', tile_svg(tile, rotation))
        assert shown == single


@pytest.mark.parametrize("scoring_tile", SCORING_TILES)
def test_picture_of_a_scoring_tile_names_what_it_scores(scoring_tile):
    svg = ET.fromstring(scoring_tile_svg(scoring_tile))
    assert svg[0].text == SCORING_TILES[scoring_tile].text
    assert len(svg) > 3


def test_pictures_of_scoring_tiles_differ():
    assert len({scoring_tile_svg(one) for one in SCORING_TILES}) == len(SCORING_TILES)
