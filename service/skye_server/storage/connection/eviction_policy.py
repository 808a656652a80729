"""The eviction policy of Redis: with any policy but `noeviction`, a full Redis deletes games in play."""

from __future__ import annotations

from typing import Any

import redis

from skye_server.error_codes import Problem
from skye_server.storage.connection.redis_calls import RedisCalls

_UNKNOWN = "whether Redis may evict games could not be checked: {}; set `maxmemory-policy noeviction`"


def eviction_warning(calls: RedisCalls, key: str) -> str | None:
    """Return a warning for the operator, or None when the server that holds a key evicts nothing.

    The policy is read from INFO, which hosted servers allow where they refuse CONFIG GET.
    """

    def read(server: redis.Redis) -> Any:
        try:
            return server.info("memory")
        except redis.ResponseError as error:  # refused by the access control list, or an unknown command
            return error

    try:
        info = calls.call(key, read, retries=False)
    except Problem:
        return None  # the store is unavailable, which the health check reports
    if isinstance(info, redis.ResponseError):
        return _UNKNOWN.format(f"it replied to INFO with {str(info)[:100]!r}")
    policy = info.get("maxmemory_policy")
    if policy is None:
        return _UNKNOWN.format("INFO does not name the policy")
    if policy == "noeviction":
        return None
    return f"Redis may evict games: its maxmemory-policy is {policy}; set it to noeviction"
