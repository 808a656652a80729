"""What an operator should change on a Redis server: its version, eviction policy and clock."""

from __future__ import annotations

import re
import time
from typing import Any, Final

import redis

from skye_server.error_codes import Problem
from skye_server.storage.connection.redis_calls import RedisCalls

_OLDEST: Final = (6, 2)
"""The oldest Redis with all commands that the store calls, such as ZMSCORE; each Valkey has them."""

_MAX_CLOCK_DIFFERENCE_S: Final = 10.0

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
    server, memory, (seconds, _) = found
    return [*_version(server), *_eviction_policy(memory), *_clock(seconds)]


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


def _clock(seconds: int) -> list[str]:
    ahead_s = seconds - time.time()
    if abs(ahead_s) <= _MAX_CLOCK_DIFFERENCE_S:
        return []
    direction = "ahead of" if ahead_s > 0 else "behind"
    difference = f"The clock of Redis is {abs(ahead_s):.0f} s {direction} this one"
    return [f"{difference}: synchronise both (NTP), or games and records expire at the wrong time"]
