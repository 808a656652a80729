"""Territories as text."""

from service.cli.terminal import side_by_side, territory_map

CATALOGUE = {
    "castle-red": {
        "castle": True,
        "edges": {"north": "pasture", "east": "water", "south": "pasture", "west": "mountain"},
        "center": "pasture",
        "roads": [["north", "south", "west"]],
        "counts": {},
        "scroll": None,
    },
    "L38": {
        "castle": False,
        "edges": {"north": "pasture", "east": "pasture", "south": "water", "west": "water"},
        "center": "pasture",
        "roads": [["east"]],
        "counts": {"whisky": 1, "sheep": 0, "cattle": 1, "ship": 1},
        "scroll": None,
    },
}


def placed(tile, x, y, rotation=0):
    return {"tile": tile, "x": x, "y": y, "rotation": rotation}


def test_a_tile_shows_its_edges_its_middle_its_roads_and_what_is_on_it():
    assert territory_map([placed("L38", 0, 0)], CATALOGUE, colour=False) == [
        ".......",
        "~.wcS-.",
        "~~~~~~.",
    ]


def test_a_tile_is_turned_clockwise():
    assert territory_map([placed("L38", 0, 0, 90)], CATALOGUE, colour=False) == [
        "~~~~~~.",
        "~.wcS..",
        "...|...",
    ]


def test_a_territory_lies_with_north_up_and_its_holes_are_blank():
    territory = [placed("castle-red", 0, 0), placed("L38", 1, -1), placed("castle-red", 1, 0)]
    drawn = territory_map(territory, CATALOGUE, colour=False)
    assert [line[:7] for line in drawn[:3]] == [" " * 7] * 3
    assert drawn[1][7:] == "~.wcS-."
    assert drawn[4] == "^-.@..~" * 2


def test_in_colour_the_signs_are_the_same():
    territory = [placed("castle-red", 0, 0)]
    drawn = territory_map(territory, CATALOGUE, colour=True)
    plain = territory_map(territory, CATALOGUE, colour=False)
    signs = ["".join(part.partition("m")[2] for part in line.split("\x1b[")) for line in drawn]
    assert signs == plain


def test_maps_stand_side_by_side_as_far_as_they_fit():
    maps = [("one", ["11111"], 5), ("two", ["22222", "22222"], 5), ("three", ["33333"], 5)]
    assert list(side_by_side(maps, 14)) == [
        *["one      two", "11111    22222", "         22222", ""],
        *["three", "33333", ""],
    ]
