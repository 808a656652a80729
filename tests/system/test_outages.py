"""Servers that are stopped, killed or suspended: no game ends by it, and nobody loses a turn."""

import os
import signal
import time

import pytest

from skye_server.error_codes import Problem
from skye_server.settings import Settings
from skye_server.store.outages import KEY
from skye_server.store.redis_store import RedisStore
from skye_server.store.shards import SHARDS, shard_key
from tests.support.launcher import redis_servers
from tests.support.waiting import waited_for
from tests.system.redis_forms import NO_FAILOVER_MS, Cluster

STOPPED_S = 13
SERVED = {"SKYE_WORKERS": "2", "SKYE_DISPATCHERS": "1"}
PLAYERS = [{"name": "Ann"}, {"name": "Bob"}]
SHORT = ({"budget_ms": 6_000, "increment_ms": 1_000}, {"turn_ms": 6_000})
KEPT_MS = 86_400_000


def begun(server):
    """Return the paths of games whose deadlines come before the server is back."""
    bodies = [{"players": PLAYERS, "auto_start": True, "options": options} for options in SHORT]
    return [f"/v1/games/{server.call('POST', '/v1/games', body)['game']['id']}" for body in bodies]


def first_after(server, path):
    """Return the first event after the start of a game that says something of its times or of a late seat."""
    events = server.call("GET", f"{path}/events")["events"]
    return next((each for each in events if each["type"] in {"time_added", "timed_out"}), None)


def check_unharmed(server, games):
    for path in games:
        assert waited_for(lambda path=path: first_after(server, path))
        event = first_after(server, path)
        assert event["type"] == "time_added"
        assert event["added_ms"] > 1000 * STOPPED_S
        assert event["deadline"] > event["at"]


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_server_that_stops_for_13_s_costs_no_turn(launch, sent):
    stopped = launch(**SERVED)
    games = begun(stopped)
    stopped.end(sent)
    time.sleep(STOPPED_S)
    check_unharmed(launch(**SERVED), games)


def test_redis_that_is_suspended_for_13_s_costs_no_turn(launch):
    server = launch(**SERVED, SKYE_REDIS_TIMEOUT_MS="1000", SKYE_REDIS_WAIT_MS="1000")
    games = begun(server)
    (redis,) = redis_servers(server.process.pid)
    os.kill(redis, signal.SIGSTOP)
    time.sleep(STOPPED_S)
    os.kill(redis, signal.SIGCONT)
    check_unharmed(server, games)


def test_master_of_a_cluster_that_fails_is_an_outage_of_all(redis_program, tmp_path):
    options = ("--cluster-require-full-coverage", "no")
    with Cluster(redis_program, tmp_path, *options, replicas=0, failover_ms=NO_FAILOVER_MS) as form:
        settings = Settings(redis_url=form.url, redis_timeout_ms=1_000)
        outages = RedisStore.from_settings(settings).outages
        home, others = form.master(KEY), {form.master(shard_key(shard, "x")) for shard in range(SHARDS)}
        outages.reach_masters()
        sign_ms = outages.sign(KEPT_MS).uptime.sign_ms
        (*_, lost) = others - {home}
        lost.suspend()
        with pytest.raises(Problem):
            outages.reach_masters()
        assert outages.read().uptime.sign_ms == sign_ms  # which is at another master
        lost.resume()
        assert waited_for(lambda: reaches(outages))
        assert not outages.read().uptime.outages


def reaches(outages):
    try:
        outages.reach_masters()
    except Problem:
        return False
    return True
