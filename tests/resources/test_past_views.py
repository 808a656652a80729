"""Games as they were at an event, and records up to a moment."""

import pytest

from skye.positions import RECORD_FORMAT
from tests.support.playing import Service, dice, problem_code


@pytest.fixture(scope="module")
def over():
    """A game that is over."""
    game = Service().create_game(2)
    game.play_out(dice(11))
    return game


def at(game, event, token=None):
    return game.service.get(f"{game.path()}?at_event={event}", token)


def test_view_at_an_event_is_the_view_of_that_time(service):
    game = service.create_game(2)
    throw, seen = dice(4), {}
    for _ in range(30):
        for token in (None, *game.tokens, game.host):
            view = service.get(game.path(), token)
            seen[view["last_event"], token] = view
        game.act_legally(view["waiting_for"][0], throw)
    for (event, token), view in seen.items():
        assert at(game, event, token) == view


def test_view_at_an_event_within_a_version_has_all_of_the_version(over):
    events = over.service.get(over.path("events"))["events"]
    for event in events[:40]:
        view = at(over, event["id"])
        assert view["version"] == event["version"]
        assert view["last_event"] >= event["id"]


def test_view_at_an_event_in_the_lobby_has_the_seat_of_that_time(service):
    game = service.create_game(3, start=False)
    event = game.view(2)["last_event"]
    game.call("DELETE", seat=0)
    game.call("POST", "start", token=game.host)
    assert game.view(2)["you"]["seat"] == 1
    assert at(game, event, game.tokens[2])["you"]["seat"] == 2
    assert at(game, 1, game.tokens[2])["you"]["seat"] is None


def test_view_at_an_event_hides_what_is_still_secret(service):
    game = service.create_game(2)
    game.offer(0, 2, 1)
    event = game.view()["last_event"]
    (mine, rival) = (at(game, event, token)["players"][0]["tiles_on_offer"] for token in game.tokens)
    assert any(drawn["price"] for drawn in mine)
    assert not any(drawn["price"] for drawn in rival)


# Records.


def begun(game, stop_at):
    return game.service.begin(record=game.service.get(game.path("record")), stop_at=stop_at)


@pytest.mark.parametrize("number", [1, 3, 6])
@pytest.mark.parametrize("phase", ["pricing", "buying", "building"])
def test_record_is_played_until_a_phase_begins(over, number, phase):
    view = begun(over, {"round": number, "phase": phase}).view()
    assert (view["round"], view["phase"]) == (number, phase)


def test_recorded_actions_carry_round_and_phase(over):
    record = over.service.get(over.path("record"))
    assert record["format"] == RECORD_FORMAT
    moments = [(action["round"], action["phase"]) for action in record["actions"]]
    assert moments == sorted(moments, key=lambda moment: (moment[0], ORDER.index(moment[1])))
    assert {number for number, _ in moments} == set(range(1, 7))


ORDER = ("pricing", "buying", "building")


@pytest.mark.parametrize("stop_at", [{"round": 9, "phase": "buying"}, {"round": 1}, "end", -1])
def test_stop_at_with_an_invalid_value_is_refused(over, stop_at):
    body = {"record": over.service.get(over.path("record")), "stop_at": stop_at}
    answer = over.service.call("POST", "/v1/games", body)
    assert problem_code(answer) == "invalid_body"
    assert answer.json["errors"][0]["pointer"].startswith("/stop_at")
