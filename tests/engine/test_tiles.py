"""The catalogue of the 78 tiles, and their rotations."""

import pytest

from skye.rulesets import BASE
from skye.tiles.geometry import LIMIT, OPPOSITE, ROTATIONS, SIDES, STEPS, cell_at, coordinates_of, turned
from skye.tiles.tile import OBJECTS, Terrain

P, M, W = Terrain.PASTURE, Terrain.MOUNTAIN, Terrain.WATER
NORTH, EAST, SOUTH, WEST = SIDES


def regions_of(tile_id):
    """The areas inside a tile in reference orientation: terrain and the sides it reaches."""
    rotated = BASE.tiles.rotated[tile_id, 0]
    return {
        (region.terrain, "".join("NESW"[side] for side in sorted(region.sides))) for region in rotated.regions
    }


def test_catalogue_has_five_castles_and_73_landscape_tiles():
    assert list(BASE.tiles.by_id) == [f"castle-{color}" for color in BASE.colors] + [
        f"L{number:02}" for number in range(1, 74)
    ]
    assert list(BASE.tiles.landscape) == list(BASE.tiles.by_id)[5:]
    assert [tile.is_castle for tile in BASE.tiles.by_id.values()] == [True] * 5 + [False] * 73


def test_no_tile_shows_what_its_own_scroll_counts():
    assert not [tile.id for tile in BASE.tiles.by_id.values() if tile.scroll and tile.count(tile.scroll)]


def test_tile_shows_at_most_one_whisky():
    assert {tile.count("whisky") for tile in BASE.tiles.by_id.values()} == {0, 1}


def test_castles_show_nothing():
    assert not any(any(BASE.tiles.by_id[f"castle-{color}"].counts) for color in BASE.colors)


def test_no_road_meets_water_and_no_edge_has_two_roads():
    for tile in BASE.tiles.by_id.values():
        sides = [side for road in tile.roads for side in road]
        assert len(set(sides)) == len(sides)
        assert all(tile.edges[side] is not W for side in sides), tile.id


def test_tile_is_read_from_one_line_of_the_data_file():
    # L44 MPPP/P NW,ES scroll:cattle; L66 PPPM/P NSW whisky sheep cattle*2
    crossing, pasture = BASE.tiles.by_id["L44"], BASE.tiles.by_id["L66"]
    assert (crossing.edges, crossing.center, crossing.scroll) == ((M, P, P, P), P, "cattle")
    assert crossing.roads == ((NORTH, WEST), (EAST, SOUTH))
    assert [pasture.count(thing) for thing in OBJECTS] == [1, 1, 2, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("tile", "expected"),
    [
        ("L38", {(P, "NE"), (W, "SW")}),  # PPWW/P: corners join
        ("L66", {(P, "NES"), (M, "W")}),  # PPPM/P: three in a row
        ("L26", {(P, "N"), (W, "EW"), (P, "S")}),  # PWPW/W: the middle joins opposite edges
        ("L69", {(P, "NS"), (W, "E"), (W, "W")}),  # PWPW/P: and parts the others
        ("L56", {(P, "N"), (W, "E"), (P, "S"), (W, "W"), (M, "")}),  # PWPW/M: a middle of its own joins none
        ("L19", {(M, "N"), (W, "ESW"), (P, "")}),  # MWWW/P: the edge between joins opposite edges
        ("castle-red", {(P, "NS"), (W, "E"), (M, "W")}),
    ],
)
def test_edges_and_middle_of_one_terrain_form_areas(tile, expected):
    assert regions_of(tile) == expected


def test_side_belongs_to_the_one_area_that_reaches_it():
    for rotated in BASE.tiles.rotated.values():
        for side in SIDES:
            assert [index for index, region in enumerate(rotated.regions) if side in region.sides] == [
                rotated.region_at[side]
            ]
            assert rotated.regions[rotated.region_at[side]].terrain is rotated.edges[side]


def test_r1_brochs_stand_in_mountain_and_ships_in_water_none_lost():
    for rotated in BASE.tiles.rotated.values():
        mountains = [region for region in rotated.regions if region.terrain is M]
        waters = [region for region in rotated.regions if region.terrain is W]
        assert sum(region.brochs for region in mountains) == rotated.tile.count("broch"), rotated.tile.id
        assert sum(region.ships for region in waters) == rotated.tile.count("ship"), rotated.tile.id
        assert not any(region.brochs for region in rotated.regions if region.terrain is not M)
        assert not any(region.ships for region in rotated.regions if region.terrain is not W)


