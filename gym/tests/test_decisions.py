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

MEDIAN, P95 = 4096, 8192
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
    view["players"] = [
        {
            **player,
            "name": f"player {number}",
            "counted": None if number == seat else purses[number],
            "income": income[number],
            "objects": objects_of(summaries[number]),
            "scroll_points": what_if_view(game, number, [])["scroll_points"]["before"],
            "tiles": len(player["territory"]),
        }
        for number, player in enumerate(view["players"])
    ]
    return {**view, "me": seat, "trades": expected_trades(game, seen)}


def objects_of(summary):
    counts = zip(OBJECTS, summary.counts, strict=True)
    return {name: count for name, count in counts if count}


def expected_trades(game, seen):
    number = game.round - (game.phase != "building")
    current, offers, purchases = 0, {}, {}
    for event in seen:
        if event["type"] == "round_started":
            current = event["round"]
        if current == number and event["type"] == "offers_revealed":
            offers = {each["seat"]: (each["discard"], each["prices"]) for each in event["players"]}
        if current == number and event["type"] == "tile_bought":
            purchases[event["seat"]] = (event["tile"], event["seller"], event["price"])
    return (number, offers, purchases) if number else None


def as_lists(value):
    if isinstance(value, dict):
        return {key: as_lists(each) for key, each in value.items()}
    return [as_lists(each) for each in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_parser_rebuilds_every_public_fact_from_the_text_alone(players):
    for game, seat, events in decisions(players, f"text {players}"):
        found = parsed(local_decision(game, seat, events=events))
        del found["since"]
        assert as_lists(found) == as_lists(expected(game, seat, events))


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
def test_median_of_a_decision_is_four_kilobytes_at_most(players):
    sizes = sorted(
        len(local_decision(game, seat, events=events).encode())
        for number in range(sized(1, 4))
        for game, seat, events in decisions(players, f"size {players} {number}")
    )
    assert statistics.median(sizes) <= MEDIAN
    assert sizes[int(0.95 * len(sizes))] <= P95


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
    assert (found["trades"], found["players"][1]["counted"]) == (None, None)
    assert {points for tile in found["scoring_tiles"] for points in tile["so_far"]} == {None}
