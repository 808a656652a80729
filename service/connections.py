"""How Redis is reached: which server holds a key, in each form that a URL may have.

Whoever sends commands asks for the server each time, and says when it has failed. What is known of masters
is looked up anew then, and now and then besides: a master that was frozen and wakes does not know that it has
been replaced, and whoever is still connected to it would write what is soon lost.

No call is ever repeated here, nor by redis-py: only who knows what it was can tell whether that is safe.
"""

from __future__ import annotations

import random
import threading
import time
from bisect import bisect_right
from collections.abc import Callable
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

import redis
from redis.backoff import NoBackoff
from redis.crc import key_slot
from redis.retry import Retry

from service.redis_url import RedisUrl

MOST_CONNECTIONS: Final = 1000
"""To each server, from each process. Who finds none free is told so, as if the server were away."""

_MASTER_FRESH_S: Final = 1.0
_SLOTS_FRESH_S: Final = 2.0
_LOOKUP_S: Final = 1.0
_SILENCE_S: Final = 5.0
"""For so long a Sentinel that did not answer is not asked again."""

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


class SentinelMaster:
    """The master of a service, whichever server that is just now, as Sentinels say."""

    def __init__(self, url: RedisUrl, timeout_s: float) -> None:
        asked = url.sentinel_options | {"protocol": 2}
        self._sentinels = [_client(address, asked, min(timeout_s, _LOOKUP_S)) for address in url.addresses]
        self._silent_until: dict[redis.Redis, float] = {}
        self._service = url.service
        self._clients = _Clients(url.options, timeout_s)
        self._master = _Lookup(self._look, _MASTER_FRESH_S)
        self._last_known: Address | None = None

    def holding(self, key: str) -> redis.Redis:  # noqa: ARG002 - all of them
        """See `Servers.holding`."""
        return self._clients.at(self._master.value())

    def doubt(self, error: redis.RedisError) -> None:  # noqa: ARG002 - any
        """See `Servers.doubt`."""
        self._master.doubt()

    def _look(self) -> Address:
        """Return the address that the Sentinels with the latest news give.

        All are asked: one that has not heard of a failover yet would send us to a master that is none any
        more. If none answers at all, the last one known stays.
        """
        now = time.monotonic()
        awake = [sentinel for sentinel in self._sentinels if self._silent_until.get(sentinel, now) <= now]
        answers: list[_Opinion] = []
        errors: list[redis.RedisError] = []
        for sentinel in awake or self._sentinels:
            try:
                answers.append(self._ask(sentinel))
            except redis.RedisError as error:
                errors.append(error)
                self._silent_until[sentinel] = time.monotonic() + _SILENCE_S
        if not answers:
            if self._last_known is None:
                raise _NoMaster(f"no Sentinel answers for {self._service!r}: {errors[-1]}")
            return self._last_known
        latest = max(answer.epoch for answer in answers)
        up = [answer.address for answer in answers if answer.epoch == latest and answer.is_up]
        if not up:
            raise _NoMaster(f"the master of {self._service!r} is down, and no other is elected yet")
        self._clients.keep_only(up[:1])
        self._last_known = up[0]
        return up[0]

    def _ask(self, sentinel: redis.Redis) -> _Opinion:
        pipeline: Any = sentinel.pipeline(transaction=False)
        pipeline.execute_command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self._service)
        pipeline.execute_command("SENTINEL", "MASTER", self._service)
        named, told = pipeline.execute()
        if named is None:
            raise _NoMaster(f"a Sentinel knows no {self._service!r}")
        facts: dict[bytes, bytes] = dict(zip(told[::2], told[1::2], strict=True))
        # While it looks after the replicas the elected one is named already, and the facts are the old one's.
        is_elected = named != [facts[b"ip"], facts[b"port"]]
        is_down = b"s_down" in facts[b"flags"] or b"o_down" in facts[b"flags"]
        address = named[0].decode(), int(named[1])
        return _Opinion(int(facts[b"config-epoch"]), address, is_elected or not is_down)


class _Opinion(NamedTuple):
    """What a Sentinel says of the master; of two that differ, the one of the later `epoch` is right."""

    epoch: int
    address: Address
    is_up: bool


