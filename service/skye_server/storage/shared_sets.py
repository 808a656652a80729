"""Sorted sets that many games share: the lists of public games, and the tickets that wait.

A value of another Redis type under the key of such a set would make requests for all these games fail. So
reads treat it as an empty set, and the next write moves it aside. Later writes of the games restore the set.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final, TypeVar

import redis

from skye_server.storage.connection.redis_calls import RedisCalls, is_wrong_type
from skye_server.storage.wrong_types import moving_aside

T = TypeVar("T")

_log = logging.getLogger(__name__)

_LOG_INTERVAL_S: Final = 5.0


class SharedSets:
    """Reads and writes of sorted sets that many games share."""

    def __init__(self, calls: RedisCalls) -> None:
        self._calls = calls
        self._logged_at = -_LOG_INTERVAL_S

    def read(self, key: str, command: Callable[[redis.Redis], T], otherwise: T, *, retries: bool = True) -> T:
        """Return the reply to a read, or `otherwise` if the key holds a value of another type.

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
        self._calls.call(key, moving_aside(command, {key: "zset"}), writes=True)

    def _log_wrong_type(self, key: str) -> None:
        now = time.monotonic()
        if now - self._logged_at >= _LOG_INTERVAL_S:
            self._logged_at = now
            _log.warning(
                "%s is not a sorted set and counts as empty: another program writes to this Redis", key
            )
