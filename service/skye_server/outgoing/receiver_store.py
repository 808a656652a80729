"""The store of receivers and of the messages to them on Redis.

The owner of a receiver is a player (`player.ID`) or a game (its id), for a webhook, or a bot at a URL
(`bot.ID`). All keys of an owner are in one slot, with the events that webhooks report (see `shards`):

    webhooks          hash  encoded receivers by their ids
    webhook:ID        hash  progress: `cursor` and `number`: up to where messages have been queued;
                            `failures`, `since`, `open`: the circuit
    webhook:ID:order  zset  `GAME MESSAGE` of each queued message, in the order of these texts
    webhook:ID:queue  hash  encoded messages that are not complete, by their ids
    webhook:ID:done   hash  the latest messages that are delivered, skipped or have failed
    webhook:ID:ended  list  the ids of these, the oldest first

The ids of messages end in numbers of one length, so the order of the messages about a game is that of the
texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from operator import index
from typing import Any, Final, NamedTuple

from skye_server.store.connection.calls import RedisCalls
from skye_server.store.connection.failures import expect_bytes
from skye_server.store.lua_scripts import REPLICATE, Script
from skye_server.store.shards import key_of

MAX_DONE: Final = 100
"""How many messages that are over are stored for each receiver."""

MAX_QUEUED: Final = 1_000
"""How many messages to a receiver are queued; further events wait where they are stored."""

CIRCUIT_FAILURES: Final = 10
"""After how many failures in a row the messages to a receiver wait for one of them to succeed."""

_PROBE_MS: Final = 15_000
"""How long the other messages wait for the result of the one that probes the receiver."""

_PARTS: Final = ("", ":order", ":queue", ":done", ":ended")

# KEYS: receivers, then the keys of one. ARGV: 1 the id, 2 the receiver as it was read (empty: none), 3 the
# new one (empty: none, which deletes its messages), 4 how many there may be, 5 the TTL, 6 the cursor of a
# new one (empty: none). Returns a `PutOutcome`.
_PUT: Final = Script(
    REPLICATE
    + """
local stored = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if stored ~= ARGV[3] then
  if stored ~= ARGV[2] then return 0 end
  if stored == '' and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[4]) then return 2 end
end
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('DEL', unpack(KEYS, 2))
  replicate(KEYS[1])
else
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
  redis.call('EXPIRE', KEYS[1], ARGV[5])
  if ARGV[6] ~= '' and redis.call('HSETNX', KEYS[2], 'cursor', ARGV[6]) == 1 then
    redis.call('EXPIRE', KEYS[2], ARGV[5])
  end
end
return 1
"""
)

# KEYS: receivers, progress, order, queue. ARGV: 1 the receiver, 2 the cursor and 3 the number as they were
# read, 4 and 5 the new ones, 6 the TTL, then for each message: `GAME MESSAGE`, its id, its data. Returns 1
# if the messages are queued, now or by an earlier attempt.
_QUEUE: Final = Script(
    REPLICATE
    + """
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
local cursor = redis.call('HGET', KEYS[2], 'cursor') or ''
local number = redis.call('HGET', KEYS[2], 'number') or '0'
if cursor == ARGV[4] and number == ARGV[5] then
  replicate(KEYS[1])
  return 1
end
if cursor ~= ARGV[2] or number ~= ARGV[3] then return 0 end
for i = 7, #ARGV, 3 do
  redis.call('ZADD', KEYS[3], 0, ARGV[i])
  redis.call('HSET', KEYS[4], ARGV[i + 1], ARGV[i + 2])
