"""TTL cache of one value with single-flight refresh: for the master's address and the slots of a cluster."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar, cast

import redis

T = TypeVar("T")


class TtlCache(Generic[T]):
    """A value that `load` returns, refreshed by one thread at a time once it is `ttl_s` seconds old."""

    def __init__(self, load: Callable[[], T], ttl_s: float) -> None:
        self._load = load
        self._ttl_s = ttl_s
        self._lock = threading.Lock()
        self._invalidated_at = -math.inf
        self._entry: _Entry[T] = _Entry(-math.inf, -math.inf, None, None)

    def get(self, since: float = -math.inf) -> T:
        """Return a value whose loading began after `since` and after the last invalidation.

        While another thread refreshes an expired value, callers get the stale one up to twice the TTL.

        :param since: a time of `time.monotonic`.
        :raises redis.RedisError: what loading raised.
        """
        asked_at = time.monotonic()
        since = max(since, self._invalidated_at)
        fresh_since = max(since, asked_at - self._ttl_s)
        entry = self._entry
        if not entry.is_valid_since(fresh_since):
            is_stale_usable = entry.is_valid_since(max(since, asked_at - 2 * self._ttl_s))
            if self._lock.acquire(blocking=not is_stale_usable):
                try:
                    entry = self._refresh(asked_at, fresh_since)
                finally:
                    self._lock.release()
        if entry.error is not None:
            raise entry.error
        return cast(T, entry.value)

    def invalidate(self) -> None:
        """Make the next `get` load the value again."""
        self._invalidated_at = time.monotonic()

    def _refresh(self, asked_at: float, fresh_since: float) -> _Entry[T]:
        """Load the value, unless another thread has loaded it since the call."""
        entry = self._entry
        failed_since = entry.error is not None and entry.loaded_at >= asked_at
        if not failed_since and not entry.is_valid_since(fresh_since):
            began_at = time.monotonic()
            try:
                value, error = self._load(), None
            except redis.RedisError as failure:
                value, error = None, failure
            entry = self._entry = _Entry(began_at, time.monotonic(), value, error)
        return entry


class _Entry(NamedTuple, Generic[T]):
    """The loaded value or the error, and when loading began and ended."""

    began_at: float
    loaded_at: float
    value: T | None
    error: redis.RedisError | None

    def is_valid_since(self, moment: float) -> bool:
        """Return whether loading began after a moment and succeeded."""
        return self.error is None and self.began_at > moment
