"""Idempotency records in all formats."""

import json
from base64 import b64decode
from pathlib import Path

import pytest

from skye_server.settings import Settings
from skye_server.storage.lua_scripts import MAX_IDEMPOTENCY_KEYS
from tests.support.playing import Service, problem_code
from tests.support.stored_fixture import restore

KEY = {"Idempotency-Key": "once"}
ANONYMOUS_KEY = {"Idempotency-Key": "once-by-a-caller-without-token"}


def test_record_expires_after_the_configured_time(service):
    game = service.create_game(2)
    game.offer(0, 1, 1, headers=KEY)
    (key,) = service.redis.keys("*:answer:*")
    assert 0 < service.redis.ttl(key) <= Settings().idempotency_ttl_s


def test_creation_with_an_expired_key_creates_another_game(service):
    first = service.call("POST", "/v1/games", {"visibility": "private"}, headers=ANONYMOUS_KEY).json
    service.redis.delete(*service.redis.keys("*:answer:*"))
    before = service.redis.get(f"skye:{{{first['game']['id']}}}:table")
    later = service.call("POST", "/v1/games", {"name": "later"}, headers=ANONYMOUS_KEY).json
    assert later["game"]["id"] != first["game"]["id"]
    assert service.redis.get(f"skye:{{{first['game']['id']}}}:table") == before
    assert [game["id"] for game in service.get("/v1/games")["games"]] == [later["game"]["id"]]
    assert service.call("POST", "/v1/games", {"name": "later"}, headers=ANONYMOUS_KEY).json == later


def test_record_of_an_action_takes_at_most_400_bytes(redis_client):
    service = Service(redis_client)
    game = service.create_game(5)
    before = used_bytes(redis_client)
    game.offer(0, 1, 1, headers={"Idempotency-Key": "k" * 255})
    assert used_bytes(redis_client) - before <= 400


def used_bytes(client):
    """Return the memory of all idempotency records and of the lists of them."""
    return sum(client.memory_usage(key, samples=0) for key in client.keys("*:answer*"))


def test_game_holds_the_records_of_its_latest_64_keys(service):
    game = service.create_game(2)
    for number in range(70):
        assert game.offer(0, 1, 1 + number % 2, headers={"Idempotency-Key": f"{number}"}).status_code == 200
    assert len(service.redis.keys("*:answer:*")) == MAX_IDEMPOTENCY_KEYS
    assert service.redis.llen(f"skye:{{{game.id}}}:answers") == MAX_IDEMPOTENCY_KEYS
    before = game.view()["version"]
    assert game.offer(0, 1, 1, headers={"Idempotency-Key": "6"}).json["version"] < before  # still replayed
    assert game.offer(0, 1, 1, headers={"Idempotency-Key": "0"}).json["version"] == before + 1  # runs again


FORMAT_1 = Path(__file__).parent / "idempotency_record_format_1.json"
FORMAT_2 = Path(__file__).parent / "idempotency_record_format_2.json"


UNCHANGED = (
    "id", "name", "version", "last_event", "status", "created_at", "round", "phase", "waiting_for", "bag",
)  # fmt: skip
"""The fields of a game that had the same name in the release of the fixture."""


def test_record_of_format_1_is_replayed(service):
    """The fixture was written by the release before records had a format number."""
    fixture = json.loads(FORMAT_1.read_text())
    for key, value in fixture["strings"].items():
        service.redis.set(key, b64decode(value))
    for entry, value in fixture["log"]:
        service.redis.xadd(fixture["log_key"], {"c": b64decode(value)}, entry)
    before = service.stored()
    for request in fixture["requests"]:
        answer = service.call(request["method"], request["path"], request["body"], request["token"], KEY)
        first = json.loads(request["text"])
        assert answer.status_code == request["status"]
        assert {name: answer.json[name] for name in UNCHANGED} == {name: first[name] for name in UNCHANGED}
        at_the_time = service.get(f"/v1/games/{first['id']}?at_event={first['last_event']}", request["token"])
        assert {**answer.json, "now": None} == {**at_the_time, "now": None}
    assert service.stored() == before


@pytest.mark.parametrize(
    "stored", [b"4:00000000:", b"2:00000000:\x97", b"2:", b"", b"nonsense", b"\x87", b"\x87\xa1a"]
)
def test_record_of_an_unknown_format_or_damaged_is_refused(service, stored):
    game = service.create_game(2)
    action = game.actions(0)[0]
    game.send(0, action, headers=KEY)
    (key,) = service.redis.keys("*:answer:*")
    service.redis.set(key, stored)
    before = game.view()
    code = "data_newer" if stored.startswith(b"4") else "data_corrupt"
    assert problem_code(game.send(0, action, headers=KEY)) == code
    assert game.view() == before


def test_record_of_format_2_is_replayed_with_the_same_tokens(service):
    """The fixture was written by the release before the prefixes of tokens named their kinds."""
    fixture = json.loads(FORMAT_2.read_text())
    service.clock.now = fixture["now"]
    restore(service.redis, fixture["keys"])
    for request in fixture["requests"]:
        answer = service.call("POST", request["path"], request["body"], request["token"], ANONYMOUS_KEY)
        assert answer.status_code == 201
        expected = request["response"]
        for field in ("host_token", "invitations", "token"):
            assert answer.json.get(field) == expected.get(field)
        players = [player | {"secret": None} for player in expected.get("players", [])]  # a later field
        assert answer.json.get("players", []) == players
