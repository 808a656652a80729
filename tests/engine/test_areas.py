"""Areas and roads; the expected values were worked out on paper.

Territories with a hole surround the empty cell (1, 0).
"""

import pytest

from skye.territory.territory import Territory
from skye.tiles.geometry import coordinates_of


def received(area):
    """An area as plain data: terrain, number of tiles, whether open, and its objects."""
    words = [area.terrain.label, str(len(area.cells))]
    words += [] if area.completed else ["open"]
    words += [
        f"{thing}*{number}"
        for thing, number in (("broch", area.brochs), ("ship", area.ships), ("lighthouse", area.lighthouses))
        if number
    ]
    return " ".join(words + [f"scroll:{kind}" for kind, _ in area.scrolls])


def reported_areas(notation):
    """The areas of a territory in words, those of the castle first: pasture, water, mountain."""
    return [received(area) for area in Territory.parse(notation).summary.areas]


AREAS = {
    "the areas of a castle are areas (R4)": (
        "castle-white L65@1,0",
        ["pasture 1 open", "mountain 2 open broch*1", "water 1 open", "water 1 open"],
    ),
    "L45 has a ship in each of its waters (R1)": (
        "castle-red L45@-1,0",
        ["pasture 1 open", "water 1 open", "mountain 2 open", "water 1 open ship*1", "water 1 open ship*1"],
    ),
    "brochs lie in the mountain and ships in the water of their tile": (
        "castle-red L13@0,-1/270",
        ["pasture 2 open", "water 1 open", "mountain 1 open", "water 1 open ship*1", "mountain 1 broch*1"],
    ),
    "a lighthouse is adjacent to every water of its tile (R2)": (
        "castle-red L56@0,-1",
        [
            *("pasture 2 open", "water 1 open", "mountain 1 open", "pasture 1 open"),
            *("water 1 open lighthouse*1", "water 1 open lighthouse*1", "mountain 1 broch*1"),
        ],
    ),
    "a lighthouse counts once in a lake that joins both waters: that of L56, beside that of L26": (
        "castle-red L56@0,-1 L59@-1,-1 L25@1,-1 L22@-1,-2/180 L12@1,-2/90 L26@0,-2",
        [
            *("water 6 ship*4 lighthouse*2", "water 1 open", "mountain 1 open scroll:broch"),
            *("pasture 2", "pasture 2 open", "mountain 1 broch*1"),
            *["mountain 1 open"] * 4,
            *["pasture 1 open"] * 4,
        ],
    ),
    "a scroll lies in the area of its tile's middle (R3)": (
        "castle-red L04@-1,0/270",
        ["pasture 1 open", "water 1 open", "mountain 2 scroll:broch", "water 1 open", "pasture 1 open"],
    ),
    "a castle has three open areas, the pasture through its middle": (
        "castle-red",
        ["pasture 1 open", "water 1 open", "mountain 1 open"],
    ),
    "a tile on the other side completes an area": (
        "castle-red L43@-1,0/180",
        ["pasture 1 open", "water 1 open", "mountain 2", "water 1 open ship*2"],
    ),
    "a middle that no edge matches is an area of its own, and completed": (
        "castle-red L32@0,-1",
        ["pasture 2 open", "water 1 open", "mountain 1 open", "mountain 1 open", "water 1 ship*1"],
    ),
    "opposite edges are apart when neither the middle nor an edge between joins them": (
        "castle-red L69@0,1",
        ["pasture 2 open", "water 1 open", "mountain 1 open", "water 1 open", "water 1 open"],
    ),
    "opposite edges are joined through the edge between them": (
        "castle-red L19@1,0/180",
        ["pasture 1 open", "water 2 open ship*1", "mountain 1 open", "mountain 1 open", "pasture 1"],
    ),
    "opposite edges are joined through the middle": (
        "castle-red L26@1,0",
        [
            "pasture 1 open",
            "water 2 open lighthouse*1",
            "mountain 1 open",
            "pasture 1 open",
            "pasture 1 open",
        ],
    ),
    "edges that share a corner are joined, whatever the middle": (
        "castle-red L08@1,0",
        ["pasture 1 open", "water 2 open lighthouse*1", "mountain 1 open", "mountain 1 open", "pasture 1"],
    ),
    # The lake goes from L69's west through five tiles to its east.
    "an area counts each tile once, also one that it reaches from two sides": (
        "castle-red L69@0,-1 L59@-1,-1 L25@1,-1 L22@-1,-2/180 L12@1,-2/90 L26@0,-2",
        [
            "pasture 3 open",  # of castle, L69 and L26's south
            "water 1 open",
            "mountain 1 open",
            "water 6 ship*4 lighthouse*1",
            "pasture 1 open",  # L59's south and middle
            "mountain 1 open",
            "pasture 1 open",  # L25's east
            "mountain 1 open",
            "mountain 1 open scroll:broch",  # L22's north, west and middle
            "pasture 1 open",  # L12's north and middle
            "mountain 1 open",
            "pasture 1 open",  # L26's north
        ],
    ),
    "a hole leaves the areas around it open": (
        "castle-red L56@0,-1 L43@1,-1/90 L37@2,-1/180 L55@2,0 L16@2,1/90 L21@1,1/270 L30@0,1",
        [
            "pasture 3",  # of castle, L56's south, L30's north
            "water 1 open",  # the castle's east, which only the hole faces
            "mountain 1 open",
            "pasture 1 open",  # L56's north
            "water 4 open ship*2 lighthouse*2",  # of L56, L43, L37, L55: open to the hole alone
            "water 1 open lighthouse*1",  # L56's west
            "mountain 1 broch*1",  # L56's middle
            "mountain 1 open",  # L43's north
            "pasture 1 open",  # L37's north and east
            "pasture 2 open scroll:farm scroll:farm",  # L55's east, south and middle with L16's north
            "mountain 2 open broch*1",  # of L16's west and south, and L21, which faces the hole
            "water 2 open lighthouse*1",  # of L21's south and west, and L30's east
            "pasture 1 open",  # L30's south
            "mountain 1 open broch*1",  # L30's west and middle
        ],
    ),
}


