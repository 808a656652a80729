"""The reserve of memory: while a master of Redis is nearly full, nothing new is stored on it.

Games in play need memory to go on, and a Redis whose memory is full (`maxmemory`) refuses every change. So
the last part of its memory is theirs. A process reads how much memory each master uses every few seconds, in
the background, when it is asked. A master without `maxmemory`, or whose INFO may not be read, has no reserve.
"""

from __future__ import annotations

import threading
import time
from typing import Any, Final, NamedTuple

import redis

from skye_server.error_codes import Problem
from skye_server.store.connection.calls import RedisCalls
from skye_server.store.connection.topology import Topology

SAMPLE_S: Final = 5.0
"""How often the memory of the masters is read."""

RETURN_PERCENT: Final = 5
"""By how many percent of `maxmemory` the reserve must be larger again before anything new is stored."""

RETRY_AFTER_S: Final = 60
"""After how many seconds a client may try again: only expiry and operators free memory."""

NO_LIMIT: Final = (
    "Redis has no `maxmemory`: one client can fill the memory of its machine; set it, and new games are "
    "refused before it is full"
)


class _Memory(NamedTuple):
    """What a master uses of its memory; `maximum` is 0 without a limit."""

    server: redis.Redis
    used: int
    maximum: int


class MemoryReserve:
    """Refuses what is to be stored on a master that is nearly full.

    :param percent: the size of the reserve, in percent of `maxmemory`; 0 for none.
    :param warns: whether a Redis without `maxmemory` is worth a warning.
    """

    def __init__(
        self, calls: RedisCalls, topology: Topology, percent: int = 0, *, warns: bool = False
    ) -> None:
        self._calls, self._topology = calls, topology
        self.percent, self._warns = percent, warns
        self._full: frozenset[redis.Redis] = frozenset()
        self._used: float | None = None
        self._next_at = 0.0
        self._lock = threading.Lock()

    def check(self, key: str) -> None:
        """Check that the master of a key has room for something new.

        :raises Problem: storage_full.
        """
        if not self.percent:
            return
        if time.monotonic() >= self._next_at:
            self._sample_in_background()
        if self._full and self._topology.connection_for(key) in self._full:
            raise Problem("storage_full", headers={"Retry-After": str(RETRY_AFTER_S)})

    def used(self) -> float | None:
        """Return the largest part of its `maxmemory` that a master uses; None if that is not known."""
        if self.percent and time.monotonic() >= self._next_at:
            self._sample_in_background()
        return self._used

    def sample(self) -> None:
        """Read how much memory each master uses; one that does not respond stays as it was."""
        full, found = set(self._full), self._calls.read_at_masters(_memory)
        self._used = max((each.used / each.maximum for each in found if each.maximum), default=None)
        for memory in found:
            reserve = self.percent + (RETURN_PERCENT if memory.server in full else 0)
            limit = memory.maximum * (100 - reserve) / 100
            if memory.maximum and memory.used > limit:
                full.add(memory.server)
            else:
                full.discard(memory.server)
        self._full = frozenset(full)

    def warnings(self) -> list[str]:
        """Return that a master has no `maxmemory`, if operators should know."""
        if not (self.percent and self._warns):
            return []
        found = self._calls.read_at_masters(_memory)
        return [NO_LIMIT] if any(memory.used and not memory.maximum for memory in found) else []

    def _sample_in_background(self) -> None:
        with self._lock:
            if time.monotonic() < self._next_at:
                return
            self._next_at = time.monotonic() + SAMPLE_S
        threading.Thread(target=self.sample, name="memory-reserve", daemon=True).start()


def _memory(server: redis.Redis) -> _Memory:
    try:
        found: Any = server.info("memory")
    except redis.ResponseError:  # no right to it, or a server in memory, as in tests
        return _Memory(server, 0, 0)
    return _Memory(server, int(found.get("used_memory", 0)), int(found.get("maxmemory", 0)))
