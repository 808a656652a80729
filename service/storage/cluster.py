"""Topology of a Redis Cluster, whose masters each hold some of the 16384 slots."""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from typing import Any, Final, NamedTuple

import redis
from redis.crc import key_slot

from service.storage.redis_clients import LOOKUP_TIMEOUT_S, Address, ClientPool
from service.storage.redis_url import RedisUrl
from service.storage.retry import PROTOCOL_ERRORS, as_redis_error, call_deadline
from service.storage.ttl_cache import TtlCache

_SLOTS_TTL_S: Final = 2.0


class ClusterTopology:
    """The nodes of a cluster and the slots that each holds."""

    def __init__(self, url: RedisUrl, timeout_s: float) -> None:
        self._seeds = url.addresses
        self._known = list(url.addresses)
        self._clients = ClientPool(url.options, timeout_s)
        self._lookup_timeout_s = min(timeout_s, LOOKUP_TIMEOUT_S)
        self._lookup_clients = ClientPool(url.options, self._lookup_timeout_s)
        self._slots = TtlCache(self._look_up, _SLOTS_TTL_S)

    def connection_for(self, key: str, since: float = -math.inf) -> redis.Redis:
        """See `Topology.connection_for`."""
        slots = self._slots.get(since)
        slot = key_slot(key.encode())
        found = bisect_right(slots.starts, slot) - 1
        if found < 0 or slots.ends[found] < slot:
            raise redis.exceptions.ClusterDownError(f"no node holds slot {slot}")
        master = slots.masters[found]
        if master in slots.failing:
            raise redis.exceptions.ClusterDownError(f"{master[0]}:{master[1]} holds slot {slot}, and is down")
        return self._clients.client_at(master)

    def invalidate(self, error: redis.RedisError) -> None:
        """See `Topology.invalidate`."""
        if isinstance(error, redis.exceptions.MovedError):  # it names the node that holds the slot
            self._known = list(dict.fromkeys([(error.host, error.port), *self._known]))
        self._slots.invalidate()

    def _look_up(self) -> _Slots:
        """Return the slots as the first node to reply reports them; the next lookup queries another node."""
        errors: list[redis.RedisError] = []
        for address in list(self._known):
            try:
                with call_deadline(self._lookup_timeout_s):
                    slots = _read_slots(self._lookup_clients.client_at(address), address[0])
            except (redis.RedisError, *PROTOCOL_ERRORS) as error:
                errors.append(as_redis_error(error))
                self._known = [*(known for known in self._known if known != address), address]
                continue
            self._clients.retain_only(slots.nodes)
            others = [node for node in slots.nodes if node != address and node not in slots.failing]
            random.shuffle(others)
            self._known = list(dict.fromkeys([*others, address, *slots.nodes, *self._seeds]))
            return slots
        raise redis.exceptions.ClusterDownError(f"no node responds: {errors[-1]}")


class _Slots(NamedTuple):
    """Ranges of slots in order: the first slot, the last slot and the master of each.

    `nodes` are all nodes including replicas; `failing` are those that the queried node cannot reach.
    """

    starts: list[int]
    ends: list[int]
    masters: list[Address]
    nodes: list[Address]
    failing: set[Address]


def _read_slots(node: redis.Redis, host: str) -> _Slots:
    """Query a node for the slots.

    :param host: the host of the node, which replaces its own host in the reply if the node does not know it.
    :raises redis.exceptions.ClusterDownError: if the node is not in a cluster.
    """
    pipeline: Any = node.pipeline(transaction=False)
    pipeline.execute_command("CLUSTER", "SLOTS")
    pipeline.execute_command("CLUSTER", "NODES")
    ranges, described = pipeline.execute()
    if not ranges:
        raise redis.exceptions.ClusterDownError("this node belongs to no cluster")
    lines = [line.split() for line in described.decode().splitlines()]
    # `fail?`: only the queried node suspects a failure.
    down = {words[0] for words in lines if not {"fail", "fail?"}.isdisjoint(words[2].split(","))}
    slots = _Slots([], [], [], [], set())
    for start, end, *holders in sorted(ranges):
        addresses = [(_text(name) or host, int(port)) for name, port, *_ in holders]
        slots.starts.append(start)
        slots.ends.append(end)
        slots.masters.append(addresses[0])
        slots.nodes.extend(address for address in addresses if address not in slots.nodes)
        ids = [_text(more[0]) for _, _, *more in holders]
        slots.failing.update(
            address for address, node_id in zip(addresses, ids, strict=True) if node_id in down
        )
    return slots


def _text(host: bytes | str | None) -> str:
    text = host.decode() if isinstance(host, bytes) else host or ""
    return "" if text == "?" else text
