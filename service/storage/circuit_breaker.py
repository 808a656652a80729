"""Servers that did not answer in time, and may be frozen: one call at a time finds out, the others wait.

A thousand requests that each hang on a frozen server, with a connection each, take longer to refuse than to
serve. While one of them hangs the others fail at once; they have patience of their own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar
from weakref import WeakKeyDictionary

import redis

from service.storage.call_deadline import within

T = TypeVar("T")


class CircuitBreaker:
    """The servers whose last answer did not come in time: within `timeout_s` seconds, where one is given."""

    def __init__(self, timeout_s: float | None = None) -> None:
        self._timeout_s = timeout_s
        # Weak, since a server that was replaced is called no more, and nobody would take it out.
        self._trials: WeakKeyDictionary[redis.Redis, threading.Lock] = WeakKeyDictionary()

    def call(self, server: redis.Redis, command: Callable[[redis.Redis], T]) -> T:
        """Return what a server answers to a command.

        :raises redis.TimeoutError: when it does not in time, or somebody else is trying whether it does.
        """
        trial = self._trials.get(server)
        if trial is None:
            try:
                with within(self._timeout_s):
                    return command(server)
            except redis.TimeoutError:
                self._trials.setdefault(server, threading.Lock())
                raise
        if not trial.acquire(blocking=False):
            raise redis.TimeoutError("the server does not answer in time; another call is trying it")
        try:
            return self._tried(server, command)
        finally:
            trial.release()

    def _tried(self, server: redis.Redis, command: Callable[[redis.Redis], T]) -> T:
        try:
            with within(self._timeout_s):
                answer = command(server)
        except redis.TimeoutError:
            raise
        except redis.RedisError:  # which it has said, or is gone instead: nobody hangs on that
            self._trials.pop(server, None)
            raise
        self._trials.pop(server, None)
        return answer
