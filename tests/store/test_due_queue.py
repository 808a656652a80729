"""The due queue: entries are claimed when they are due, and each by one dispatcher at a time."""

import itertools
import threading
import time

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from skye_server.error_codes import Problem
from skye_server.games.due import Due
from skye_server.store.connection.calls import RedisCalls, RetryPolicy
from skye_server.store.due_queue import DueQueue, shard_of_entry
from skye_server.store.lua_scripts import MAX_WAIT_MS
from skye_server.store.redis_store import RedisStore
from skye_server.store.shards import SHARDS, shard_key

ALL = {"game": 100, "webhook": 100}


@pytest.fixture
def queue(any_redis, stopped_clock):
    del stopped_clock  # by which leases would expire
    return RedisStore(any_redis).due


def claimed(queue, now_ms, limits=ALL):
    return sorted((claim.kind, claim.id) for claim in queue.claim(now_ms, limits).claims)


@pytest.fixture
def pass_a_millisecond(stopped_clock):
    """Pass the millisecond in which two leases would be equal, on the clocks of both Redis servers."""

    def pass_it():
        time.sleep(0.002)
        stopped_clock(0.002)

    return pass_it


def pass_leases(any_redis):
    """Let all leases expire."""
    for key in any_redis.keys("*}:leases"):
        for member in any_redis.zrange(key, 0, -1):
            any_redis.zadd(key, {member: 1})


def test_entry_is_claimed_once_when_it_is_due(queue):
    queue.add(Due("game", "a", 1000))
    assert claimed(queue, 999) == []
    assert claimed(queue, 1000) == [("game", "a")]
    assert claimed(queue, 2000) == []


def test_earlier_of_two_times_counts(queue):
    for due_ms in (2000, 1000, 3000):
        queue.add(Due("game", "a", due_ms))
    assert claimed(queue, 1000) == [("game", "a")]


def test_kinds_are_claimed_separately(queue):
    queue.add(Due("game", "a", 1))
    queue.add(Due("webhook", "a", 1))
    assert claimed(queue, 1, {"webhook": 1}) == [("webhook", "a")]
    assert claimed(queue, 1) == [("game", "a")]


def test_shards_together_give_as_many_as_are_asked_for(queue):
    for number in range(200):
        queue.add(Due("game", str(number), number))
    first = claimed(queue, 200, {"game": 20})
    assert len(first) == 20
    rest = [*first, *claimed(queue, 200, {"game": 500})]
    assert sorted(rest) == sorted(("game", str(number)) for number in range(200))


def test_part_before_the_slash_names_the_shard(queue, any_redis):
    for entry in ("a", "a/b", "a/c/d"):
        queue.add(Due("webhook", entry, 1))
    assert any_redis.zcard(shard_key(shard_of_entry("a"), "due.webhook")) == 3


def test_finished_entry_is_due_again_at_the_given_time(queue):
    queue.add(Due("game", "a", 1))
    queue.finish(*queue.claim(1, ALL).claims, 1000)
    assert claimed(queue, 999) == []
    claim = queue.claim(1000, ALL).claims[0]
    queue.finish(claim, None)
    assert claimed(queue, 10**9) == []


def test_entry_added_while_it_is_handled_is_claimed_after_that(queue):
    queue.add(Due("game", "a", 1))
    (claim,) = queue.claim(1, ALL).claims
    queue.add(Due("game", "a", 2))
    queue.add(Due("game", "a/b", 3))  # of the same shard: not hidden by the entry that must wait
    assert [name for _, name in claimed(queue, 3, {"game": 1})] == ["a/b"]
    queue.finish(claim, 1000)
    assert claimed(queue, 3) == [("game", "a")]


def test_entry_whose_lease_expires_is_claimed_again(queue, any_redis, pass_a_millisecond):
    queue.add(Due("game", "a", 1))
    (lost,) = queue.claim(1, ALL).claims
    pass_leases(any_redis)
    pass_a_millisecond()
    (claim,) = queue.claim(5, ALL).claims
    queue.finish(lost, None)  # by the dispatcher that was suspended
    assert queue.renew([lost])
    queue.finish(lost, 7)
    assert claimed(queue, 10**9) == []
    queue.finish(claim, 9)
    assert claimed(queue, 8) == []
    assert claimed(queue, 9) == [("game", "a")]


def test_renewed_lease_lasts_longer(queue, pass_a_millisecond):
    queue.add(Due("game", "a", 1))
    claims = queue.claim(1, ALL).claims
    pass_a_millisecond()
    ((_, renewed),) = queue.renew(claims)
    assert int(renewed.lease) > int(claims[0].lease)
    queue.finish(claims[0], None)
    queue.finish(renewed, 2)
    assert claimed(queue, 2) == [("game", "a")]