end
redis.call('HSET', KEYS[2], 'cursor', ARGV[4], 'number', ARGV[5])
for i = 1, 4 do redis.call('EXPIRE', KEYS[i], ARGV[6]) end
return 1
"""
)

# KEYS: receivers, progress, order, queue. ARGV: 1 the receiver, 2 the game, 3 the time, 4 after how many
# failures the circuit opens, 5 whether the caller makes an attempt if it may. Returns the receiver, the first
# message of the game and its data, failures, the time of the first of them, and until when the circuit is
# open. The first caller after that time that makes an attempt probes the receiver.
_NEXT: Final = Script(f"""
local limit, probe = tonumber(ARGV[4]), {_PROBE_MS}
local receiver = redis.call('HGET', KEYS[1], ARGV[1])
if not receiver then return {{}} end
local from, to = '[' .. ARGV[2] .. ' ', '(' .. ARGV[2] .. '!'
local first = redis.call('ZRANGEBYLEX', KEYS[3], from, to, 'LIMIT', 0, 1)[1]
if not first then return {{receiver}} end
local id = first:sub(#ARGV[2] + 2)
local failures = tonumber(redis.call('HGET', KEYS[2], 'failures') or '0')
local since = redis.call('HGET', KEYS[2], 'since') or '0'
local open = tonumber(redis.call('HGET', KEYS[2], 'open') or '0')
if failures >= limit and tonumber(ARGV[3]) >= open then
  if ARGV[5] == '1' then
    redis.call('HSET', KEYS[2], 'open', string.format('%.0f', tonumber(ARGV[3]) + probe))
  end
  open = 0
elseif failures < limit then
  open = 0
end
return {{receiver, id, redis.call('HGET', KEYS[4], id) or '', failures, tonumber(since), open}}
""")

# KEYS: progress, order, queue, done, ended. ARGV: 1 `GAME MESSAGE`, 2 the message, 3 its data as it was
# read, 4 the new data, 5 whether it is over, 6 whether the attempt has failed (empty: there was none), 7 the
# time, 8 until when the circuit is open if it opens. Returns 0 if another process has changed the message.
_RECORD: Final = Script(
    f"{REPLICATE}local max_done = {MAX_DONE}\n"
    """
local stored = redis.call('HGET', KEYS[3], ARGV[2]) or redis.call('HGET', KEYS[4], ARGV[2])
if stored == ARGV[4] then
  replicate(KEYS[1])
  return 1
end
if redis.call('HGET', KEYS[3], ARGV[2]) ~= ARGV[3] then return 0 end
if ARGV[6] == '1' then
  redis.call('HINCRBY', KEYS[1], 'failures', 1)
  redis.call('HSETNX', KEYS[1], 'since', ARGV[7])
  redis.call('HSET', KEYS[1], 'open', ARGV[8])
elseif ARGV[6] == '0' then
  redis.call('HDEL', KEYS[1], 'failures', 'since', 'open')
end
if ARGV[5] == '0' then
  redis.call('HSET', KEYS[3], ARGV[2], ARGV[4])
  return 1
end
redis.call('HDEL', KEYS[3], ARGV[2])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('HSET', KEYS[4], ARGV[2], ARGV[4])
redis.call('RPUSH', KEYS[5], ARGV[2])
while redis.call('LLEN', KEYS[5]) > max_done do
  redis.call('HDEL', KEYS[4], redis.call('LPOP', KEYS[5]))
end
local ttl = redis.call('TTL', KEYS[1])
if ttl > 0 then
  redis.call('EXPIRE', KEYS[4], ttl)
  redis.call('EXPIRE', KEYS[5], ttl)
end
return 1
"""
)

# KEYS: progress, order, queue, done, ended. ARGV: 1 `GAME MESSAGE`, 2 the message, 3 its new data, 4 the
# TTL.
# Queues a message again, closes the circuit. Returns 0 if there is no such message.
_REQUEUE: Final = Script("""
local is_over = redis.call('HDEL', KEYS[4], ARGV[2]) == 1
if not is_over and redis.call('HEXISTS', KEYS[3], ARGV[2]) == 0 then return 0 end
redis.call('LREM', KEYS[5], 0, ARGV[2])
redis.call('ZADD', KEYS[2], 0, ARGV[1])
redis.call('HSET', KEYS[3], ARGV[2], ARGV[3])
redis.call('HDEL', KEYS[1], 'failures', 'since', 'open')
for i = 1, 3 do redis.call('EXPIRE', KEYS[i], ARGV[4]) end
return 1
""")


class PutOutcome(IntEnum):
    """The outcome of writing a receiver."""

    CONFLICT = 0
    DONE = 1
    TOO_MANY = 2


class ReceiverRef(NamedTuple):
    """What names a receiver: its owner and its id."""

    owner: str
    id: str


class Progress(NamedTuple):
    """Up to where the events of a receiver are queued, and how many messages are."""

    cursor: str = ""
    number: int = 0
    queued: int = 0


class NextMessage(NamedTuple):
    """The next message of a game.

    :param receiver: the encoded receiver; None if it is deleted.
    :param id: the id of the message; empty if none is queued.
    :param failures: how many attempts have failed since the last that succeeded, the first of them at
        `failing_since_ms`.
    :param open_until_ms: until when no attempt is made; 0 if one may be made now.
    """

    receiver: bytes | None = None
    id: str = ""
    data: bytes = b""
    failures: int = 0
    failing_since_ms: int = 0
    open_until_ms: int = 0


class Recorded(NamedTuple):
    """The result of an attempt: the message before and after it, and whether it is over.

    :param failed: whether the attempt has failed; None if there was none.
    :param open_until_ms: until when other attempts wait if too many have failed.
    """

    before: bytes
    after: bytes
    over: bool
    failed: bool | None
    now_ms: int
    open_until_ms: int = 0


class ReceiverStore:
    """The stored receivers. Every method raises Problem store_unavailable when it fails."""

    def __init__(self, calls: RedisCalls) -> None:
        self._calls = calls

    def has_any(self, owner: str) -> bool:
        """Return whether an owner has receivers."""
        key = _receivers(owner)
        return bool(self._calls.call(key, lambda server: index(server.exists(key))))

    def with_any(self, owners: Sequence[str]) -> list[str]:
        """Return those of some owners that have receivers."""
        keys = [_receivers(owner) for owner in owners]
        found = self._calls.call_each(keys, lambda server, key: server.exists(key), index)
        return [owner for owner, has_any in zip(owners, found, strict=True) if has_any]

    def all(self, owner: str) -> dict[str, bytes]:
        """Return the encoded receivers of an owner by their ids."""
        key = _receivers(owner)
        found: dict[bytes, bytes] = self._calls.call(key, lambda server: dict(server.hgetall(key)))  # type: ignore[arg-type]  # no awaitable
        return {receiver.decode(): data for receiver, data in found.items()}

    def get(self, ref: ReceiverRef) -> bytes | None:
        """Return an encoded receiver, None if the owner has none with this id."""
        key = _receivers(ref.owner)
        return self._calls.call(key, lambda server: expect_bytes(server.hget(key, ref.id)))

    def put(  # noqa: PLR0913, PLR0917 - a receiver with what limits it
        self,
        ref: ReceiverRef,
        expected: bytes | None,
        data: bytes | None,
        most: int,
        ttl_s: int,
        cursor: str = "",
    ) -> PutOutcome:
        """Write a receiver, or with `data` None delete it with its messages, unless it has changed.

        :param cursor: up to where the events of a new receiver count as queued; empty if it reports none.
        """
        arguments = [ref.id, expected or b"", data or b"", most, ttl_s, cursor]
        return PutOutcome(self._calls.run_script(_PUT, [_receivers(ref.owner), *_keys(ref)], arguments))

    def delete_all(self, owner: str) -> None:
        """Delete all receivers of an owner, with their messages."""
        keys = [key for receiver in self.all(owner) for key in _keys(ReceiverRef(owner, receiver))]
        if keys:
            self._calls.call(
                _receivers(owner), lambda server: server.delete(_receivers(owner), *keys), writes=True
            )

    def progress(self, ref: ReceiverRef) -> Progress:
        """Return up to where the events of a receiver are queued."""
        progress, order, *_ = _keys(ref)

        def read(server: Any) -> Progress:
            pipeline = server.pipeline(transaction=False)
            pipeline.hmget(progress, "cursor", "number")
            pipeline.zcard(order)
            (cursor, number), queued = pipeline.execute()
            return Progress((cursor or b"").decode(), int(number or 0), queued)

        return self._calls.call(progress, read)

    def queue(
        self,
        ref: ReceiverRef,
        before: Progress,
        cursor: str,
        messages: Sequence[tuple[str, str, bytes]],
        ttl_s: int,
    ) -> bool:
        """Queue messages, and move the cursor, unless it has moved.

        :param messages: game, id and data of each.
        """
        number = before.number + len(messages)
        arguments: list[Any] = [ref.id, before.cursor, before.number, cursor, number, ttl_s]
        for game, message, data in messages:
            arguments += f"{game} {message}", message, data
        keys = [_receivers(ref.owner), *_keys(ref)[:3]]
        return bool(self._calls.run_script(_QUEUE, keys, arguments))

    def next(
        self,
        ref: ReceiverRef,
        game: str,
        now_ms: int,
        *,
        max_failures: int = CIRCUIT_FAILURES,
        attempts: bool = True,
    ) -> NextMessage:
        """Return the next message of a game.

        :param max_failures: after how many failures in a row the circuit opens.
        :param attempts: whether the caller makes an attempt if the circuit lets it; if it was open until now,
            this caller alone does.
        """
        keys = [_receivers(ref.owner), *_keys(ref)[:3]]

        def read(server: Any) -> NextMessage:
            found = _NEXT.run(server, keys, [ref.id, game, now_ms, max_failures, int(attempts)])
            if len(found) < 2:
                return NextMessage(*found)
            receiver, message, data, failures, since_ms, open_ms = found
            return NextMessage(receiver, message.decode(), data, failures, since_ms, open_ms)

        return self._calls.call(keys[0], read, writes=True)

    def record(self, ref: ReceiverRef, game: str, message: str, result: Recorded) -> bool:
        """Store the result of an attempt; return False if another process has changed the message."""
        arguments = [
            f"{game} {message}",
            message,
            result.before,
            result.after,
            int(result.over),
            "" if result.failed is None else int(result.failed),
            result.now_ms,
            result.open_until_ms,
        ]
        return bool(self._calls.run_script(_RECORD, _keys(ref), arguments))

    def requeue(self, ref: ReceiverRef, game: str, message: str, data: bytes, ttl_s: int) -> bool:
        """Queue a message again; return False if there is none with this id."""
        arguments = [f"{game} {message}", message, data, ttl_s]
        return bool(self._calls.run_script(_REQUEUE, _keys(ref), arguments))

    def close_circuit(self, ref: ReceiverRef) -> None:
        """Forget the failures of a receiver."""
        key = _keys(ref)[0]
        self._calls.call(key, lambda server: server.hdel(key, "failures", "since", "open"), writes=True)

    def message(self, ref: ReceiverRef, message: str) -> bytes | None:
        """Return an encoded message."""
        _, _, queue, done, _ = _keys(ref)

        def read(server: Any) -> bytes | None:
            return expect_bytes(server.hget(queue, message)) or expect_bytes(server.hget(done, message))

        return self._calls.call(queue, read)

    def messages(self, ref: ReceiverRef) -> dict[str, bytes]:
        """Return the latest encoded messages by their ids, the latest first."""
        _, _, queue, done, _ = _keys(ref)

        def read(server: Any) -> dict[str, bytes]:
            found = {**server.hgetall(done), **server.hgetall(queue)}
            latest = sorted(found, reverse=True)[:MAX_DONE]
            return {message.decode(): found[message] for message in latest}

        return self._calls.call(queue, read)

    def queued_games(self, ref: ReceiverRef) -> set[str]:
        """Return the games that have queued messages."""
        order = _keys(ref)[1]

        def read(server: Any) -> set[str]:
            return {member.partition(b" ")[0].decode() for member in server.zrange(order, 0, -1)}

        return self._calls.call(order, read)


def _receivers(owner: str) -> str:
    return key_of(owner, "webhooks")


def _keys(ref: ReceiverRef) -> list[str]:
    """Return the keys of one receiver: progress, order, queue, done, ended."""
    return [key_of(ref.owner, f"webhook:{ref.id}{part}") for part in _PARTS]