@pytest.mark.parametrize(("notation", "expected"), AREAS.values(), ids=AREAS.keys())
def test_areas_of_a_territory_are_those_worked_out_on_paper(notation, expected):
    assert sorted(reported_areas(notation)) == sorted(expected)


def joined(notation):
    return {coordinates_of(cell) for cell in Territory.parse(notation).summary.connected}


ROADS = {
    "the three roads of a castle meet (R4): from L60 and L66 to L28": (
        "castle-red L60@-1,0/180 L66@0,-1/180 L28@0,1",
        {(-1, 0), (0, -1), (0, 1)},
    ),
    "a road that was built from afar is joined as soon as it arrives": (
        "castle-red L30@-1,1/180 L60@-1,0/180",
        {(-1, 1), (-1, 0)},
    ),
    "also where it arrives from two sides": (
        "castle-red L30@-1,1/180 L52@0,1 L60@-1,0/180",
        {(0, 1), (-1, 1), (-1, 0)},
    ),
    "nothing is joined to a castle alone, not even itself (R9)": ("castle-red", set()),
    "a road goes on where both tiles have one on the edge": ("castle-red L28@0,1", {(0, 1)}),
    "a castle's road ends at an edge of L28 that has none": ("castle-red L28@0,-1", set()),
    "a tile without roads is not joined": ("castle-red L12@0,-1/270", set()),
    "a road that ends inside its tile joins it": ("castle-red L49@0,1", {(0, 1)}),
    "roads go on and on": ("castle-red L29@0,-1/270 L11@0,-2/270 L09@0,-3/180", {(0, -1), (0, -2), (0, -3)}),
    "of L09's two roads one leads on to L44, the other to L33": (
        "castle-red L09@0,1/180 L44@-1,1/270 L33@1,1/270",
        {(0, 1), (-1, 1)},
    ),
    "a road back to the castle does not count the castle (R9)": (
        "castle-red L52@0,1 L30@-1,1/180 L60@-1,0/180",
        {(0, 1), (-1, 1), (-1, 0)},
    ),
    "no road leads over a hole, from L06 to L25": (
        "castle-red L47@0,-1/270 L06@1,-1/90 L21@2,-1 L43@2,0/90 L08@2,1/270 L25@1,1/180 L68@0,1/270",
        {(0, -1), (1, -1), (0, 1)},
    ),
}


@pytest.mark.parametrize(("notation", "expected"), ROADS.values(), ids=ROADS.keys())
def test_tiles_joined_to_the_castle_by_road(notation, expected):
    assert joined(notation) == expected


def test_summary_holds_tiles_areas_and_connected_cells():
    summary = Territory.parse("castle-red L28@0,1 L43@-1,0/180").summary
    assert [form.tile.id for form in summary.cells.values()] == ["castle-red", "L28", "L43"]
    assert {cell for area in summary.areas for cell in area.cells} == summary.cells.keys()
    assert {coordinates_of(cell) for cell in summary.connected} == {(0, 1)}


def test_areas_do_not_depend_on_the_order_of_placing():
    placed = Territory.parse(AREAS["a hole leaves the areas around it open"][0]).placed
    forwards = Territory.from_placements(placed).summary.areas
    backwards = Territory.from_placements((placed[0], *reversed(placed[1:]))).summary.areas
    assert sorted(map(received, forwards)) == sorted(map(received, backwards))
    assert {(a.terrain, frozenset(a.cells)) for a in forwards} == {
        (a.terrain, frozenset(a.cells)) for a in backwards
    }


def test_areas_are_the_same_at_each_call():
    castle, *others = Territory.parse(AREAS["a hole leaves the areas around it open"][0]).placed
    always = seldom = Territory((castle,))
    for number, placed in enumerate(others):
        assert len(always.summary.areas) >= 3
        assert number % 3 or len(seldom.summary.areas) >= 3
        always, seldom = always._extended(placed), seldom._extended(placed)
    at_once = Territory((castle, *others)).summary.areas
    assert list(always.summary.areas) == list(seldom.summary.areas) == list(at_once)