def test_dispatcher_is_alive_for_a_while_after_its_heartbeat(queue):
    queue.beat("one", 1_000)
    queue.beat("two", 5_000)
    assert [queue.dispatchers(now_ms) for now_ms in (5_000, 6_500, 60_000)] == [2, 1, 0]
    queue.leave("two")
    assert queue.dispatchers(5_000) == 1


def test_backlog_counts_entries_and_the_delay_of_the_first(queue):
    for number in range(1, 20):
        queue.add(Due("game", str(number), 100 * number))
    assert queue.backlog(1100) | {"game": (19, 1.0)} == queue.backlog(1100)
    assert queue.backlog(50)["game"] == (19, 0)
    assert queue.backlog(50)["bot"] == (0, 0)


def test_backlog_counts_what_dispatchers_handle(queue):
    for number in range(1, 20):
        queue.add(Due("game", str(number), 100 * number))
    assert len(claimed(queue, 500, {"game": 20})) == 5
    assert queue.claimed() == {"game": 5}
    assert queue.backlog(500)["game"] == (19, 0)


def test_value_of_another_type_hides_no_other_entries(queue, any_redis):
    for number in range(100):
        queue.add(Due("game", str(number), number))
    any_redis.set(shard_key(shard_of_entry("0"), "due.game"), "broken")
    assert 90 < len(claimed(queue, 200, {"game": 200})) < 100
    assert queue.backlog(200)["game"][1] == 0


def test_claim_returns_when_to_claim_again(queue, any_redis):
    shard = shard_of_entry("a")

    def wait_ms(now_ms, limit=100):
        found = queue.claim(now_ms, {"game": limit})
        assert all(found.waits_ms[other] == MAX_WAIT_MS for other in found.waits_ms if other != shard)
        return found.waits_ms[shard]

    assert wait_ms(0) == MAX_WAIT_MS
    queue.add(Due("game", "a", 20_000))
    assert wait_ms(0) == MAX_WAIT_MS
    assert wait_ms(19_000) == 1_000
    (claim,) = queue.claim(20_000, ALL).claims
    queue.add(Due("game", "a", 20_000))
    assert wait_ms(20_000) == 0
    queue.finish(claim, 22_500)
    assert any_redis.zscore(shard_key(shard, "due.game"), "a") == 20_000
    assert queue.claim(20_000, ALL, [(shard + 1) % SHARDS]).claims == []
    assert queue.claim(20_000, ALL, [shard]).claims


def test_entry_that_becomes_the_first_of_its_shard_is_published(queue, any_redis):
    channel = shard_key(shard_of_entry("a"), "changes")
    changed = threading.Semaphore(0)
    subscriber = RedisStore(any_redis).change_subscriber(lambda _: changed.release())
    subscriber.watch(channel)
    assert changed.acquire(timeout=30)  # the subscription
    for due_ms, is_first in ((1000, True), (2000, False), (900, True)):
        queue.add(Due("game", "a", due_ms))
        assert changed.acquire(timeout=30 if is_first else 0.05) == is_first
    subscriber.stop()


def id_in_shard(shard):
    return next(name for name in map(str, itertools.count()) if shard_of_entry(name) == shard)


class TwoServers:
    """A topology: one server fails, and holds shard 0; the other one holds the other shards."""

    def __init__(self, server):
        self._server, self._failing = server, redis.Redis(port=1, retry=Retry(NoBackoff(), 0))

    def connection_for(self, key, since=0):
        del since
        return self._failing if "{s0}" in key else self._server

    def invalidate(self):
        """Nothing is looked up."""


def test_claims_from_other_servers_are_kept_when_a_server_fails(queue, any_redis):
    entries = [Due("game", f"game{number}", 1000) for number in range(40)]
    for due in [*entries, Due("game", lost := id_in_shard(0), 1000)]:
        queue.add(due)
    found = DueQueue(RedisCalls(TwoServers(any_redis), RetryPolicy(0))).claim(1000, ALL)
    assert lost not in {claim.id for claim in found.claims}
    assert len(found.claims) == len(entries) - sum(shard_of_entry(due.id) == 0 for due in entries)
    assert 0 < found.waits_ms[0] < MAX_WAIT_MS
    with pytest.raises(Problem):
        DueQueue(RedisCalls(TwoServers(any_redis), RetryPolicy(0))).claim(1000, ALL, [0])
