"""The memory that each kind of keys takes, estimated from a sample of all keys."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Any, Final, NamedTuple

import redis

from skye_server.store.connection.calls import RedisCalls
from skye_server.store.shards import PLAYER_OWNER, owner_of

_SAMPLE: Final = 10_000
"""How many keys of each master are measured: SCAN visits them in the order of their hashes, so at random."""

_BATCH: Final = 500


class KindSize(NamedTuple):
    """What the measured keys of a kind take, in bytes of MEMORY USAGE."""

    kind: str
    keys: int
    size: int


def largest_kinds(calls: RedisCalls, number: int) -> list[KindSize]:
    """Return the kinds of keys that take most memory in a sample; none of a Redis that does not tell."""
    keys: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for measured in calls.read_at_masters(_measured):
        for kind, size in measured:
            keys[kind] += 1
            sizes[kind] += size
    return [KindSize(kind, keys[kind], size) for kind, size in sizes.most_common(number)]


def _measured(server: redis.Redis) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    keys = islice(server.scan_iter(match="skye:*", count=_BATCH), _SAMPLE)
    try:
        while batch := list(islice(keys, _BATCH)):
            pipeline: Any = server.pipeline(transaction=False)
            for key in batch:
                pipeline.memory_usage(key)
            sizes = pipeline.execute()
            found += [(kind_of(key.decode()), size or 0) for key, size in zip(batch, sizes, strict=True)]
    except redis.ResponseError:  # no right to it, or a server in memory, as in tests
        return []
    return found


def kind_of(key: str) -> str:
    """Return the kind of a key, without what names its owner.

    >>> kind_of("skye:{s226}:m4pz7wqk2rnc:record:0123"), kind_of("skye:{player.abc}:events")
    ('record', 'player events')
    >>> kind_of("skye:{s7}:due.game"), kind_of("skye:bucket:games:192.0.2.1"), kind_of("skye:{index}:lobby")
    ('due.game', 'bucket', 'index')
    """
    if owned := owner_of(key):
        owner, kind = owned
        kind = kind.split(":")[0]
        return f"player {kind}" if owner.startswith(PLAYER_OWNER) else kind
    first, _, rest = key.removeprefix("skye:").partition(":")
    return rest.split(":")[0] if first.startswith("{s") else first.strip("{}")
