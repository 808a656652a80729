"""Placing tiles: the notation, illegal placements with reasons, and the list of legal places."""

from random import Random

import pytest

from skye.errors import CellOccupied, InvalidTerritory, NotAdjacent, TerrainMismatch
from skye.rulesets import BASE
from skye.territory.territory import Territory, castle_alone
from skye.tiles.geometry import LIMIT, ROTATIONS, SIDES, cell_at
from skye.tiles.tile import Terrain
from skye.tiles.tile_set import Place
from tests.reference.chance import grown_territory

CASTLE = Territory.parse("castle-red")
RING = "castle-red L34@0,-1/270 L43@1,-1/180 L06@2,-1/90 L30@2,0/90 L55@2,1/90 L46@1,1 L62@0,1"


def places(territory, tiles):
    """How many legal placements of these tiles there are."""
    return sum(len(territory.legal_places(tile)) for tile in tiles)


# The notation


@pytest.mark.parametrize(
    "text", ["castle-red", "castle-white L65@1,0", "castle-red L28@0,-1 L44@0,1/180", RING]
)
def test_territory_is_read_and_written_as_one_line(text):
    assert str(Territory.parse(text)) == text


def test_notation_with_rotation_0_and_the_castle_last_is_parsed():
    assert Territory.parse("L28@0,-1/0 castle-red@0,0") == Territory.parse("castle-red L28@0,-1")


def test_tiles_may_be_listed_in_any_order():
    received = Territory.parse("L09@0,-3/180 L11@0,-2/270 castle-red L29@0,-1/270")
    in_order = Territory.parse("castle-red L29@0,-1/270 L11@0,-2/270 L09@0,-3/180")
    assert received.summary.cells == in_order.summary.cells


@pytest.mark.parametrize(
    ("text", "index", "detail"),
    [
        ("", 0, "exactly one castle"),
        ("L28@0,-1", 0, "exactly one castle"),
        ("castle-red castle-blue@0,1", 1, "exactly one castle"),
        ("L28@0,-1 castle-red@0,1", 1, "at \\(0, 0\\)"),
        ("castle-red@0,0/90", 0, "rotation 0"),
        ("castle-red L74@0,1", 1, "no tile 'L74'"),
        ("castle-red L28@0,-1/45", 1, "0, 90, 180 or 270"),
        ("castle-red L28@0,-1 L28@0,1", 2, "only one tile L28"),
        (f"castle-red L28@0,-{LIMIT + 1}", 1, "out of reach"),
        ("castle-red L28@0,-1 L11@0,-1/270", 2, "both lie on \\(0, -1\\)"),
        ("castle-red L28@0,-1/90", 1, "shows"),
        ("castle-red L28@0,-1 L34@1,-1", 2, "L28"),
        ("castle-red L28@0,-1 L11@0,-3", 2, "not joined"),
        ("castle-red L28@1,1", 1, "not joined"),
    ],
)
def test_illegal_tiles_are_refused_with_the_first_at_fault(text, index, detail):
    with pytest.raises(InvalidTerritory, match=detail) as raised:
        Territory.parse(text)
    assert raised.value.facts["index"] == index


@pytest.mark.parametrize("word", ["L28@0", "L28@x,y", "L28@0,1/north", "L28@1.5,0", "L28@0,1/0/0"])
def test_malformed_word_of_the_notation_is_refused(word):
    with pytest.raises(InvalidTerritory, match="not of the form"):
        Territory.parse(f"castle-red {word}")


# Placing one tile


def test_tile_is_placed_beside_another_where_the_terrain_matches():
    assert str(CASTLE.place("L28", 0, -1, 0)) == "castle-red L28@0,-1"


def test_placing_leaves_the_territory_it_began_from_as_it_was():
    before = (CASTLE.placed, dict(CASTLE.summary.cells), dict(CASTLE.frontier))
    CASTLE.place("L28", 0, -1, 0)
    assert (CASTLE.placed, CASTLE.summary.cells, CASTLE.frontier) == before


def test_tile_just_placed_counts_for_the_next():
    assert str(CASTLE.place("L28", 0, -1, 0).place("L11", 0, -2, 0)) == "castle-red L28@0,-1 L11@0,-2"


def test_roads_need_not_continue():
    # The castle's road leads north, L12 has none.
    assert CASTLE.placement_error("L12", 0, -1, 270) is None


