"""Values of another Redis type under keys of the service: what needs them fails, and they stay."""

import pytest

from skye_server.games.due import RELAY_MS
from skye_server.store.lua_scripts import FILL
from skye_server.store.shards import key_of, shard_key, shard_of
from tests.support.dispatching import dispatch, rebuild_all
from tests.support.playing import KEY, Service, new_key


@pytest.fixture
def service(redis_client, monkeypatch):
    monkeypatch.setattr(
        "skye_server.store.connection.pubsub._POLL_S", 0.01
    )  # lets the subscriber end at once
    with Service(redis_client) as service:
        yield service


def spoil(redis_client, key):
    redis_client.delete(key)
    redis_client.rpush(key, "a list")


def test_index_of_another_type_fails_until_it_is_deleted(service, redis_client):
    game = service.create_game(2)
    spoil(redis_client, "skye:{index}:playing")
    assert service.call("GET", "/v1/games?status=playing").status_code == 503
    for path in ("/v1/games?status=lobby", "/metrics", "/readyz"):
        assert service.call("GET", path).status_code == 200
    assert redis_client.lrange("skye:{index}:playing", 0, -1) == [b"a list"]
    redis_client.delete("skye:{index}:playing")
    rebuild_all(service)
    assert [listed["id"] for listed in service.get("/v1/games")["games"]] == [game.id]


def test_bucket_of_another_type_counts_as_empty(redis_client):
    spoil(redis_client, "skye:bucket:x")
    assert FILL.run(redis_client, ["skye:bucket:x"], [10, 1000]) == [1, 10]


@pytest.mark.parametrize("kind", ["log", "records", "watch", "webhooks", "due.game"])
def test_commit_beside_a_key_of_another_type_writes_nothing(service, redis_client, kind):
    game = service.create_game(2, options={"turn_ms": 60_000})
    action = game.actions(0)[0]
    key = shard_key(shard_of(game.id), kind) if "." in kind else key_of(game.id, kind)
    redis_client.delete(key)
    redis_client.set(key, "a string")
    before = {name: redis_client.dump(name) for name in redis_client.scan_iter()}
    assert game.send(0, action, headers=KEY).status_code == 503
    assert {name: redis_client.dump(name) for name in redis_client.scan_iter()} == before


@pytest.mark.parametrize(("kind", "status"), [("games", 201), ("order", 503), ("events", 201)])
def test_write_to_a_key_of_another_type_changes_nothing(service, redis_client, kind, status):
    player = new_key()
    service.call("POST", "/v1/games", {"players": [{"name": "Ann"}]}, player)
    spoiled, *others = sorted(
        redis_client.keys("skye:{player.*"), key=lambda key: not key.endswith(f":{kind}".encode())
    )
    spoil(redis_client, spoiled)
    before = [redis_client.dump(key) for key in others]
    created = service.call("POST", "/v1/games", {"players": [{"name": "Ann"}]}, player)
    assert created.status_code == status  # only a reservation comes before the commit
    assert [redis_client.dump(key) for key in others] == before
    redis_client.delete(spoiled)
    if status != 201:
        created = service.call("POST", "/v1/games", {"players": [{"name": "Ann"}]}, player)
        assert created.status_code == 201
    service.clock.advance(RELAY_MS / 1000)
    dispatch(service)
    listed = [own["game"]["id"] for own in service.get("/v1/me/games", player)["games"]]
    assert created.json["game"]["id"] in listed
    assert service.get("/v1/me/events", player)["events"][-1]["game_id"] == created.json["game"]["id"]


def test_record_of_a_key_of_another_type_is_never_taken_for_none(service, redis_client):
    old, new = new_key(), new_key()
    service.call("PUT", "/v1/me/key", {"key": new}, old)
    for key in redis_client.keys("skye:{player.*}:key"):
        spoil(redis_client, key)
    assert {service.call("GET", "/v1/me/games", token=key).status_code for key in (old, new)} == {503}
