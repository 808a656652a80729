"""Cancelled calls of Redis, with sockets of gevent; each function returns the result.

For a process of its own: `python -m gevent.monkey --module tests.support.disconnects NAME URL` prints that.
"""

import json
import sys
from collections.abc import Callable

import gevent
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from skye_server.redis_url import parse
from skye_server.store.connection.batching import BatchingRedis
from skye_server.store.connection.failures import call_deadline
from skye_server.store.connection.topology import ClusterTopology, SentinelTopology
from tests.support.waiting import MAX_WAIT_S

LONG_S, SHORT_S = MAX_WAIT_S, 0.2
GATE = ("BLPOP", "gate", LONG_S)
"""Delays the replies of Redis until the gate is opened."""


def received(call, *args, seconds=None):
    """Return the result of a call, or the type of its error."""
    try:
        with call_deadline(seconds):
            answer = call(*args)
    except redis.RedisError as error:
        return type(error).__name__
    return answer.decode() if isinstance(answer, bytes) else answer


def until(condition):
    with gevent.Timeout(LONG_S):
        while not condition():
            gevent.sleep(0.01)


class Tried:
    """A client, and the greenlets that use it."""

    def __init__(self, url):
        self._url = url
        options = {"retry": Retry(NoBackoff(), 0), "socket_timeout": LONG_S}
        self._pool = redis.ConnectionPool.from_url(url, **options)
        self.client = BatchingRedis(connection_pool=self._pool, max_wait_s=LONG_S)

    def blocked(self):
        """Return a greenlet whose call gets no reply until the gate is opened."""
        greenlet = gevent.spawn(received, self.client.execute_command, *GATE)
        self.until_gate_is_shut()
        return greenlet

    def until_gate_is_shut(self):
        with redis.Redis.from_url(self._url) as watch:
            until(lambda: watch.info("clients")["blocked_clients"] == 1)

    def open_gate(self):
        with redis.Redis.from_url(self._url) as opener:
            opener.lpush("gate", "open")

    def waiting(self, *args):
        """Return a greenlet that waits until the others have their replies."""
        before = self.client.queued
        greenlet = gevent.spawn(received, self.client.execute_command, *args)
        until(lambda: self.client.queued == before + 1)
        return greenlet

    @property
    def rest(self):
        """The number of waiting calls, of connections in use, and the replies."""
        return [*self.held, received(self.client.echo, "well")]

    @property
    def held(self):
        return [self.client.queued, len(self._pool._in_use_connections)]  # noqa: SLF001 - there is no other access


def break_off(greenlet):
    """Cancel a call as a deadline does; return the result of the call."""
    gevent.kill(greenlet, redis.TimeoutError("broken off"))
    return greenlet.get()


def a_command(url):
    tried = Tried(url)
    return [received(tried.client.execute_command, *GATE, seconds=SHORT_S), *tried.rest]


def a_pipeline(url):
    tried = Tried(url)
    pipeline = tried.client.pipeline(transaction=False)
    pipeline.execute_command(*GATE)
    pipeline.get("n")
    return [received(pipeline.execute, seconds=SHORT_S), *tried.rest]


def a_greeting(url):
    tried = Tried(url)
    return [received(tried.client.get, "n", seconds=SHORT_S), *tried.held]


def lookup_errors(url, timeout_s, seconds):
    """Return the errors of calls that wait for a lookup at Sentinels, and at nodes of a cluster."""
    addresses = url.removeprefix("redis://").removesuffix("/0")
    sentinels = SentinelTopology(parse(f"redis+sentinel://{addresses}/skye"), timeout_s)
    nodes = ClusterTopology(parse(f"redis+cluster://{addresses}"), timeout_s)
    failures = []
    for servers in (sentinels, nodes):
        try:
            with call_deadline(seconds):
                servers.connection_for("key")
        except redis.RedisError as error:
            failures.append(str(error))
    return failures


def a_lookup(url):
    return lookup_errors(url, LONG_S, SHORT_S)


def a_lookup_at_several(url):
    """Exceed the deadline of the lookup, not that of the call."""
    return lookup_errors(url, 6 * SHORT_S, None)


def lone_caller_gives_up(url):
    """Abort a lone caller while others wait: one of them sends the commands of all."""
    tried = Tried(url)
    blocked = tried.blocked()
    others = [tried.waiting("INCR", "n") for _ in range(3)]
    return [break_off(blocked), [other.get() for other in others], *tried.rest]


def waiting_caller_gives_up(url):
    tried = Tried(url)
    blocked = tried.blocked()
    waiting, patient = tried.waiting("INCR", "n"), tried.waiting("INCR", "n")
    left = break_off(waiting)
    tried.open_gate()
    blocked.get()
    return [left, patient.get(), *tried.rest]


def batch_leader_gives_up(url):
    """Abort the leader and a follower of a batch; the other follower and a later caller get replies."""
    tried = Tried(url)
    blocked = tried.blocked()
    leader, led, leaving = (tried.waiting(*args) for args in (GATE, ("INCR", "n"), ("INCR", "n")))
    break_off(blocked)
    tried.until_gate_is_shut()
    late = tried.waiting("ECHO", "late")
    return [break_off(leaving), break_off(leader), led.get(), late.get(), *tried.rest]


CALLS: dict[str, Callable] = {
    call.__name__: call
    for call in (
        a_command,
        a_pipeline,
        a_greeting,
        a_lookup,
        a_lookup_at_several,
        lone_caller_gives_up,
        waiting_caller_gives_up,
        batch_leader_gives_up,
    )
}

if __name__ == "__main__":
    sys.stdout.write(json.dumps(CALLS[sys.argv[1]](sys.argv[2])))
