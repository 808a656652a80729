"""Territories as text."""

from rich.console import Console

from skye_server.cli.terminal import side_by_side, territory_map

CATALOGUE = {
    "castle-red": {
        "kind": "castle",
        "edges": {"north": "pasture", "east": "water", "south": "pasture", "west": "mountain"},
        "center": "pasture",
        "roads": [["north", "south", "west"]],
        "counts": {},
        "scroll": None,
    },
    "L38": {
        "kind": "landscape",
        "edges": {"north": "pasture", "east": "pasture", "south": "water", "west": "water"},
        "center": "pasture",
        "roads": [["east"]],
        "counts": {"whisky": 1, "sheep": 0, "cattle": 1, "ship": 1},
        "scroll": None,
    },
}


def placed(tile, x, y, rotation=0):
    return {"tile": tile, "x": x, "y": y, "rotation": rotation}


def lines(placed):
    return territory_map(placed, CATALOGUE).plain.split("\n")


def test_tile_map_shows_edges_center_roads_and_symbols():
    assert lines([placed("L38", 0, 0)]) == [
        ".......",
        "~.wcS-.",
        "~~~~~~.",
    ]


def test_tile_map_is_rotated_clockwise():
    assert lines([placed("L38", 0, 0, 90)]) == [
        "~~~~~~.",
        "~.wcS..",
        "...|...",
    ]


def test_territory_map_has_north_up_and_blank_holes():
    territory = [placed("castle-red", 0, 0), placed("L38", 1, -1), placed("castle-red", 1, 0)]
    drawn = lines(territory)
    assert [line[:7] for line in drawn[:3]] == [" " * 7] * 3
    assert drawn[1][7:] == "~.wcS-."
    assert drawn[4] == "^-.@..~" * 2


def shown(maps, width):
    console = Console(width=width, color_system=None)
    with console.capture() as captured:
        console.print(side_by_side(maps))
    return [line.rstrip() for line in captured.get().splitlines()]


def test_maps_are_set_side_by_side_as_far_as_they_fit():
    drawn = territory_map([placed("L38", 0, 0)], CATALOGUE)
    maps = [("one", drawn), ("two", drawn), ("three", drawn)]
    assert shown(maps, 20) == [
        *["one        two", ".......    .......", "~.wcS-.    ~.wcS-.", "~~~~~~.    ~~~~~~.", ""],
        *["three", ".......", "~.wcS-.", "~~~~~~.", ""],
    ]
