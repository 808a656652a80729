"""The 16 scoring tiles; their territories and points are in `scoring_tiles.txt`."""

from itertools import groupby
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from skye.rulesets import BASE
from skye.scoring.kinds import MajorityRule, PatternRule
from skye.scoring.scoring_tiles import awards, holding, tile_points
from skye.territory.summary import TerritorySummary
from skye.territory.territory import Territory
from skye.tiles.geometry import cell_at, coordinates_of
from tests.reference.chance import grown_territory, with_holes


class Case(NamedTuple):
    tile: str
    sentence: str
    summaries: list[TerritorySummary]
    golds: list[int]
    points: tuple[int, ...]


def read_case(tile: str, sentence: str, line: str) -> Case:
    territories, _, points = line.partition(" -> ")
    seats = [seat.partition("$") for seat in territories.split("|")]
    return Case(
        tile,
        sentence,
        [Territory.parse(notation).summary for notation, _, _ in seats],
        [int(gold or 0) for _, _, gold in seats],
        tuple(int(number) for number in points.split()),
    )


def read_cases() -> list[Case]:
    text = Path(__file__).with_name("scoring_tiles.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    cases, tile = [], ""
    rest = iter(lines)
    for line in rest:
        if line.startswith(" "):
            cases.append(read_case(tile, line.strip(), next(rest).strip()))
        else:
            tile = line
    return cases


CASES = read_cases()
BLOCK = "castle-red L12@0,-1/270 L55@1,0/270 L20@1,-1/90"


def each_case() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", CASES, ids=[f"{case.tile}: {case.sentence}" for case in CASES])


def awards_of(tile: str, notation: str) -> list[tuple[int, list[tuple[int, int]]]]:
    """The awards of a seat alone, with positions for cells."""
    found = awards(BASE.scoring_tiles[tile], 0, [Territory.parse(notation).summary], [7])
    return [(points, [coordinates_of(cell) for cell in cells]) for points, cells in found]


@pytest.mark.smoke
@each_case()
def test_each_seat_gets_the_points_worked_out_by_hand(case):
    assert tile_points(BASE.scoring_tiles[case.tile], case.summaries, case.golds) == case.points


@each_case()
def test_awards_of_a_seat_add_up_and_name_each_tile_once(case):
    for seat, summary in enumerate(case.summaries):
        received = awards(BASE.scoring_tiles[case.tile], seat, case.summaries, case.golds)
        assert sum(award.points for award in received) == case.points[seat]
        for points, cells in received:
            assert points > 0
            assert len(set(cells)) == len(cells)
            assert set(cells) <= summary.cells.keys()


def test_cases_follow_the_catalogue_with_at_least_five_for_each_tile():
    by_tile = {tile: len(list(cases)) for tile, cases in groupby(CASES, key=lambda case: case.tile)}
    assert list(by_tile) == list(BASE.scoring_tiles)
    assert min(by_tile.values()) >= 5


def test_each_tile_has_a_case_across_a_hole():
    with_hole = {case.tile for case in CASES if "hole" in case.sentence}
    assert with_hole == BASE.scoring_tiles.keys()


def test_catalogue_has_titles_texts_and_three_majorities():
    assert [tile.id for tile in BASE.scoring_tiles.values()] == list(BASE.scoring_tiles)
    assert all(tile.title and tile.text for tile in BASE.scoring_tiles.values())
    assert [tile.id for tile in BASE.scoring_tiles.values() if tile.majority] == [
        "most_whisky",
        "most_ships",
        "most_gold",
    ]


@pytest.mark.parametrize(
    ("tile", "notation", "expected"),
    [
        ("squares", BLOCK, [(2, [(0, -1), (1, -1), (0, 0), (1, 0)])]),
        ("completed_areas", "castle-red L43@-1,0/180", [(1, [(0, 0), (-1, 0)])]),
        ("sheep", "castle-red L09@0,-1/270 L66@1,-1/270", [(2, [(0, -1)]), (1, [(1, -1)])]),
        ("brochs_in_mountains", "castle-red L65@-1,0/270", [(1, [(0, 0), (-1, 0)])]),
        ("building_sets", "castle-red L56@0,-1 L02@-1,0 L03@0,1", [(5, [(0, -1), (-1, 0)])]),
        ("most_whisky", "castle-red L35@0,-1/90 L64@0,1", [(5, [(0, -1), (0, 1)])]),
        ("most_ships", "castle-red L43@-1,0/180", [(5, [(-1, 0)])]),
        ("most_gold", "castle-red", [(5, [])]),
        ("animals_near_farms", "castle-red L02@-1,0 L66@0,-1/180", [(3, [(0, -1)])]),
        ("connected_cattle", "castle-red L66@0,-1/180 L28@0,1", [(4, [(0, -1)]), (2, [(0, 1)])]),
        ("ships_and_lighthouses", "castle-red L06@1,0", [(3, [(0, 0), (1, 0)])]),
        ("connected_tiles", "castle-red L28@0,1", [(1, [(0, 1)])]),
        ("vertical_lines", "castle-red L44@0,1/180 L28@0,-1", [(3, [(0, -1), (0, 0), (0, 1)])]),
        ("largest_lake", "castle-red L21@1,0 L54@1,-1/180", [(6, [(0, 0), (1, 0), (1, -1)])]),
        ("completed_mountains", "castle-red L56@0,-1", [(2, [(0, -1)])]),
    ],
)  # fmt: skip
def test_award_names_the_tiles_that_earned_it(tile, notation, expected):
    assert awards_of(tile, notation) == expected


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([3, 3, 1], [5, 5, 0]),
        ([4, 2, 2, 1], [5, 2, 2, 0]),
        ([1, 0], [5, 0]),
        ([0, 0], [0, 0]),
        ([300, int("300"), 299], [5, 5, 0]),
        ([301, 300, int("300")], [5, 2, 2]),
    ],
)
def test_majority_gives_five_for_most_and_two_for_second(counts, expected):
    assert MajorityRule(None).points(counts) == expected


