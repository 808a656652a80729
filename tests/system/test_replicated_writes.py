"""With replicas required, every acknowledged change is on one."""

import time

import pytest

from tests.support.waiting import waited_for
from tests.system.redis_forms import NO_FAILOVER_MS, Sentinels
from tests.system.storm_on_redis import play_goes_on, played_on, serving

pytestmark = pytest.mark.slow


def test_acknowledged_changes_are_on_a_replica_when_required(redis_program, tmp_path):
    with Sentinels(redis_program, tmp_path, NO_FAILOVER_MS) as form:
        settings = {"SKYE_REDIS_REPLICAS": "1", "SKYE_REDIS_TIMEOUT_MS": "400", "SKYE_REDIS_WAIT_MS": "500"}
        with serving(tmp_path, form.url, **settings) as api, played_on(api) as crowd:
            replicas = [server for server in form.servers if server is not form.master()]
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
