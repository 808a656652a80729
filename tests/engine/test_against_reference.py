"""Territories and their points, compared with the reference implementation in `tests/reference`."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from skye.errors import InvalidTerritory
from skye.rulesets import BASE
from skye.scoring.scoring_tiles import holding, tile_points
from skye.territory.territory import Territory, castle_alone
from skye.tiles.geometry import coordinates_of
from skye.tiles.tile_set import Place
from tests.reference import scoring, world
from tests.reference.catalogue import CATALOGUE, LANDSCAPE
from tests.reference.chance import as_world, grown_territory, with_holes
from tests.reference.reported import reported_areas
from tests.support.sizes import sized

THINGS = {"whisky": 27, "sheep": 25, "cattle": 15, "farm": 15, "broch": 14, "ship": 27, "lighthouse": 15}

thoroughly = settings(
    max_examples=sized(20, 60),
    derandomize=sized(True, False),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
briefly = settings(thoroughly, max_examples=sized(6, 20))


@st.composite
def territories(draw: st.DrawFn, largest: int = 73) -> Territory:
    chance = Random(draw(st.integers(0, 2**64 - 1)))
    territory = grown_territory(chance, draw(st.integers(0, largest)))
    return with_holes(chance, territory, draw(st.integers(0, 4)))


def test_catalogue_has_the_totals_of_the_box():
    scrolls = Counter(tile.scroll for tile in CATALOGUE.values() if tile.scroll)

    assert (len(LANDSCAPE), len(CATALOGUE)) == (73, 73 + 5)
    assert {thing: sum(tile.count(thing) for tile in CATALOGUE.values()) for thing in THINGS} == THINGS
    assert scrolls == dict.fromkeys(THINGS, 2)


@thoroughly
@given(territories())
def test_areas_are_those_of_the_picture(territory: Territory):
    assert reported_areas(territory) == Counter(world.areas_of(as_world(territory)))
    assert all(len(area.cells) == len(set(area.cells)) for area in territory.summary.areas)


@thoroughly
@given(territories(largest=40), st.randoms(use_true_random=False))
def test_areas_are_right_on_every_branch_and_when_tiles_are_taken_back(territory: Territory, chance: Random):
    before = reported_areas(territory)
    for tile in chance.sample(LANDSCAPE, 5):
        if territory.has_place(tile) and tile not in [placed.tile for placed in territory.placed]:
            grown = territory.place(*chance.choice(territory.legal_places(tile)))
            assert reported_areas(grown) == Counter(world.areas_of(as_world(grown)))
            assert reported_areas(grown._without_last()) == reported_areas(territory) == before


@thoroughly
@given(territories())
def test_road_connections_are_those_of_the_picture(territory: Territory):
    connected = {coordinates_of(cell) for cell in territory.summary.connected}

    assert connected == world.connected_spots(as_world(territory))


@briefly
@given(territories())
def test_legal_places_are_found_by_trying_every_cell(territory: Territory):
    picture = as_world(territory)
    for tile in LANDSCAPE:
        found = territory.legal_places(tile)
        assert len(found) == len(set(found))
        assert {(place.x, place.y, place.rotation) for place in found} == world.legal_places(picture, tile)
        assert {place.tile for place in found} <= {tile}
        assert territory.has_place(tile) is bool(found)


@thoroughly
@given(territories(), st.randoms(use_true_random=False))
def test_placement_is_refused_if_and_only_if_it_is_illegal(territory: Territory, chance: Random):
    picture = as_world(territory)
    for _ in range(20):
        tile, rotation = chance.choice(LANDSCAPE), chance.choice((0, 90, 180, 270))
        beside = chance.choice(territory.placed)
        x, y = (
            beside.x + chance.choice((-1, 0, 0, 1, 10**9)),
            beside.y + chance.choice((-1, 0, 0, 1, -(10**9))),
        )
        error = territory.placement_error(tile, x, y, rotation)
        assert (error is None) is world.fits(picture, tile, (x, y), rotation)


@thoroughly
@given(territories(largest=12), st.randoms(use_true_random=False))
def test_modified_territory_is_refused_if_and_only_if_it_is_illegal(territory: Territory, chance: Random):
    placed = list(territory.placed)
    for _ in range(chance.randint(0, 2)):
        at = chance.randrange(len(placed))
        placed[at] = disturbed(placed[at], chance)
    chance.shuffle(placed)

    try:
        territory = {tuple(place) for place in Territory.from_placements(placed).placed}
    except InvalidTerritory:
        territory = None

    assert territory == (set(placed) if world.is_possible([tuple(place) for place in placed]) else None)


def disturbed(placed: Place, chance: Random) -> Place:
    return chance.choice(
        [
            placed._replace(rotation=chance.choice((0, 90, 180, 270))),
            placed._replace(x=placed.x + chance.choice((-1, 1))),
            placed._replace(y=placed.y + chance.choice((-1, 1))),
            placed._replace(tile=chance.choice(list(CATALOGUE))),
        ]
    )


def test_reference_has_the_same_sixteen_scoring_tiles():
    assert len(BASE.scoring_tiles) == 16
    assert set(BASE.scoring_tiles) == set(scoring.NAMES)


@thoroughly
@given(st.lists(st.tuples(territories(largest=40), st.integers(0, 4)), min_size=1, max_size=5))
def test_every_scoring_tile_gives_the_same_points(sides: list[tuple[Territory, int]]):
    summaries = [territory.summary for territory, _ in sides]
    golds = [gold for _, gold in sides]
    reference = [scoring.Side(as_world(territory), gold) for territory, gold in sides]

    for name in scoring.NAMES:
        assert list(tile_points(BASE.scoring_tiles[name], summaries, golds)) == scoring.points_of(
            name, reference
        ), name


@briefly
@given(st.lists(territories(largest=40), min_size=1, max_size=5))
def test_majority_of_holdings_gives_the_same_points(sides: list[Territory]):
    reference = [scoring.Side(as_world(territory), 0) for territory in sides]

    for tile in [tile for tile in BASE.scoring_tiles.values() if tile.majority]:
        holdings = [holding(tile, territory.summary) for territory in sides]
        assert tile.rule.points(holdings) == scoring.points_of(tile.id, reference), tile.id


@thoroughly
@given(st.lists(st.integers(0, 3), min_size=1, max_size=5))
@example([2, 2, 1, 1])
@example([3, 1, 1, 0, 0])
@example([0, 0, 0])
def test_every_majority_is_shared_the_same_way(golds: list[int]):
    alone = castle_alone("red").summary

    assert list(
        tile_points(BASE.scoring_tiles["most_gold"], [alone] * len(golds), golds)
    ) == scoring.majority(golds)


@thoroughly
@given(territories(), st.integers(0, 30))
def test_scrolls_and_gold_give_the_same_points(territory: Territory, gold: int):
    final = BASE.final.score(territory.summary, gold)
    reference = scoring.Side(as_world(territory), gold)

    scrolls = sorted((scroll.kind, coordinates_of(scroll.cell), scroll.points) for scroll in final.scrolls)
    assert scrolls == scoring.scroll_points(reference.world)
    assert [final.total] == scoring.final_scores([0], [reference])


@thoroughly
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 12)), min_size=2, max_size=5),
    st.sampled_from(["leftover_gold", "total_gold"]),
)
@example([(3, 4), (3, 9), (3, 5)], "leftover_gold")
@example([(3, 4), (3, 9), (3, 5)], "total_gold")
def test_reference_has_the_same_winners(sides: list[tuple[int, int]], tie_break: str):
    scores, golds = [score for score, _ in sides], [gold for _, gold in sides]

    assert list(BASE.final.winners(scores, golds, tie_break)) == scoring.winners(scores, golds, tie_break)
