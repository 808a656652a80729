"""The store of players on Redis.

Of each player, under one hash tag so that a cluster keeps the keys in one slot:

    skye:{player.ID}:games    hash     records of the player's games by their ids (see `players.codec`)
    skye:{player.ID}:order    zset     these ids: games that are over by time, then, with scores from
                                       `ACTIVE_SCORE` on, the others; last those that wait for the player
    skye:{player.ID}:events   stream   the player's events; field `e` is an encoded event
    skye:{player.ID}:reserved zset     ids of games that the player is about to join, by the time until then
    skye:{player.HASH}:key    string   the record of a player key that took part in a rotation

`history_store` describes the keys of the player's history. The id of a player is the hash of the player's
first key. A game and the record of it are in different slots: the relay writes the record after the game (see
`relay.consumers`).
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from operator import index
from typing import Any, Final, NamedTuple

import redis

from skye_server.store.connection.calls import RedisCalls
from skye_server.store.connection.failures import expect_bytes
from skye_server.store.game_index import highest_first
from skye_server.store.history_store import HISTORY_KINDS
from skye_server.store.lua_scripts import PACK, PUBLISH, REPLICATE, Script
from skye_server.store.shards import player_key

ACTIVE_SCORE: Final = 1e13
"""The lowest score of a game that is not over."""

MAX_EVENTS: Final = 10_000
"""About how many events of a player are stored."""

MAX_GAMES_OVER: Final = 10_000
"""How many games that are over a player's list holds."""

KEY_TTL_S: Final = 10 * 365 * 24 * 60 * 60
"""How long the record of a rotation is stored: as long as any game can be."""

# Appends events to a stream. The arguments from a number on are, for each event, its salt and data.
_APPEND: Final = (
    PACK + f"local max_events = {MAX_EVENTS}\n"
    """
local function append(key, ttl, first)
  local last = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
  local number = last and tonumber(last[1]:match('^%d+')) or 0
  for i = first, #ARGV, 2 do
    number = number + 1
    local id = string.format('%.0f-%s', number, ARGV[i])
    redis.call('XADD', key, 'MAXLEN', '~', max_events, id, 'e', ARGV[i + 1])
  end
  if not last then pack(key) end
  redis.call('EXPIRE', key, ttl)
end
"""
)

# KEYS: games, order, events, reserved, webhooks. ARGV: 1 the game, 2 its record as it was read (empty: none),
# 3 the new record (empty: none), 4 the score, 5 the TTL in seconds, then for each event its salt and data.
#
# Returns an `UpdateOutcome`. A retry whose first attempt was written finds the new record, and appends
# nothing. A key of another type makes the script fail before it has written.
_UPDATE: Final = Script(
    PUBLISH + REPLICATE + _APPEND + f"local active, max_over = {ACTIVE_SCORE:.0f}, {MAX_GAMES_OVER}\n"
    """
redis.call('ZCARD', KEYS[2])
redis.call('XLEN', KEYS[3])
redis.call('ZCARD', KEYS[4])
local done = 1 + redis.call('EXISTS', KEYS[5])
local stored = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if stored == ARGV[3] then
  if redis.call('EXPIRE', KEYS[1], ARGV[5]) == 0 then replicate(KEYS[1]) end
  for at = 2, 3 do redis.call('EXPIRE', KEYS[at], ARGV[5]) end
  return done
end
if stored ~= ARGV[2] then return 0 end
if #ARGV > 5 then append(KEYS[3], ARGV[5], 6) end
redis.call('ZREM', KEYS[4], ARGV[1])
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('ZREM', KEYS[2], ARGV[1])
else
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
  redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
end
if redis.call('ZCOUNT', KEYS[2], '-inf', '(' .. string.format('%.0f', active)) > max_over then
  local oldest = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
  redis.call('HDEL', KEYS[1], oldest)
  redis.call('ZREM', KEYS[2], oldest)
end
for at = 1, 3 do redis.call('EXPIRE', KEYS[at], ARGV[5]) end
if #ARGV > 5 then publish(KEYS[3]) end
return done
"""
)

# KEYS: order, reserved. ARGV: 1 the game, 2 the time in milliseconds since 1970, 3 until when it is reserved,
# 4 how many games may be active (0: any number), 5 the TTL in seconds. Returns whether it is reserved.
_RESERVE: Final = Script(
    f"local active = {ACTIVE_SCORE:.0f}\n"
    """
local limit, held = tonumber(ARGV[4]), redis.call('ZCOUNT', KEYS[1], active, '+inf')
held = held + redis.call('ZCOUNT', KEYS[2], '(' .. ARGV[2], '+inf')
for _, key in ipairs(KEYS) do if redis.call('ZSCORE', key, ARGV[1]) then held = held - 1 end end
if limit > 0 and held >= limit then return 0 end
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[5])
return 1
"""
)

