"""The laboratory of a server for testers: its clock, which can be advanced, and the faults of requests."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from skye_server.error_codes import FieldError, Problem
from skye_server.games.manual_clock import MAX_AHEAD_MS
from skye_server.store.redis_store import RedisStore


class Laboratory:
    """The laboratory of a store.

    :param clock: the real clock, in seconds since 1970.
    """

    def __init__(self, store: RedisStore, clock: Callable[[], float]) -> None:
        self.store = store.lab
        self._clock = clock
        self._ahead_ms = 0

    def time(self) -> float:
        """Return the time of the server, in seconds since 1970.

        While the store does not respond, the clock is as far ahead as this process last read.
        """
        with suppress(Problem):
            self._ahead_ms = self.store.clock_ahead_ms()
        return self._clock() + self._ahead_ms / 1000

    def advance_clock(self, ms: int) -> None:
        """Advance the clock of all workers.

        :raises Problem: invalid_body, store_unavailable.
        """
        if self.store.clock_ahead_ms() + ms > MAX_AHEAD_MS:
            detail = "The clock would be more than 100 years ahead."
            raise Problem("invalid_body", errors=[FieldError("/advance_ms", detail)])
        self.store.advance_clock(ms)
