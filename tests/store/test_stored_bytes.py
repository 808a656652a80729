"""The memory that a new game takes in Redis: without limits of it, one address could fill the server."""

import io

from skye_server.store.redis_store import RedisStore
from tests.support.playing import KEY, Service

PLAYER_KEY = "skye_key_" + 22 * "p"

MAX_LOBBY_BYTES = 5_800
"""Half of what a lobby of a player key took while each stream had 4 KiB for its first entry."""


def stored_bytes(redis_client):
    """Return the bytes of all keys of games and players; some keys are those of the whole server."""
    keys = [key for key in redis_client.keys("skye:*") if b"{s" in key or b"{player." in key]
    return sum(redis_client.memory_usage(key, samples=0) for key in keys)


def test_lobby_of_a_new_key_takes_little_memory_also_restored(redis_client, tmp_path):
    service = Service(redis_client)
    body = {"name": "n", "players": [{"name": "Ann"}]}
    headers = {**KEY, "Authorization": f"Bearer {PLAYER_KEY}"}
    assert service.http.post("/v1/games", json=body, headers=headers).status_code == 201
    assert stored_bytes(redis_client) < MAX_LOBBY_BYTES
    store, file = RedisStore(redis_client), io.BytesIO()
    store.backup(file)
    (tmp_path / "backup").write_bytes(file.getvalue())
    redis_client.flushall()
    store.restore(tmp_path / "backup")
    assert stored_bytes(redis_client) < MAX_LOBBY_BYTES
    assert not redis_client.keys("*:copy")


def test_first_entry_of_a_stream_stays_if_it_cannot_be_copied(redis_client):
    service = Service(redis_client)
    rights = ["~*", "&*", "+@all", "-copy"]
    redis_client.execute_command("ACL", "SETUSER", "default", *rights)
    try:
        game = service.http.post("/v1/games", json={"players": [{"name": "Ann"}]}).json["game"]
        assert service.http.get(f"/v1/games/{game['id']}/events").json["events"]
    finally:
        redis_client.execute_command("ACL", "SETUSER", "default", "+copy")