# KEYS: events, open tickets (`matchmaking.pools`), webhooks. ARGV: 1 the ticket, 2 the TTL in seconds, 3 the
# salt and 4 the data of the event. A retry finds no ticket, and appends nothing. Returns an `UpdateOutcome`.
_EXPIRE_TICKET: Final = Script(
    PUBLISH
    + _APPEND
    + """
redis.call('XLEN', KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
if redis.call('HDEL', KEYS[2], ARGV[1]) == 1 then
  append(KEYS[1], ARGV[2], 3)
  publish(KEYS[1])
end
return 1 + redis.call('EXISTS', KEYS[3])
"""
)

# KEYS: the record of a key, then what a player has whose first key it is. ARGV: the record as it was read
# (empty: none), the new record, its TTL, whether the key must be unused. Returns whether the new record is
# stored; a retry finds it.
_SET_KEY: Final = Script("""
local stored = redis.call('GET', KEYS[1]) or ''
if stored ~= ARGV[2] then
  if stored ~= ARGV[1] then return 0 end
  if ARGV[4] == '1' and redis.call('EXISTS', unpack(KEYS, 2)) > 0 then return 0 end
end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 1
""")


# KEYS: events, webhooks. ARGV: 1 the TTL in seconds, 2 the salt and 3 the data of the event. Returns an
# `UpdateOutcome`.
_APPEND_EVENT: Final = Script(
    PUBLISH
    + _APPEND
    + """
append(KEYS[1], ARGV[1], 2)
publish(KEYS[1])
return 1 + redis.call('EXISTS', KEYS[2])
"""
)