def test_r1_only_l45_has_ships_in_two_waters_one_in_each():
    in_two_waters = {
        tile.id: [region.ships for region in BASE.tiles.rotated[tile.id, 0].regions if region.terrain is W]
        for tile in BASE.tiles.by_id.values()
        if tile.count("ship")
        and sum(region.terrain is W for region in BASE.tiles.rotated[tile.id, 0].regions) > 1
    }
    assert in_two_waters == {"L45": [1, 1]}


def test_r2_a_lighthouse_is_adjacent_to_every_water_of_its_tile():
    for rotated in BASE.tiles.rotated.values():
        for region in rotated.regions:
            expected = rotated.tile.count("lighthouse") if region.terrain is W else 0
            assert region.lighthouses == expected, rotated.tile.id


def test_r3_a_scroll_lies_in_the_area_of_the_middle():
    for rotated in BASE.tiles.rotated.values():
        scrolls = [(region.scroll, region.terrain) for region in rotated.regions if region.scroll]
        assert scrolls == ([(rotated.tile.scroll, rotated.tile.center)] if rotated.tile.scroll else [])


def test_scroll_of_l55_lies_in_the_pasture_of_its_center():
    # WPPW/P
    assert [region.sides for region in BASE.tiles.rotated["L55", 0].regions if region.scroll] == [
        (EAST, SOUTH)
    ]


def test_r4_a_castle_has_three_areas_and_one_road_of_three_arms():
    for color in BASE.colors:
        rotated = BASE.tiles.rotated[f"castle-{color}", 0]
        assert len(rotated.regions) == 3
        assert [len(road) for road in rotated.roads] == [3]


def test_turned_by_90_degrees_the_north_lies_east():
    # L05 PPPM/W, road from north to east
    rotated_once = BASE.tiles.rotated["L05", 90]
    assert rotated_once.edges == (M, P, P, P)
    assert rotated_once.roads == ((EAST, SOUTH),)
    assert rotated_once.road_at == (-1, 0, 0, -1)


def test_turning_takes_edges_areas_and_roads_along():
    for (tile_id, rotation), rotated in BASE.tiles.rotated.items():
        reference = BASE.tiles.rotated[tile_id, 0]
        for side in SIDES:
            there = turned(side, rotation)
            assert rotated.edges[there] is reference.edges[side]
            assert rotated.region_at[there] == reference.region_at[side]
            assert rotated.road_at[there] == reference.road_at[side]


def test_fitting_rotations_are_those_whose_edges_satisfy_a_constraint():
    for tile_id in BASE.tiles.landscape:
        for constraint, rotations in enumerate(BASE.tiles.fitting_rotations[tile_id]):
            wanted = [constraint // 4**side % 4 for side in SIDES]
            fitting = [
                rotation
                for rotation in ROTATIONS
                if all(
                    not want or BASE.tiles.rotated[tile_id, rotation].edges[side] == want
                    for side, want in enumerate(wanted)
                )
            ]
            assert list(rotations) == fitting


def test_step_leads_to_the_neighbour_and_back():
    for side, (dx, dy) in zip(SIDES, [(0, -1), (1, 0), (0, 1), (-1, 0)], strict=True):
        assert coordinates_of(cell_at(3, -4) + STEPS[side]) == (3 + dx, -4 + dy)
        assert STEPS[side] + STEPS[OPPOSITE[side]] == 0


def test_every_position_within_the_limit_has_a_cell_of_its_own():
    reach = range(-LIMIT, LIMIT + 1)
    cells = {cell_at(x, y): (x, y) for x in reach for y in reach}
    assert len(cells) == len(reach) ** 2
    assert all(coordinates_of(cell) == position for cell, position in cells.items())


@pytest.mark.parametrize(("x", "y"), [(LIMIT + 1, 0), (0, -LIMIT - 1)])
def test_beyond_the_limit_there_are_no_cells(x, y):
    with pytest.raises(ValueError, match="farther than"):
        cell_at(x, y)
