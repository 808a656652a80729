"""Emptying a lab server: all that is the service's is deleted, and nothing else."""

import threading

import pytest

from tests.support.playing import Service
from tests.support.waiting import MAX_WAIT_S

KEY = "skye_key_" + 24 * "A"


@pytest.fixture
def lab(any_redis):
    with Service(any_redis, lab=True) as service:
        yield service


def test_emptying_a_lab_deletes_all_keys_of_the_service_and_no_others(lab):
    lab.redis.set("skyenet:{a}:table", "of others")
    lab.redis.set("other", "of others")
    lab.call("POST", "/v1/games", {"players": [{"name": "Ann"}]}, token=KEY)
    game = lab.create_game(2, headers={"Idempotency-Key": "one"})
    lab.redis.set("skye:{orphan}:log", "of a game that is gone")
    assert lab.call("DELETE", "/v1/lab/games").json == {"deleted": 2}
    assert sorted(lab.redis.keys()) == [b"other", b"skyenet:{a}:table"]
    assert game.call("GET").json["code"] == "game_not_found"
    assert lab.get("/v1/games")["games"] == []
    assert lab.get("/v1/me/games", token=KEY)["games"] == []
    assert lab.call("DELETE", "/v1/lab/games").json == {"deleted": 0}


def test_emptying_many_games_leaves_no_key(lab):
    for number in range(600):
        lab.redis.set(f"skye:{{game{number}}}:table", b"")
        lab.redis.set(f"skye:{{game{number}}}:log", b"")
    assert lab.call("DELETE", "/v1/lab/games").json == {"deleted": 600}
    assert lab.redis.keys() == []


def test_emptying_a_lab_ends_the_streams_of_its_games(lab):
    path = lab.create_game(2).path("events/stream")
    chunks = iter(lab.http.get(path, buffered=False).response)
    first = next(chunks)
    rest = []
    reader = threading.Thread(target=lambda: rest.extend(chunks))
    reader.start()
    lab.call("DELETE", "/v1/lab/games")
    reader.join(MAX_WAIT_S)
    assert first.startswith(b"retry: ")
    assert b'event: end\ndata: {"reason":"game_not_found"' in rest[-1]


def test_emptying_a_server_that_is_no_lab_is_refused(service):
    game = service.create_game(2)
    answer = service.call("DELETE", "/v1/lab/games")
    assert (answer.status_code, answer.json["code"]) == (403, "lab_off")
    assert game.call("GET").status_code == 200
