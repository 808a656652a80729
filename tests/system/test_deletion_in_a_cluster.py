"""Deletion of a game in a cluster: its keys are in one slot, those of its players and the list in others."""

import pytest

from skye_server.settings import Settings
from skye_server.store.redis_store import RedisStore
from tests.support.playing import Service
from tests.system.redis_forms import NO_FAILOVER_MS, Cluster

PLAYER_KEY = "skye_key_" + 24 * "A"


@pytest.fixture
def cluster(redis_program, tmp_path):
    with Cluster(redis_program, tmp_path, replicas=0, failover_ms=NO_FAILOVER_MS) as form:
        yield form


def keys_of(cluster):
    return sorted(key.decode() for server in cluster.servers for key in server.ask("KEYS skye:*"))


def test_deleted_game_leaves_nothing_in_a_cluster(cluster):
    store = RedisStore.from_settings(
        Settings(redis_url=cluster.url, redis_timeout_ms=60_000, redis_wait_ms=60_000)
    )
    service = Service(redis=object(), store=store)
    for _ in range(4):  # in several slots
        body = {"players": [{"name": "Ann"}, {"bot": "random"}], "auto_start": True}
        created = service.call("POST", "/v1/games", body, PLAYER_KEY, {"Idempotency-Key": str(_)}).json
        path = f"/v1/games/{created['game']['id']}"
        service.call("POST", f"{path}/abort", token=PLAYER_KEY)
        assert any(created["game"]["id"] in key for key in keys_of(cluster))
        headers = {"Idempotency-Key": "deleted-0123456789abcdefghijk"}
        sent = [service.call("DELETE", f"{path}", token=PLAYER_KEY, headers=headers) for _ in "ab"]
        assert [answer.status_code for answer in sent] == [204, 204]
        left = [key for key in keys_of(cluster) if created["game"]["id"] in key]
        assert [key.split(":")[3] for key in left] == ["record"]  # the record of the deletion
        assert service.call("GET", path).json["code"] == "game_not_found"
    assert service.get("/v1/me/games", token=PLAYER_KEY)["games"] == []
