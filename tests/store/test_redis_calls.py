"""Calls to Redis: reads and writes of one server have circuits of their own."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis

from skye_server.error_codes import Problem
from skye_server.store.connection.calls import RedisCalls, RetryPolicy
from skye_server.store.connection.topology import SingleServer
from skye_server.store.shards import key_of
from tests.support.waiting import MAX_WAIT_S

KEY = key_of("ann", "game")


def time_out(_server):
    raise redis.TimeoutError("hangs")


def reply(_server):
    return "reply"


@pytest.fixture
def calls():
    """Calls to one server, without retries."""
    return RedisCalls(SingleServer(redis.Redis(port=1)), RetryPolicy(0))


def read(calls, command):
    return calls.call(KEY, command)


def write(calls, command):
    return calls.call(KEY, command, writes=True)


def write_to_an_index(calls, command):
    return calls.call(KEY, command, writes=True)


KINDS = [(write, read), (write_to_an_index, read), (read, write), (read, write_to_an_index)]


@pytest.mark.parametrize(("probing", "other"), KINDS)
def test_probe_of_one_kind_does_not_hold_up_the_other_kind(calls, probing, other):
    began, ended = threading.Event(), threading.Event()

    def wait(_server):
        began.set()
        assert ended.wait(MAX_WAIT_S)
        return "late"

    with pytest.raises(Problem):
        probing(calls, time_out)
    with ThreadPoolExecutor(1) as threads:
        probe = threads.submit(probing, calls, wait)
        try:
            assert began.wait(MAX_WAIT_S)
            assert other(calls, reply) == "reply"
            with pytest.raises(Problem) as refused:
                probing(calls, reply)
        finally:
            ended.set()
        assert "circuit open" in str(refused.value.__cause__)
        assert probe.result(MAX_WAIT_S) == "late"
    assert probing(calls, reply) == "reply"