def test_holding_is_the_count_that_a_majority_compares():
    summary = Territory.parse("castle-red L35@0,-1/90 L64@0,1").summary
    assert [
        holding(BASE.scoring_tiles[tile], summary) for tile in ("most_whisky", "most_ships", "most_gold")
    ] == [2, 0, 0]


def test_seats_without_a_purse_are_refused():
    summaries = [Territory.parse("castle-red").summary] * 2
    with pytest.raises(ValueError, match="shorter"):
        tile_points(BASE.scoring_tiles["most_gold"], summaries, [1])
    with pytest.raises(ValueError, match="shorter"):
        awards(BASE.scoring_tiles["most_gold"], 0, summaries, [1])


@pytest.mark.parametrize("players", [1, 6])
def test_schedule_of_a_wrong_number_of_players_is_refused(players):
    with pytest.raises(ValueError, match="2 to 5"):
        BASE.rounds(players)


def test_shared_scoring_tiles_are_read_only():
    for tile in BASE.scoring_tiles.values():
        for value in (tile, tile.rule):
            with pytest.raises(AttributeError):
                setattr(value, value.__slots__[0], None)


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize(
    "name", [n for n, tile in BASE.scoring_tiles.items() if isinstance(tile.rule, PatternRule)]
)
def test_points_that_a_placement_adds_are_the_difference(name, seed):
    rng = Random(seed)
    tile_of_points = BASE.scoring_tiles[name]
    rule = tile_of_points.rule
    territory = with_holes(rng, grown_territory(rng, rng.randint(0, 40)), rng.randint(0, 3))
    [before] = tile_points(tile_of_points, [territory.summary], [0])
    for tile in rng.sample(
        sorted(set(BASE.tiles.landscape) - {placed.tile for placed in territory.placed}), 6
    ):
        for place in territory.legal_places(tile):
            added = rule.adds(territory.summary, cell_at(place.x, place.y), BASE.tiles.by_id[tile])
            assert (before + added,) == tile_points(tile_of_points, [territory.place(*place).summary], [0])
