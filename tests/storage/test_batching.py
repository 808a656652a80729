"""Sending commands together: each is told its own, and is done once, whatever becomes of the others."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.storage.batching import BatchingRedis
from tests.deploy.servers import waited_for

LONG_S = 60
GATE = ("BLPOP", "gate", LONG_S)
"""What keeps Redis from answering until the gate is opened."""


class Counted(redis.Connection):
    """A connection that counts how often something is sent."""

    sent = 0

    def send_packed_command(self, *args, **kwargs):
        Counted.sent += 1
        return super().send_packed_command(*args, **kwargs)


def client_of(server, max_wait_s=LONG_S, kind=BatchingRedis):
    return kind(
        connection_pool=redis.ConnectionPool.from_url(
            server.url, connection_class=Counted, retry=Retry(NoBackoff(), 0), socket_timeout=LONG_S
        ),
        max_wait_s=max_wait_s,
    )


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
    """Keep the client busy until somebody pushes to the gate."""
    blocked = threads.submit(client.execute_command, *GATE)
    assert waited_for(lambda: redis_client.info("clients")["blocked_clients"] == 1, 60)
    return blocked


def gathered(threads, client, redis_client, *commands):
    """Return what commands are told that wait for one before them, and then are sent together."""
    blocked = shut_gate(threads, client, redis_client)
    told = []
    for number, command in enumerate(commands, 1):
        told.append(threads.submit(client.execute_command, *command))
        assert waited_for(lambda number=number: client.queued == number, 60)
    Counted.sent = 0
    redis_client.lpush("gate", "open")
    assert blocked.result()[1] == b"open"
    return [answer.exception() or answer.result() for answer in told]


def test_who_comes_alone_sends_alone(client):
    assert client.set("a", 1) is True
    assert [client.get("a"), client.get("z")] == [b"1", None]


def test_those_who_come_meanwhile_are_sent_together_and_each_is_told_its_own(threads, client, redis_client):
    redis_client.mset({"a": "A", "b": "B"})
    commands = [("GET", "b"), ("SET", "c", "C"), ("GET", "c"), ("GET", "z"), ("MGET", "a", "b"), ("GET", "b")]
    told = gathered(threads, client, redis_client, *commands)
    assert told == [b"B", True, b"C", None, [b"A", b"B"], b"B"]
    assert Counted.sent == 1


def test_a_single_one_who_waits_is_told_too(threads, client, redis_client):
    assert gathered(threads, client, redis_client, ("INCR", "n")) == [1]
    assert isinstance(gathered(threads, client, redis_client, ("LPUSH", "n", 1))[0], redis.ResponseError)


def test_a_refusal_is_told_to_whom_it_is_for(threads, client, redis_client):
    one, refused, two = gathered(
        threads, client, redis_client, ("INCR", "n"), ("LPUSH", "n", 1), ("INCR", "n")
    )
    assert (one, two) == (1, 2)
    assert "WRONGTYPE" in str(refused)


def test_each_is_done_once(threads, client, redis_client):
    told = gathered(threads, client, redis_client, *[("INCR", "n")] * 35)  # more than are sent at a time
    assert sorted(told) == list(range(1, 36))
    assert redis_client.get("n") == b"35"
    assert client.queued == 0


def test_when_the_connection_breaks_all_are_told_so_and_the_next_is_served(threads, client, redis_client):
    kill = ("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "no")
    told = gathered(threads, client, redis_client, ("INCR", "n"), kill, ("INCR", "n"))
    assert all(isinstance(answer, redis.ConnectionError) for answer in (told[0], told[2])), told
    assert client.incr("m") == 1


def test_who_waits_in_vain_sends_alone(threads, redis_server, redis_client):
    with client_of(redis_server, max_wait_s=0) as client:
        blocked = shut_gate(threads, client, redis_client)
        assert client.incr("n") == 1
        assert not blocked.done()
        redis_client.lpush("gate", "open")
        blocked.result()
        assert client.incr("n") == 2
    assert client.queued == 0


class Interrupted(BatchingRedis):
    """A client whose leader is broken off just when it is to send for all."""

    def pipeline(self, **_options):
        raise KeyboardInterrupt


def test_when_the_one_who_sends_is_broken_off_the_others_are_told_so(threads, redis_server, redis_client):
    with client_of(redis_server, kind=Interrupted) as client:
        told = gathered(threads, client, redis_client, ("INCR", "n"), ("INCR", "n"))
        assert isinstance(told[0], KeyboardInterrupt)
        assert isinstance(told[1], redis.ConnectionError)
        assert client.incr("n") == 1


@pytest.mark.usefixtures("redis_client")
def test_many_at_once_are_all_answered(threads, redis_server):
    with client_of(redis_server, max_wait_s=0.1) as client:
        names = [f"key{number}" for number in range(500)]
        assert all(threads.map(lambda name: client.set(name, name), names))
        assert list(threads.map(client.get, names)) == [name.encode() for name in names]
        assert sorted(threads.map(lambda _: client.incr("n"), range(500))) == list(range(1, 501))
        assert client.queued == 0