def test_cell_with_a_tile_is_refused():
    with pytest.raises(CellOccupied, match=r"castle-red lies on \(0, 0\)"):
        CASTLE.place("L28", 0, 0, 0)


@pytest.mark.parametrize(
    ("x", "y"), [(1, 1), (0, 2), (-50, 3), (LIMIT, LIMIT), (LIMIT + 1, 0), (0, -(10**9))]
)
def test_cell_that_shares_no_edge_with_a_tile_is_refused(x, y):
    with pytest.raises(NotAdjacent):
        CASTLE.place("L28", x, y, 0)


def test_other_terrain_on_a_shared_edge_is_refused():
    with pytest.raises(TerrainMismatch, match="its south is water, its neighbour there shows pasture"):
        CASTLE.place("L28", 0, -1, 90)


def test_hole_requires_the_terrain_of_all_its_neighbours():
    # Around (1, 0) water lies north (L43), south (L46) and west (the castle), pasture east (L30). Water on
    # three edges and pasture on one: PWWW must turn once, WWWP twice, WWPW thrice. L34 is in the ring.
    ring = Territory.parse(RING)
    in_the_hole = [
        (place.tile, place.rotation)
        for tile in BASE.tiles.landscape
        for place in ring.legal_places(tile)
        if (place.x, place.y) == (1, 0) and tile != "L34"
    ]
    assert in_the_hole == [("L01", 90), ("L13", 180), ("L27", 270), ("L49", 90), ("L51", 180)]


def test_taking_the_last_tile_away_gives_the_territory_before():
    before = Territory.parse("castle-red L28@0,-1")
    after = before.place("L44", 0, 1, 180)
    assert after._without_last() == before
    assert after._without_last().frontier == before.frontier


# The list of legal places


def test_castle_has_a_place_for_a_tile_for_each_matching_edge():
    # North and south of the castle any pasture edge matches, east any water, west any mountain.
    for tile in BASE.tiles.landscape:
        edges = BASE.tiles.by_id[tile].edges
        assert places(CASTLE, [tile]) == len(edges) + edges.count(Terrain.PASTURE)


def test_two_landscape_tiles_can_be_placed_in_232394_ways():
    """Counts made by a program that shares nothing with this one, from the tiles alone."""
    first = [place for tile in BASE.tiles.landscape for place in CASTLE.legal_places(tile)]
    assert len(first) == 399
    second = sum(places(CASTLE.place(*place), set(BASE.tiles.landscape) - {place.tile}) for place in first)
    assert second == 232394


@pytest.mark.parametrize("seed", range(4))
def test_incremental_territory_equals_one_parsed_from_its_placements(seed):
    territory = grown_territory(Random(seed), 16)
    afresh = Territory(territory.placed)
    assert territory == afresh
    assert list(territory.summary.cells.items()) == list(afresh.summary.cells.items())
    assert territory.frontier == afresh.frontier
    assert Territory.parse(str(territory)) == territory


def test_frontier_is_every_empty_cell_beside_a_tile_holes_included():
    ring = Territory.parse(RING)
    covered = ring.summary.cells.keys()
    beside = {cell + step for cell in covered for step in (-256, 1, 256, -1)} - covered
    assert ring.frontier.keys() == beside
    assert cell_at(1, 0) in beside


# R4


def test_r4_a_castle_is_matched_like_any_other_tile():
    for color in BASE.colors:
        castle, territory = BASE.tiles.by_id[f"castle-{color}"], castle_alone(color)
        for side, (x, y) in zip(SIDES, [(0, -1), (1, 0), (0, 1), (-1, 0)], strict=True):
            # L45 WMWM turned both places shows water and mountain alone: it never lies beside pasture.
            fits = any(territory.placement_error("L45", x, y, rotation) is None for rotation in ROTATIONS)
            assert fits == (castle.edges[side] is not Terrain.PASTURE)


def test_placements_show_their_rotation_unless_it_is_0():
    assert [str(Place("L01", -2, 3, 0)), str(Place("L01", -2, 3, 90))] == ["L01@-2,3", "L01@-2,3/90"]


def test_ways_to_lay_a_tile_are_kept_for_so_many_cells_and_no_more():
    beside_pasture = BASE.tiles.places["L01"][Terrain.PASTURE]
    assert beside_pasture is not None
    cells = [cell_at(x, y) for x in range(-20, 20) for y in range(-20, 20)]

    assert all({cell_at(place.x, place.y) for place in beside_pasture[cell]} == {cell} for cell in cells)
    assert len(beside_pasture) < len(cells)
