"""Cancelled calls of Redis, with sockets of gevent; each function returns the result.

For a process of its own: `python -m gevent.monkey --module tests.support.disconnects NAME URL` prints that.
"""

import json
import sys
from collections.abc import Callable

import gevent
import redis

from skye_server.redis_url import parse
from skye_server.store.connection.failures import call_deadline
from skye_server.store.connection.topology import ClusterTopology, SentinelTopology, create_client
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
    """A client of the store."""

    def __init__(self, url):
        url = parse(url)
        host, port = url.addresses[0]
        self.client = create_client(url.options | {"host": host, "port": port}, LONG_S)
        self._pool = self.client.connection_pool

    @property
    def rest(self):
        """The number of connections in use, and the reply to a command."""
        return [*self.held, received(self.client.echo, "well")]

    @property
    def held(self):
        return [len(self._pool._get_in_use_connections())]  # noqa: SLF001 - there is no other access


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


def a_wait_for_a_connection(url):
    """Abort a call that waits until another returns the only connection; the next call gets it."""
    tried = Tried(url)
    tried.client.connection_pool = tried._pool = redis.BlockingConnectionPool(  # noqa: SLF001 - of one connection
        1,
        LONG_S,
        **tried._pool.connection_kwargs,  # noqa: SLF001
    )
    blocked = gevent.spawn(received, tried.client.execute_command, *GATE)
    with redis.Redis.from_url(url) as watch:
        until(lambda: watch.info("clients")["blocked_clients"] == 1)
        waiting = received(tried.client.incr, "n", seconds=SHORT_S)
        watch.lpush("gate", "open")
    blocked.get()
    return [waiting, *tried.rest]


CALLS: dict[str, Callable] = {
    call.__name__: call
    for call in (
        a_command,
        a_pipeline,
        a_greeting,
        a_lookup,
        a_lookup_at_several,
        a_wait_for_a_connection,
    )
}

if __name__ == "__main__":
    sys.stdout.write(json.dumps(CALLS[sys.argv[1]](sys.argv[2])))
