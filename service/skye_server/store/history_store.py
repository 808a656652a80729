"""The store of the histories of players on Redis: past games and statistics.

Of each player, beside the keys of `redis_players` and under the same hash tag:

    skye:{player.ID}:history        hash  past games by their ids (see `players.codec.past_games`)
    skye:{player.ID}:history_order  zset  these ids by the end of the game, in milliseconds since 1970
    skye:{player.ID}:statistics     hash  counters (see `games.past_games`); `forgotten` is the latest end of
                                          the games that have left the history

The relay writes them, once a game is finished. They are not derived data only: a past game outlives its game.
A game is counted in the step that stores it, and what it counted is taken back if it is stored differently.
A game that has left the history still counts, and does not come back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import index
from typing import Any, Final

import redis

from skye_server.store.connection.calls import RedisCalls
from skye_server.store.connection.failures import expect_bytes
from skye_server.store.game_index import highest_first
from skye_server.store.lua_scripts import REPLICATE, Script
from skye_server.store.shards import player_key

MAX_PAST_GAMES: Final = 10_000
"""How many past games a history holds."""

HISTORY_KINDS: Final = ("history", "history_order", "statistics")
"""The kinds of the keys of a history."""

# KEYS: past games, their order, statistics. ARGV: 1 the game, 2 its record as it was read (empty: none), 3
# the new record (empty: none), 4 when the game finished, 5 the end of the latest game to forget by its age, 6
# how many games to hold, 7 the TTL in seconds, then the name of each counter and what is to be added.
#
# Returns 1 when the new record is stored, or the game was forgotten; 0 when another record is stored, and
# writes nothing then. A retry finds the new record, and counts nothing.
_PUT: Final = Script(
    REPLICATE
    + """
redis.call('ZCARD', KEYS[2])
local forgotten = tonumber(redis.call('HGET', KEYS[3], 'forgotten') or 0)
local stored = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if stored == ARGV[3] or (stored == '' and tonumber(ARGV[4]) <= forgotten) then
  replicate(KEYS[1])
  return 1
end
if stored ~= ARGV[2] then return 0 end
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('ZREM', KEYS[2], ARGV[1])
else
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
  redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
end
for at = 8, #ARGV, 2 do redis.call('HINCRBY', KEYS[3], ARGV[at], ARGV[at + 1]) end
local function forget(found)
  for at = 1, #found, 2 do
    redis.call('HDEL', KEYS[1], found[at])
    redis.call('ZREM', KEYS[2], found[at])
    redis.call('HSET', KEYS[3], 'forgotten', found[at + 1])
  end
end
forget(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', ARGV[5], 'WITHSCORES', 'LIMIT', 0, 100))
if redis.call('ZCARD', KEYS[2]) > tonumber(ARGV[6]) then
  forget(redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES'))
end
for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, ARGV[7]) end
return 1
"""
)


@dataclass(frozen=True, slots=True)
class HistoryUpdate:
    """One step of a player's history, all or nothing. Times are milliseconds since 1970.

    :param expected: the record as it was read; None if there was none.
    :param record: the new record; None removes the game.
    :param counters: what is added to each counter.
    """

    player: str
    game_id: str
    expected: bytes | None
    record: bytes | None
    finished_ms: int
    oldest_ms: int
    ttl_s: int
    counters: Mapping[str, int] = field(default_factory=dict)


class HistoryStore:
    """The store of histories. Every method raises Problem store_unavailable when the store fails."""

    def __init__(self, calls: RedisCalls) -> None:
        self._calls = calls

    def put(self, update: HistoryUpdate) -> bool:
        """Write a step of a history; return False if the stored record is not the expected one."""
        arguments: list[Any] = [
            update.game_id,
            update.expected or b"",
            update.record or b"",
            update.finished_ms,
            update.oldest_ms,
            MAX_PAST_GAMES,
            update.ttl_s,
        ]
        for counter in update.counters.items():
            arguments += counter
        keys = [player_key(update.player, kind) for kind in HISTORY_KINDS]
        return bool(self._calls.run_script(_PUT, keys, arguments))

    def newest(self, player: str, highest: float | None, limit: int) -> list[tuple[str, float]]:
        """Return ids and ends of a player's past games up to an end, the last to finish first."""
        return highest_first(self._calls, player_key(player, "history_order"), highest, limit)

    def record(self, player: str, game_id: str) -> bytes | None:
        """Return the record of a past game of a player, None if the history does not have it."""
        key = player_key(player, "history")
        return self._calls.call(key, lambda server: expect_bytes(server.hget(key, game_id)))

    def records(self, player: str, game_ids: Sequence[str]) -> list[bytes | None]:
        """Return the records of past games of a player, None for each that the history does not have."""
        if not game_ids:
            return []
        key = player_key(player, "history")

        def read(server: redis.Redis) -> list[bytes | None]:
            found: Any = server.hmget(key, list(game_ids))
            return list(found)

        return self._calls.call(key, read)

    def count(self, player: str) -> int:
        """Return how many past games a player's history has."""
        key = player_key(player, "history_order")
        return self._calls.call(key, lambda server: index(server.zcard(key)))

    def statistics(self, player: str) -> dict[str, int]:
        """Return the counters of a player."""
        key = player_key(player, "statistics")

        def read(server: redis.Redis) -> dict[str, int]:
            found: Any = server.hgetall(key)
            return {name.decode(): int(number) for name, number in found.items()}

        return self._calls.call(key, read)
