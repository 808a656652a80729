"""Final scoring: scrolls, gold and the winner; numbers and points were worked out on paper."""

import pytest

from skye.rulesets import BASE
from skye.scoring.final import TieBreak
from skye.territory.territory import Territory
from skye.tiles.geometry import cell_at

# A scroll is written as: kind, position, how many of its kind there are, whether completed, points.
SCROLLS = {
    "nothing for a castle alone": ("castle-red", []),
    "cattle give 1 each": (
        "castle-red L66@0,1/180 L44@0,-1/90",
        [("cattle", (0, -1), 2, False, 2)],
    ),
    "brochs give 1 each, doubled in the mountain of L04 and the castle": (
        "castle-red L04@-1,0/270 L30@0,-1/180",
        [("broch", (-1, 0), 1, True, 2)],
    ),
    "farms give 1 each, joined to the scroll or not": (
        "castle-red L16@0,-1/180 L11@0,1/180 L02@-1,0",
        [("farm", (0, -1), 2, False, 2)],
    ),
    "lighthouses give 1 each, doubled in the lake of L61, L24 and the castle": (
        "castle-red L61@1,0 L24@1,-1/270 L54@2,0",
        [("lighthouse", (1, 0), 2, True, 4)],
    ),
    "one sheep gives nothing": (
        "castle-red L48@0,1/90 L28@0,-1",
        [("sheep", (0, 1), 1, False, 0)],
    ),
    "three sheep give 1, doubled after rounding in the pasture of L26, L23 and L72": (
        "castle-red L26@0,-1/180 L23@0,-2/90 L72@-1,-2",
        [("sheep", (0, -2), 3, True, 2)],
    ),
    "three ships give 1, doubled after rounding in the lake of L62, L45 and the castle": (
        "castle-red L62@1,0/180 L45@1,-1/180 L18@2,0/270",
        [("ship", (1, 0), 3, True, 2)],
    ),
    "two ships on one tile are two ships": (
        "castle-red L27@1,0 L43@-1,0/180",
        [("ship", (1, 0), 2, False, 1)],
    ),
    "two tiles with whisky give 1, doubled in the mountain of L63, L46 and the castle": (
        "castle-red L63@-1,0/180 L69@0,-1 L46@-2,0/270",
        [("whisky", (-1, 0), 2, True, 2)],
    ),
    "three tiles with whisky give 1": (
        "castle-red L15@-1,0/270 L35@0,-1/90 L64@0,1 L38@1,0",
        [("whisky", (-1, 0), 3, False, 1), ("cattle", (0, 1), 1, False, 1)],
    ),
    "two scrolls of a kind both count": (
        "castle-red L62@0,-1/270 L46@0,1/270 L27@1,0",
        [("ship", (0, -1), 2, False, 1), ("ship", (1, 0), 2, False, 1)],
    ),
    # The lake of L61 is open to the outside, the mountain of L04 to the hole alone; the pasture of L51, L23
    # and L04 is completed. Sheep: two on L19, one on L47. Broch: L51. Lighthouse: L24.
    "a hole leaves the area of a scroll open": (
        "castle-red L24@0,-1/180 L19@1,-1/180 L61@2,-1/270 L51@2,0/270 L23@2,1/180 L04@1,1/180 L47@0,1/90",
        [
            ("lighthouse", (2, -1), 1, False, 1),
            ("sheep", (2, 1), 3, True, 2),
            ("broch", (1, 1), 1, False, 1),
        ],
    ),
}


@pytest.mark.parametrize(("notation", "expected"), SCROLLS.values(), ids=SCROLLS.keys())
def test_scrolls_in_placing_order(notation, expected):
    final = BASE.final.score(Territory.parse(notation).summary, 0)
    assert list(final.scrolls) == [
        (kind, cell_at(*position), number, completed, points)
        for kind, position, number, completed, points in expected
    ]
    assert final.total == sum(points for *_, points in expected)


def test_every_kind_of_scroll_has_a_case():
    kinds = {kind for _, expected in SCROLLS.values() for kind, *_ in expected}
    assert kinds == {"cattle", "broch", "farm", "lighthouse", "sheep", "ship", "whisky"}


def test_r3_a_scroll_is_doubled_by_the_area_of_its_tiles_middle_alone():
    # L04's middle is mountain. West of the castle that is completed, and its water and pasture are open.
    closed = BASE.final.score(Territory.parse("castle-red L04@-1,0/270 L30@0,-1/180").summary, 0)
    assert [scroll.completed for scroll in closed.scrolls] == [True]
    # South of the castle it is open, and its pasture is completed by the castle's and L30's.
    opened = BASE.final.score(Territory.parse("castle-red L04@0,1/90 L30@0,-1/180").summary, 0)
    assert [scroll.completed for scroll in opened.scrolls] == [False]


@pytest.mark.parametrize(
    ("gold", "points", "leftover"),
    [(0, 0, 0), (4, 0, 4), (5, 1, 0), (14, 2, 4), (100, 20, 0)],
)
def test_every_five_gold_give_a_point_and_the_rest_is_left_over(gold, points, leftover):
    final = BASE.final.score(Territory.parse("castle-red").summary, gold)
    assert (final.gold_points, final.leftover_gold, final.total) == (points, leftover, points)


def test_total_is_scrolls_and_gold():
    final = BASE.final.score(Territory.parse("castle-red L66@0,1/180 L44@0,-1/90").summary, 11)
    assert final.total == 2 + 2


@pytest.mark.parametrize("tie_break", TieBreak)
def test_most_points_win_whatever_the_gold(tie_break):
    assert BASE.final.winners([50, 51, 49], [99, 0, 4], tie_break) == (1,)


def test_r11_a_tie_goes_to_the_most_gold_left_over_after_the_fives():
    assert BASE.final.winners([50, 50, 49], [9, 10, 14]) == (0,)
    assert BASE.final.winners([50, 50, 49], [9, 10, 14], "leftover_gold") == (0,)


def test_r11_a_tie_goes_to_the_most_gold_of_all_where_the_creator_chose_so():
    assert BASE.final.winners([50, 50, 49], [9, 10, 14], "total_gold") == (1,)


def test_winners_of_seats_without_a_purse_are_refused():
    with pytest.raises(ValueError, match="shorter"):
        BASE.final.winners([50, 50], [9])


def test_r11_players_who_are_still_tied_share_the_win():
    assert BASE.final.winners([50, 50, 40, 50], [9, 14, 4, 3]) == (0, 1)
    assert BASE.final.winners([50, 50, 40, 50], [14, 9, 90, 14], "total_gold") == (0, 3)
    assert BASE.final.winners([7, 7, 7, 7, 7], [0, 0, 0, 0, 0]) == (0, 1, 2, 3, 4)


def test_seats_that_were_given_up_rank_last_and_share_places_by_date():
    scores, golds, gave_up = [90, 50, 80, 50, 70], [0, 9, 0, 9, 0], [[2], [0, 4]]
    assert BASE.final.winners(scores, golds, gave_up=gave_up) == (1, 3)
    assert BASE.final.placing(scores, golds, gave_up=gave_up) == ((1, 3), (0, 4), (2,))
    assert BASE.final.winners(scores, golds, gave_up=[[2, 1], [0, 4, 3]]) == ()
