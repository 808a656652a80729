"""What the store reports of the version, the settings, the memory and the clock of Redis."""

import re
import time
from pathlib import Path

import fakeredis
import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from skye_server.store.connection.topology import SingleServer
from skye_server.store.redis_store import RedisStore
from tests.deploy.facts import DEPLOY
from tests.support.playing import Service

SOUND = {
    "redis_version": "7.0.15",
    "maxmemory_policy": "noeviction",
    "aof_enabled": 1,
    "used_memory": 9,
    "maxmemory": 0,
}


def warnings_with(monkeypatch, info, ahead_s=0.0):
    server = fakeredis.FakeRedis()
    monkeypatch.setattr(server, "info", lambda _section: info)
    monkeypatch.setattr(server, "time", lambda: divmod(int((time.time() + ahead_s) * 1_000_000), 1_000_000))
    return RedisStore(server).warnings()


def test_sound_server_is_not_warned_about(monkeypatch):
    assert warnings_with(monkeypatch, SOUND) == []


@pytest.mark.parametrize(
    ("changed", "warning"),
    [
        ({"maxmemory_policy": "volatile-ttl"}, "maxmemory-policy is volatile-ttl"),
        ({"maxmemory_policy": None}, "INFO does not name the eviction policy"),
        ({"aof_enabled": 0}, "set `appendonly yes`"),
        ({"aof_last_write_status": "err"}, "Redis refuses changes: it cannot write its append-only file"),
        ({"maxmemory": 9}, "Redis refuses changes: it uses 9 bytes of memory, and its maxmemory is 9"),
        ({"min_slaves_good_slaves": 0}, "Redis refuses changes: no replica is in step"),
        ({"redis_version": "5.0.14"}, "Redis 5.0.14 is too old: install Redis 6.2 or newer"),
    ],
)
def test_warning_names_what_the_operator_must_change(monkeypatch, changed, warning):
    (found,) = warnings_with(monkeypatch, SOUND | changed)
    assert warning in found


@pytest.mark.parametrize(
    ("ahead_s", "words"), [(3600, "s behind that of Redis"), (-3, "3 s ahead of that of Redis")]
)
def test_clock_that_differs_is_reported(monkeypatch, ahead_s, words):
    (found,) = warnings_with(monkeypatch, SOUND, ahead_s)
    assert words in found


def test_server_that_refuses_info_is_reported(monkeypatch):
    def refuse(_section):
        raise redis.exceptions.NoPermissionError("no permissions to run the 'info' command")

    server = fakeredis.FakeRedis()
    monkeypatch.setattr(server, "info", refuse)
    (found,) = RedisStore(server).warnings()
    assert "could not be checked" in found
    assert "`maxmemory-policy noeviction`" in found


def test_missing_replicas_that_writes_need_are_reported(redis_client):
    def reported():
        return any("min-replicas-to-write" in warning for warning in RedisStore(redis_client).warnings())

    assert not reported()
    redis_client.config_set("min-replicas-to-write", 1)
    try:
        assert reported()
        with pytest.raises(redis.ResponseError, match=r"NOREPLICAS|good replicas"):
            redis_client.set("skye:anything", 1)
    finally:
        redis_client.config_set("min-replicas-to-write", 0)


def test_each_server_is_checked_and_an_absent_one_left_out(monkeypatch):
    persistent, forgetful = fakeredis.FakeRedis(), fakeredis.FakeRedis()
    for server, is_on in ((persistent, 1), (forgetful, 0)):
        info = SOUND | {"aof_enabled": is_on}
        monkeypatch.setattr(server, "info", lambda _section, info=info: info)
        monkeypatch.setattr(server, "time", lambda: (int(time.time()), 0))
    absent = redis.Redis(port=1, retry=Retry(NoBackoff(), 0))
    servers = SingleServer(persistent)
    monkeypatch.setattr(servers, "masters", lambda: [absent, persistent, forgetful, forgetful])
    (found,) = RedisStore(servers).warnings()
    assert "append-only" in found


def test_absent_redis_is_not_warned_about():
    absent = redis.Redis(port=1, retry=Retry(NoBackoff(), 0))
    assert RedisStore(absent).warnings() == []


def with_user(redis_server, redis_client, rules):
    """Return the store of a user that the page for operators describes, by its rules."""
    redis_client.execute_command("ACL", "SETUSER", "limited", "reset", *rules.split())
    url = redis_server.url
    return RedisStore(redis.Redis.from_url(url, username="limited", password="PASSWORD"))


def test_rights_that_the_page_names_are_enough_and_info_is_missed(redis_server, redis_client):
    page = Path(DEPLOY, "faults.md").read_text()
    (rules,) = re.findall(r"`ACL SETUSER NAME (on [^`]+)`", page)
    try:
        store = with_user(redis_server, redis_client, rules)
        assert store.claim_layout() == ""
        assert not any("could not be checked" in warning for warning in store.warnings())
        with Service(redis_client, store) as service:
            service.create_game(2, bots={1: "random"})
        (warning,) = with_user(redis_server, redis_client, rules.replace(" +info", "")).warnings()
        assert "the optional right +info" in warning
    finally:
        redis_client.execute_command("ACL", "DELUSER", "limited")
