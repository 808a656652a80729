"""The clock of player streams: wakes each stream when it is due, or when its client has disconnected."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from skye_server.cooperative_yield import disconnect_check

_DISCONNECT_CHECK_S: Final = 1.0
"""How often the clients of all streams are checked for disconnects, in seconds."""

_TICK_S: Final = 0.05
"""Time between two checks of all timers, in seconds; streams that are due in it are woken together."""


class Timer:
    """The time at which a stream is woken if it is not notified before.

    :param is_changed: whether `notify` was called since it was last set to False.
    :param due_at: that time, by `time.monotonic`.
    :param wake: wakes the stream; it must not block.
    """

    __slots__ = ("due_at", "has_disconnected", "is_changed", "wake")

    def __init__(self, wake: Callable[[], None]) -> None:
        self.wake = wake
        self.has_disconnected = disconnect_check()
        self.is_changed = False
        self.due_at = 0.0

    @property
    def is_due(self) -> bool:
        """Whether its time has come."""
        return time.monotonic() >= self.due_at

    def notify(self) -> None:
        """Wake the stream, because its player has new events."""
        self.is_changed = True
        self.wake()


class StreamClock:
    """Wakes the player streams of a process; its thread runs while there are any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._timers: set[Timer] = set()
        self._is_running = False
        self._is_set = threading.Event()

    @contextmanager
    def timer(self, wake: Callable[[], None]) -> Iterator[Timer]:
        """Yield a timer for a stream.

        :param wake: wakes the stream; it must not block.
        """
        timer = Timer(wake)
        with self._lock:
            self._timers.add(timer)
            if not self._is_running:
                self._is_running = True
                threading.Thread(target=self._run, name="stream-clock", daemon=True).start()
        try:
            yield timer
        finally:
            with self._lock:
                self._timers.discard(timer)
            self._is_set.set()

    def set(self, timer: Timer, seconds: float) -> None:
        """Set a timer that is due after a number of seconds."""
        timer.due_at = time.monotonic() + seconds
        if seconds < _DISCONNECT_CHECK_S:
            self._is_set.set()

    def _run(self) -> None:
        checked_at = 0.0
        while timers := self._open_timers():
            now = time.monotonic()
            if is_check := now >= checked_at + _DISCONNECT_CHECK_S:
                checked_at = now
            for timer in timers:
                if timer.is_due or (is_check and timer.has_disconnected()):
                    timer.wake()
            due = [timer.due_at for timer in timers if timer.due_at > now]  # others were woken
            self._is_set.wait(max(min([checked_at + _DISCONNECT_CHECK_S, *due]) - now, _TICK_S))
            self._is_set.clear()

    def _open_timers(self) -> list[Timer]:
        with self._lock:
            self._is_running = bool(self._timers)
            return list(self._timers)
