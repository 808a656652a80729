"""The warning at start when Redis may evict games."""

import re

import pytest

from tests.deploy.servers import Instance
from tests.support.launcher import PATIENT
from tests.support.waiting import waited_for

pytestmark = pytest.mark.slow


@pytest.fixture
def start(tmp_path):
    """A function that starts an instance on a Redis."""
    instances = []

    def run(url, workers="1"):
        instance = Instance(
            tmp_path / "api.sock", url, **PATIENT, SKYE_LOG_LEVEL="info", SKYE_WORKERS=workers
        )
        instances.append(instance.start())
        return instance

    yield run
    for instance in instances:
        instance.end()


def wait_for_log(instance, pattern):
    assert waited_for(lambda: re.search(pattern, instance.log.read_text())), instance.log.read_text()
    return instance.log.read_text()


def test_evicting_redis_is_warned_about_once(start, redis_server, redis_client):
    redis_client.config_set("maxmemory-policy", "allkeys-lru")
    try:
        text = wait_for_log(
            start(redis_server.url, workers="2"), "maxmemory-policy is allkeys-lru; set it to noeviction"
        )
    finally:
        redis_client.config_set("maxmemory-policy", "noeviction")
    assert text.count("may evict games") == 1


def test_redis_that_refuses_info_is_warned_about(start, redis_server, redis_client):
    redis_client.acl_setuser(
        "limited", enabled=True, passwords=["+pw"], keys=["*"], channels=["*"], commands=["+@all", "-info"]
    )
    url = redis_server.url.replace("redis://", "redis://limited:pw@")
    wait_for_log(start(url), r"Redis could not be checked: .*maxmemory-policy noeviction")
    redis_client.acl_deluser("limited")


def test_redis_with_noeviction_is_not_warned_about(start, redis_server):
    instance = start(redis_server.url)
    instance.end()
    assert "evict games" not in instance.log.read_text()
