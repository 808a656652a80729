"""The clocks of seats: a budget of time for the game, with an increment for each decision."""

import random
from datetime import datetime

import pytest

from skye_server.games.views.fields import MAX_TURN_MS
from skye_server.games.views.game import timestamp
from skye_server.openapi import contract_of
from tests.support.dispatching import dispatch
from tests.support.playing import dice, new_key, problem_code

BUDGET_MS = 100_000
STANDING = {"runs_out_at": None}


@pytest.fixture
def game(service):
    """A game for three with a budget of 100 seconds and an increment of 5."""
    return begun(service)


def begun(service, players=3, **options):
    limits = {"budget_ms": BUDGET_MS, "increment_ms": 5000, "first_seat": 0}
    return service.create_game(players, options=limits | options)


def clocks(game):
    return [player["clock"] for player in game.view()["players"]]


def remaining(game):
    return [clock["remaining_ms"] for clock in clocks(game)]


def at(game, ms):
    """Return the time that comes in some milliseconds."""
    return timestamp(int(game.service.clock.now * 1000) + ms)


def events(game, *types):
    received = game.service.get(game.path("events?limit=1000"))["events"]
    return [event for event in received if event["type"] in types]


# Which clocks run.


def test_clocks_are_null_without_a_budget_and_in_the_lobby(service):
    assert clocks(service.create_game(2)) == [None, None]
    assert clocks(service.create_game(2, start=False, options={"budget_ms": BUDGET_MS})) == [None, None]


def test_clock_of_each_seat_runs_until_the_seat_has_decided(game):
    running = {"remaining_ms": BUDGET_MS, "runs_out_at": at(game, BUDGET_MS)}
    assert clocks(game) == [running] * 3
    game.service.clock.advance(10)
    game.offer(1, 1, 1)
    assert clocks(game) == [running, {"remaining_ms": 95_000, **STANDING}, running]
    game.service.clock.advance(10)
    game.offer(0, 1, 1)
    game.offer(2, 1, 1)
    last = {"remaining_ms": 85_000, "runs_out_at": at(game, 85_000)}
    assert clocks(game) == [last, {"remaining_ms": 95_000, **STANDING}, {"remaining_ms": 85_000, **STANDING}]
    assert game.view()["deadline"] == at(game, 85_000)


def test_revised_offer_costs_no_time_and_adds_none(game):
    game.offer(1, 1, 1)
    game.service.clock.advance(10)
    game.offer(1, 1, 2)
    assert remaining(game)[1] == 105_000


def test_placements_of_a_build_are_one_decision(game):
    game.play_to("building")
    before = remaining(game)[0]
    game.service.clock.advance(1)
    for _ in range(3):
        place = next(action for action in game.actions(0) if action["type"] == "place")
        game.send(0, place)
        back = next(action for action in game.actions(0) if action["type"] == "take_back")
        game.send(0, back)
    assert remaining(game)[0] == before
    game.play_until(lambda view: view["players"][0]["building_finished"], dice(1))
    assert remaining(game)[0] == before - 1000 + 5000


def test_clock_of_a_bot_of_the_server_stands(service):
    game = service.create_game(2, bots={1: "random"}, options={"budget_ms": BUDGET_MS, "increment_ms": 5000})
    game.service.clock.advance(5)
    game.act_legally(0)
    assert clocks(game)[1] == {"remaining_ms": BUDGET_MS, **STANDING}


def test_turn_ends_before_the_budget_with_turn_ms(service):
    game = begun(service, turn_ms=20_000)
    assert game.view()["players"][0]["deadline"] == at(game, 20_000) == game.view()["deadline"]
    service.clock.advance(20)
    assert game.view()["phase"] == "buying"
    assert remaining(game) == [80_000] * 3, "a decision that the server makes adds no time"
    assert [event["seat"] for event in events(game, "timed_out")] == [0, 1, 2]


def test_longest_budget_and_increment_are_within_the_bounds_of_the_contract(service):
    most = MAX_TURN_MS
    game = begun(service, budget_ms=most, increment_ms=most)
    game.play_to("buying")
    assert remaining(game) == [2 * most] * 3
    bound = contract_of(service.app).document["components"]["schemas"]["SeatClock"]["properties"][
        "remaining_ms"
    ]
    assert (bound["format"], 2 * most <= bound["maximum"]) == ("int64", True)


# The end of a budget.


@pytest.mark.parametrize("on_timeout", ["auto", "bot"])
def test_seat_without_time_is_played_by_a_bot_to_the_end(service, on_timeout):
    game = begun(service, on_timeout=on_timeout, increment_ms=0)
    game.offer(0, 1, 1)
    service.clock.advance(60)
    game.offer(1, 1, 1)
    service.clock.advance(40)
    view = game.view()
    assert view["phase"] == "buying"
    assert [player["bot"] for player in view["players"]] == [None, None, "greedy"]
    end = {"type": "out_of_time", "at": at(game, 0), "bot": "greedy", "round": 1, "phase": "pricing"}
    counts = {"missed_deadlines": 1, "server_decisions": 1, "decisions": 18}
    assert view["players"][2]["end"] == end | counts
    assert [event["seat"] for event in events(game, "timed_out")] == [2]
    assert clocks(game)[2] == {"remaining_ms": 0, **STANDING}
    assert game.actions(2) == []
    assert problem_code(game.call("POST", "return", seat=2)) == "seat_not_taken_over"
    game.play_out(dice(1))
    result = game.view()["result"]
    assert 2 not in result["winners"]
    assert result["placing"][-1] == {"place": 3, "seat": 2}
    record = service.get(game.path("record"))
    again = service.call("POST", "/v1/games", {"record": record}).json["game"]
    assert again["result"] == result
    assert again["players"][2]["end"]["type"] == "out_of_time"


