"""Topology: which server holds a key, with one server, Sentinel or Cluster; fencing of demoted masters.

Each call asks for the connection of its key, and invalidates the topology when it fails. The topology is
also refreshed every second or two: a master that was suspended and resumes does not know that it was
replaced, and a client that is still connected would write data that is soon lost. A caller that must exclude
this asks again after the reply (fencing), for the server of that time or later.

Nothing here retries a call, and redis-py does not either: only the caller knows whether a retry is safe.
redis-py's own clients for Sentinel and Cluster are not used: see the table of mechanisms in CONTRIBUTING.md.
"""

from __future__ import annotations

import math
from typing import Any, Final, Protocol, TypeAlias

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.storage.batching import BatchingRedis

MAX_CONNECTIONS: Final = 1000
"""Per server and process. A call that finds none free fails like one to a server that is away."""

_READ_BYTES: Final = 8192
"""The buffer of a connection, which holds most replies; redis-py's default takes 32 KB for each of them."""

LOOKUP_TIMEOUT_S: Final = 1.0
"""The deadline of one lookup of the topology at one Sentinel or node."""

Address: TypeAlias = tuple[str, int]


class Topology(Protocol):
    """The servers that hold the keys."""

    def connection_for(self, key: str, since: float = -math.inf) -> redis.Redis:
        """Return the client of the server that holds a key.

        :param since: accept no answer older than this time of `time.monotonic`.
        :raises redis.RedisError: when no server holds the key now.
        """

    def invalidate(self, error: redis.RedisError) -> None:
        """Look the topology up again before the next call, because a call failed with `error`."""


class SingleServer:
    """One server, which holds every key."""

    def __init__(self, server: redis.Redis) -> None:
        self._server = server

    def connection_for(self, key: str, since: float = -math.inf) -> redis.Redis:  # noqa: ARG002 - always it
        """See `Topology.connection_for`."""
        return self._server

    def invalidate(self, error: redis.RedisError) -> None:
        """See `Topology.invalidate`."""


class ClientPool:
    """One client per address."""

    def __init__(self, options: dict[str, Any], timeout_s: float) -> None:
        self._options = options
        self._timeout_s = timeout_s
        self._clients: dict[Address, redis.Redis] = {}

    def client_at(self, address: Address) -> redis.Redis:
        """Return the client for an address."""
        client = self._clients.get(address)
        if client is None:  # setdefault: two threads that race get the same client
            created = create_client_at(address, self._options, self._timeout_s)
            client = self._clients.setdefault(address, created)
        return client

    def retain_only(self, addresses: list[Address]) -> None:
        """Drop the clients of other addresses and close their idle connections."""
        for address in [known for known in self._clients if known not in addresses]:
            self._clients.pop(address).connection_pool.disconnect(inuse_connections=False)


class MasterReplaced(redis.ConnectionError):
    """The server that replied no longer holds the key, or may not have at the time."""


def create_client_at(address: Address, options: dict[str, Any], timeout_s: float) -> redis.Redis:
    """Return a client for an address; see `create_client`."""
    return create_client(options | {"host": address[0], "port": address[1]}, timeout_s)


def create_client(options: dict[str, Any], timeout_s: float) -> redis.Redis:
    """Return a client without retries; redis-py's default sends a command up to eleven times."""
    return BatchingRedis(
        **options,
        socket_timeout=timeout_s,
        socket_connect_timeout=timeout_s,
        retry=Retry(NoBackoff(), 0),
        max_connections=MAX_CONNECTIONS,
        socket_read_size=_READ_BYTES,
    )
