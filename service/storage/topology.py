"""How Redis is reached: which server holds a key, in each form that a URL may have.

Whoever sends commands asks for the server each time, and says when it has failed. What is known of masters
is looked up anew then, and now and then besides: a master that was frozen and wakes does not know that it has
been replaced, and whoever is still connected to it would write what is soon lost. Who must not be deceived by
one asks again after it has answered, for the server of that time or later.

No call is ever repeated here, nor by redis-py: only who knows what it was can tell whether that is safe.
So redis-py's own clients of clusters and Sentinels are not used: they repeat calls and sleep in between, and
their looking up can hang at a frozen server for as many timeouts as there are servers.
"""

from __future__ import annotations

import math
from typing import Any, Final, Protocol, TypeAlias

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.storage.batching import BatchingRedis

MOST_CONNECTIONS: Final = 1000
"""To each server, from each process. Who finds none free is told so, as if the server were away."""

LOOKUP_S: Final = 1.0
"""How long one of those may take who are asked which server holds what."""

Address: TypeAlias = tuple[str, int]


class Servers(Protocol):
    """The servers that hold the keys."""

    def holding(self, key: str, since: float = -math.inf) -> redis.Redis:
        """Return the server that holds a key, and did at a time by `time.monotonic` or later.

        :raises redis.RedisError: when there is none just now.
        """

    def doubt(self, error: redis.RedisError) -> None:
        """Look up anew who holds what, for a server has failed."""


class SingleServer:
    """One server, which holds everything."""

    def __init__(self, server: redis.Redis) -> None:
        self._server = server

    def holding(self, key: str, since: float = -math.inf) -> redis.Redis:  # noqa: ARG002 - it, always
        """See `Servers.holding`."""
        return self._server

    def doubt(self, error: redis.RedisError) -> None:
        """See `Servers.doubt`."""


class Clients:
    """A client for each address."""

    def __init__(self, options: dict[str, Any], timeout_s: float) -> None:
        self._options = options
        self._timeout_s = timeout_s
        self._clients: dict[Address, redis.Redis] = {}

    def at(self, address: Address) -> redis.Redis:
        """Return the client for an address."""
        client = self._clients.get(address)
        if client is None:  # two who come at once are given the same
            made = create_client_at(address, self._options, self._timeout_s)
            client = self._clients.setdefault(address, made)
        return client

    def keep_only(self, addresses: list[Address]) -> None:
        """Close the idle connections to other addresses; those in use end with what they are used for."""
        for address in [known for known in self._clients if known not in addresses]:
            self._clients.pop(address).connection_pool.disconnect(inuse_connections=False)


class MasterReplaced(redis.ConnectionError):
    """A server has answered that did not hold the key any more, or may not have."""


def create_client_at(address: Address, options: dict[str, Any], timeout_s: float) -> redis.Redis:
    """Return a client for an address; see `create_client`."""
    return create_client(options | {"host": address[0], "port": address[1]}, timeout_s)


def create_client(options: dict[str, Any], timeout_s: float) -> redis.Redis:
    """Return a client that never sends a command again by itself, as redis-py's would: up to ten times."""
    return BatchingRedis(
        **options,
        socket_timeout=timeout_s,
        socket_connect_timeout=timeout_s,
        retry=Retry(NoBackoff(), 0),
        max_connections=MOST_CONNECTIONS,
    )
