"""Tests that look for the defects of a bug hunt: `skye-hunt examples/testing/hunt_tests.py --class contract`.

A test that fails reports its requests: the marker names the operation and the class of the defect. Without
defects all pass.
"""

import pytest

GAME = {
    "players": [{"name": "Ann"}, {"name": "Bob"}],
    "auto_start": True,
    "options": {"seed": "hunt"},
}


@pytest.fixture
def game(hunt):
    """A game with the token of its host."""
    created = hunt.client.games.create(GAME)
    return hunt.client.game(created["game"]["id"], created["host_token"])


@pytest.mark.defect("get_game", "contract")
def test_view_of_a_game_has_its_last_event(game):
    assert game.get()["last_event"] == 8


@pytest.mark.defect("list_games", "contract")
def test_numbers_of_listed_games_are_integers(hunt, game):
    listed = hunt.client.transport.json("GET", "/v1/games")["games"]
    assert all(isinstance(each["seat_count"], int) for each in listed)


@pytest.mark.defect("get_game", "caching")
def test_view_of_a_game_varies_by_token(hunt, game):
    response = hunt.client.transport.send("GET", f"/v1/games/{game.id}")
    assert "Authorization" in response.headers["Vary"]


@pytest.mark.defect("list_events", "events")
def test_events_have_increasing_ids(game):
    page = game.transport.json("GET", f"/v1/games/{game.id}/events?limit=6")
    assert [event["id"] for event in page["events"]] == [1, 2, 3, 4, 5, 6]


@pytest.mark.defect("create_game", "idempotency")
def test_retry_of_a_creation_returns_the_same_game(hunt):
    options = {"body": GAME, "idempotency_key": "the-same-key-of-two-requests"}
    first, second = (hunt.client.transport.json("POST", "/v1/games", **options) for _ in range(2))
    assert first["game"]["id"] == second["game"]["id"]
