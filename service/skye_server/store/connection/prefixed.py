"""A client of a Redis server whose keys all begin with a prefix: several stores on one server."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import redis

from skye_server.store.connection.topology import Topology

_KEYS: Final = "skye:"
"""How every key of the service begins. Scripts compute other keys from those of their arguments."""


class PrefixedRedis(redis.Redis):
    """A client that adds a prefix to every key, and sends the commands with another client.

    Changes are published on channels without the prefix: a notification carries no data.
    """

    def __init__(self, client: redis.Redis, prefix: str) -> None:  # no pool of its own
        self._client = client
        self._prefix = prefix

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Return the reply to a command."""
        execute: Any = self._client.execute_command  # redis-py leaves it untyped
        return execute(*self._prefixed(args), **options)

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> Any:
        """Return a pipeline, whose commands get the prefix too."""
        pipeline: Any = self._client.pipeline(transaction, shard_hint)
        execute = pipeline.execute_command
        pipeline.execute_command = lambda *args, **options: execute(*self._prefixed(args), **options)
        return pipeline

    def close(self) -> None:
        """Close nothing: the client belongs to another store."""

    def _prefixed(self, args: Sequence[Any]) -> list[Any]:
        return [self._prefix + arg if isinstance(arg, str) and arg.startswith(_KEYS) else arg for arg in args]


class PrefixedTopology:
    """A topology of clients whose keys all begin with a prefix."""

    def __init__(self, topology: Topology, prefix: str) -> None:
        self._topology = topology
        self._prefix = prefix
        self._clients: dict[redis.Redis, PrefixedRedis] = {}

    def connection_for(self, key: str, since: float = -math.inf) -> redis.Redis:
        """See `Topology.connection_for`."""
        client = self._topology.connection_for(self._prefix + key, since)
        return self._clients.setdefault(client, PrefixedRedis(client, self._prefix))

    def invalidate(self) -> None:
        """See `Topology.invalidate`."""
        self._topology.invalidate()

    def masters(self) -> list[redis.Redis]:
        """See `Topology.masters`."""
        return [PrefixedRedis(client, self._prefix) for client in self._topology.masters()]

    def replicas(self) -> int:
        """See `Topology.replicas`."""
        return self._topology.replicas()
