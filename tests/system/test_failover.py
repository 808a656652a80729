"""Play goes on while Sentinels or a cluster fail over, and while Sentinels or replicas are suspended."""

import time
from functools import partial

import pytest

from skye_server.store.shards import key_of
from tests.support.launcher import PATIENT
from tests.support.waiting import waited_for
from tests.system.redis_forms import NO_FAILOVER_MS, Cluster, Sentinels
from tests.system.storm_on_redis import play_goes_on, play_goes_on_at_every_game, played_on, serving


# Of two replicas one is left to wait for after the other has taken over. Without waiting for one, a failover
# may take back acknowledged changes.
@pytest.mark.parametrize("make", [Sentinels, partial(Cluster, replicas=2)], ids=["sentinels", "cluster"])
def test_play_goes_on_through_a_killed_and_a_suspended_master(make, redis_program, tmp_path):
    settings = {"SKYE_REDIS_REPLICAS": "1", "SKYE_REDIS_TIMEOUT_MS": "1000"}
    with (
        make(redis_program, tmp_path) as form,
        serving(tmp_path, form.url, **settings) as api,
        played_on(api, form.url, may_go_back=True) as crowd,
    ):
        for fails, comes_back in (("kill", "start"), ("suspend", "resume")):
            key = key_of(crowd.matches[-1][0].game, "game")
            lost = form.master(key)
            getattr(lost, fails)()
            assert waited_for(lambda key=key, lost=lost: form.master(key) is not lost)
            failed_over = time.time()
            play_goes_on_at_every_game(crowd, failed_over)
            getattr(lost, comes_back)()
            play_goes_on_at_every_game(crowd, time.time())
            form.wait_until_whole()


@pytest.fixture
def sentinels(redis_program, tmp_path):
    """Sentinels that replace no master."""
    with Sentinels(redis_program, tmp_path, NO_FAILOVER_MS) as form:
        yield form


def test_no_request_fails_while_all_sentinels_are_suspended(sentinels, tmp_path):
    with serving(tmp_path, sentinels.url, **PATIENT, SKYE_REDIS_REPLICAS="3") as api, played_on(api) as crowd:
        for sentinel in sentinels.sentinels:
            sentinel.suspend()
        before = crowd.counts.copy()
        assert waited_for(lambda: crowd.wrong or (crowd.counts - before)[200] >= 100)
        assert crowd.counts[503] == 0
        for sentinel in sentinels.sentinels:
            sentinel.resume()
        play_goes_on_at_every_game(crowd, time.time())


def test_acknowledged_changes_are_on_a_replica_when_required(sentinels, tmp_path):
    settings = {"SKYE_REDIS_REPLICAS": "1", "SKYE_REDIS_TIMEOUT_MS": "400", "SKYE_REDIS_WAIT_MS": "500"}
    with serving(tmp_path, sentinels.url, **settings) as api, played_on(api) as crowd:
        replicas = [server for server in sentinels.servers if server is not sentinels.master()]
        for replica in replicas:
            replica.suspend()
        began = time.time()
        assert waited_for(lambda: crowd.wrong or crowd.counts[503] >= 10)
        for match, _ in crowd.matches:
            for seat in match.seats:  # one request of each seat can have been under way
                assert sum(entry.answered > began for entry in seat.journal) <= 1
        replicas[0].resume()
        play_goes_on(crowd, time.time())
        for replica in replicas[1:]:
            replica.resume()
