"""The budgets of rate limits."""

import time

import fakeredis
import pytest

from skye_server.http.rate_limits import Budget, RateLimiter
from skye_server.store.redis_store import RedisStore
from tests.http.rate_limited import Away
from tests.support.playing import Service
from tests.support.waiting import MAX_WAIT_S, waited_for

pytestmark = pytest.mark.usefixtures("stopped_clock")

WINDOW_S = 6000
"""A window in which the time that a test takes refills next to nothing."""


@pytest.fixture
def limiter(any_redis):
    return RateLimiter(RedisStore(any_redis))


def test_whole_budget_can_be_spent_at_once(limiter):
    allowances = [limiter.spend(Budget("tests", 3), "ann") for _ in range(4)]
    assert [allowance.allowed for allowance in allowances] == [True, True, True, False]
    assert [allowance.left for allowance in allowances] == [2, 1, 0, 0]


def test_spent_budget_has_times_of_next_request_and_full_refill(limiter):
    budget = Budget("tests", 3, window_s=WINDOW_S)
    first = limiter.spend(budget, "ann")
    assert (first.wait_s, first.reset_s) == (0, WINDOW_S / 3)
    for _ in range(2):
        limiter.spend(budget, "ann")
    refused = limiter.spend(budget, "ann")
    assert WINDOW_S / 3 - MAX_WAIT_S < refused.wait_s <= WINDOW_S / 3
    assert WINDOW_S - MAX_WAIT_S < refused.reset_s <= WINDOW_S


def let_pass(redis, seconds):
    """Move the time that Ann's bucket stores back by a number of seconds."""
    redis.decrby("skye:bucket:tests:ann", seconds * 1_000_000)


def test_budget_is_refilled_gradually(any_redis, limiter):
    budget = Budget("tests", 2, window_s=WINDOW_S)
    assert limiter.spend(budget, "ann").allowed
    assert limiter.spend(budget, "ann").allowed
    let_pass(any_redis, WINDOW_S // 6)
    assert not limiter.spend(budget, "ann").allowed
    let_pass(any_redis, WINDOW_S * 5 // 12)
    assert limiter.spend(budget, "ann").allowed
    assert not limiter.spend(budget, "ann").allowed


def test_budget_is_refilled_as_time_passes(limiter, monkeypatch):
    monkeypatch.undo()
    budget = Budget("tests", 1, window_s=0.4)
    begun = time.monotonic()
    limiter.spend(budget, "ann")
    assert waited_for(lambda: limiter.spend(budget, "ann").allowed)
    assert time.monotonic() - begun > 0.39


def test_refused_request_costs_nothing(any_redis, limiter):
    budget = Budget("tests", 1, window_s=WINDOW_S)
    limiter.spend(budget, "ann")
    assert not any(limiter.spend(budget, "ann").allowed for _ in range(10))
    let_pass(any_redis, WINDOW_S + 1)
    assert limiter.spend(budget, "ann").allowed


def test_everybody_has_a_budget_of_each_kind(limiter):
    assert limiter.spend(Budget("tests", 1), "ann").allowed
    assert limiter.spend(Budget("tests", 1), "bob").allowed
    assert limiter.spend(Budget("games", 1), "ann").allowed
    assert not limiter.spend(Budget("tests", 1), "ann").allowed


def test_two_instances_spend_the_same_budget(any_redis):
    one, other = RateLimiter(RedisStore(any_redis)), RateLimiter(RedisStore(any_redis))
    assert one.spend(Budget("tests", 1), "ann").allowed
    assert not other.spend(Budget("tests", 1), "ann").allowed


def test_bucket_expires_when_it_is_empty(any_redis, limiter):
    limiter.spend(Budget("tests", 4, window_s=WINDOW_S), "ann")
    assert any_redis.keys() == [b"skye:bucket:tests:ann"]
    quarter_ms = WINDOW_S * 1000 / 4
    assert quarter_ms - MAX_WAIT_S * 1000 < any_redis.pttl("skye:bucket:tests:ann") <= quarter_ms


def test_clock_that_is_set_back_blocks_no_request(any_redis, limiter):
    an_hour_ahead = (int(time.time()) + 3600) * 1_000_000
    any_redis.set("skye:bucket:tests:ann", an_hour_ahead)
    assert limiter.spend(Budget("tests", 1), "ann").allowed


@pytest.mark.usefixtures("naps")
def test_limiter_without_its_store_counts_by_itself_after_one_call():
    store = Away(fakeredis.FakeRedis())
    limiter = RateLimiter(store)
    allowances = [limiter.spend(Budget("tests", 3), "ann").allowed for _ in range(5)]
    assert allowances == [True, True, True, False, False]
    assert limiter.spend(Budget("tests", 3), "bob").allowed
    assert store.asked == 1


@pytest.mark.parametrize(
    ("setting", "value"), [("maxmemory", 1), ("min-replicas-to-write", 1)], ids=["full", "no replicas"]
)
def test_limiter_while_redis_refuses_writes_still_limits(redis_client, setting, value):
    service = Service(redis_client, limits=True, limit_requests_per_minute=2)
    redis_client.config_set(setting, value)
    try:
        answers = [service.call("GET", "/v1/tiles").status_code for _ in range(4)]
    finally:
        redis_client.config_set(setting, 0)
    assert answers == [200, 200, 429, 429]


def test_request_costs_more_than_one_of_the_budget(limiter):
    budget = Budget("tests", 6, window_s=WINDOW_S)
    allowances = [limiter.spend(budget, "ann", cost=4) for _ in range(2)]
    assert [(allowance.allowed, allowance.left) for allowance in allowances] == [(True, 2), (False, 2)]
    assert WINDOW_S / 3 - MAX_WAIT_S < allowances[1].wait_s <= WINDOW_S / 3


def test_request_that_costs_more_than_the_limit_needs_a_full_budget(limiter):
    assert limiter.spend(Budget("tests", 2), "ann", cost=9).allowed
    assert not limiter.spend(Budget("tests", 2), "ann", cost=9).allowed
