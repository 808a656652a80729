"""Topology of Redis: the server that holds a key (one, behind Sentinels, or in a cluster), and its client.

redis-py asks the Sentinels and the nodes. No answer of theirs decides whether a change is safe: a change is
acknowledged when all replicas have it (see `deploy/durability.md`), so a topology that is out of date only
costs retries. It is looked up again in the background.

Clients do not retry: only the caller knows whether a retry is safe, and redis-py's default sends a command up
to eleven times. Concurrent commands of a process to a server share round trips (`batching`).
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeAlias, TypeVar, cast

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, NodesManager
from redis.crc import key_slot
from redis.exceptions import ClusterDownError, RedisClusterException
from redis.retry import Retry
from redis.sentinel import MasterNotFoundError, Sentinel

from skye_server.redis_url import RedisUrl
from skye_server.store.connection.batching import BatchingRedis
from skye_server.store.connection.failures import PROTOCOL_ERRORS, as_redis_error, call_deadline

T = TypeVar("T")

Address: TypeAlias = tuple[str, int]

_MASTER_TTL_S: Final = 1.0
_SLOTS_TTL_S: Final = 2.0

_MAX_LOOKUP_S: Final = 1.0

_MAX_AGE: Final = 3.0
"""A value is returned while it is looked up again, until it is so many times as old as its TTL."""

MAX_CONNECTIONS: Final = 1000
"""Per server and process. A call that finds none free fails like one to an unavailable server."""

_READ_BYTES: Final = 8192
"""The buffer of a connection, which holds most replies; redis-py's default takes 32 KB for each of them."""


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


def topology_of(url: RedisUrl, timeout_s: float) -> Topology:
    """Return the topology that a URL names; nothing connects before the first call."""
    if url.form == "sentinel":
        return SentinelTopology(url, timeout_s)
    if url.form == "cluster":
        return ClusterTopology(url, timeout_s)
    address = _address_options(url.addresses[0]) if url.addresses else {}  # none: a Unix socket
    return SingleServer(create_client(url.options | address, timeout_s))


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
        self._clients = Clients(url.options, timeout_s)
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
        except redis.RedisError as error:
            if self._sentinels.responded or self._last_known is None:
                if isinstance(error, MasterNotFoundError):  # its text has the clients as objects of Python
                    raise MasterNotFoundError(self._sentinels.fault_of(self._service)) from error
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

    def fault_of(self, service: str) -> str:
        """Return that no Sentinel reports a master of a service, and why some could not be asked."""
        clients = cast("list[_SentinelClient]", self.sentinels)
        faults = [client.fault for client in clients if client.fault]
        return ": ".join([f"No master found for {service!r}", *([". ".join(faults)] if faults else [])])

    def check_master_state(self, state: dict[str, Any], service_name: str) -> bool:
        """Keep what a Sentinel reports, and return whether its master is up."""
        self.responded = True
        self.replicas = state["num-slaves"]
        is_up: bool = super().check_master_state(state, service_name)  # type: ignore[no-untyped-call]
        return is_up


class _SentinelClient(redis.Redis):
    """The client of a Sentinel. An error reply counts as none: redis-py would not ask the next Sentinel.

    `fault`: why it could not be asked the last time.
    """

    fault = ""

    def sentinel_masters(self) -> Any:
        """Return what the Sentinel reports of each service."""
        try:
            masters = super().sentinel_masters()
        except (redis.RedisError, *PROTOCOL_ERRORS) as error:
            self.fault = str(error).rstrip(".")
            if isinstance(error, redis.ConnectionError | redis.TimeoutError):
                raise
            raise redis.ConnectionError(str(error)) from error
        self.fault = ""
        return masters


class ClusterTopology:
    """The slots of a cluster, as the first node to respond reports them. If none does, those known stay."""

    def __init__(self, url: RedisUrl, timeout_s: float) -> None:
        self._seeds = list(url.addresses)
        self._lookup_timeout_s = _lookup_timeout(timeout_s)
        self._options = url.options | _socket_timeouts(url, self._lookup_timeout_s)
        self._nodes: NodesManager | None = None
        self._clients = Clients(url.options, timeout_s)
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