class RedisPlayers:
    """The store of players. Every method raises Problem store_unavailable when the store fails."""

    def __init__(self, calls: RedisCalls) -> None:
        self._calls = calls

    def key_record(self, key_hash: str) -> bytes | None:
        """Return the record of a player key; a key that took part in no rotation has none."""
        key = player_key(key_hash, "key")
        return self._calls.call(key, lambda server: expect_bytes(server.get(key)))

    def add_key(self, key_hash: str, record: bytes) -> bool:
        """Store the record of a new key; return False if the key is a player's or has another record."""
        return self._set_key(key_hash, b"", record, is_new=True)

    def replace_key(self, key_hash: str, expected: bytes | None, record: bytes) -> bool:
        """Replace the record of a key; return False if it is no longer the expected one."""
        return self._set_key(key_hash, expected or b"", record, is_new=False)

    def _set_key(self, key_hash: str, expected: bytes, record: bytes, *, is_new: bool) -> bool:
        used = ("games", "reserved", "events", "seeks", "webhooks", "statistics")
        keys = [player_key(key_hash, kind) for kind in ("key", *used)]
        return bool(self._calls.run_script(_SET_KEY, keys, [expected, record, KEY_TTL_S, int(is_new)]))

    def game(self, player: str, game_id: str) -> bytes | None:
        """Return the record of a player's game, None if it is not the player's."""
        key = player_key(player, "games")
        return self._calls.call(key, lambda server: expect_bytes(server.hget(key, game_id)))

    def update_game(self, update: GameUpdate) -> UpdateOutcome:
        """Write a step of a player's game, unless its record has changed since it was read."""
        player = update.player
        arguments: list[Any] = [
            update.game_id,
            update.expected or b"",
            update.record or b"",
            repr(update.score),
            update.ttl_s,
        ]
        for event in update.events:
            arguments += secrets.randbits(32), event
        keys = [player_key(player, kind) for kind in ("games", "order", "events", "reserved", "webhooks")]
        return UpdateOutcome(self._calls.run_script(_UPDATE, keys, arguments))

    def reserve(self, wanted: Reservation, max_active: int, ttl_s: int) -> bool:
        """Count a game among those that are not over until a time; return False when there are too many.

        :param max_active: how many there may be; 0 for any number.
        """
        keys = [player_key(wanted.player, kind) for kind in ("order", "reserved")]
        arguments = [wanted.game_id, wanted.now_ms, wanted.until_ms, max_active, ttl_s]
        return bool(self._calls.run_script(_RESERVE, keys, arguments))

    def withdraw(self, player: str, game_id: str) -> None:
        """Count a game no longer that was reserved."""
        key = player_key(player, "reserved")
        self._calls.call(key, lambda server: server.zrem(key, game_id), writes=True)

    def expire_ticket(self, player: str, ticket_id: str, event: bytes, ttl_s: int) -> UpdateOutcome:
        """Remove a ticket from those of a player that may wait, and append an event; if it is there."""
        arguments = [ticket_id, ttl_s, secrets.randbits(32), event]
        keys = [player_key(player, kind) for kind in ("events", "seeks", "webhooks")]
        return UpdateOutcome(self._calls.run_script(_EXPIRE_TICKET, keys, arguments))

    def append_event(self, player: str, event: bytes, ttl_s: int) -> UpdateOutcome:
        """Append an event to those of a player; a retry may append it again."""
        arguments = [ttl_s, secrets.randbits(32), event]
        keys = [player_key(player, kind) for kind in ("events", "webhooks")]
        return UpdateOutcome(self._calls.run_script(_APPEND_EVENT, keys, arguments))

    def active_games(self, player: str) -> list[tuple[str, bytes]]:
        """Return ids and records of the player's games that are not over."""
        order, games = player_key(player, "order"), player_key(player, "games")

        def read(server: redis.Redis) -> list[tuple[str, bytes]]:
            ids: Any = server.zrangebyscore(order, ACTIVE_SCORE, "+inf")
            records: Any = server.hmget(games, ids) if ids else []
            found = zip(ids, records, strict=True)
            return [(game_id.decode(), record) for game_id, record in found if record is not None]

        return self._calls.call(order, read)

    def games_of(self, player: str) -> list[str]:
        """Return the ids of all games that a player has a record of."""
        key = player_key(player, "games")
        found: Any = self._calls.call(key, lambda server: server.hkeys(key))
        return [game_id.decode() for game_id in found]

    def count_held(self, player: str, now_ms: int) -> int:
        """Return how many games of a player are not over, those included that are reserved."""
        order, reserved = player_key(player, "order"), player_key(player, "reserved")

        def read(server: redis.Redis) -> int:
            pipeline: Any = server.pipeline(transaction=False)
            pipeline.zcount(order, ACTIVE_SCORE, "+inf")
            pipeline.zcount(reserved, f"({now_ms}", "+inf")
            return sum(pipeline.execute())

        return self._calls.call(order, read)

    def count_games(self, player: str, *, active: bool) -> int:
        """Return how many games the player's list has; with `active` only those that are not over."""
        order, lowest = player_key(player, "order"), ACTIVE_SCORE if active else "-inf"
        return self._calls.call(order, lambda server: index(server.zcount(order, lowest, "+inf")))

    def delete(self, player: str) -> None:
        """Delete the games, the events and the history of a player; the record of the player's key stays."""
        kinds = ("games", "order", "events", "reserved", *HISTORY_KINDS)
        keys = [player_key(player, kind) for kind in kinds]
        self._calls.call(keys[0], lambda server: server.delete(*keys), writes=True)

    def list_games(self, player: str, highest: float | None, limit: int) -> list[tuple[str, float]]:
        """Return ids and scores of the player's games up to a score, highest first."""
        return highest_first(self._calls, player_key(player, "order"), highest, limit)

    def events(self, player: str, from_id: str, limit: int) -> Page:
        """Return up to `limit` events from an id on."""
        key = player_key(player, "events")

        def read(server: redis.Redis) -> Page:
            pipeline: Any = server.pipeline(transaction=False)
            pipeline.xrange(key, min=from_id, count=limit)
            pipeline.xrevrange(key, count=1)
            events, last = pipeline.execute()
            found = [StoredEvent(event_id.decode(), fields[b"e"]) for event_id, fields in events]
            return Page(found, last[0][0].decode() if last else None)

        return self._calls.call(key, read)


class StoredEvent(NamedTuple):
    """An encoded event of a player under its id `NUMBER-SALT`; no two histories have the same ids."""

    id: str
    data: bytes


class Page(NamedTuple):
    """Events of a player.

    :param events: those from an id on, the one with the id itself first unless it is missing.
    :param last_id: the id of the player's last event, None if there is none.
    """

    events: list[StoredEvent]
    last_id: str | None


class Reservation(NamedTuple):
    """A place among the games of a player that are not over, until a time in milliseconds since 1970."""

    player: str
    game_id: str
    now_ms: int
    until_ms: int


class UpdateOutcome(IntEnum):
    """The outcome of an update; whether the player has webhooks is known with it."""

    CONFLICT = 0
    DONE = 1
    DONE_WITH_WEBHOOKS = 2


@dataclass(frozen=True, slots=True)
class GameUpdate:
    """The writes of one step of a player's game, all or nothing.

    :param expected: the record as it was read; None if there was none.
    :param record: the new record; None removes the game.
    :param score: the position of the game in the player's list; see `redis_players.ACTIVE_SCORE`.
    :param events: the encoded events to append.
    """

    player: str
    game_id: str
    expected: bytes | None
    record: bytes | None
    score: float
    ttl_s: int
    events: Sequence[bytes] = ()
