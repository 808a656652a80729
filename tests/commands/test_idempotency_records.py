"""Idempotency records: their size, their number, their end, and refusals of corrupt ones."""

import pytest

from skye_server.settings import Settings
from skye_server.store.lua_scripts import MAX_IDEMPOTENCY_KEYS
from skye_server.store.shards import key_of
from tests.support.playing import Service, new_key, problem_code

KEY = {"Idempotency-Key": "once"}
ANONYMOUS_KEY = {"Idempotency-Key": "once-by-a-caller-without-token"}


def test_record_expires_after_the_configured_time(service):
    game = service.create_game(2)
    game.offer(0, 1, 1, headers=KEY)
    (key,) = service.redis.keys("*:record:*")
    assert 0 < service.redis.ttl(key) <= Settings().idempotency_ttl_s


def test_creation_with_an_expired_key_creates_another_game(service):
    first = service.call("POST", "/v1/games", {"visibility": "private"}, headers=ANONYMOUS_KEY).json
    service.redis.delete(*service.redis.keys("*:record:*"))
    before = service.redis.get(key_of(first["game"]["id"], "game"))
    later = service.call("POST", "/v1/games", {"name": "later"}, headers=ANONYMOUS_KEY).json
    assert later["game"]["id"] != first["game"]["id"]
    assert service.redis.get(key_of(first["game"]["id"], "game")) == before
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
    return sum(client.memory_usage(key, samples=0) for key in client.keys("*:record*"))


def test_game_holds_the_records_of_its_latest_64_keys(service):
    game = service.create_game(2)
    for number in range(70):
        assert game.offer(0, 1, 1 + number % 2, headers={"Idempotency-Key": f"{number}"}).status_code == 200
    assert len(service.redis.keys("*:record:*")) == MAX_IDEMPOTENCY_KEYS
    assert service.redis.llen(key_of(game.id, "records")) == MAX_IDEMPOTENCY_KEYS
    before = game.view()["version"]
    assert game.offer(0, 1, 1, headers={"Idempotency-Key": "6"}).json["version"] < before  # still replayed
    assert game.offer(0, 1, 1, headers={"Idempotency-Key": "0"}).json["version"] == before + 1  # runs again


def test_opponent_who_sends_many_keys_replaces_none_of_others(service):
    game = service.create_game(2)

    def rotated(seat, token, key):
        answer = game.call("POST", f"players/{seat}/token", token=token, headers={"Idempotency-Key": key})
        assert answer.status_code == 201
        return answer.json["token"]

    own, newest = rotated(1, game.tokens[1], "once"), game.tokens[0]
    for number in range(70):
        newest = rotated(0, newest, str(number))
    assert rotated(1, game.tokens[1], "once") == own  # still replayed


def test_record_belongs_to_the_seat_that_a_command_gives_or_takes(service):
    game = service.create_game(2, start=False)
    key = new_key()
    seat = game.call("POST", "players", {"name": "Late"}, token=key, headers=KEY).json["seat"]
    left = game.call("DELETE", f"players/{seat}", token=key, headers={"Idempotency-Key": "left"})
    assert left.status_code == 200
    records = service.redis.lrange(key_of(game.id, "records"), 0, -1)
    assert [entry[32:] for entry in records] == [b"%d" % seat] * 2


def test_token_that_a_command_retired_is_valid_for_a_repetition_only(service):
    game = service.create_game(2)
    path, token = "players/0/token", game.tokens[0]
    rotated = game.call("POST", path, token=token, headers=KEY)
    assert game.call("POST", path, token=token, headers=KEY).json == rotated.json
    assert problem_code(game.call("POST", "players/0/resign", token=token, headers=KEY)) == "token_unknown"


@pytest.mark.parametrize("stored", [b"2:00000000:", b"1:00000000:\x97", b"1:", b"", b"nonsense", b"\x87"])
def test_record_of_an_unknown_format_or_damaged_is_refused(service, stored):
    game = service.create_game(2)
    action = game.actions(0)[0]
    game.send(0, action, headers=KEY)
    (key,) = service.redis.keys("*:record:*")
    service.redis.set(key, stored)
    before = game.view()
    code = "data_newer" if stored.startswith(b"2") else "data_corrupt"
    assert problem_code(game.send(0, action, headers=KEY)) == code
    assert game.view() == before
