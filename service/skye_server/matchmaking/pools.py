"""Pools of matchmaking tickets, one for each set of criteria (seats and options).

Of each pool, in a shard (see `shards`):

    skye:{sN}:pool.POOL:waiting     zset    the ids of tickets that wait, by their time
    skye:{sN}:pool.POOL:players     hash    the id of the ticket with which each player waits
    skye:{sN}:pool.POOL:request:ID  hash    `player`, `data` (`tickets.TicketData`), `expires` (milliseconds
                                            since 1970), `state`, once it is matched `game` and `matched`, the
                                            time; or `same`, the id of an older ticket of the player that it
                                            repeats
    skye:{sN}:pool.POOL:matched:PLAYER  string  the id of the player's ticket that was matched last
    skye:{sN}:pool.POOL:group:GAME  list    the ids of the tickets of a group whose game is not created yet

and of each player:

    skye:{player.ID}:seeks       hash    the ids of tickets that may wait, and the times of their creation
    skye:{player.ID}:sought:KEY  string  the digest of the request that was sent with an idempotency key

and of all pools:

    skye:{pools}:waiting         zset    the ids of tickets that wait, by time of expiry: to count them

One script adds a ticket and, when enough players wait, forms a group of them. So no player is in two groups
of a pool, and no group lacks a player, however many requests arrive at once. The game is in another slot: it
is created afterwards, under the id that the script gave the group. The script also writes due entries: of a
ticket that waits, for its expiry; of the ticket that completes a group, for the creation of the game.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from operator import index
from typing import Any, Final, NamedTuple

import redis

from skye.words import Word
from skye_server.games.due import Due
from skye_server.store.connection.calls import RedisCalls
from skye_server.store.connection.failures import expect_bytes
from skye_server.store.lua_scripts import PUBLISH, Script
from skye_server.store.shards import key_of, player_key, shard_key, shard_of

TICKET_TTL_S: Final = 24 * 60 * 60
"""How long a ticket is stored."""

_WAITING: Final = "skye:{pools}:waiting"

_NEVER: Final = 2**31
"""More tickets than a pool has."""

# KEYS: the waiting tickets, the players that wait. ARGV: 1 the id of a ticket, 2 the time in milliseconds
# since 1970, then further arguments of each script. Tickets that have expired or are lost are dropped first,
# and all if one of the keys is lost: otherwise a player could wait twice.
_DROP_EXPIRED: Final = """
local ids, players = redis.call('ZCARD', KEYS[1]), redis.call('HLEN', KEYS[2])
if ids == 0 or players == 0 then redis.call('DEL', KEYS[1], KEYS[2]) end
local prefix = KEYS[1]:sub(1, -8)
local key = prefix .. 'request:' .. ARGV[1]
local now = tonumber(ARGV[2])
local function drop(id, state)
  local request = prefix .. 'request:' .. id
  redis.call('ZREM', KEYS[1], id)
  local player = redis.call('HGET', request, 'player')
  if not player then return end
  redis.call('HSET', request, 'state', state)
  if redis.call('HGET', KEYS[2], player) == id then redis.call('HDEL', KEYS[2], player) end
end
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local expires = redis.call('HGET', prefix .. 'request:' .. id, 'expires')
  if not expires or tonumber(expires) <= now then drop(id, 'expired') end
end
"""

# Makes a group of tickets that wait: its game has an id, and a due entry for its creation.
_FORM: Final = """
local function form(ids, game, due, beginning, ttl)
  local group = prefix .. 'group:' .. game
  for _, id in ipairs(ids) do
    local request = prefix .. 'request:' .. id
    local player = redis.call('HGET', request, 'player')
    redis.call('HSET', request, 'state', 'matched', 'game', game, 'matched', now)
    redis.call('SET', prefix .. 'matched:' .. player, id, 'EX', ttl)
    redis.call('RPUSH', group, id)
    redis.call('ZREM', due, beginning .. id)
    redis.call('ZREM', KEYS[1], id)
    redis.call('HDEL', KEYS[2], player)
  end
  redis.call('ZADD', due, now, beginning .. ARGV[1])
  publish(due)
  redis.call('EXPIRE', group, ttl)
end
"""

# KEYS: 3 the player's ticket that was matched last, 4 the due entries of tickets. ARGV: 3 the player, 4 the
# data, 5 when the ticket expires, 6 how many tickets make a group, 7 an id for the game of a new group, 8 the
# value of KEYS[3] that the new ticket does not repeat, 9 the TTL in seconds, 10 how the due entries of the
# pool begin, 11 when the ticket is due. A ticket that finds another value there repeats it: the player was
# matched after the request arrived, or just before. A retry finds its ticket, and does not change it; it sets
# the TTL again, so that WAIT has a write to wait for.
_JOIN: Final = Script(
    "redis.call('ZCARD', KEYS[4])"
    + PUBLISH
    + _DROP_EXPIRED
    + _FORM
    + """
