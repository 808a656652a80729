"""The time of the service: that of Redis, which all processes share.

A deadline that one process sets is applied by another, so the clocks of machines must not count: one that is
an hour ahead would time out every seat. A process reads the clock of Redis every few seconds, with the list
of outages (`outages`) or when it is asked for the time, and measures the time between two readings with its
monotonic clock, which nobody sets.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple

from skye_server.error_codes import Problem
from skye_server.store.connection.server_warnings import MAX_CLOCK_DIFFERENCE_S, clock_difference

READ_S: Final = 2.0
"""How often the clock of Redis is read."""

_MAX_AGE_S: Final = 15.0
"""A caller waits for a new reading if the last one is older: nobody has asked for the time since."""

_log = logging.getLogger(__name__)


class _Reading(NamedTuple):
    """A reading of the clock of Redis.

    :param at: the time of the reading by the monotonic clock.
    :param ahead_s: how far the clock of Redis is ahead of the monotonic clock.
    """

    at: float
    ahead_s: float


class SharedClock:
    """Returns the time of Redis, in seconds since 1970.

    Before the first reading it is the time of this process. Without later readings the monotonic clock goes
    on from the last one.

    :param read: returns the time of Redis, in seconds since 1970; raises Problem when Redis is unavailable.
    :param own: the clock of this process, for which operators are warned if it differs.
    """

    def __init__(
        self,
        read: Callable[[], float],
        own: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._read_server, self._own, self._monotonic = read, own, monotonic
        self._reading: _Reading | None = None
        self._next_at = 0.0
        self._lock = threading.Lock()
        self._differs = False
        self.on_reading: Callable[[float], object] = lambda _difference_s: None
        """Called after each reading with the seconds by which the clock of this process is ahead."""

    def __call__(self) -> float:
        """Return the time, in seconds since 1970."""
        now = self._monotonic()
        if now >= self._next_at:
            self._read_again(now)
        reading = self._reading
        return self._own() if reading is None else self._monotonic() + reading.ahead_s

    def _read_again(self, now: float) -> None:
        """Read the clock of Redis: in a thread, unless there is no reading that is recent."""
        with self._lock:
            if now < self._next_at:
                return
            if self._reading is None or now - self._reading.at > _MAX_AGE_S:
                self._read()
            else:
                threading.Thread(target=self._read, name="clock", daemon=True).start()
            # Without any reading the next caller tries again: its own clock must not count for long.
            self._next_at = now if self._reading is None else now + READ_S

    def read_by(self, read: Callable[[], float]) -> None:
        """Read the clock of Redis by a call that returns its time; see `skye_server.store.outages`.

        :raises Problem: what `read` raises.
        """
        self._take(read)
        self._next_at = self._monotonic() + 2 * READ_S

    def _read(self) -> None:
        with suppress(Problem):
            self._take(self._read_server)

    def _take(self, read: Callable[[], float]) -> None:
        before = self._monotonic()
        server_s = read()
        after = self._monotonic()
        # Redis read its clock between `before` and `after`, which a failover makes seconds. What this process
        # takes for the time stays as it is within these bounds (Cristian's algorithm).
        last = self._reading
        expected = self._own() - after if last is None else last.ahead_s
        ahead_s = min(max(expected, server_s - after), server_s - before)
        self._reading = _Reading(after, ahead_s)
        self._report(self._own() - after - ahead_s)

    def _report(self, difference_s: float) -> None:
        differs = abs(difference_s) > MAX_CLOCK_DIFFERENCE_S
        if differs != self._differs:
            self._differs = differs
            if differs:
                _log.warning(clock_difference(difference_s))
            else:
                _log.info("The clock of this machine agrees with that of Redis again")
        self.on_reading(difference_s)
