"""Batching: each caller receives its own reply, and each command is executed once."""

import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from skye_server.store.connection.batching import BatchingRedis, read_together
from tests.support.waiting import MAX_WAIT_S, waited_for

GATE = ("BLPOP", "gate", MAX_WAIT_S)
"""A blocking command: Redis does not reply until an element is pushed to the list."""


class CountingConnection(redis.Connection):
    """A connection that counts its writes."""

    sent = 0

    def send_packed_command(self, *args, **kwargs):
        CountingConnection.sent += 1
        return super().send_packed_command(*args, **kwargs)


@contextmanager
def client_of(server, max_wait_s=MAX_WAIT_S, kind=BatchingRedis):
    pool = redis.ConnectionPool.from_url(
        server.url,
        connection_class=CountingConnection,
        retry=Retry(NoBackoff(), 0),
        socket_timeout=MAX_WAIT_S,
    )
    with pool, kind(connection_pool=pool, max_wait_s=max_wait_s) as client:
        yield client


@pytest.fixture
def client(redis_server, redis_client):
    redis_client.set("n", 0)
    with client_of(redis_server) as client:
        yield client


@pytest.fixture
def threads():
    with ThreadPoolExecutor(40) as threads:
        yield threads


def shut_gate(threads, client, redis_client):
    """Block the client until an element is pushed to the gate."""
    blocked = threads.submit(client.execute_command, *GATE)
    assert waited_for(lambda: redis_client.info("clients")["blocked_clients"] == 1)
    return blocked


@contextmanager
def stopped(process):
    """Suspend a process."""
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


def batched(threads, client, redis_client, *commands):
    """Return the replies of commands that wait for a call in progress and are then sent as one batch."""
    blocked = shut_gate(threads, client, redis_client)
    calls = []
    for number, command in enumerate(commands, 1):
        calls.append(threads.submit(client.execute_command, *command))
        assert waited_for(lambda number=number: client.queued == number)
    CountingConnection.sent = 0
    redis_client.lpush("gate", "open")
    assert blocked.result()[1] == b"open"
    return [call.exception() or call.result() for call in calls]


def test_single_command_is_sent_without_a_pipeline(client):
    assert client.set("a", 1) is True
    assert [client.get("a"), client.get("z")] == [b"1", None]


def test_writes_that_arrive_during_a_call_share_one_pipeline(threads, client, redis_client):
    commands = [("SET", "c", "C"), ("GETSET", "c", "D"), ("LPOP", "z"), ("GETDEL", "c"), ("INCR", "n")]
    replies = batched(threads, client, redis_client, *commands)
    assert replies == [True, b"C", None, b"D", 1]
    assert CountingConnection.sent == 1


def test_reads_that_arrive_during_a_call_share_one_pipeline(threads, client, redis_client, redis_server):
    redis_client.mset({"a": "A", "b": "B"})
    assert client.get("a") == b"A"
    CountingConnection.sent = 0
    with stopped(redis_server.process):
        calls = [threads.submit(client.get, "a")]
        assert waited_for(lambda: CountingConnection.sent == 1)
        for number, keys in enumerate(["b", "z", "ab"], 1):
            calls.append(threads.submit(client.mget, *keys))
            assert waited_for(lambda number=number: client.queued == number)
    assert [call.result(MAX_WAIT_S) for call in calls] == [b"A", [b"B"], [None], [b"A", b"B"]]
    assert CountingConnection.sent == 2


def test_reads_of_one_caller_share_the_pipeline_of_others(threads, client, redis_client, redis_server):
    redis_client.mset({"a": "A", "b": "B"})
    assert read_together(client, [("GET", "a"), ("GET", "z")]) == [b"A", None]
    CountingConnection.sent = 0
    with stopped(redis_server.process):
        calls = [threads.submit(client.get, "a")]
        assert waited_for(lambda: CountingConnection.sent == 1)
        for number, keys in enumerate(["ab", "z", "ba"], 1):
            calls.append(threads.submit(read_together, client, [("GET", key) for key in keys]))
            assert waited_for(lambda number=number: client.queued == number)
    assert [call.result(MAX_WAIT_S) for call in calls] == [b"A", [b"A", b"B"], [None], [b"B", b"A"]]
    assert CountingConnection.sent == 2


