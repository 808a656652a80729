"""Clocks that jump, and clocks of two instances that differ: nothing is lost, nothing is decided twice."""

import copy
import time

import pytest

from tests.support.comparing import without_time
from tests.support.playing import Service, problem_code
from tests.support.waiting import MAX_WAIT_S

HOUR_S, DAY_S, TURN_S = 3600, 86_400, 60
JUMPS = [-HOUR_S, DAY_S, -DAY_S]


@pytest.fixture
def game(service):
    """A game for two whose turns take a minute."""
    return service.create_game(2, options={"turn_ms": TURN_S * 1000, "first_seat": 0})


def at_another(game, seconds_ahead):
    """Return the same game at a second instance, whose clock goes ahead of the first one's."""
    other = Service(game.service.redis)
    other.clock.now = game.service.clock.now + seconds_ahead
    there = copy.copy(game)
    there.service = other
    return there


def events(game, *types):
    received = game.service.get(game.path("events"))["events"]
    assert [event["id"] for event in received] == list(range(1, len(received) + 1))
    return [event for event in received if not types or event["type"] in types]


@pytest.mark.parametrize("jump", JUMPS)
def test_game_is_played_on_after_a_jump(service, jump):
    game = service.create_game(2)
    game.play_to("buying")
    service.clock.advance(jump)
    game.play_to("buying", 2)
    events(game)


def test_clock_set_back_prolongs_the_current_turn_only(game):
    clock = game.service.clock
    clock.advance(-HOUR_S)
    clock.advance(TURN_S)
    assert game.view()["phase"] == "pricing"
    game.offer(0, 1, 1)
    game.offer(1, 1, 1)
    clock.advance(TURN_S)
    assert [event["seat"] for event in events(game, "timed_out")] == [0]  # which was to buy first


def test_clock_set_forward_ends_one_turn_only(game):
    game.offer(0, 1, 1)
    game.service.clock.advance(DAY_S)
    assert game.view()["phase"] == "buying"
    assert [event["seat"] for event in events(game, "timed_out")] == [1]


def test_deadline_is_applied_once_by_the_instance_that_is_ahead(game):
    ahead = at_another(game, 5)
    game.offer(1, 1, 1)
    game.offer(0, 1, 1)
    game.play_to("pricing", 2)
    game.offer(0, 1, 1)
    late = game.actions(1)[0]
    game.service.clock.advance(TURN_S - 3)
    ahead.service.clock.advance(TURN_S - 3)
    assert ahead.view()["phase"] == "buying"
    assert problem_code(game.send(1, late)) == "wrong_phase"
    assert without_time(game.view()) == without_time(ahead.view())
    assert [event["seat"] for event in events(game, "timed_out")] == [1]


def test_instance_behind_in_time_accepts_an_action_before_the_timeout(game):
    ahead = at_another(game, 5)
    game.offer(0, 1, 1)
    game.service.clock.advance(TURN_S - 3)
    ahead.service.clock.advance(TURN_S - 3)
    assert game.offer(1, 1, 1).status_code == 200
    assert ahead.view()["phase"] == "buying"
    assert events(game, "timed_out") == []


def test_two_instances_play_a_game_with_deadlines_to_its_end(game):
    ahead, turn = at_another(game, 5), 0
    while (view := game.view())["status"] == "playing":
        here = (game, ahead)[turn % 2]
        here.act_legally(view["waiting_for"][0])
        for one in (game, ahead):
            one.service.clock.advance(7)
        turn += 1
    assert turn > 20
    events(game)
    assert without_time(ahead.view()) == without_time(view)


@pytest.mark.parametrize("jump", JUMPS)
def test_idempotency_key_is_recognized_after_a_jump_of_the_clock(service, jump):
    first = service.call("POST", "/v1/games", {}, headers={"Idempotency-Key": "one-0123456789abcdefghijk"})
    service.clock.advance(jump)
    again = service.call("POST", "/v1/games", {}, headers={"Idempotency-Key": "one-0123456789abcdefghijk"})
    assert (again.status_code, again.json) == (201, first.json)


def test_games_made_before_and_after_a_jump_are_each_listed_once(service):
    made = []
    for jump in (0, *JUMPS, 0):
        service.clock.advance(jump)
        made.append(service.call("POST", "/v1/games", {}).json["game"]["id"])
    listed, cursor = [], None
    while cursor is not None or not listed:
        page = service.get("/v1/games?limit=1" + (f"&cursor={cursor}" if cursor else ""))
        listed += [game["id"] for game in page["games"]]
        cursor = page["next_cursor"]
    assert sorted(listed) == sorted(made)


@pytest.mark.parametrize("jump", JUMPS)
def test_wait_uses_the_monotonic_clock(service, jump):
    game = service.create_game(2, options={"turn_ms": 2 * DAY_S * 1000})
    last = len(events(game))
    service.clock.advance(jump)
    begun = time.monotonic()
    assert service.get(game.path(f"events?after={last}&wait_ms=200"))["events"] == []
    assert 0.2 <= time.monotonic() - begun < MAX_WAIT_S
