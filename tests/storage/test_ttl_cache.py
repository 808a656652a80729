"""The TTL cache: single-flight loading, invalidation, and values newer than a time."""

import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
import redis

from service.storage import ttl_cache as looking_up
from service.storage.ttl_cache import TtlCache
from tests.support.waiting import MAX_WAIT_S, waited_for


class Looked:
    """A loader; each load waits for permission once `slow` is set."""

    def __init__(self):
        self.value, self.looks, self.slow = "old", 0, False
        self.begun, self.let = threading.Semaphore(0), threading.Semaphore(0)

    def __call__(self):
        self.looks += 1
        if self.slow:
            self.begun.release()
            assert self.let.acquire(timeout=MAX_WAIT_S)
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


class Clock:
    """A clock that the test advances; each reading advances it by a microsecond."""

    def __init__(self):
        self.ahead, self.reads = 100.0, 0

    def __call__(self):
        self.reads += 1
        return self.ahead + self.reads * 1e-6


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(looking_up, "time", SimpleNamespace(monotonic=clock))
    return clock


@pytest.fixture
def looked():
    return Looked()


@pytest.fixture
def threads():
    with ThreadPoolExecutor(4) as threads:
        yield threads


def waiting(threads, looked, ask):
    """Start a caller in a thread, and return its future when the lookup has begun."""
    asked = threads.submit(ask)
    assert looked.begun.acquire(timeout=MAX_WAIT_S)
    return asked


def joining(threads, number, clock, ask):
    """Start more callers in threads, and return their futures when each has begun to wait."""
    reads = clock.reads + number
    asked = [threads.submit(ask) for _ in range(number)]
    assert waited_for(lambda: clock.reads >= reads)
    return asked


def test_fresh_value_is_looked_up_once(looked, clock):
    lookup = TtlCache(looked, 2.0)
    for _ in range(3):
        assert lookup.get() == "old"
        clock.ahead += 0.5
    assert looked.looks == 1
    looked.value = "new"
    clock.ahead += 1
    assert lookup.get() == "new"


def test_invalidated_value_is_not_returned_during_its_refresh(looked, threads, clock):
    lookup = TtlCache(looked, 60.0)
    assert lookup.get() == "old"
    looked.value, looked.slow = "new", True
    lookup.invalidate()
    one = waiting(threads, looked, lookup.get)
    others = joining(threads, 3, clock, lookup.get)
    looked.let.release(4)
    assert [asked.result(MAX_WAIT_S) for asked in (one, *others)] == ["new"] * 4
    assert looked.looks == 2


def test_value_invalidated_during_its_refresh_is_refreshed_again(looked, threads):
    looked.slow = True
    lookup = TtlCache(looked, 60.0)
    one = waiting(threads, looked, lookup.get)
    lookup.invalidate()
    looked.let.release(2)
    assert one.result(MAX_WAIT_S) == "old"
    looked.value = "new"
    assert lookup.get() == "new"


def test_stale_value_is_returned_during_its_refresh_up_to_a_limit(looked, threads, clock):
    lookup = TtlCache(looked, 2.0)
    lookup.get()
    looked.value, looked.slow = "new", True
    clock.ahead += 3
    one = waiting(threads, looked, lookup.get)
    assert lookup.get() == "old"
    clock.ahead += 2
    (other,) = joining(threads, 1, clock, lookup.get)
    assert not other.done()
    looked.let.release(2)
    assert [one.result(MAX_WAIT_S), other.result(MAX_WAIT_S)] == ["new"] * 2


def test_caller_that_needs_a_newer_value_waits_for_its_lookup(looked, threads, clock):
    lookup = TtlCache(looked, 60.0)
    looked.slow = True
    one = waiting(threads, looked, lookup.get)
    since = clock()
    others = joining(threads, 3, clock, lambda: lookup.get(since))
    looked.let.release()
    assert one.result(MAX_WAIT_S) == "old"
    assert looked.begun.acquire(timeout=MAX_WAIT_S)  # for one of the three, after that time
    looked.value = "new"
    looked.let.release()
    assert [asked.result(MAX_WAIT_S) for asked in others] == ["new"] * 3
    assert looked.looks == 2


def test_failed_lookup_fails_all_waiters_and_is_retried_next(looked, threads, clock):
    lookup = TtlCache(looked, 60.0)
    looked.value, looked.slow = redis.TimeoutError("away"), True
    one = waiting(threads, looked, lookup.get)
    others = joining(threads, 2, clock, lookup.get)
    looked.let.release(3)
    for each in (one, *others):
        with pytest.raises(redis.TimeoutError, match="away"):
            each.result(MAX_WAIT_S)
    assert looked.looks == 1
    looked.value, looked.slow = "there", False
    assert [lookup.get(), lookup.get()] == ["there", "there"]
