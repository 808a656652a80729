"""A server that hangs: one call at a time tries it, and the others are told at once."""

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis

from service.storage.circuit_breaker import CircuitBreaker

SERVER, OTHER = redis.Redis(port=1), redis.Redis(port=2)


def hang(_server):
    raise redis.TimeoutError("hangs")


def answer(_server):
    return "answer"


@pytest.fixture
def frozen():
    """What is known after a server did not answer in time."""
    frozen = CircuitBreaker()
    with pytest.raises(redis.TimeoutError, match="hangs"):
        frozen.call(SERVER, hang)
    return frozen


@pytest.fixture
def trying(frozen):
    """A call that hangs until it is let; what becomes of it."""
    begun, let = threading.Event(), threading.Event()

    def wait(_server):
        begun.set()
        assert let.wait(60)
        return "late"

    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(frozen.call, SERVER, wait)
        assert begun.wait(60)
        yield let, running
        let.set()


@pytest.mark.usefixtures("trying")
def test_while_one_tries_the_others_fail_at_once_and_other_servers_are_asked(frozen):
    for _ in range(3):
        with pytest.raises(redis.TimeoutError, match="another call is trying it"):
            frozen.call(SERVER, answer)
    assert frozen.call(OTHER, answer) == "answer"


def test_once_it_answers_all_may_ask(frozen, trying):
    let, running = trying
    let.set()
    assert running.result(60) == "late"
    assert frozen.call(SERVER, lambda _server: frozen.call(SERVER, answer)) == "answer"


def test_one_after_the_other_may_try(frozen):
    for _ in range(3):
        with pytest.raises(redis.TimeoutError, match="hangs"):
            frozen.call(SERVER, hang)
    assert frozen.call(SERVER, answer) == "answer"


def test_a_server_that_is_gone_hangs_nobody(frozen):
    def refuse(_server):
        raise redis.ConnectionError("refused")

    def both(_server):
        with pytest.raises(redis.ConnectionError, match="refused"):
            frozen.call(SERVER, refuse)
        refuse(_server)

    with pytest.raises(redis.ConnectionError, match="refused"):
        frozen.call(SERVER, refuse)
    with pytest.raises(redis.ConnectionError, match="refused"):
        frozen.call(SERVER, both)


def test_what_breaks_while_trying_lets_the_next_one_try(frozen):
    with pytest.raises(ZeroDivisionError):
        frozen.call(SERVER, lambda _server: 1 / 0)
    assert frozen.call(SERVER, answer) == "answer"


def test_a_server_that_nobody_calls_any_more_is_forgotten():
    frozen, replaced = CircuitBreaker(), redis.Redis(port=3)
    with pytest.raises(redis.TimeoutError):
        frozen.call(replaced, hang)
    gone = weakref.ref(replaced)
    del replaced
    gc.collect()
    assert gone() is None
