"""Tests of a program with each injected fault (`Skye-Fault`), and how the client handles it."""

import pytest

from skye_client import ApiError, ConnectionFailedError, RetryPolicy

ONCE = RetryPolicy(attempts=1)


@pytest.fixture
def buying(skye_game):
    """A game in which seat 0 is the last to buy; then the building phase begins."""
    return skye_game(scenario="buying_last_seat")


@pytest.mark.parametrize(
    "fault",
    ["status=429", "status=503", "drop", "delay_before_ms=1500", "delay_after_ms=1500", "bytes_per_s=2000"],
)
def test_decision_counts_once_despite_a_fault(buying, fault):
    view = buying.seats[0].pass_turn(fault=fault, timeout_s=1)
    assert view["phase"] == "building"
    assert view["version"] == buying.created["game"]["version"] + 1


@pytest.mark.parametrize(
    ("status", "code"), [(429, "too_many_requests"), (500, "internal_error"), (503, "store_unavailable")]
)
def test_refused_decision_does_nothing(buying, status, code):
    with pytest.raises(ApiError) as refused:
        buying.seats[0].pass_turn(fault=f"status={status}", retry=ONCE)
    assert (refused.value.status, refused.value.code) == (status, code)
    assert buying.view()["phase"] == "buying"


def test_decision_without_a_response_takes_effect(buying):
    with pytest.raises(ConnectionFailedError):
        buying.seats[0].pass_turn(fault="drop", retry=ONCE)
    assert buying.view()["phase"] == "building"


@pytest.mark.parametrize("fault", ["cut_after=5", "silence_after=4", "heartbeats_after=2, hold_ms=1500"])
def test_event_arrives_once_through_a_broken_stream(skye_game, fault):
    game = skye_game(players=[{"bot": "random"}, {"bot": "random"}])
    seen = [event["id"] for event in game.host.events(silence_s=1.2, fault=fault)]
    assert seen == list(range(1, game.view()["last_event"] + 1))


def test_delete_of_lab_games_deletes_all_games(skye_client, buying):
    skye_client.transport.json("DELETE", "/v1/lab/games")
    with pytest.raises(ApiError) as refused:
        buying.host.get()
    assert refused.value.code == "game_not_found"