class ClusterNodes:
    """The nodes of a cluster, each the holder of some slots."""

    def __init__(self, url: RedisUrl, timeout_s: float) -> None:
        self._named = url.addresses
        self._known = list(url.addresses)
        self._clients = _Clients(url.options, timeout_s)
        self._askers = _Clients(url.options, min(timeout_s, _LOOKUP_S))
        self._slots = _Lookup(self._look, _SLOTS_FRESH_S)

    def holding(self, key: str) -> redis.Redis:
        """See `Servers.holding`."""
        slots = self._slots.value()
        slot = key_slot(key.encode())
        found = bisect_right(slots.starts, slot) - 1
        if found < 0 or slots.ends[found] < slot:
            raise redis.exceptions.ClusterDownError(f"no node holds slot {slot}")
        holder = slots.holders[found]
        if holder in slots.failing:
            raise redis.exceptions.ClusterDownError(f"{holder[0]}:{holder[1]} holds slot {slot}, and is down")
        return self._clients.at(holder)

    def doubt(self, error: redis.RedisError) -> None:
        """See `Servers.doubt`."""
        if isinstance(error, redis.exceptions.MovedError):  # names who knows better
            self._known = list(dict.fromkeys([(error.host, error.port), *self._known]))
        self._slots.doubt()

    def _look(self) -> _Slots:
        """Return what the first node to answer says of all; the next time another one is asked."""
        errors: list[redis.RedisError] = []
        for address in list(self._known):
            try:
                slots = _read_slots(self._askers.at(address), address[0])
            except redis.RedisError as error:
                errors.append(error)
                self._known = [*(known for known in self._known if known != address), address]
                continue
            self._clients.keep_only(slots.nodes)
            others = [node for node in slots.nodes if node != address and node not in slots.failing]
            random.shuffle(others)
            self._known = list(dict.fromkeys([*others, address, *slots.nodes, *self._named]))
            return slots
        raise redis.exceptions.ClusterDownError(f"no node answers: {errors[-1]}")


class _NoMaster(redis.ConnectionError):
    """Sentinels know no master that is up."""


class _Slots(NamedTuple):
    """Ranges of slots, in order: where each starts, where it ends, and which node holds it.

    `nodes` are all nodes, replicas too, and `failing` those that do not answer the node that was asked.
    """

    starts: list[int]
    ends: list[int]
    holders: list[Address]
    nodes: list[Address]
    failing: set[Address]


def _read_slots(asked: redis.Redis, host: str) -> _Slots:
    """Ask a node; one that does not know its own address is where it was asked, at `host`."""
    pipeline: Any = asked.pipeline(transaction=False)
    pipeline.execute_command("CLUSTER", "SLOTS")
    pipeline.execute_command("CLUSTER", "NODES")
    ranges, described = pipeline.execute()
    lines = [line.split() for line in described.decode().splitlines()]
    down = {words[0] for words in lines if "fail" in words[2]}  # `fail?`: as far as this node can tell
    slots = _Slots([], [], [], [], set())
    for start, end, *holders in sorted(ranges):
        addresses = [(_text(name) or host, int(port)) for name, port, *_ in holders]
        slots.starts.append(start)
        slots.ends.append(end)
        slots.holders.append(addresses[0])
        slots.nodes.extend(address for address in addresses if address not in slots.nodes)
        ids = [_text(more[0]) for _, _, *more in holders]
        slots.failing.update(address for address, node in zip(addresses, ids, strict=True) if node in down)
    return slots


def _text(host: bytes | str | None) -> str:
    text = host.decode() if isinstance(host, bytes) else host or ""
    return "" if text == "?" else text


class _Clients:
    """A client for each address."""

    def __init__(self, options: dict[str, Any], timeout_s: float) -> None:
        self._options = options
        self._timeout_s = timeout_s
        self._clients: dict[Address, redis.Redis] = {}

    def at(self, address: Address) -> redis.Redis:
        client = self._clients.get(address)
        if client is None:  # of two that come at once, one is used by nobody again
            client = self._clients[address] = _client(address, self._options, self._timeout_s)
        return client

    def keep_only(self, addresses: list[Address]) -> None:
        """Close the idle connections to other addresses; those in use end with what they are used for."""
        for address in [known for known in self._clients if known not in addresses]:
            self._clients.pop(address).connection_pool.disconnect(inuse_connections=False)


class _Lookup(Generic[T]):
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
        self._doubted = False
        try:
            self._found, self._error = self._look(), None
        except redis.RedisError as error:
            self._found, self._error = None, error
        self._looked_at = time.monotonic()


def _client(address: Address, options: dict[str, Any], timeout_s: float) -> redis.Redis:
    return _connected_by(options | {"host": address[0], "port": address[1]}, timeout_s)


def _connected_by(options: dict[str, Any], timeout_s: float) -> redis.Redis:
    """Return a client that never sends a command again by itself, as redis-py's would: up to ten times."""
    return redis.Redis(
        **options,
        socket_timeout=timeout_s,
        socket_connect_timeout=timeout_s,
        retry=Retry(NoBackoff(), 0),
        max_connections=MOST_CONNECTIONS,
    )


def connected(url: RedisUrl, timeout_s: float) -> Servers:
    """Return the servers that a URL names; nobody is called before the first key is asked for."""
    if url.form == "sentinel":
        return SentinelMaster(url, timeout_s)
    if url.form == "cluster":
        return ClusterNodes(url, timeout_s)
    if url.addresses:
        return OneServer(_client(url.addresses[0], url.options, timeout_s))
    return OneServer(_connected_by(url.options, timeout_s))
