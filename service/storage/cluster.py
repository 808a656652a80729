"""Redis as a cluster, whose nodes hold a part of the keys each."""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from typing import Any, Final, NamedTuple

import redis
from redis.crc import key_slot

from service.storage.call_deadline import within
from service.storage.protocol_errors import PROTOCOL_ERRORS, as_redis_error
from service.storage.redis_url import RedisUrl
from service.storage.topology import LOOKUP_S, Address, Clients
from service.storage.ttl_cache import TtlCache

_FRESH_S: Final = 2.0


class ClusterTopology:
    """The nodes of a cluster, each the holder of some slots."""

    def __init__(self, url: RedisUrl, timeout_s: float) -> None:
        self._named = url.addresses
        self._known = list(url.addresses)
        self._clients = Clients(url.options, timeout_s)
        self._limit_s = min(timeout_s, LOOKUP_S)
        self._askers = Clients(url.options, self._limit_s)
        self._slots = TtlCache(self._look, _FRESH_S)

    def holding(self, key: str, since: float = -math.inf) -> redis.Redis:
        """See `Servers.holding`."""
        slots = self._slots.value(since)
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
                with within(self._limit_s):
                    slots = _read_slots(self._askers.at(address), address[0])
            except (redis.RedisError, *PROTOCOL_ERRORS) as error:
                errors.append(as_redis_error(error))
                self._known = [*(known for known in self._known if known != address), address]
                continue
            self._clients.keep_only(slots.nodes)
            others = [node for node in slots.nodes if node != address and node not in slots.failing]
            random.shuffle(others)
            self._known = list(dict.fromkeys([*others, address, *slots.nodes, *self._named]))
            return slots
        raise redis.exceptions.ClusterDownError(f"no node answers: {errors[-1]}")


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
    if not ranges:
        raise redis.exceptions.ClusterDownError("this node belongs to no cluster")
    lines = [line.split() for line in described.decode().splitlines()]
    # `fail?` is what this node alone finds.
    down = {words[0] for words in lines if not {"fail", "fail?"}.isdisjoint(words[2].split(","))}
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
