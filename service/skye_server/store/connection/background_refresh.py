"""A value that is loaded again in the background, for the topology of Redis."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Final, Generic, NamedTuple, TypeVar, cast

import redis

from skye_server.store.connection.retry import as_redis_error

T = TypeVar("T")

_MAX_AGE: Final = 3.0
"""A value is returned while it is loaded again, until it is so many times as old as its TTL."""


class BackgroundRefresh(Generic[T]):
    """A value that `load` returns, loaded again once it is `ttl_s` seconds old: by one thread at a time.

    Calls wait for the thread only if there is no value, the value was invalidated, or nobody asked for long.
    """

    def __init__(self, load: Callable[[], T], ttl_s: float) -> None:
        self._load = load
        self._ttl_s = ttl_s
        self._mutex = threading.Lock()
        self._loading: threading.Event | None = None
        self._invalidated_at = -math.inf
        self._loaded: _Loaded[T] = _Loaded(-math.inf, None, None)

    def get(self, since: float = -math.inf) -> T:
        """Return a value whose loading began after `since` and after the last invalidation.

        :param since: a time of `time.monotonic`.
        :raises redis.RedisError: what loading raised.
        """
        asked_at = time.monotonic()
        oldest = max(since, self._invalidated_at, asked_at - _MAX_AGE * self._ttl_s)
        while True:
            loaded = self._loaded
            if loaded.error is not None and loaded.began_at >= asked_at:
                raise loaded.error
            if loaded.error is None and loaded.began_at >= oldest:
                break
            if done := self._refresh(loaded):
                done.wait()
        if loaded.began_at < asked_at - self._ttl_s:
            self._refresh(loaded)
        return cast("T", loaded.value)

    def invalidate(self) -> None:
        """Make the next `get` load the value again."""
        self._invalidated_at = time.monotonic()

    def _refresh(self, seen: _Loaded[T]) -> threading.Event | None:
        """Start to load the value, unless a thread does.

        :returns: what is set when the value is loaded; None if it was loaded after the caller had seen it.
        """
        with self._mutex:
            if self._loaded is not seen:
                return None
            done = self._loading
            if done is None:
                done = self._loading = threading.Event()
                threading.Thread(target=self._run, args=(done,), name="topology", daemon=True).start()
            return done

    def _run(self, done: threading.Event) -> None:
        began_at = time.monotonic()
        try:
            loaded = _Loaded(began_at, self._load(), None)
        except Exception as error:  # noqa: BLE001 - malformed replies raise any; callers would wait forever
            loaded = _Loaded(began_at, None, as_redis_error(error))
        with self._mutex:
            self._loaded, self._loading = loaded, None
        done.set()


class _Loaded(NamedTuple, Generic[T]):
    """The value or the error, and when loading began."""

    began_at: float
    value: T | None
    error: redis.RedisError | None
