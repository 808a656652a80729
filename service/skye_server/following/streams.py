"""What the streams of a process share: a clock that wakes them, and limits on how many are open."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final, Protocol

from skye_server.cooperative_yield import disconnect_check
from skye_server.error_codes import Problem
from skye_server.observability.metrics import Metrics
from skye_server.settings import Settings

_DISCONNECT_CHECK_S: Final = 1.0
"""How often the clients of all streams are checked for disconnects, in seconds."""

_TICK_S: Final = 0.05
"""Time between two checks of all timers, in seconds; streams that are due in it are woken together."""


class Timed(Protocol):
    """What the clock wakes: the stream of a player, or the feed of a game.

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
    """Wakes the streams of a process; its thread runs while there are any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._timers: set[Timed] = set()
        self._is_running = False
        self._is_updated = threading.Event()

    @contextmanager
    def timer(self, wake: Callable[[], None]) -> Iterator[Timer]:
        """Yield a timer for a stream.

        :param wake: wakes the stream; it must not block.
        """
        timer = Timer(wake)
        self.add(timer)
        try:
            yield timer
        finally:
            self.remove(timer)

    def add(self, timer: Timed) -> None:
        """Wake a timer from now on."""
        with self._lock:
            self._timers.add(timer)
            if not self._is_running:
                self._is_running = True
                threading.Thread(target=self._run, name="stream-clock", daemon=True).start()

    def remove(self, timer: Timed) -> None:
        """Wake a timer no longer."""
        with self._lock:
            self._timers.discard(timer)
        self._is_updated.set()

    def update(self, timer: Timed) -> None:
        """Take note that a timer is due at another time."""
        if timer.due_at < time.monotonic() + _DISCONNECT_CHECK_S:
            self._is_updated.set()

    def _run(self) -> None:
        checked_at = 0.0
        while timers := self._open_timers():
            now = time.monotonic()
            if is_check := now >= checked_at + _DISCONNECT_CHECK_S:
                checked_at = now
            for timer in timers:
                if (is_check and timer.has_disconnected()) or now >= timer.due_at:
                    timer.wake()
            due = [due_at for timer in timers if (due_at := timer.due_at) > now]  # others were woken
            self._is_updated.wait(max(min([checked_at + _DISCONNECT_CHECK_S, *due]) - now, _TICK_S))
            self._is_updated.clear()

    def _open_timers(self) -> list[Timed]:
        with self._lock:
            self._is_running = bool(self._timers)
            return list(self._timers)


class OpenStreams:
    """The event streams and long polls that are open in this process, limited per token and per address."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self._per_token = settings.limit_streams if settings.is_limited else 0
        self._per_address = settings.limit_streams_per_address if settings.is_limited else 0
        self._metrics = metrics
        self._open: Counter[str] = Counter()

    def open(
        self, token: str | None, address: str, *, is_stream: bool, of_player: bool = False
    ) -> Callable[[], None]:
        """Count a stream or a long poll that a client opens.

        :param of_player: whether it follows all games of a player.
        :returns: a function that counts its end; it must be called once.
        :raises Problem: too_many_streams.
        """
        owners = {f"address:{address}": self._per_address}
        owners[f"token:{token}" if token else f"tokenless:{address}"] = self._per_token
        for owner, limit in owners.items():
            if limit and self._open[owner] >= limit:
                detail = f"{limit} streams and long polls are open already."
                raise Problem("too_many_streams", detail, have=limit)
        self._open.update(owners.keys())
        if is_stream:
            self._metrics.stream_opened(of_player=of_player)
        return partial(self._close, tuple(owners), is_stream=is_stream, of_player=of_player)

    def _close(self, owners: tuple[str, ...], *, is_stream: bool, of_player: bool) -> None:
        self._open.subtract(owners)
        for owner in owners:
            if not self._open[owner]:
                del self._open[owner]
        if is_stream:
            self._metrics.stream_closed(of_player=of_player)
