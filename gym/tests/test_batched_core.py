"""The batched core of `gym/core` answers as the engine does; skipped where it is not built (`make core`)."""

from array import array
from dataclasses import replace
from hashlib import sha256
from itertools import islice

import pytest

pytest.importorskip(
    "skye_core", reason="gym/core is not built (`make core`): its answers are not compared with the engine"
)

from skye.rulesets import BASE
from skye.scoring import AreaRule, PatternRule
from skye.territory import castle_alone
from skye_core import Batch, Core, UnsupportedScoring
from skye_core.measure import by_core, by_engine, bytes_by_core, bytes_by_engine, positions, queries
from tests.support.second_ruleset import SECOND, registered

CASTLE = castle_alone("red").placed[0]
L01 = castle_alone("red").legal_places("L01")[0]
NO_RIVALS = [-1] * 4


@pytest.fixture(scope="module")
def core():
    return Core(BASE)


def changed(scoring_tile, rule):
    """Return the base game with another rule for a scoring tile."""
    tiles = {**BASE.scoring_tiles, scoring_tile: replace(BASE.scoring_tiles[scoring_tile], rule=rule)}
    return replace(BASE, id="changed", scoring_tiles=tiles)


def asked_of(core, *places, **fields):
    """Return a batch that asks for L02 in the territory of one seat, which has these placements."""
    asked = [0, core.tiles["L02"], *NO_RIVALS, 0, 1, 2, 3]
    placed = [(core.tiles[each.tile], each.x, each.y, each.rotation // 90) for each in places]
    flat = array("h", [number for place in placed for number in place])
    batch = Batch(array("i", [0, len(placed)]), flat, array("i", [0]), array("i", asked))
    return batch._replace(**fields)


def test_answers_have_the_hash_of_those_of_the_engine(core):
    asked = list(islice(positions("test 4"), 400))
    assert {tile for each in asked for tile in each.game.scoring_tiles} == {*BASE.scoring_tiles}
    assert {len(each.game.players) for each in asked} == {*BASE.players}
    answers = core.answer(core.batch(queries(asked)))
    by_engine_of = sha256(bytes_by_engine(asked)).hexdigest()
    assert sha256(bytes_by_core(answers, len(BASE.slots))).hexdigest() == by_engine_of
    assert list(by_core(asked, answers, len(BASE.slots))) == list(by_engine(asked))


def test_answers_follow_another_ruleset():
    with registered(SECOND):
        asked = list(islice(positions("second", SECOND), 200))
        core = Core(SECOND)
        answers = core.answer(core.batch(queries(asked)))
        assert bytes_by_core(answers, len(SECOND.slots)) == bytes_by_engine(asked)
        with pytest.raises(ValueError, match="not one of <Ruleset base>"):
            Core(BASE).batch(queries(asked))


def test_area_rule_of_a_ruleset_is_followed():
    rule = AreaRule(lambda area: 4 * (area.brochs > 1) + (area.size if area.ships == 1 else 0))
    ruleset = changed("completed_areas", rule)
    with registered(ruleset):
        asked = list(islice(positions("areas", ruleset), 200))
        assert any("completed_areas" in each.game.scoring_tiles for each in asked)
        core = Core(ruleset)
        answers = core.answer(core.batch(queries(asked)))
        assert bytes_by_core(answers, len(ruleset.slots)) == bytes_by_engine(asked)


@pytest.mark.parametrize(
    ("scoring_tile", "rule"),
    [
        ("squares", PatternRule(lambda *_: [], lambda *_: 0)),
        ("completed_areas", AreaRule(lambda area: 2 - min(2, area.openings))),
        ("completed_mountains", AreaRule(lambda area: len(area.cells))),
        ("largest_lake", AreaRule(lambda area: len(area.scrolls), largest_only=True)),
    ],
)
def test_scoring_that_the_core_lacks_is_refused_by_name(scoring_tile, rule):
    with pytest.raises(UnsupportedScoring, match=f"lacks the {type(rule).__name__} .* '{scoring_tile}'"):
        Core(changed(scoring_tile, rule))


def test_territory_of_arrays_is_answered_as_that_of_the_engine(core):
    territory = castle_alone("red").place("L01", *L01[1:])
    placements = core.answer(asked_of(core, *territory.placed)).placements
    rows = array("h", placements)
    places = [tuple(rows[at : at + 3]) for at in range(0, len(rows), 9)]
    assert places == [(place.x, place.y, place.rotation // 90) for place in territory.legal_places("L02")]


@pytest.mark.parametrize(
    ("places", "message"),
    [
        ([CASTLE, L01._replace(rotation=(L01.rotation + 90) % 360)], "terrains differ"),
        ([CASTLE, L01._replace(x=0, y=0)], "two on one cell"),
        ([CASTLE, L01._replace(y=101)], "out of reach"),
        ([CASTLE, L01._replace(rotation=360)], "unknown rotation"),
        ([CASTLE, L01, L01._replace(y=50)], "a tile twice"),
        ([L01], "one castle"),
        ([], "one castle"),
    ],
)
def test_territory_that_breaks_a_rule_is_refused(core, places, message):
    with pytest.raises(ValueError, match=message):
        core.answer(asked_of(core, *places))


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ([0, 5, *NO_RIVALS, 0, 1, 2], "do not fit together"),
        ([1, 5, *NO_RIVALS, 0, 1, 2, 3], "names what there is not"),
        ([0, 999, *NO_RIVALS, 0, 1, 2, 3], "names what there is not"),
        ([0, 5, *NO_RIVALS[1:], 1, 0, 1, 2, 3], "names what there is not"),
        ([0, 5, *NO_RIVALS, 0, 1, 2, 16], "names what there is not"),
        ([0, 0, *NO_RIVALS, 0, 1, 2, 3], "in the territory, or for a castle"),
    ],
)
def test_query_for_what_there_is_not_is_refused(core, query, message):
    with pytest.raises(ValueError, match=message):
        core.answer(asked_of(core, CASTLE, queries=array("i", query)))


@pytest.mark.parametrize(
    ("starts", "message"),
    [
        ([0, 2], "territory 0 does not start"),
        ([-1, 1], "territory 0 does not start"),
        ([0], "do not fit together"),
    ],
)
def test_territories_outside_their_array_are_refused(core, starts, message):
    with pytest.raises(ValueError, match=message):
        core.answer(asked_of(core, CASTLE, starts=array("i", starts)))
