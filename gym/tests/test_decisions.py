"""Decisions as texts stand alone: a parser rebuilds every public fact, and nothing hidden is in them."""

import statistics
from random import Random

import pytest

import skye
from skye.bots import choose_move
from skye.rules.income import incomes
from skye.tiles import OBJECTS
from skye.views import event_view, game_view, what_if_view
from skye_gym.agents import CONVENTIONS, TextGame, lesson, local_decision, other_wording
from skye_gym.evals.judged import JUDGED, judged_task
from skye_gym.evals.questions import decision_messages
from skye_gym.evals.tasks import TASKS, task_of
from tests.support.decision_parser import parsed
from tests.support.sizes import sized

MEDIAN, MAXIMUM = 5 * 1024, 9 * 1024
WORDS = {
    "tile_placed": "placed ",
    "tile_bought": "bought L",
    "purchase_passed": "passed",
    "building_finished": "finished",
    "round_scored": "the round scored",
    "income_paid": "income: ",
}


def decisions(players, seed, bot="greedy"):
    """Yield the game, the seat and the events of each decision of a game."""
    rng = Random(seed)
    game, events = skye.new_game(players, seed=seed)
    while not game.is_over:
        seat = rng.choice(game.waiting_for)
        yield game, seat, events
        game, more = skye.play(game, seat, choose_move(bot, game, seat, rng))
        events += more


def expected(game, seat, events):
    """Return what a parser must find: the view, and what follows from the public events."""
    view = {**game_view(game, seat)}
    del view["fairness"], view["result"]  # the commitment and the result say nothing for a decision
    seen = [event_view(game, seat, event) for event in events]
    scored = [event for event in seen if event["type"] == "round_scored"]
    worth = [what_if_view(game, each, [])["scoring_tiles"] for each in range(len(game.players))]
    so_far = [dict.fromkeys(game.ruleset.slots, 0) for _ in game.players]
    for each in (each for event in scored for each in event["players"]):
        for tile in each["scoring_tiles"]:
            so_far[each["seat"]][tile["slot"]] += tile["points"]
    for at, tile in enumerate(view["scoring_tiles"]):
        tile["now"] = [each[at]["before"] for each in worth]
        tile["so_far"] = [each[tile["slot"]] for each in so_far]
    summaries = [player.territory.summary for player in game.players]
    income = [None] * len(game.players)
    if game.round < game.rounds:
        scores = [player.score for player in game.players]
        income = [each.total for each in incomes(game.ruleset, scores, summaries, game.round + 1)]
    purses = skye.count_purses(events, len(game.players))
    view["bag"] = {**view["bag"], "tiles": [shown(game, tile) for tile in view["bag"]["tiles"]]}
    view["players"] = [
        {
            **player,
            "name": f"player {number}",
            "counted": None if number == seat else purses[number],
            "income": income[number],
            "objects": objects_of(summaries[number]),
            "scroll_points": what_if_view(game, number, [])["scroll_points"]["before"],
            "tiles": len(player["territory"]),
            "territory": [shown(game, **placed) for placed in player["territory"]],
            "tiles_to_build": [shown(game, tile) for tile in player["tiles_to_build"]],
            "tiles_on_offer": [shown(game, **offer) for offer in player["tiles_on_offer"]],
        }
        for number, player in enumerate(view["players"])
    ]
    return {**view, "me": seat, "trades": expected_trades(seen), "tie_break": str(game.tie_break)}


def shown(game, tile, rotation=0, **more):
    """Return the features of a tile as it is turned."""
    turned = game.ruleset.tiles.rotated[tile, rotation]
    if "x" in more:
        more["rotation"] = rotation
    return {
        "tile": tile,
        "sides": "".join(terrain.label[0] for terrain in turned.edges),
        "middle": turned.tile.center.label[0],
        "roads": ["".join("NESW"[side] for side in road) for road in turned.roads],
        "objects": {
            name[:3]: count for name, count in zip(OBJECTS, turned.tile.counts, strict=True) if count
        },
        "scroll": turned.tile.scroll or None,
        **more,
    }


def objects_of(summary):
    counts = zip(OBJECTS, summary.counts, strict=True)
    return {name[:3]: count for name, count in counts if count}


def expected_trades(seen):
    """Return what the events say of each round whose offers were revealed."""
    trades, number = [], 0
    for event in seen:
        match event["type"]:
            case "round_started":
                number = event["round"]
            case "offers_revealed":
                offers = {each["seat"]: (each["discard"], each["prices"]) for each in event["players"]}
                trades.append((number, offers, {}))
            case "tile_bought":
                trades[-1][2][event["seat"]] = event["tile"]
            case "purchase_passed":
                trades[-1][2][event["seat"]] = None
    return trades


def as_lists(value):
    if isinstance(value, dict):
        return {key: as_lists(each) for key, each in value.items()}
    return [as_lists(each) for each in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("number", range(sized(1, 25)))
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_parser_rebuilds_every_public_fact_from_the_text_alone(players, number):
    for game, seat, events in decisions(players, f"text {players} {number}"):
        found = parsed(local_decision(game, seat, events=events))
        del found["since"]
        assert as_lists(found) == as_lists(expected(game, seat, events))


def test_text_says_how_a_tie_is_decided():
    for tie_break in skye.TieBreak:
        game = skye.new_game(2, seed="tie", options=skye.Options(tie_break=tie_break)).game
        assert parsed(local_decision(game, 0))["tie_break"] == tie_break


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_text_says_what_happened_since_the_last_decision(players):
    shown, seen = {}, {}
    for game, seat, events in decisions(players, f"since {players}"):
        text = " ".join(parsed(local_decision(game, seat, events=events))["since"])
        new = [event_view(game, seat, event) for event in events[seen.get(seat, 0) :]]
        for kind, word in WORDS.items():
            happened = sum(event["type"] == kind and event.get("seat") != seat for event in new)
            assert text.count(word) == happened
            shown[kind] = shown.get(kind, 0) + happened
        seen[seat] = len(events) + 1  # after the event of the move itself
    assert all(shown.values())


@pytest.mark.parametrize("players", [2, 5])
def test_states_that_differ_in_hidden_parts_have_the_same_text(players):
    for number, (game, seat, events) in enumerate(decisions(players, f"hidden {players}")):
        other = skye.determinize(game, seat, Random(number))
        assert other.seed != game.seed
        text = local_decision(game, seat, events=events)
        assert local_decision(other, seat, events=events) == text


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_median_of_a_decision_is_five_kilobytes_at_most(players):
    sizes = sorted(
        len(local_decision(game, seat, events=events).encode())
        for number in range(sized(1, 4))
        for game, seat, events in decisions(players, f"size {players} {number}")
    )
    assert statistics.median(sizes) <= MEDIAN
    assert sizes[-1] <= MAXIMUM


def test_every_text_says_what_coordinates_and_sides_mean():
    game, events = skye.new_game(2, seed="text")
    texts = [local_decision(game, 0, events=events), lesson(), TextGame("text").text()]
    for wording in (other_wording("1"),):
        texts += [task_of(kind, "1", 0, wording).prompt for kind in TASKS]
        for kind in JUDGED:
            position = judged_task(kind, "1", 0).position
            texts += [decision_messages(*position, wording, listed=False)[-1]["content"]]
    assert [text for text in texts if CONVENTIONS not in text] == []


def test_decision_without_events_does_not_guess():
    game, _ = skye.new_game(2, seed="text")
    found = parsed(local_decision(game, 0))
    assert (found["trades"], found["players"][1]["counted"]) == ([], None)
    assert {points for tile in found["scoring_tiles"] for points in tile["so_far"]} == {None}