class Clients:
    """One client per address."""

    def __init__(self, options: dict[str, Any], timeout_s: float) -> None:
        self._options = options
        self._timeout_s = timeout_s
        self._clients: dict[Address, redis.Redis] = {}

    def client_at(self, address: Address) -> redis.Redis:
        """Return the client for an address."""
        client = self._clients.get(address)
        if client is None:  # setdefault: two threads that race get the same client
            created = create_client(self._options | _address_options(address), self._timeout_s)
            client = self._clients.setdefault(address, created)
        return client

    def retain_only(self, addresses: list[Address]) -> None:
        """Drop the clients of other addresses and close their idle connections."""
        for address in [known for known in self._clients if known not in addresses]:
            self._clients.pop(address).connection_pool.disconnect(inuse_connections=False)


def create_client(options: dict[str, Any], timeout_s: float) -> redis.Redis:
    """Return a client without retries; it connects at the first call."""
    return BatchingRedis(
        **options,
        socket_timeout=timeout_s,
        socket_connect_timeout=timeout_s,
        retry=Retry(NoBackoff(), 0),
        max_connections=MAX_CONNECTIONS,
        socket_read_size=_READ_BYTES,
    )


def _address_options(address: Address) -> dict[str, Any]:
    return {"host": address[0], "port": address[1]}


class BackgroundRefresh(Generic[T]):
    """A value that `load` returns, loaded again once it is `ttl_s` seconds old: by one thread at a time.

    Calls wait for the thread only if there is no value, the value was invalidated, or nobody asked for long.
    """

    def __init__(self, load: Callable[[], T], ttl_s: float) -> None:
        self._load = load
        self._ttl_s = ttl_s
        self._mutex = threading.Lock()
        self._loading: threading.Event | None = None
        self._invalidated_at = -math.inf
        self._loaded: _Loaded[T] = _Loaded(-math.inf, None, None)

    def get(self, since: float = -math.inf) -> T:
        """Return a value whose loading began after `since` and after the last invalidation.

        :param since: a time of `time.monotonic`.
        :raises redis.RedisError: what loading raised.
        """
        asked_at = time.monotonic()
        oldest = max(since, self._invalidated_at, asked_at - _MAX_AGE * self._ttl_s)
        while True:
            loaded = self._loaded
            if loaded.error is not None and loaded.began_at >= asked_at:
                raise loaded.error
            if loaded.error is None and loaded.began_at >= oldest:
                break
            if done := self._refresh(loaded):
                done.wait()
        if loaded.began_at < asked_at - self._ttl_s:
            self._refresh(loaded)
        return cast("T", loaded.value)

    def invalidate(self) -> None:
        """Make the next `get` load the value again."""
        self._invalidated_at = time.monotonic()

    def _refresh(self, seen: _Loaded[T]) -> threading.Event | None:
        """Start to load the value, unless a thread does.

        :returns: what is set when the value is loaded; None if it was loaded after the caller had seen it.
        """
        with self._mutex:
            if self._loaded is not seen:
                return None
            done = self._loading
            if done is None:
                done = self._loading = threading.Event()
                threading.Thread(target=self._run, args=(done,), name="topology", daemon=True).start()
            return done

    def _run(self, done: threading.Event) -> None:
        began_at = time.monotonic()
        try:
            loaded = _Loaded(began_at, self._load(), None)
        except Exception as error:  # noqa: BLE001 - malformed replies raise any; callers would wait forever
            loaded = _Loaded(began_at, None, as_redis_error(error))
        with self._mutex:
            self._loaded, self._loading = loaded, None
        done.set()


class _Loaded(NamedTuple, Generic[T]):
    """The value or the error, and when loading began."""

    began_at: float
    value: T | None
    error: redis.RedisError | None
