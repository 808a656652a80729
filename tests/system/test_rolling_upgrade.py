"""Rolling upgrade and rollback: two instances of different releases serve the same games."""

import contextlib
import random
import time

import pytest

from tests.deploy.servers import CURRENT, PREVIOUS, Instance
from tests.system.proof import prove
from tests.system.storm import Storm
from tests.system.storm_on_redis import play_goes_on, play_goes_on_at
from tests.system.wire import Wire

pytestmark = pytest.mark.slow


def has_header(client):
    """Return for each log entry there is whether it has a header."""
    logs = client.keys("skye:*:log")
    return [b"h" in fields for key in logs for _, fields in client.xrange(key)]


def test_games_survive_a_rolling_upgrade_and_a_rollback(redis_server, redis_client, tmp_path):
    instances = [Instance(tmp_path / name, redis_server.url, PREVIOUS) for name in ("one", "two")]
    one, two = instances
    ports = [instance.port for instance in instances]
    with contextlib.ExitStack() as running:
        for instance in instances:
            running.callback(instance.kill)
            instance.start()
        with Storm(ports, "rolling", 2) as crowd:
            play_goes_on(crowd, time.time())
            for instance, release in ((one, CURRENT), (two, CURRENT), (one, PREVIOUS), (two, PREVIOUS)):
                instance.restart(release)
                play_goes_on_at(instance.port, crowd)
        assert not crowd.wrong, crowd.wrong[0]
        assert set(has_header(redis_client)) == {False, True}
        one.restart(CURRENT)
        with contextlib.closing(Wire([one.port], random.Random(1))) as wire:
            for match, spectator in crowd.matches:
                prove(match, wire, spectator)
