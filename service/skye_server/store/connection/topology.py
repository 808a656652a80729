"""Topology of Redis: which server holds a key, on one server, behind Sentinels, or in a cluster.

redis-py asks the Sentinels and the nodes. No answer of theirs decides whether a change is safe: a change is
acknowledged when all replicas have it (see `deploy/durability.md`), so a topology that is out of date only
costs retries.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Protocol

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, NodesManager
from redis.crc import key_slot
from redis.exceptions import ClusterDownError, RedisClusterException
from redis.retry import Retry
from redis.sentinel import Sentinel

from skye_server.redis_url import RedisUrl
from skye_server.store.connection.background_refresh import BackgroundRefresh
from skye_server.store.connection.redis_clients import Address, ClientPool
from skye_server.store.connection.retry import PROTOCOL_ERRORS, call_deadline

_MASTER_TTL_S: Final = 1.0
_SLOTS_TTL_S: Final = 2.0

_MAX_LOOKUP_S: Final = 1.0


class Topology(Protocol):
    """The servers that hold the keys."""

    def connection_for(self, key: str, since: float = -math.inf) -> redis.Redis:
        """Return the client of the server that holds a key.

        :param since: use only a lookup that began after this time of `time.monotonic`.
        :raises redis.RedisError: when no server holds the key now.
        """

    def invalidate(self) -> None:
        """Look the topology up again before the next call, because a call failed."""

    def masters(self) -> list[redis.Redis]:
        """Return a client for each server that holds keys.

        :raises redis.RedisError: when they cannot be found out.
        """

    def replicas(self) -> int:
        """Return the number of replicas of a master, the largest of all masters.

        :raises redis.RedisError: when it cannot be found out.
        """


class SingleServer:
    """One server, which holds every key."""

    def __init__(self, server: redis.Redis) -> None:
        self._server = server

    def connection_for(self, key: str, since: float = -math.inf) -> redis.Redis:  # noqa: ARG002 - always it
        """See `Topology.connection_for`."""
        return self._server

    def invalidate(self) -> None:
        """See `Topology.invalidate`."""

    def masters(self) -> list[redis.Redis]:
        """See `Topology.masters`."""
        return [self._server]

    def replicas(self) -> int:
        """See `Topology.replicas`."""
        info: Any = self._server.info("replication")
        return int(info.get("connected_slaves", 0))


class SentinelTopology:
    """The current master of a service, as the first Sentinel to respond reports it.

    If none responds, the last known master stays.
    """

    def __init__(self, url: RedisUrl, timeout_s: float) -> None:
        self._lookup_timeout_s = _lookup_timeout(timeout_s)
        timeouts = _socket_timeouts(url, self._lookup_timeout_s)
        self._sentinels = _Sentinels(url.addresses, url.sentinel_options | timeouts)
        self._service = url.service
        self._clients = ClientPool(url.options, timeout_s)
        self._last_known: Address | None = None
        self._master = BackgroundRefresh(self._look_up, _MASTER_TTL_S)

    def connection_for(self, key: str, since: float = -math.inf) -> redis.Redis:  # noqa: ARG002 - all keys
        """See `Topology.connection_for`."""
        return self._clients.client_at(self._master.get(since))

    def invalidate(self) -> None:
        """See `Topology.invalidate`."""
        self._master.invalidate()

    def masters(self) -> list[redis.Redis]:
        """See `Topology.masters`."""
        return [self.connection_for("")]

    def replicas(self) -> int:
        """Return how many replicas the Sentinels could elect, also those that are down now."""
        self._master.get()
        return self._sentinels.replicas

    def _look_up(self) -> Address:
        """Return the master's address.

        :raises redis.RedisError: when the Sentinels that respond report no master that is up, or none has
            responded yet.
        """
        self._sentinels.responded = False
        try:
            with _lookup_deadline(self._lookup_timeout_s):
                master: Address = self._sentinels.discover_master(self._service)  # type: ignore[no-untyped-call]
        except redis.RedisError:
            if self._sentinels.responded or self._last_known is None:
                raise
            return self._last_known
        self._clients.retain_only([master])
        self._last_known = master
        return master


class _Sentinels(Sentinel):
    """The Sentinels. `responded`: one has reported on the service; `replicas`: how many it reported."""

    responded = False
    replicas = 0

    def __init__(self, addresses: Sequence[Address], options: dict[str, Any]) -> None:
        super().__init__([])  # type: ignore[no-untyped-call]
        retry = Retry(NoBackoff(), 0)
        self.sentinels = [_SentinelClient(*address, retry=retry, **options) for address in addresses]

    def check_master_state(self, state: dict[str, Any], service_name: str) -> bool:
        """Keep what a Sentinel reports, and return whether its master is up."""
        self.responded = True
        self.replicas = state["num-slaves"]
        is_up: bool = super().check_master_state(state, service_name)  # type: ignore[no-untyped-call]
        return is_up


class _SentinelClient(redis.Redis):
    """The client of a Sentinel. An error reply counts as none: redis-py would not ask the next Sentinel."""

    def sentinel_masters(self) -> Any:
        """Return what the Sentinel reports of each service."""
        try:
            return super().sentinel_masters()
        except (redis.ResponseError, *PROTOCOL_ERRORS) as error:
            raise redis.ConnectionError(str(error)) from error


class ClusterTopology:
    """The slots of a cluster, as the first node to respond reports them. If none does, those known stay."""

    def __init__(self, url: RedisUrl, timeout_s: float) -> None:
        self._seeds = list(url.addresses)
        self._lookup_timeout_s = _lookup_timeout(timeout_s)
        self._options = url.options | _socket_timeouts(url, self._lookup_timeout_s)
        self._nodes: NodesManager | None = None
        self._clients = ClientPool(url.options, timeout_s)
        self._slots = BackgroundRefresh(self._look_up, _SLOTS_TTL_S)

    def connection_for(self, key: str, since: float = -math.inf) -> redis.Redis:
        """See `Topology.connection_for`."""
        slot = key_slot(key.encode())
        holders = self._slots.get(since).get(slot)
        if not holders:
            raise ClusterDownError(f"no node holds slot {slot}")
        return self._clients.client_at((holders[0].host, holders[0].port))

    def invalidate(self) -> None:
        """See `Topology.invalidate`."""
        self._slots.invalidate()

    def masters(self) -> list[redis.Redis]:
        """See `Topology.masters`."""
        addresses = {(holders[0].host, holders[0].port) for holders in self._slots.get().values()}
        return [self._clients.client_at(address) for address in sorted(addresses)]

    def replicas(self) -> int:
        """See `Topology.replicas`."""
        return max((len(holders) - 1 for holders in self._slots.get().values()), default=0)

    def _look_up(self) -> dict[int, list[ClusterNode]]:
        """Return the nodes of each slot, the master first.

        :raises ClusterDownError: when no node has responded yet.
        """
        try:
            with _lookup_deadline(self._lookup_timeout_s):
                if self._nodes is None:
                    seeds = [ClusterNode(*address) for address in self._seeds]  # type: ignore[no-untyped-call]
                    self._nodes = NodesManager(seeds, **self._options)
                else:
                    self._nodes.initialize(self._seeds, disconnect_startup_nodes_pools=False)
        except (RedisClusterException, redis.TimeoutError) as error:
            if self._nodes is None:
                raise ClusterDownError(f"no node responds: {error}") from error
        nodes = self._nodes.nodes_cache.values()
        self._clients.retain_only([(node.host, node.port) for node in nodes])
        return self._nodes.slots_cache


def _lookup_timeout(timeout_s: float) -> float:
    """Return how long a lookup takes at most.

    Within its own timeout, a call may have to wait for a lookup that began before, and for the next one.
    """
    return min(timeout_s / 3, _MAX_LOOKUP_S)


class _LookupTimeout(BaseException):
    """A lookup exceeded its deadline. redis-py catches each `Exception`, and asks the next server."""


@contextmanager
def _lookup_deadline(seconds: float) -> Iterator[None]:
    """Interrupt a lookup after some seconds, whichever server it asks.

    :raises redis.TimeoutError: then.
    """
    try:
        with call_deadline(seconds, _LookupTimeout()):
            yield
    except _LookupTimeout as error:
        raise redis.TimeoutError("Timeout: the lookup exceeded its deadline") from error


def _socket_timeouts(url: RedisUrl, lookup_timeout_s: float) -> dict[str, float]:
    """Return the options of the connections for lookups: all addresses together keep to the timeout."""
    each_s = lookup_timeout_s / len(url.addresses)
    return {"socket_timeout": each_s, "socket_connect_timeout": each_s}
