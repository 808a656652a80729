"""Clients of Redis servers, one with a connection pool for each address.

They do not retry: only the caller knows whether a retry is safe, and redis-py's default sends a command up to
eleven times.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from skye_server.store.connection.batching import BatchingRedis

MAX_CONNECTIONS: Final = 1000
"""Per server and process. A call that finds none free fails like one to an unavailable server."""

_READ_BYTES: Final = 8192
"""The buffer of a connection, which holds most replies; redis-py's default takes 32 KB for each of them."""

Address: TypeAlias = tuple[str, int]


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


def create_client_at(address: Address, options: dict[str, Any], timeout_s: float) -> redis.Redis:
    """Return a client for an address; see `create_client`."""
    return create_client(options | {"host": address[0], "port": address[1]}, timeout_s)


def create_client(options: dict[str, Any], timeout_s: float) -> redis.Redis:
    """Return a client without retries."""
    return BatchingRedis(
        **options,
        socket_timeout=timeout_s,
        socket_connect_timeout=timeout_s,
        retry=Retry(NoBackoff(), 0),
        max_connections=MAX_CONNECTIONS,
        socket_read_size=_READ_BYTES,
    )