def test_only_the_seat_whose_time_is_over_misses_its_deadline(game):
    game.play_to("building")
    game.service.clock.advance(10)
    for seat in (0, 1):
        while seat in game.view()["waiting_for"]:
            game.act_legally(seat, dice(1))
    game.service.clock.advance(100)
    view = game.view()
    assert [player["end"]["type"] for player in view["players"]] == ["played", "played", "out_of_time"]
    assert (view["round"], view["phase"], view["waiting_for"]) == (2, "pricing", [0, 1])


def test_seat_taken_over_after_turn_ms_comes_back_with_its_time(service):
    game = begun(service, turn_ms=20_000, on_timeout="bot")
    game.offer(1, 1, 1)
    game.offer(2, 1, 1)
    service.clock.advance(20)
    assert game.view()["players"][0]["end"]["type"] == "took_over"
    assert clocks(game)[0] == {"remaining_ms": 80_000, **STANDING}
    game.call("POST", "return", seat=0)
    assert clocks(game)[0]["runs_out_at"] == at(game, 80_000)
    game.play_to("pricing", 2)
    assert clocks(game)[0]["remaining_ms"] == 80_000 + 2 * 5000


def test_game_in_which_nobody_acts_ends_when_all_budgets_do(game):
    game.service.clock.advance(100)
    view = game.view()
    assert (view["status"], view["result"]["winners"]) == ("finished", [])


# Undo, past versions, forks.


@pytest.mark.parametrize("seed", range(3))
def test_game_of_every_event_has_the_clocks_of_that_time(service, seed):
    throw = random.Random(seed)
    game = begun(service, turn_ms=30_000, on_timeout=throw.choice(["auto", "bot"]))
    seen = {}
    while game.view()["status"] == "playing":
        service.clock.advance(throw.choice([0, 1, 7, 31]))
        view = game.view()
        seen[view["last_event"]] = [(player["deadline"], player["clock"]) for player in view["players"]]
        acting = [seat for seat in view["waiting_for"] if view["players"][seat]["takeover"] is None]
        if acting and view["deadline"] != view["now"]:
            game.act_legally(throw.choice(acting))
    for number in throw.sample(sorted(seen), min(8, len(seen))):
        past = service.get(game.path() + f"?at_event={number}")
        assert [(player["deadline"], player["clock"]) for player in past["players"]] == seen[number]


def test_game_that_begins_from_a_record_has_whole_budgets(service):
    old = begun(service, 2)
    old.play_out(dice(3))
    record = service.get(old.path("record"))
    limits = {"budget_ms": 60_000, "increment_ms": 1000}
    body = {"record": record, "stop_at": {"round": 3, "phase": "building"}, "options": limits}
    view = service.call("POST", "/v1/games", body).json["game"]
    assert [player["clock"]["remaining_ms"] for player in view["players"]] == [60_000] * 2
    assert [player["clock"]["runs_out_at"] is not None for player in view["players"]] == [True] * 2
    assert view["options"]["increment_ms"] == 1000


def test_rematch_begins_with_whole_budgets(service):
    game = begun(service, 2)
    service.clock.advance(50)
    game.play_out(dice(1))
    for seat in (0, 1):
        view = service.call("POST", game.path("rematch"), token=game.tokens[seat]).json["game"]
    assert [player["clock"]["remaining_ms"] for player in view["players"]] == [BUDGET_MS] * 2


# Manual clocks.


def test_flags_fall_at_their_own_times_by_a_manual_clock(service):
    game = begun(service, clock="manual", increment_ms=0)
    game.service.call("POST", game.path("clock"), {"advance_ms": 10_000}, game.host)
    game.offer(1, 1, 1)
    began = game.view()["now"]
    view = game.service.call("POST", game.path("clock"), {"advance_ms": 300_000}, game.host).json
    assert view["status"] == "finished"
    fell = events(game, "bot_took_over")
    assert [(event["seat"], event["reason"]) for event in fell] == [
        (0, "out_of_time"),
        (2, "out_of_time"),
        (1, "out_of_time"),
    ]
    assert fell[0]["at"] == fell[1]["at"] == timestamp(ms_of(began) + 90_000)
    assert fell[2]["at"] == timestamp(ms_of(began) + 180_000)


def ms_of(text):
    return round(datetime.fromisoformat(text).timestamp() * 1000)


# What players and bots learn.


def test_player_events_have_what_remains_and_the_own_deadline(service):
    key = new_key()
    game = service.create_game(2, key=key, options={"budget_ms": BUDGET_MS, "first_seat": 0})
    service.clock.advance(10)
    game.offer(1, 1, 1)
    service.clock.advance(65)
    dispatch(service)
    turns = [event for event in service.get("/v1/me/events", key)["events"] if "phase" in event]
    assert [event["type"] for event in turns] == ["your_turn", "deadline_near"]
    assert [event["remaining_ms"] for event in turns] == [BUDGET_MS, 25_000]
    (own,) = service.get("/v1/me/games", key)["games"]
    assert own["deadline"] == turns[0]["deadline"] == game.view()["deadline"]


@pytest.mark.parametrize(
    ("options", "pointer"),
    [
        ({"increment_ms": 1000}, "increment_ms"),
        ({"budget_ms": 999}, "budget_ms"),
        ({"budget_ms": 5000, "increment_ms": -1}, "increment_ms"),
        ({"clock": "manual"}, "turn_ms"),
    ],
)
def test_options_without_sense_are_refused(service, options, pointer):
    answer = service.call("POST", "/v1/games", {"options": options})
    assert answer.status_code == 422, answer.json
    assert answer.json["errors"][0]["pointer"] == f"/options/{pointer}"
