"""Manual clocks: the time of a game stands still until its host advances it."""

import pytest

from tests.support.playing import problem_code


@pytest.fixture
def game(service):
    """A game for two with a manual clock and ten seconds for each decision."""
    return service.create_game(2, options={"clock": "manual", "turn_ms": 10_000})


def advance(game, ms):
    return game.call("POST", "clock", {"advance_ms": ms}, token=game.host)


def advanced(game, ms):
    answer = advance(game, ms)
    assert answer.status_code == 200, answer.text
    return answer.json


def test_manual_clock_stands_still(game):
    before = game.view()
    game.service.clock.advance(3600)
    assert game.view() == before
    assert before["options"]["clock"] == "manual"


def test_clock_is_visible_before_joining(service):
    game = service.create_game(1, start=False, options={"clock": "manual", "turn_ms": 1000})
    assert game.view()["options"]["clock"] == "manual"
    created = service.get(game.path("events"))["events"][0]
    assert created["options"]["clock"] == "manual"
    assert service.create_game(2).view()["options"]["clock"] == "real"


def test_deadline_passes_when_the_clock_reaches_it(game):
    assert advanced(game, 9_999)["phase"] == "pricing"
    assert advanced(game, 1)["phase"] == "buying"


def test_events_of_missed_deadlines_happen_at_the_deadlines(game):
    start = game.play_to("buying")
    view = advanced(game, 25_000)
    events = game.service.get(f"{game.path('events')}?after={start['last_event']}")["events"]
    times = [event["at"] for event in events if event["type"] == "timed_out"]
    assert times[0] == start["deadline"]
    assert times == sorted(times)
    assert len(set(times)) == 2
    assert [event["type"] for event in events][-1] == "clock_advanced"
    assert events[-1]["at"] == view["now"]
    assert view["deadline"] > view["now"]


def test_moves_reset_the_deadline_by_the_manual_clock(game):
    advanced(game, 5_000)
    view = game.play_to("buying")
    assert view["deadline"] > game.view()["now"]


def test_whole_game_of_timeouts_takes_one_request(service):
    game = service.create_game(2, options={"clock": "manual", "turn_ms": 1000})
    view = advanced(game, 10_000_000)
    assert view["status"] == "finished"
    events = service.get(game.path("events"))["events"]
    assert [event["type"] for event in events if "took" in event["type"]] == ["bot_took_over"] * 2
    assert [player["end"]["server_decisions"] for player in view["players"]] == [3 * 6] * 2
    assert len({event["at"] for event in events}) > 3 * 6


def test_bot_takes_over_after_a_deadline_by_the_manual_clock(service):
    options = {"clock": "manual", "turn_ms": 1000, "on_timeout": "bot"}
    game = service.create_game(2, options=options)
    assert [player["bot"] for player in advanced(game, 1000)["players"]] == ["greedy", "greedy"]
    assert advanced(game, 100_000)["status"] == "finished"


def test_past_view_has_the_clock_of_its_time(game):
    before = game.view()
    advanced(game, 4_000)
    assert game.service.get(f"{game.path()}?at_event={before['last_event']}") == before


def test_clock_of_a_game_that_is_over_is_not_advanced(game):
    advanced(game, 10_000_000)
    assert problem_code(advance(game, 1)) == "game_finished"


@pytest.mark.parametrize("clock", ["real", "manual"])
def test_turns_of_less_than_a_second_are_refused(service, clock):
    body = {"options": {"turn_ms": 999, "clock": clock}}
    answer = service.call("POST", "/v1/games", body)
    assert problem_code(answer) == "invalid_body"
    assert answer.json["errors"][0]["pointer"] == "/options/turn_ms"


@pytest.mark.parametrize("beginning", [{}, {"scenario": "two_players"}])
def test_manual_clock_without_a_time_limit_is_refused(service, beginning):
    answer = service.call("POST", "/v1/games", {**beginning, "options": {"clock": "manual"}})
    (error,) = answer.json["errors"]
    assert error["pointer"] == "/options/turn_ms"
    assert "needs a time limit" in error["detail"]


def test_scenario_takes_a_manual_clock(service):
    body = {"scenario": "buying_last_seat", "options": {"clock": "manual", "turn_ms": 1000}}
    created = service.call("POST", "/v1/games", body).json
    path = f"/v1/games/{created['game']['id']}/clock"
    view = service.call("POST", path, {"advance_ms": 1000}, created["host_token"]).json
    assert view["phase"] == "building"


def test_rematch_keeps_the_manual_clock(game):
    advanced(game, 10_000_000)
    for seat in (0, 1):
        answer = game.call("POST", "rematch", token=game.tokens[seat])
        assert answer.status_code == 201, answer.text
    new = answer.json["game"]
    path = f"/v1/games/{new['id']}/clock"
    view = game.service.call("POST", path, {"advance_ms": 10_000}, game.host).json
    assert (new["phase"], view["phase"]) == ("pricing", "buying")
