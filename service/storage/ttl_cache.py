"""What one looks up for all, and holds for a while: who the master is, which node holds which slots."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar, cast

import redis

T = TypeVar("T")


class TtlCache(Generic[T]):
    """Something that is looked up by one at a time, and is fresh for `fresh_s` seconds."""

    def __init__(self, look: Callable[[], T], fresh_s: float) -> None:
        self._look = look
        self._fresh_s = fresh_s
        self._lock = threading.Lock()
        self._doubted_at = -math.inf
        self._last: _Look[T] = _Look(-math.inf, -math.inf, None, None)

    def value(self, since: float = -math.inf) -> T:
        """Return what was looked up after `since`, by `time.monotonic`, and after it was doubted last.

        While somebody looks it up anew, others are given what is twice as old as it may be otherwise.

        :raises redis.RedisError: what the looking up raised.
        """
        asked_at = time.monotonic()
        since = max(since, self._doubted_at)
        fresh = max(since, asked_at - self._fresh_s)
        last = self._last
        if not last.has_found_since(fresh):
            will_do = last.has_found_since(max(since, asked_at - 2 * self._fresh_s))
            if self._lock.acquire(blocking=not will_do):
                try:
                    last = self._looked_up(asked_at, fresh)
                finally:
                    self._lock.release()
        if last.error is not None:
            raise last.error
        return cast(T, last.found)

    def doubt(self) -> None:
        """Look it up anew before it is used again."""
        self._doubted_at = time.monotonic()

    def _looked_up(self, asked_at: float, fresh: float) -> _Look[T]:
        """Look it up, unless somebody has done so meanwhile."""
        last = self._last
        has_failed_meanwhile = last.error is not None and last.ended >= asked_at
        if not has_failed_meanwhile and not last.has_found_since(fresh):
            began = time.monotonic()
            try:
                found, error = self._look(), None
            except redis.RedisError as failure:
                found, error = None, failure
            last = self._last = _Look(began, time.monotonic(), found, error)
        return last


class _Look(NamedTuple, Generic[T]):
    """What was found, or what went wrong, and when the looking began and ended."""

    began: float
    ended: float
    found: T | None
    error: redis.RedisError | None

    def has_found_since(self, moment: float) -> bool:
        """Whether something was found that was looked for after a moment."""
        return self.error is None and self.began > moment
