"""What the store reports of the eviction policy of Redis."""

import fakeredis
import pytest
import redis

from skye_server.storage.redis_store import RedisStore


@pytest.fixture
def server():
    return fakeredis.FakeRedis()


@pytest.mark.parametrize(
    ("info", "warning"),
    [
        ({"maxmemory_policy": "noeviction"}, None),
        ({"maxmemory_policy": "volatile-ttl"}, "maxmemory-policy is volatile-ttl"),
        ({}, "INFO does not name the policy"),
    ],
)
def test_eviction_warning_names_the_policy(server, monkeypatch, info, warning):
    monkeypatch.setattr(server, "info", lambda _section: info)
    found = RedisStore(server).eviction_warning()
    assert found is None if warning is None else warning in found


def test_eviction_policy_without_permission_to_read_it_is_reported(server, monkeypatch):
    def refuse(_section):
        raise redis.exceptions.NoPermissionError("no permissions to run the 'info' command")

    monkeypatch.setattr(server, "info", refuse)
    assert "could not be checked" in RedisStore(server).eviction_warning()


def test_eviction_warning_of_absent_redis_is_none(server, monkeypatch):
    def fail(_section):
        raise redis.exceptions.ConnectionError("refused")

    monkeypatch.setattr(server, "info", fail)
    assert RedisStore(server).eviction_warning() is None
