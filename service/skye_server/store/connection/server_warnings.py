"""What an operator should change on a Redis server: its version, settings, memory and clock."""

from __future__ import annotations

import re
import time
from typing import Any, Final

import redis

from skye_server.store.connection.calls import RedisCalls

_OLDEST: Final = (6, 2)
"""The oldest Redis with all commands that the store calls, such as ZADD with LT; each Valkey has them."""

MAX_CLOCK_DIFFERENCE_S: Final = 2.0
"""By how much the clock of a machine may differ from that of Redis without a warning."""

_SECTIONS: Final = ("server", "memory", "persistence", "replication")

_TOO_OLD: Final = "is too old"
_REFUSES: Final = "Redis refuses changes"
_UNKNOWN = "Redis could not be checked: {}; it must be 6.2 or newer, with `maxmemory-policy noeviction`"


def server_warnings(calls: RedisCalls) -> list[str]:
    """Return warnings for the operator about all servers that hold keys; none of one that is unavailable.

    All comes from INFO and TIME, which hosted servers allow where they refuse CONFIG GET.
    """

    def read(server: redis.Redis) -> Any:
        try:
            sections = [server.info(section) for section in _SECTIONS]
            return *sections, server.time()
        except redis.exceptions.NoPermissionError as error:
            return error
        except redis.ResponseError as error:
            # HELLO begins each connection. An unknown INFO or TIME: a server in memory, as in tests.
            return {"redis_version": "5 or older"} if "HELLO" in str(error) else None

    found = [warning for reply in calls.read_at_masters(read) for warning in _warnings(reply)]
    return list(dict.fromkeys(found))


def _warnings(found: Any) -> list[str]:
    """Return the warnings about one server.

    :param found: the sections of its INFO and its time; or the error that it replied with, or what is known
        of an old version; None for a server in memory.
    """
    if found is None:
        return []
    if isinstance(found, redis.exceptions.NoPermissionError):
        return [_UNKNOWN.format("its user lacks the optional right +info (`ACL SETUSER NAME +info`)")]
    if isinstance(found, redis.ResponseError):
        return [_UNKNOWN.format(f"it replied to INFO with {str(found)[:100]!r}")]
    if isinstance(found, dict):
        return _version(found)
    server, memory, persistence, replication, (seconds, microseconds) = found
    difference_s = time.time() - seconds - microseconds / 1_000_000
    differs = abs(difference_s) > MAX_CLOCK_DIFFERENCE_S
    clock = [clock_difference(difference_s)] if differs else []
    stored = [*_eviction_policy(memory), *_persistence(persistence), *_full_memory(memory)]
    return [*_version(server), *stored, *_replicas(replication), *clock]


def is_error(warning: str) -> bool:
    """Return whether a warning is about a server that cannot store games.

    >>> is_error(_full_memory({"used_memory": 9, "maxmemory": 8})[0])
    True
    """
    return is_too_old(warning) or _REFUSES in warning


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


def _persistence(info: dict[str, Any]) -> list[str]:
    if info.get("aof_enabled") == 0:
        return ["Redis has no append-only file: games are lost when it ends; set `appendonly yes`"]
    if info.get("aof_last_write_status") == "err":
        return [f"{_REFUSES}: it cannot write its append-only file; free space on its disk"]
    return []


def _full_memory(info: dict[str, Any]) -> list[str]:
    used, maximum = info.get("used_memory", 0), info.get("maxmemory", 0)
    if not used >= maximum > 0:
        return []
    fault = f"it uses {used} bytes of memory, and its maxmemory is {maximum}"
    return [f"{_REFUSES}: {fault}; raise maxmemory, or delete games (`skye-server games`)"]


def _replicas(info: dict[str, Any]) -> list[str]:
    """Return a warning if no replica is left of those that `min-replicas-to-write` demands.

    INFO has the number of good replicas where that setting is on, and not how many it demands.
    """
    if info.get("min_slaves_good_slaves") != 0:
        return []
    return [f"{_REFUSES}: no replica is in step, and its min-replicas-to-write demands some; repair them"]


def clock_difference(difference_s: float) -> str:
    """Return the warning that the clock of this machine differs from that of Redis.

    >>> clock_difference(3600.2)
    'The clock of this machine is 3600 s ahead of that of Redis, which counts: synchronise both (NTP)'
    """
    direction = "ahead of" if difference_s > 0 else "behind"
    difference = f"The clock of this machine is {abs(difference_s):.0f} s {direction} that of Redis"
    return f"{difference}, which counts: synchronise both (NTP)"
