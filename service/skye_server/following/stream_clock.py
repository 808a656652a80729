"""The clock that wakes the streams of a process when no change does."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final, Protocol

_DISCONNECT_CHECK_S: Final = 1.0
"""How often the clients of all streams are checked for disconnects, in seconds."""

_TICK_S: Final = 0.05
"""Time between two looks at all streams, in seconds; streams that are due in it are woken together."""


class Timed(Protocol):
    """What the clock wakes: the stream of a player, or the feed of a game for its streams.

    :param due_at: when it is woken, by `time.monotonic`.
    :param wake: wakes it; it must not block.
    :param has_disconnected: whether to wake it because its client has gone.
    """

    @property
    def due_at(self) -> float: ...  # noqa: D102 - see above
    @property
    def wake(self) -> Callable[[], None]: ...  # noqa: D102 - see above
    @property
    def has_disconnected(self) -> Callable[[], bool]: ...  # noqa: D102 - see above


class StreamClock:
    """Wakes what is due; its thread runs while there are any streams."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._timed: set[Timed] = set()
        self._is_running = False
        self._is_updated = threading.Event()

    def add(self, timed: Timed) -> None:
        """Wake a stream or a feed from now on."""
        with self._lock:
            self._timed.add(timed)
            if not self._is_running:
                self._is_running = True
                threading.Thread(target=self._run, name="stream-clock", daemon=True).start()

    def remove(self, timed: Timed) -> None:
        """Wake it no longer."""
        with self._lock:
            self._timed.discard(timed)
        self._is_updated.set()

    def update(self, timed: Timed) -> None:
        """Take note that a stream or a feed is due at another time."""
        if timed.due_at < time.monotonic() + _DISCONNECT_CHECK_S:
            self._is_updated.set()

    def _run(self) -> None:
        checked_at = 0.0
        while all_timed := self._all_timed():
            now = time.monotonic()
            if is_check := now >= checked_at + _DISCONNECT_CHECK_S:
                checked_at = now
            for timed in all_timed:
                if (is_check and timed.has_disconnected()) or now >= timed.due_at:
                    timed.wake()
            due = [due_at for timed in all_timed if (due_at := timed.due_at) > now]  # others were woken
            self._is_updated.wait(max(min([checked_at + _DISCONNECT_CHECK_S, *due]) - now, _TICK_S))
            self._is_updated.clear()

    def _all_timed(self) -> list[Timed]:
        with self._lock:
            self._is_running = bool(self._timed)
            return list(self._timed)
