"""The warning at start when Redis may evict games."""

from tests.deploy.servers import Instance
from tests.support.launcher import PATIENT
from tests.support.waiting import waited_for


def test_evicting_redis_is_warned_about_once(tmp_path, redis_server, redis_client):
    instance = Instance(
        tmp_path / "api.sock", redis_server.url, **PATIENT, SKYE_LOG_LEVEL="info", SKYE_WORKERS="2"
    )
    redis_client.config_set("maxmemory-policy", "allkeys-lru")
    try:
        instance.start()
        warning = "maxmemory-policy is allkeys-lru; set it to noeviction"
        assert waited_for(lambda: warning in instance.log.read_text()), instance.log.read_text()
    finally:
        redis_client.config_set("maxmemory-policy", "noeviction")
        instance.end()
    assert instance.log.read_text().count("may evict games") == 1