if redis.call('EXPIRE', key, ARGV[9]) == 1 then return 1 end
local matched = redis.call('GET', KEYS[3])
local older = redis.call('HGET', KEYS[2], ARGV[3]) or (matched ~= ARGV[8] and matched)
if older and redis.call('EXISTS', prefix .. 'request:' .. older) == 1 then
  redis.call('HSET', key, 'same', older)
  redis.call('EXPIRE', key, ARGV[9])
  return 1
end
redis.call('HSET', key, 'player', ARGV[3], 'data', ARGV[4], 'expires', ARGV[5], 'state', 'waiting')
redis.call('EXPIRE', key, ARGV[9])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('HSET', KEYS[2], ARGV[3], ARGV[1])
redis.call('ZADD', KEYS[4], ARGV[11], ARGV[10] .. ARGV[1])
local waiting = redis.call('ZRANGE', KEYS[1], 0, -1)
if #waiting < tonumber(ARGV[6]) then
  redis.call('EXPIRE', KEYS[1], ARGV[9])
  redis.call('EXPIRE', KEYS[2], ARGV[9])
  return 1
end
form(waiting, ARGV[7], KEYS[4], ARGV[10], ARGV[9])
return 1
"""
)

# KEYS: 3 the due entries of tickets. ARGV: 3 an id for the game of the group, 4 the TTL in seconds, 5 how the
# due entries of the pool begin, then the tickets of the group. Returns 0 if one of them waits no longer.
_GROUP: Final = Script(
    "redis.call('ZCARD', KEYS[3])"
    + PUBLISH
    + _DROP_EXPIRED
    + _FORM
    + """
local group = {unpack(ARGV, 6)}
for _, id in ipairs(group) do
  if not redis.call('ZSCORE', KEYS[1], id) then return 0 end
end
form(group, ARGV[3], KEYS[3], ARGV[5], ARGV[4])
return 1
"""
)

# ARGV: 3 how often the ticket looks, in milliseconds, 4 how many tickets a page has. Each look is at the next
# page of the pool, from the oldest tickets on and round. Returns the ticket, then the others of the page, the
# oldest first, each as its id, the time from which it waits, its player and its data; nothing if the ticket
# does not wait.
_LOOK: Final = Script(
    _DROP_EXPIRED
    + """
local since = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not since then return {} end
local pages = math.ceil(redis.call('ZCARD', KEYS[1]) / ARGV[4])
local start = math.floor((now - since) / ARGV[3]) % pages * ARGV[4]
local found = {}
local function add(id)
  local stored = redis.call('HMGET', prefix .. 'request:' .. id, 'player', 'data')
  for _, each in ipairs({id, redis.call('ZSCORE', KEYS[1], id), stored[1], stored[2]}) do
    found[#found + 1] = each
  end
end
add(ARGV[1])
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], start, start + ARGV[4] - 1)) do
  if id ~= ARGV[1] then add(id) end
end
return found
"""
)

# ARGV: 3 whether to cancel the ticket if it waits, 4 the TTL in seconds.
_DROP_OR_CANCEL: Final = Script(
    _DROP_EXPIRED
    + """
