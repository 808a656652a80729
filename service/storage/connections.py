"""How Redis is reached: which server holds a key, in each form that a URL may have.

Whoever sends commands asks for the server each time, and says when it has failed. What is known of masters
is looked up anew then, and now and then besides: a master that was frozen and wakes does not know that it has
been replaced, and whoever is still connected to it would write what is soon lost.

No call is ever repeated here, nor by redis-py: only who knows what it was can tell whether that is safe.
So redis-py's own clients of clusters and Sentinels are not used: they repeat calls and sleep in between, and
their looking up can hang at a frozen server for as many timeouts as there are servers.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Final, Generic, Protocol, TypeAlias, TypeVar

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.storage.gathering import GatheringRedis

MOST_CONNECTIONS: Final = 1000
"""To each server, from each process. Who finds none free is told so, as if the server were away."""

LOOKUP_S: Final = 1.0
"""How long one of those may take who are asked which server holds what."""

Address: TypeAlias = tuple[str, int]
T = TypeVar("T")


class Servers(Protocol):
    """The servers that hold the keys."""

    def holding(self, key: str) -> redis.Redis:
        """Return the server that holds a key.

        :raises redis.RedisError: when there is none just now.
        """

    def doubt(self, error: redis.RedisError) -> None:
        """Look up anew who holds what, for a server has failed."""


class OneServer:
    """One server, which holds everything."""

    def __init__(self, server: redis.Redis) -> None:
        self._server = server

    def holding(self, key: str) -> redis.Redis:  # noqa: ARG002 - all of them
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
        if client is None:  # of two that come at once, one is used by nobody again
            client = self._clients[address] = client_at(address, self._options, self._timeout_s)
        return client

    def keep_only(self, addresses: list[Address]) -> None:
        """Close the idle connections to other addresses; those in use end with what they are used for."""
        for address in [known for known in self._clients if known not in addresses]:
            self._clients.pop(address).connection_pool.disconnect(inuse_connections=False)


class Lookup(Generic[T]):
    """Something that is looked up for all by one at a time, and then holds for some seconds."""

    def __init__(self, look: Callable[[], T], fresh_s: float) -> None:
        self._look = look
        self._fresh_s = fresh_s
        self._lock = threading.Lock()
        self._found: T | None = None
        self._error: redis.RedisError | None = None
        self._doubted = False
        self._looked_at = -fresh_s

    def value(self) -> T:
        """Return it.

        :raises redis.RedisError: what the looking up raised.
        """
        asked_at = time.monotonic()
        good = self._found is not None and not self._doubted
        if good and asked_at - self._looked_at < self._fresh_s:
            return self._found  # type: ignore[return-value]  # mypy does not follow `good`
        if not self._lock.acquire(blocking=not good):
            return self._found  # type: ignore[return-value]  # as above
        try:
            if self._looked_at < asked_at:  # else somebody has looked while we waited
                self._look_now()
            if self._error is not None:
                raise self._error
            return self._found  # type: ignore[return-value]  # as there was no error
        finally:
            self._lock.release()

    def doubt(self) -> None:
        """Look it up anew before it is used again."""
        self._doubted = True

    def _look_now(self) -> None:
        try:
            self._found, self._error = self._look(), None
        except redis.RedisError as error:
            self._found, self._error = None, error
        self._doubted = False  # not before: what is doubted must be given to nobody meanwhile
        self._looked_at = time.monotonic()


def client_at(address: Address, options: dict[str, Any], timeout_s: float) -> redis.Redis:
    """Return a client for an address; see `client_by`."""
    return client_by(options | {"host": address[0], "port": address[1]}, timeout_s)


def client_by(options: dict[str, Any], timeout_s: float) -> redis.Redis:
    """Return a client that never sends a command again by itself, as redis-py's would: up to ten times."""
    return GatheringRedis(
        **options,
        socket_timeout=timeout_s,
        socket_connect_timeout=timeout_s,
        retry=Retry(NoBackoff(), 0),
        max_connections=MOST_CONNECTIONS,
    )
