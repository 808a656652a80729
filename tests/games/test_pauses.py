"""Pauses: by agreement, or at once for a person who plays alone; no deadline runs meanwhile."""

import pytest

from skye_client import fold
from skye_server.games.views.game import timestamp
from tests.support.comparing import without_time
from tests.support.playing import problem_code

TURN_S, DAY_S = 60, 86_400


@pytest.fixture
def game(service):
    """A game for two whose turns take a minute, with a budget of 200 seconds."""
    return service.create_game(2, options={"turn_ms": TURN_S * 1000, "budget_ms": 200_000, "first_seat": 0})


def alone(service, **options):
    limits = {"turn_ms": TURN_S * 1000}
    return service.create_game(2, bots={1: "random"}, options=limits | options)


def at(game, seconds):
    return timestamp(int((game.service.clock.now + seconds) * 1000))


def agree(game):
    assert game.call("POST", "pause", token=game.tokens[0]).status_code == 200
    answer = game.call("POST", "proposal", {"accept": True}, seat=1)
    assert answer.status_code == 200, answer.json
    return answer.json


def types(game):
    return [event["type"] for event in game.service.get(game.path("events"))["events"]]


def test_pause_begins_when_all_people_agree(game):
    asked = game.call("POST", "pause", token=game.tokens[0]).json
    assert (asked["pause"], asked["proposal"]["kind"], asked["waiting_for"]) == (None, "pause", [0, 1])
    assert game.offer(0, 1, 1).status_code == 200, "a proposal blocks nothing"
    game.service.clock.advance(20)
    view = game.call("POST", "proposal", {"accept": True}, seat=1).json
    assert (view["pause"], view["proposal"]) == ({"until": at(game, DAY_S)}, None)
    assert (view["status"], view["waiting_for"], view["deadline"]) == ("playing", [], None)
    assert types(game)[-4:] == ["proposal_answered", "proposal_ended", "game_paused", "turn_changed"]
    assert view["players"][1]["clock"] == {"remaining_ms": 180_000, "runs_out_at": None}


def test_open_decisions_have_the_time_that_was_left(game):
    game.service.clock.advance(20)
    agree(game)
    game.service.clock.advance(1000)
    assert [action["type"] for action in game.agreements(1)] == ["propose_abort", "resume"]
    view = game.call("POST", "resume", token=game.tokens[1]).json
    assert (view["pause"], view["waiting_for"], view["deadline"]) == (None, [0, 1], at(game, 40))
    assert view["players"][0]["clock"]["runs_out_at"] == at(game, 180)
    game.service.clock.advance(40)
    assert game.view()["phase"] == "buying"
    assert game.view()["deadline"] == at(game, 60)


def test_pause_of_a_game_without_budget_keeps_the_time_of_the_turn(service):
    game = alone(service)
    service.clock.advance(20)
    view = game.call("POST", "pause", token=game.tokens[0]).json
    assert (view["pause"], view["deadline"]) == ({"until": at(game, DAY_S)}, None)
    service.clock.advance(DAY_S)
    view = game.view()
    assert (view["pause"], view["deadline"], view["phase"]) == (None, at(game, 40), "pricing")
    assert types(game)[-3:] == ["turn_changed", "game_resumed", "turn_changed"]


def test_nobody_acts_while_the_game_is_paused(game):
    game.offer(0, 1, 1)
    action = game.actions(1)[0]
    agree(game)
    assert problem_code(game.send(1, action)) == "game_paused"
    assert problem_code(game.offer(0, 1, 1)) == "game_paused"
    assert problem_code(game.call("POST", "pause", token=game.tokens[1])) == "game_paused"
    game.call("POST", "resume", token=game.tokens[0])
    assert game.send(1, action).status_code == 200
    assert problem_code(game.call("POST", "resume", token=game.tokens[0])) == "game_not_paused"


def test_pause_ends_when_the_last_person_resigns(game):
    agree(game)
    first = game.call("POST", "players/0/resign", token=game.tokens[0])
    assert first.json["pause"] is not None, "the other person may go on pausing"
    last = game.call("POST", "players/1/resign", token=game.tokens[1]).json
    assert (last["pause"], last["status"]) == (None, "finished")


def test_player_who_is_out_of_time_ends_no_pause_of_others(service):
    game = service.create_game(3, options={"budget_ms": 1000 * TURN_S, "first_seat": 0})
    game.offer(0, 1, 1)
    game.offer(1, 1, 1)
    service.clock.advance(TURN_S)
    assert game.call("POST", "pause", token=game.tokens[0]).status_code == 200
    assert game.call("POST", "proposal", {"accept": True}, seat=1).json["pause"] is not None
    assert game.agreements(2) == []
    assert problem_code(game.call("POST", "resume", token=game.tokens[2])) == "seat_played_by_bot"
    assert game.call("POST", "resume", token=game.tokens[1]).json["pause"] is None


