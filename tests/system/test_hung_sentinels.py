"""Play goes on with the known master while no Sentinel responds."""

import time

import pytest

from tests.support.waiting import waited_for
from tests.system.redis_forms import NO_FAILOVER_MS, Sentinels
from tests.system.storm_on_redis import play_goes_on_at_every_game, played_on, serving

pytestmark = pytest.mark.slow

ACTIONS = 100


def test_no_request_fails_while_all_sentinels_are_suspended(redis_program, tmp_path):
    with (
        Sentinels(redis_program, tmp_path, NO_FAILOVER_MS) as form,
        serving(tmp_path, form.url, SKYE_REDIS_REPLICAS="3") as api,
        played_on(api) as crowd,
    ):
        for sentinel in form.sentinels:
            sentinel.suspend()
        before = crowd.counts.copy()
        assert waited_for(lambda: crowd.wrong or (crowd.counts - before)[200] >= ACTIONS)
        assert crowd.counts[503] == 0
        for sentinel in form.sentinels:
            sentinel.resume()
        play_goes_on_at_every_game(crowd, time.time())
