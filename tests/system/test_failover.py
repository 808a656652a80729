"""Play goes on while Sentinels or a cluster fail over, and acknowledged changes are on a replica."""

import time
from functools import partial

import pytest

from tests.support.waiting import waited_for
from tests.system.redis_forms import (
    Cluster,
    Sentinels,
)
from tests.system.storm_on_redis import play_goes_on_at_every_game, played_on, serving

pytestmark = pytest.mark.slow


# Of two replicas one is left to wait for after the other has taken over. Without waiting for one, a failover
# may take back acknowledged changes.
@pytest.mark.parametrize("make", [Sentinels, partial(Cluster, replicas=2)], ids=["sentinels", "cluster"])
def test_play_goes_on_through_a_killed_and_a_suspended_master(make, redis_program, tmp_path):
    settings = {"SKYE_REDIS_REPLICAS": "1", "SKYE_REDIS_TIMEOUT_MS": "1000"}
    with (
        make(redis_program, tmp_path) as form,
        serving(tmp_path, form.url, **settings) as api,
        played_on(api, may_go_back=True) as crowd,
    ):
        for fails, comes_back in (("kill", "start"), ("suspend", "resume")):
            key = f"skye:{{{crowd.matches[-1][0].game}}}:table"
            lost = form.master(key)
            getattr(lost, fails)()
            assert waited_for(lambda key=key, lost=lost: form.master(key) is not lost)
            failed_over = time.time()
            play_goes_on_at_every_game(crowd, failed_over)
            getattr(lost, comes_back)()
            play_goes_on_at_every_game(crowd, time.time())
            form.wait_until_whole()
