"""What an operator should change on a Redis server: its version, eviction policy and clock."""

from __future__ import annotations

import re
import time
from typing import Any, Final

import redis

from skye_server.error_codes import Problem
from skye_server.store.connection.calls import RedisCalls

_OLDEST: Final = (6, 2)
"""The oldest Redis with all commands that the store calls, such as ZADD with LT; each Valkey has them."""

MAX_CLOCK_DIFFERENCE_S: Final = 2.0
"""By how much the clock of a machine may differ from that of Redis without a warning."""

_TOO_OLD: Final = "is too old"
_UNKNOWN = "Redis could not be checked: {}; it must be 6.2 or newer, with `maxmemory-policy noeviction`"


def server_warnings(calls: RedisCalls, key: str) -> list[str]:
    """Return warnings for the operator about the server that holds a key; none while it is unavailable.

    All comes from INFO and TIME, which hosted servers allow where they refuse CONFIG GET.
    """

    def read(server: redis.Redis) -> Any:
        try:
            return server.info("server"), server.info("memory"), server.time()
        except redis.exceptions.NoPermissionError as error:
            return error
        except redis.ResponseError as error:
            # HELLO begins each connection. An unknown INFO or TIME: a server in memory, as in tests.
            return {"redis_version": "5 or older"} if "HELLO" in str(error) else None

    try:
        found = calls.call(key, read, retries=False)
    except Problem:
        return []  # the health check reports that
    if found is None:
        return []
    if isinstance(found, redis.ResponseError):
        return [_UNKNOWN.format(f"it replied to INFO with {str(found)[:100]!r}")]
    if isinstance(found, dict):
        return _version(found)
    server, memory, (seconds, microseconds) = found
    difference_s = time.time() - seconds - microseconds / 1_000_000
    differs = abs(difference_s) > MAX_CLOCK_DIFFERENCE_S
    clock = [clock_difference(difference_s)] if differs else []
    return [*_version(server), *_eviction_policy(memory), *clock]


def is_too_old(warning: str) -> bool:
    """Return whether a warning is about a server without commands that the store calls.

    >>> is_too_old(_version({"redis_version": "5.0.6"})[0])
    True
    """
    return _TOO_OLD in warning


def _version(info: dict[str, Any]) -> list[str]:
    version = str(info.get("redis_version", ""))
    numbers = tuple(map(int, re.findall(r"\d+", version)[:2]))
    if not numbers or numbers >= _OLDEST:
        return []
    return [f"Redis {version} {_TOO_OLD}: install Redis 6.2 or newer, or Valkey"]


def _eviction_policy(info: dict[str, Any]) -> list[str]:
    policy = info.get("maxmemory_policy")
    if policy == "noeviction":
        return []
    if policy is None:
        return [_UNKNOWN.format("INFO does not name the eviction policy")]
    return [f"Redis may evict games: its maxmemory-policy is {policy}; set it to noeviction"]


def clock_difference(difference_s: float) -> str:
    """Return the warning that the clock of this machine differs from that of Redis.

    >>> clock_difference(3600.2)
    'The clock of this machine is 3600 s ahead of that of Redis, which counts: synchronise both (NTP)'
    """
    direction = "ahead of" if difference_s > 0 else "behind"
    difference = f"The clock of this machine is {abs(difference_s):.0f} s {direction} that of Redis"
    return f"{difference}, which counts: synchronise both (NTP)"