def test_refused_pause_leaves_the_clocks_running(game):
    game.call("POST", "pause", token=game.tokens[0])
    view = game.call("POST", "proposal", {"accept": False}, seat=1).json
    assert (view["pause"], view["proposal"], view["deadline"]) == (None, None, at(game, TURN_S))
    assert problem_code(game.call("POST", "pause", token=game.tokens[0])) == "already_proposed"


def test_pause_is_bounded_in_length_and_number(service):
    game = alone(service, max_pause_ms=5000)
    for _ in range(10):
        assert game.call("POST", "pause", token=game.tokens[0]).json["pause"] == {"until": at(game, 5)}
        service.clock.advance(5)
        assert game.view()["pause"] is None
    assert problem_code(game.call("POST", "pause", token=game.tokens[0])) == "pause_not_possible"
    assert "pause" not in [action["type"] for action in game.agreements(0)]
    for options in ({"max_pause_ms": 0}, {"turn_ms": None}):
        limits = {"turn_ms": 60_000} | options
        other = alone(service, **limits) if limits["turn_ms"] else service.create_game(2)
        assert problem_code(other.call("POST", "pause", token=other.tokens[0])) == "pause_not_possible"


def test_only_players_pause_and_resume(game):
    for name in ("pause", "resume"):
        assert problem_code(game.call("POST", name)) == "token_required"
        assert problem_code(game.call("POST", name, token=game.host)) == "not_your_seat"


def test_seat_given_up_in_a_pause_is_played_by_its_bot_afterwards(game):
    agree(game)
    view = game.call("POST", "resign", seat=0).json
    assert (view["waiting_for"], view["pause"] is None) == ([], False)
    view = game.call("POST", "resume", token=game.tokens[1]).json
    assert view["waiting_for"] == [1]


def test_pause_by_a_manual_clock_ends_at_its_time(service):
    game = alone(service, clock="manual", max_pause_ms=5000)
    game.call("POST", "pause", token=game.tokens[0])
    view = game.call("POST", "clock", {"advance_ms": 64_999}, token=game.host).json
    assert (view["pause"], view["phase"]) == (None, "pricing")
    assert game.call("POST", "clock", {"advance_ms": 1}, token=game.host).json["phase"] != "pricing"


def test_aborted_game_is_not_paused(service):
    game = alone(service)
    game.call("POST", "pause", token=game.tokens[0])
    view = game.call("POST", "abort", token=game.host).json
    assert (view["status"], view["pause"]) == ("aborted", None)


@pytest.mark.parametrize("ends_by_itself", [False, True])
def test_day_after_a_take_over_does_not_pass_in_a_pause(service, ends_by_itself):
    game = service.create_game(3, options={"turn_ms": TURN_S * 1000})
    for seat in (0, 1):
        game.offer(seat, 1, 1)
    service.clock.advance(TURN_S)
    assert game.view()["players"][2]["takeover"]["counts_as_absent_at"] == at(game, DAY_S)
    service.clock.advance(10)
    agree(game)
    paused = game.view()
    service.clock.advance(DAY_S if ends_by_itself else 1000)
    if not ends_by_itself:
        game.call("POST", "resume", token=game.tokens[0])
    view = game.view()
    assert view["players"][2]["takeover"]["counts_as_absent_at"] == at(game, DAY_S - 10)
    for event in service.get(game.path(f"events?after={paused['last_event']}"))["events"]:
        fold(paused, event)
    assert without_time(paused)["players"] == view["players"]
    past = service.get(f"{game.path()}?at_event={view['last_event']}")
    assert past["players"] == view["players"]


def test_past_versions_have_the_pause_of_their_time(game):
    game.service.clock.advance(20)
    paused = agree(game)
    game.service.clock.advance(5)
    game.call("POST", "resume", token=game.tokens[0])
    game.offer(0, 1, 1)
    past = game.service.get(game.path() + f"?at_event={paused['last_event']}")
    for field in ("pause", "deadline", "waiting_for", "phase"):
        assert past[field] == paused[field]
    assert past["players"] == game.service.get(game.path() + f"?at_event={paused['last_event']}")["players"]
    assert [each["clock"]["remaining_ms"] for each in past["players"]] == [180_000] * 2
