"""A bound on the requests that a client has under way, and what belongs to one event loop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final, Generic, TypeVar

import anyio
from anyio.lowlevel import RunVar, current_token

CONCURRENCY: Final = 50
"""httpx looks at all waiting requests whenever one begins or ends: each of 400 at once takes more than three
times the CPU of one of 50."""

T = TypeVar("T")

Slots = threading.Semaphore
AsyncSlots = anyio.Semaphore


class AsyncPerLoop(Generic[T]):
    """A value for each event loop: connections and locks of asyncio end with the loop that made them.

    `asyncio.run` starts a new loop each time.

    :param make: makes a value, given the first one, None for the first. That is made at once, and belongs to
        the first loop that asks.
    """

    def __init__(self, make: Callable[[T | None], T]) -> None:
        self._make = make
        self._first = make(None)
        self._is_taken = False
        self._of_loop: RunVar[T] = RunVar("skye_client")

    @property
    def current(self) -> T:
        """The value of the running loop; outside of loops the first."""
        try:
            current_token()
        except RuntimeError:
            return self._first
        try:
            return self._of_loop.get()
        except LookupError:
            value = self._make(self._first) if self._is_taken else self._first
            self._is_taken = True
            self._of_loop.set(value)
            return value


class PerLoop(Generic[T]):
    """One value: threads share connections and locks."""

    def __init__(self, make: Callable[[T | None], T]) -> None:
        self.current = make(None)