def test_error_reply_to_one_of_several_reads_is_raised(client, redis_client):
    redis_client.lpush("list", 1)
    with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
        read_together(client, [("GET", "n"), ("GET", "list")])
    assert client.get("n") == b"0"


def test_single_waiting_command_receives_its_reply(threads, client, redis_client):
    assert batched(threads, client, redis_client, ("INCR", "n")) == [1]
    assert isinstance(batched(threads, client, redis_client, ("LPUSH", "n", 1))[0], redis.ResponseError)


def test_error_reply_is_raised_in_its_own_caller_only(threads, client, redis_client):
    one, refused, two = batched(
        threads, client, redis_client, ("INCR", "n"), ("LPUSH", "n", 1), ("INCR", "n")
    )
    assert (one, two) == (1, 2)
    assert "WRONGTYPE" in str(refused)


def test_each_command_of_a_batch_is_executed_once(threads, client, redis_client):
    replies = batched(threads, client, redis_client, *[("INCR", "n")] * 35)  # more than are sent at a time
    assert sorted(replies) == list(range(1, 36))
    assert redis_client.get("n") == b"35"
    assert client.queued == 0


def test_broken_connection_fails_the_batch_and_not_the_next_call(threads, client, redis_client):
    kill = ("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "no")
    replies = batched(threads, client, redis_client, ("INCR", "n"), kill, ("INCR", "n"))
    assert all(isinstance(reply, redis.ConnectionError) for reply in (replies[0], replies[2])), replies
    assert client.incr("m") == 1


def test_caller_that_waits_too_long_sends_its_command_itself(threads, redis_server, redis_client):
    with client_of(redis_server, max_wait_s=0) as client:
        blocked = shut_gate(threads, client, redis_client)
        assert client.incr("n") == 1
        assert not blocked.done()
        redis_client.lpush("gate", "open")
        blocked.result()
        assert client.incr("n") == 2
    assert client.queued == 0


class InterruptedSender(BatchingRedis):
    """A client whose sender is interrupted just before it sends the batch."""

    def pipeline(self, **_options):
        raise KeyboardInterrupt


def test_killed_sender_fails_the_other_callers_of_its_batch(threads, redis_server, redis_client):
    with client_of(redis_server, kind=InterruptedSender) as client:
        replies = batched(threads, client, redis_client, ("INCR", "n"), ("INCR", "n"))
        assert isinstance(replies[0], KeyboardInterrupt)
        assert isinstance(replies[1], redis.ConnectionError)
        assert client.incr("n") == 1


@pytest.mark.usefixtures("redis_client")
def test_many_concurrent_commands_all_receive_their_replies(threads, redis_server):
    with client_of(redis_server, max_wait_s=0.1) as client:
        names = [f"key{number}" for number in range(500)]
        assert all(threads.map(lambda name: client.set(name, name), names))
        assert list(threads.map(client.get, names)) == [name.encode() for name in names]
        assert sorted(threads.map(lambda _: client.incr("n"), range(500))) == list(range(1, 501))
        assert client.queued == 0


def test_read_does_not_wait_for_a_paused_write(threads, client, redis_client):
    redis_client.client_pause(MAX_WAIT_S * 1000, all=False)
    try:
        written = threads.submit(client.incr, "n")
        assert waited_for(lambda: redis_client.info("clients")["blocked_clients"] == 1)
        waiting = threads.submit(client.incr, "n")
        assert waited_for(lambda: client.queued == 1)
        assert client.get("n") == b"0"
        assert not written.done()
        assert not waiting.done()
    finally:
        redis_client.client_unpause()
    assert [written.result(MAX_WAIT_S), waiting.result(MAX_WAIT_S)] == [1, 2]