if redis.call('EXPIRE', key, ARGV[4]) == 0 then return 0 end
if ARGV[3] == '1' and redis.call('HGET', key, 'state') == 'waiting' then drop(ARGV[1], 'cancelled') end
return 1
"""
)


class NewTicket(NamedTuple):
    """A ticket to add to a pool.

    :param seats: how many tickets make a group at once; None if a group is chosen (`form_group`).
    :param game_id: the id of the game if the ticket completes a group.
    :param settled: the player's ticket that was matched last, if this one is not a repetition of it.
    :param look_ms: when the ticket is attended to, if it waits.
    """

    id: str
    now_ms: int
    player: str
    data: bytes
    expires_ms: int
    seats: int | None
    game_id: str
    settled: str
    look_ms: int


class TicketStatus(Word):
    """The status of a ticket, as the scripts above write it."""

    WAITING = "waiting", "there are not enough players yet."
    MATCHED = "matched", "the game has begun."
    CANCELLED = "cancelled", "the player cancelled the ticket."
    EXPIRED = "expired", "there were not enough players before `expires_at`."


class StoredTicket(NamedTuple):
    """A ticket.

    :param game: the id of the game once it is matched.
    :param matched_ms: when it was matched; 0 if it is not, or was by a version that did not record it.
    """

    id: str
    player: str
    data: bytes
    expires_ms: int
    state: TicketStatus
    game: str | None
    matched_ms: int


class WaitingTicket(NamedTuple):
    """A ticket that waits in its pool.

    :param since_ms: from when it waits.
    """

    id: str
    since_ms: int
    player: str
    data: bytes


class TicketPools:
    """The pools of all criteria. Every method raises Problem store_unavailable when the store fails."""

    def __init__(self, calls: RedisCalls) -> None:
        self._calls = calls

    # Tickets.

    def join(self, new: NewTicket) -> None:
        """Add a ticket to its pool, unless its player waits there already; form a group of enough players."""
        owner = pool_of(new.id)
        keys = [*_keys(new.id), _matched_key(new.id, new.player), shard_key(shard_of(owner), "due.ticket")]
        *values, look_ms = new._replace(seats=new.seats or _NEVER)
        self._calls.run_script(_JOIN, keys, [*values, TICKET_TTL_S, f"{owner}/", look_ms])

    def form_group(self, ticket_ids: Sequence[str], game_id: str, now_ms: int) -> bool:
        """Make a group of tickets of a pool; return False if one of them waits no longer."""
        owner, first = pool_of(ticket_ids[0]), ticket_ids[0]
        keys = [*_keys(first), shard_key(shard_of(owner), "due.ticket")]
        arguments = [first, now_ms, game_id, TICKET_TTL_S, f"{owner}/", *ticket_ids]
        return bool(self._calls.run_script(_GROUP, keys, arguments))

    def look(self, ticket_id: str, now_ms: int, look_ms: int, size: int) -> list[WaitingTicket]:
        """Drop the expired tickets of the pool of a ticket, and return a page of those that wait there.

        The page is the next one each time that `look_ms` have passed, from the oldest tickets on and round.

        :param size: how many tickets a page has.
        :returns: the ticket, then the others of the page, the oldest first; none if the ticket does not wait.
        """
        keys = _keys(ticket_id)
        found: Any = self._calls.call(
            keys[0], lambda server: _LOOK.run(server, keys, [ticket_id, now_ms, look_ms, size]), writes=True
        )
        return [
            WaitingTicket(each.decode(), int(since_ms), player.decode(), data)
            for each, since_ms, player, data in zip(*[iter(found)] * 4, strict=True)
        ]

    def last_matched(self, ticket_id: str, player: str) -> str:
        """Return the id of the player's ticket that was matched last in the pool of a ticket, or ""."""
        key = _matched_key(ticket_id, player)
        found = self._calls.call(key, lambda server: expect_bytes(server.get(key)))
        return (found or b"").decode()

    def drop_expired(self, ticket_id: str, now_ms: int, *, cancel: bool = False) -> None:
        """Drop the expired tickets of the pool of a ticket.

        :param cancel: also cancel this ticket if it waits.
        """
        arguments = [ticket_id, now_ms, int(cancel), TICKET_TTL_S]
        self._calls.run_script(_DROP_OR_CANCEL, _keys(ticket_id), arguments)

    def ticket(self, ticket_id: str) -> StoredTicket | None:
        """Return a ticket, or the older one of the same player to which it refers; None if there is none."""
        key = _ticket_key(ticket_id)
        fields: Any = self._calls.call(key, lambda server: server.hgetall(key))
        if b"same" in fields:
            return self.ticket(fields[b"same"].decode())
        return _stored_ticket(ticket_id, fields) if fields else None

    def tickets(self, ticket_ids: Sequence[str]) -> list[StoredTicket | None]:
        """Return tickets of any pools, None for each that is missing or refers to an older one."""
        keys = [_ticket_key(ticket_id) for ticket_id in ticket_ids]
        found = self._calls.call_each(
            keys, lambda pipeline, key: pipeline.hgetall(key), lambda fields: fields
        )
        stored = zip(ticket_ids, found, strict=True)
        return [
            _stored_ticket(ticket_id, fields) if fields and b"same" not in fields else None
            for ticket_id, fields in stored
        ]

    def group(self, game_id: str, ticket_id: str) -> list[StoredTicket]:
        """Return the tickets of a group; none once its game is created.

        :param ticket_id: the id of one of them.
        """
        key = _pool_key(ticket_id, f"group:{game_id}")

        def read(server: redis.Redis) -> list[StoredTicket]:
            stored: Any = server.lrange(key, 0, -1)
            ids = [member.decode() for member in stored]
            pipeline: Any = server.pipeline(transaction=False)
            for member in ids:
                pipeline.hgetall(_ticket_key(member))
            found = zip(ids, pipeline.execute(), strict=True)
            return [_stored_ticket(member, fields) for member, fields in found]

        return self._calls.call(key, read)

    def game_created(self, game_id: str, group: Sequence[StoredTicket]) -> None:
        """Record that the game of a group is created."""
        owner = pool_of(group[0].id)
        key, due = key_of(owner, f"group:{game_id}"), shard_key(shard_of(owner), "due.ticket")

        def write(server: redis.Redis) -> None:
            pipeline: Any = server.pipeline(transaction=False)
            pipeline.delete(key)
            pipeline.zrem(due, *(f"{owner}/{ticket.id}" for ticket in group))
            pipeline.execute()

        self._calls.call(key, write, writes=True)
        self._remove_waiting([ticket.id for ticket in group])

    def waiting(self, now_ms: int) -> int:
        """Return how many tickets wait in all pools; never retry."""
        return self._calls.call(
            _WAITING, lambda server: index(server.zcount(_WAITING, now_ms, "+inf")), retries=False
        )

    # Tickets of a player.

    def claim_key(self, player: str, record_key: str, digest: bytes) -> bool:
        """Bind an idempotency key of a player to a request; return False if it is bound to another one."""
        key = player_key(player, f"sought:{record_key}")

        def claim(server: redis.Redis) -> bool:
            pipeline: Any = server.pipeline(transaction=False)
            pipeline.set(key, digest, nx=True, ex=TICKET_TTL_S)
            pipeline.get(key)
            return bool(pipeline.execute()[1] == digest)

        return self._calls.call(key, claim, writes=True)

    def announce(self, player: str, ticket_id: str, now_ms: int, expires_ms: int) -> None:
        """Record that a player is about to add a ticket: any process can complete it after a crash."""
        key = _open_tickets_key(player)

        def write(server: redis.Redis) -> None:
            pipeline: Any = server.pipeline(transaction=False)
            pipeline.hsetnx(key, ticket_id, now_ms)
            pipeline.expire(key, TICKET_TTL_S)
            pipeline.execute()

        def count(server: redis.Redis) -> None:
            pipeline: Any = server.pipeline(transaction=False)
            pipeline.zremrangebyscore(_WAITING, "-inf", now_ms)
            pipeline.zadd(_WAITING, {ticket_id: expires_ms})
            pipeline.execute()

        self._calls.call(key, write, writes=True)
        self._calls.call(_WAITING, count, writes=True)

    def open_tickets(self, player: str) -> dict[str, int]:
        """Return the ids of a player's tickets that may wait, and the times of their creation."""
        key = _open_tickets_key(player)
        fields: Any = self._calls.call(key, lambda server: server.hgetall(key))
        return {ticket_id.decode(): int(since_ms) for ticket_id, since_ms in fields.items()}

    def forget(self, player: str, ticket_ids: Collection[str]) -> None:
        """Remove tickets of a player that no longer wait."""
        if ticket_ids:
            key = _open_tickets_key(player)
            self._calls.call(key, lambda server: server.hdel(key, *ticket_ids), writes=True)
            self._remove_waiting(ticket_ids)

    def _remove_waiting(self, ticket_ids: Collection[str]) -> None:
        self._calls.call(_WAITING, lambda server: server.zrem(_WAITING, *ticket_ids), writes=True)


