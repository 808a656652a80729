"""Circuit breaker: one call probes an unresponsive server, the others fail at once."""

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis

from skye_server.store.connection.calls import CircuitBreaker
from tests.support.waiting import MAX_WAIT_S

SERVER, OTHER = redis.Redis(port=1), redis.Redis(port=2)


def call(breaker, server, error=None):
    """Make a call that returns "reply" or raises an error."""
    with breaker.guard(server):
        if error is not None:
            raise error
        return "reply"


@pytest.fixture
def breaker():
    """A breaker whose circuit for `SERVER` is open."""
    breaker = CircuitBreaker()
    with pytest.raises(redis.TimeoutError, match="hangs"):
        call(breaker, SERVER, redis.TimeoutError("hangs"))
    return breaker


@pytest.fixture
def probe(breaker):
    """A probe in flight: the event that ends it, and its future."""
    began, ended = threading.Event(), threading.Event()

    def wait():
        with breaker.guard(SERVER):
            began.set()
            assert ended.wait(MAX_WAIT_S)
            return "late"

    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(wait)
        assert began.wait(MAX_WAIT_S)
        yield ended, running
        ended.set()


@pytest.mark.usefixtures("probe")
def test_call_during_a_probe_fails_at_once(breaker):
    for _ in range(3):
        with pytest.raises(redis.TimeoutError, match="circuit open"):
            call(breaker, SERVER)


@pytest.mark.usefixtures("probe")
def test_call_to_another_server_during_a_probe_succeeds(breaker):
    assert call(breaker, OTHER) == "reply"


def test_successful_probe_closes_the_circuit(breaker, probe):
    ended, running = probe
    ended.set()
    assert running.result(MAX_WAIT_S) == "late"
    with breaker.guard(SERVER):
        assert call(breaker, SERVER) == "reply"


def test_failed_probe_leaves_the_circuit_open_for_the_next_probe(breaker):
    for _ in range(3):
        with pytest.raises(redis.TimeoutError, match="hangs"):
            call(breaker, SERVER, redis.TimeoutError("hangs"))
    assert call(breaker, SERVER) == "reply"


def test_refused_connection_closes_the_circuit(breaker):
    refused = redis.ConnectionError("refused")
    with pytest.raises(redis.ConnectionError, match="refused"):
        call(breaker, SERVER, refused)
    with pytest.raises(redis.ConnectionError, match="refused"), breaker.guard(SERVER):
        call(breaker, SERVER, refused)


def test_other_error_during_a_probe_lets_the_next_call_probe(breaker):
    with pytest.raises(ZeroDivisionError):
        call(breaker, SERVER, ZeroDivisionError())
    assert call(breaker, SERVER) == "reply"


def test_client_that_is_not_used_any_more_is_forgotten():
    breaker, replaced = CircuitBreaker(), redis.Redis(port=3)
    with pytest.raises(redis.TimeoutError):
        call(breaker, replaced, redis.TimeoutError("hangs"))
    forgotten = weakref.ref(replaced)
    del replaced
    gc.collect()
    assert forgotten() is None
