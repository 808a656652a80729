"""What a lab server stores: how far its clock is ahead, and the faults of the next requests of games.

    skye:lab:clock    string  how far the clock is ahead, in milliseconds
    skye:{ID}:faults  list    a fault for each of the next requests of a game, all equal; expires after a day

A lab server has a single Redis server.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import redis

from skye_server.storage.connection.redis_calls import RedisCalls
from skye_server.storage.connection.retry import expect_bytes
from skye_server.storage.lua_scripts import PUBLISH, Script

_CLOCK_KEY: Final = "skye:lab:clock"
_FAULTS_TTL_S: Final = 86_400
_PAGE: Final = 500
"""How many keys one command handles."""

# ARGV: milliseconds, and some keys of the service. Shortens the time to live of each key, deletes the keys
# whose time is over, and wakes the clients that follow a game or a player.
_AGE: Final = Script(
    PUBLISH
    + """
for at = 2, #ARGV do
  local left = redis.call('PTTL', ARGV[at])
  if left > 0 then redis.call('PEXPIRE', ARGV[at], left - ARGV[1]) end
  local rest = ARGV[at]:match('^skye:{[^}]*}:(.*)$')
  if rest == 'table' or rest == 'events' then publish(ARGV[at]) end
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


def _faults_key(game_id: str) -> str:
    return f"skye:{{{game_id}}}:faults"