def pool_of(ticket_id: str) -> str:
    """Return the owner of the keys of a ticket's pool, which the first half of the ticket's id names."""
    return f"pool.{ticket_id[: len(ticket_id) // 2]}"


def ticket_entry(ticket_id: str, due_ms: int) -> Due:
    """Return the due entry of a ticket."""
    return Due("ticket", f"{pool_of(ticket_id)}/{ticket_id}", due_ms)


def _pool_key(ticket_id: str, kind: str) -> str:
    return key_of(pool_of(ticket_id), kind)


def _keys(ticket_id: str) -> list[str]:
    """Return the keys of the pool that each script takes."""
    return [_pool_key(ticket_id, "waiting"), _pool_key(ticket_id, "players")]


def _ticket_key(ticket_id: str) -> str:
    return _pool_key(ticket_id, f"request:{ticket_id}")


def _matched_key(ticket_id: str, player: str) -> str:
    return _pool_key(ticket_id, f"matched:{player}")


def _open_tickets_key(player: str) -> str:
    return player_key(player, "seeks")


def _stored_ticket(ticket_id: str, fields: dict[bytes, bytes]) -> StoredTicket:
    game = fields.get(b"game")
    return StoredTicket(
        ticket_id,
        fields[b"player"].decode(),
        fields[b"data"],
        int(fields[b"expires"]),
        TicketStatus(fields[b"state"].decode()),
        None if game is None else game.decode(),
        int(fields.get(b"matched", 0)),
    )
