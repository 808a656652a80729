"""Sorted sets that many games share: the lists of public games, and the requests for quick matches.

A value of another Redis type under the key of such a set would stop all these games. So reads take it for an
empty set, and the next write moves it aside. What the set held comes back from the games themselves.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final, TypeVar

import redis

from service.storage.lua_scripts import Script
from service.storage.redis_calls import RedisCalls, is_wrong_type

T = TypeVar("T")

_log = logging.getLogger(__name__)

_LOG_INTERVAL_S: Final = 5.0

# KEYS: the key of a sorted set, where to move another value. A writer that comes later finds a set.
_MOVE_ASIDE: Final = Script("""
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'zset' or kind == 'none' then return 0 end
redis.call('RENAME', KEYS[1], KEYS[2])
return 1
""")


class SharedSets:
    """Reads and writes of sorted sets that many games share."""

    def __init__(self, calls: RedisCalls) -> None:
        self._calls = calls
        self._logged_at = -_LOG_INTERVAL_S

    def read(self, key: str, command: Callable[[redis.Redis], T], otherwise: T, *, retries: bool = True) -> T:
        """Return the reply to a read, `otherwise` where the key holds a value of another type.

        :raises Problem: store_unavailable.
        """

        def read(server: redis.Redis) -> T:
            try:
                return command(server)
            except redis.ResponseError as error:
                if not is_wrong_type(error):
                    raise
                self._log_wrong_type(key)
                return otherwise

        return self._calls.call(key, read, retries=retries)

    def write(self, key: str, command: Callable[[redis.Redis], object]) -> None:
        """Run a command that writes a set and may run twice; first move a value of another type aside.

        :raises Problem: store_unavailable.
        """

        def write(server: redis.Redis) -> None:
            try:
                command(server)
            except redis.ResponseError as error:
                if not is_wrong_type(error):
                    raise
                if _MOVE_ASIDE.run(server, [key, aside(key)], ()):
                    _log.warning("moved %s aside to %s: it was no sorted set", key, aside(key))
                command(server)

        self._calls.call(key, write, writes=True)

    def _log_wrong_type(self, key: str) -> None:
        now = time.monotonic()
        if now - self._logged_at >= _LOG_INTERVAL_S:
            self._logged_at = now
            _log.warning("%s is no sorted set and counts as empty: what else writes into this Redis?", key)


def aside(key: str) -> str:
    """Return the key to which a value of another type is moved: in the same slot of a cluster.

    >>> aside("skye:index:lobby"), aside("skye:{pools}:waiting")
    ('skye:aside:{skye:index:lobby}', 'skye:{pools}:waiting:aside')
    """
    return f"{key}:aside" if "{" in key else f"skye:aside:{{{key}}}"
