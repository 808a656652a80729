"""Values of another Redis type under keys of lists, pools and players: they are moved aside."""

import pytest

from skye_server.storage.lua_scripts import FILL
from skye_server.storage.wrong_types import aside
from tests.matchmaking.test_tickets import new_key, seek
from tests.support.playing import Service

PLAYING, WAITING = "skye:index:playing", "skye:{pools}:waiting"


@pytest.fixture
def service(redis_client, monkeypatch):
    monkeypatch.setattr(
        "skye_server.storage.connection.pubsub._POLL_S", 0.01
    )  # lets the subscriber end at once
    with Service(redis_client) as service:
        yield service


def spoil(redis_client, key):
    redis_client.delete(key)
    redis_client.rpush(key, "a list")


def listed(service, path="/v1/games"):
    return [game["id"] for game in service.get(path)["games"]]


def test_index_of_another_type_empties_the_list_of_its_status_only(service, redis_client, caplog):
    service.create_game(2)
    lobby = service.create_game(2, start=False)
    spoil(redis_client, PLAYING)
    assert listed(service) == [lobby.id]
    assert listed(service, "/v1/games?status=playing") == []
    assert aside(PLAYING) in caplog.text
    assert redis_client.lrange(aside(PLAYING), 0, -1) == [b"a list"]


@pytest.mark.parametrize("status", ["lobby", "playing", "finished"])
def test_index_of_another_type_stops_no_game_list_or_count(service, redis_client, status):
    for each in ("lobby", "playing", "finished_at", "finished"):
        spoil(redis_client, f"skye:index:{each}")
    for path in ("/v1/games", f"/v1/games?status={status}", "/v1/records", "/metrics", "/readyz"):
        assert service.call("GET", path).status_code == 200
    game = service.create_game(
        2, bots={0: "random", 1: "random"} if status == "finished" else None, start=False
    )
    if status != "lobby":
        game.call("POST", "start", token=game.host)
    assert listed(service, f"/v1/games?status={status}") == [game.id]


def test_next_public_game_moves_the_value_aside_and_is_listed(service, redis_client, caplog):
    spoil(redis_client, PLAYING)
    game = service.create_game(2)
    assert listed(service) == [game.id]
    assert redis_client.lrange(aside(PLAYING), 0, -1) == [b"a list"]
    assert aside(PLAYING) in caplog.text


def test_games_that_the_index_lost_are_listed_again_when_played_on(service, redis_client):
    game = service.create_game(2)
    lobby = service.create_game(2, start=False)
    spoil(redis_client, PLAYING)
    spoil(redis_client, "skye:index:lobby")
    assert listed(service) == []
    game.play_to("building", 3)
    service.call("POST", lobby.path("players"), {"name": "Zoe"})
    assert sorted(listed(service)) == sorted([lobby.id, game.id])


def test_game_is_deleted_although_its_index_is_of_another_type(service, redis_client):
    game = service.create_game(2, bots={0: "random", 1: "random"})
    spoil(redis_client, "skye:index:finished_at")
    assert service.call("DELETE", game.path(), token=game.host).status_code == 204


def test_matchmaking_goes_on_although_its_counter_is_of_another_type(service, redis_client):
    spoil(redis_client, WAITING)
    assert "skye_games" in service.call("GET", "/metrics").text
    assert seek(service, new_key())["status"] == "waiting"
    assert seek(service, new_key(), "Bob")["status"] == "matched"
    assert redis_client.lrange(aside(WAITING), 0, -1) == [b"a list"]


def test_bucket_of_another_type_counts_as_empty(redis_client):
    spoil(redis_client, "skye:bucket:x")
    assert FILL.run(redis_client, ["skye:bucket:x"], [10, 1000]) == [1, 10]


def of_player(redis_client, kind):
    """Return the only key of this kind of any player."""
    (key,) = redis_client.keys(f"skye:{{player.*}}:{kind}")
    return key.decode()


@pytest.mark.parametrize("kind", ["games", "order", "events", "seeks"])
def test_key_of_a_player_of_another_type_is_moved_aside(service, redis_client, caplog, kind):
    player = new_key()
    seek(service, player)
    game = service.call("POST", "/v1/games", {"players": [{"name": "Ann"}, {"name": "Bob"}]}, player).json
    key = of_player(redis_client, kind)
    spoil(redis_client, key)
    for path in ("/v1/me/games", "/v1/me/events", "/v1/me/records"):
        assert service.call("GET", path, token=player).status_code == 200
    assert redis_client.lrange(aside(key), 0, -1) == [b"a list"]
    assert aside(key) in caplog.text
    assert service.call("POST", f"/v1/games/{game['game']['id']}/start", token=player).status_code == 200
    created = service.call("POST", "/v1/games", {"players": [{"name": "Ann"}]}, player).json
    assert created["game"]["id"] in [
        own["game"]["id"] for own in service.get("/v1/me/games", player)["games"]
    ]
    assert service.get("/v1/me/events", player)["events"][-1]["game_id"] == created["game"]["id"]


@pytest.mark.parametrize("kind", ["games", "order", "events"])
def test_write_to_a_key_of_another_type_is_whole(service, redis_client, kind):
    player = new_key()
    service.call("POST", "/v1/games", {"players": [{"name": "Ann"}]}, player)
    spoil(redis_client, of_player(redis_client, kind))
    created = service.call("POST", "/v1/games", {"players": [{"name": "Ann"}]}, player)
    assert created.status_code == 201
    own = service.get("/v1/me/games", player)["games"]
    assert created.json["game"]["id"] in [each["game"]["id"] for each in own]
    assert service.get("/v1/me/events", player)["events"][-1]["type"] == "seat_taken"


def test_record_of_a_key_of_another_type_is_never_taken_for_none(service, redis_client):
    old, new = new_key(), new_key()
    service.call("PUT", "/v1/me/key", {"key": new}, old)
    for key in redis_client.keys("skye:{player.*}:key"):
        spoil(redis_client, key)
    assert {service.call("GET", "/v1/me/games", token=key).status_code for key in (old, new)} == {503}


@pytest.mark.parametrize("kind", ["waiting", "players", "request:*"])
def test_pool_with_a_key_of_another_type_goes_on(service, redis_client, kind):
    first = new_key()
    assert seek(service, first)["status"] == "waiting"
    (key,) = redis_client.keys(f"skye:{{pool.*}}:{kind}")
    spoil(redis_client, key)
    assert seek(service, first)["status"] == "waiting"
    matched = seek(service, new_key(), "Bob")
    assert matched["status"] == "matched"
    assert [own["game"]["id"] for own in service.get("/v1/me/games", first)["games"]] == [matched["game_id"]]
