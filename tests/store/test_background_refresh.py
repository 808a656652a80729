"""A value that is loaded in the background: callers wait only where a known value may not be used."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis

from skye_server.store.connection.topology import BackgroundRefresh
from tests.support.waiting import MAX_WAIT_S, waited_for


class Source:
    """What is loaded: `value`, or `error`; while `gate` is cleared, loading waits."""

    def __init__(self):
        self.value, self.error, self.loads = "first", None, 0
        self.gate = threading.Event()
        self.gate.set()

    def load(self):
        self.loads += 1
        value, error = self.value, self.error
        assert self.gate.wait(MAX_WAIT_S)
        if error is not None:
            raise error
        return value


@pytest.fixture
def now(monkeypatch):
    """The time, as a list of one; it stands still unless a test advances it."""
    time = [100.0]
    monkeypatch.setattr("skye_server.store.connection.topology.time.monotonic", lambda: time[0])
    return time


@pytest.fixture
def source():
    source = Source()
    yield source
    source.gate.set()


@pytest.fixture
def cached(source, now):  # noqa: ARG001 - it sets the clock
    """The value, which is fresh for one second."""
    cached = BackgroundRefresh(source.load, 1.0)
    assert cached.get() == "first"
    return cached


def test_fresh_value_is_not_loaded_again(cached, source, now):
    now[0] += 0.9
    assert [cached.get(), cached.get()] == ["first", "first"]
    assert source.loads == 1


def test_old_value_is_returned_at_once_while_it_is_loaded_again(cached, source, now):
    now[0] += 1.5
    source.value = "second"
    source.gate.clear()
    assert [cached.get(), cached.get()] == ["first", "first"]
    source.gate.set()
    assert waited_for(lambda: cached.get() == "second")
    assert source.loads == 2


def test_value_that_was_not_asked_for_long_is_loaded_first(cached, source, now):
    now[0] += 10
    source.value = "second"
    assert cached.get() == "second"


def test_invalidated_value_is_loaded_first(cached, source, now):
    now[0] += 0.1
    source.value = "second"
    cached.invalidate()
    assert cached.get() == "second"


def test_value_since_a_moment_is_loaded_after_it(cached, source, now):
    now[0] += 0.1
    source.value = "second"
    assert cached.get(since=now[0]) == "second"


def test_error_is_raised_and_the_next_call_loads_again(cached, source, now):
    now[0] += 0.1
    cached.invalidate()
    source.error = redis.ConnectionError("no node responds")
    with pytest.raises(redis.ConnectionError, match="no node responds"):
        cached.get()
    source.error = None
    now[0] += 0.1
    assert cached.get() == "first"


def test_malformed_reply_is_an_error_of_redis(cached, source, now):
    now[0] += 0.1
    cached.invalidate()
    source.error = AttributeError("no such method")
    with pytest.raises(redis.InvalidResponse, match="malformed reply"):
        cached.get()


def test_caller_that_is_overtaken_by_a_whole_load_uses_it(cached, source, now):
    class Overtaken:
        """A mutex that lets another caller load the value before its first holder has it."""

        def __init__(self, mutex):
            self.mutex, self.overtaken = mutex, False

        def __enter__(self):
            if not self.overtaken:
                self.overtaken = True
                cached.get()
            return self.mutex.__enter__()

        def __exit__(self, *error):
            return self.mutex.__exit__(*error)

    now[0] += 0.1
    cached.invalidate()
    cached._mutex = Overtaken(cached._mutex)  # noqa: SLF001 - forces the interleaving
    assert cached.get() == "first"
    assert source.loads == 2


def test_concurrent_callers_share_one_load(source, now):  # noqa: ARG001 - the clock stands still
    cached = BackgroundRefresh(source.load, 1.0)
    source.gate.clear()
    with ThreadPoolExecutor(4) as threads:
        waiting = [threads.submit(cached.get) for _ in range(4)]
        assert waited_for(lambda: source.loads == 1)
        source.gate.set()
        assert [each.result(MAX_WAIT_S) for each in waiting] == ["first"] * 4
    assert source.loads == 1
