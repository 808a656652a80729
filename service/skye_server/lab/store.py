"""The laboratory of a server for testers: its clock, the faults of requests, and what is stored of them.

    skye:lab:clock              string  how far the clock is ahead, in milliseconds
    skye:{sN}:GAME:faults       list    a fault for each of the next requests of a game, all equal
    skye:lab:inbox:NAME         list    the latest requests to an inbox, as JSON, the latest first
    skye:lab:inbox:NAME:answer  string  the answer to the next ones, as JSON

All but the clock expire after a day.

A lab server has a single Redis server.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import redis

from skye_server.error_codes import FieldError, Problem
from skye_server.games.seat_changes import MAX_AHEAD_MS
from skye_server.store.connection.calls import RedisCalls
from skye_server.store.connection.failures import expect_bytes
from skye_server.store.lua_scripts import PUBLISH, Script
from skye_server.store.shards import key_of

_CLOCK_KEY: Final = "skye:lab:clock"
MAX_RECEIVED: Final = 100
"""How many requests to an inbox are stored."""

_FAULTS_TTL_S: Final = 86_400
_PAGE: Final = 500
"""How many keys one command handles."""

# ARGV: milliseconds, and some keys of the service. Shortens the time to live of each key, deletes the keys
# whose time is over, and wakes dispatchers and the clients that follow a game or a player.
_AGE: Final = Script(
    PUBLISH
    + """
for at = 2, #ARGV do
  local left = redis.call('PTTL', ARGV[at])
  if left > 0 then redis.call('PEXPIRE', ARGV[at], left - ARGV[1]) end
  local kind = ARGV[at]:match('[^:]*$')
  if kind == 'game' or kind == 'events' or kind:match('^due%.') then publish(ARGV[at]) end
end
return 0
"""
)


class LabStore:
    """The store of a lab server. Every method raises Problem store_unavailable when it fails."""

    def __init__(self, calls: RedisCalls) -> None:
        self._calls = calls

    def clock_ahead_ms(self) -> int:
        """Return how far the clock is ahead, in milliseconds."""
        found = self._calls.call(_CLOCK_KEY, lambda server: expect_bytes(server.get(_CLOCK_KEY)))
        return int(found or 0)

    def advance_clock(self, ms: int) -> None:
        """Advance the clock, and let all keys expire that much earlier."""

        def advance(server: redis.Redis) -> None:
            server.incrby(_CLOCK_KEY, ms)
            keys = sorted(set(server.scan_iter(match="skye:*", count=_PAGE)))  # a scan may return a key twice
            for start in range(0, len(keys), _PAGE):
                _AGE.run(server, [], [ms, *keys[start : start + _PAGE]])

        self._calls.call(_CLOCK_KEY, advance, writes=True, retries=False)

    def set_faults(self, game_id: str, fault: str, requests: int) -> None:
        """Set the fault of the next requests of a game; 0 requests remove it."""
        key = _faults_key(game_id)

        def write(server: redis.Redis) -> None:
            server.delete(key)
            if requests:
                server.rpush(key, *[fault] * requests)
                server.expire(key, _FAULTS_TTL_S)

        self._calls.call(key, write, writes=True)

    def faults(self, game_id: str) -> tuple[str | None, int]:
        """Return the fault of the next requests of a game, and their number."""
        key = _faults_key(game_id)

        def read(server: redis.Redis) -> tuple[bytes | None, int]:
            first: Any = server.lindex(key, 0)
            number: Any = server.llen(key)
            return expect_bytes(first), int(number)

        fault, requests = self._calls.call(key, read)
        return None if fault is None else fault.decode(), requests

    def take_fault(self, game_id: str, applies: Callable[[str], bool]) -> str | None:
        """Remove and return the fault of the next request of a game if it applies to this request."""
        fault, _ = self.faults(game_id)
        if fault is None or not applies(fault):
            return None
        key = _faults_key(game_id)

        def take(server: redis.Redis) -> bytes | None:
            first: Any = server.lpop(key)
            return expect_bytes(first)

        # Another request may have taken the last one since.
        taken = self._calls.call(key, take, writes=True, retries=False)
        return None if taken is None else taken.decode()

    def receive(self, inbox: str, message: bytes) -> None:
        """Store a request to an inbox."""
        key = _inbox_key(inbox)

        def write(server: redis.Redis) -> None:
            pipeline: Any = server.pipeline(transaction=False)
            pipeline.lpush(key, message)
            pipeline.ltrim(key, 0, MAX_RECEIVED - 1)
            pipeline.expire(key, _FAULTS_TTL_S)
            pipeline.execute()

        self._calls.call(key, write, writes=True, retries=False)

    def received(self, inbox: str) -> list[bytes]:
        """Return the latest requests to an inbox, the latest first."""
        key = _inbox_key(inbox)
        return self._calls.call(key, lambda server: list(server.lrange(key, 0, -1)))  # type: ignore[arg-type]  # no awaitable

    def set_inbox_answer(self, inbox: str, answer: bytes) -> None:
        """Set the answer of an inbox."""
        key = f"{_inbox_key(inbox)}:answer"
        self._calls.call(key, lambda server: server.set(key, answer, ex=_FAULTS_TTL_S), writes=True)

    def inbox_answer(self, inbox: str) -> bytes | None:
        """Return the answer of an inbox, None if none is set."""
        key = f"{_inbox_key(inbox)}:answer"
        return self._calls.call(key, lambda server: expect_bytes(server.get(key)))

    def empty_inbox(self, inbox: str) -> None:
        """Delete the requests to an inbox and its answer."""
        key = _inbox_key(inbox)
        self._calls.call(key, lambda server: server.delete(key, f"{key}:answer"), writes=True)


def _inbox_key(inbox: str) -> str:
    return f"skye:lab:inbox:{inbox}"


def _faults_key(game_id: str) -> str:
    return key_of(game_id, "faults")


class Laboratory:
    """The laboratory of a store.

    :param clock: the real clock, in seconds since 1970.
    """

    def __init__(self, store: LabStore, clock: Callable[[], float]) -> None:
        self.store = store
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
