"""The store: where tables and their logs are kept. Redis alone holds state.

Of each game there are, under one hash tag so that a cluster keeps them together:

    skye:{ID}:table       string   the table (see `codec`)
    skye:{ID}:log         stream   one entry for each change; its id is the number of the change's last event.
                                   Of a game that is over, one entry for all
    skye:{ID}:answer:KEY  string   the answer to an idempotency key, for a while

and of all public games, by status, a sorted set `skye:index:STATUS` of ids by time of creation. The index
may lag behind when a process dies between two writes; whoever lists games compares and mends it.

Where requests are limited, `skye:bucket:KIND:WHOSE` is how full a bucket is: the time, in microseconds since
1970, at which it will have run out.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.problems import Problem
from service.settings import MEMORY_URL, Settings

CHANGES_CHANNEL: Final = "skye:changes"
"""Every commit publishes `ID:LAST_EVENT` here."""


_LISTEN_S = 1.0

# KEYS: table, log, answer. ARGV: the header the stored table must have (empty: none may exist), the new
# table, its seconds to live, an answer (empty: none) and its seconds, the message to publish, whether the log
# begins anew, then the entries of the log as id, bytes, id, bytes ... Returns 1 when all is written, 0 when
# nothing is.
_COMMIT = """
local expected = ARGV[1]
if expected == '' then
  if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
elseif redis.call('GETRANGE', KEYS[1], 0, #expected - 1) ~= expected then
  return 0
end
if ARGV[4] ~= '' and redis.call('EXISTS', KEYS[3]) == 1 then return 0 end
-- The log comes first: a script that fails has no effect undone, and only here could it fail.
if expected == '' or ARGV[7] == '1' then redis.call('DEL', KEYS[2]) end
for i = 8, #ARGV, 2 do
  redis.call('XADD', KEYS[2], ARGV[i] .. '-0', 'c', ARGV[i + 1])
end
redis.call('EXPIRE', KEYS[2], ARGV[3])
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
if ARGV[4] ~= '' then redis.call('SET', KEYS[3], ARGV[4], 'EX', ARGV[5]) end
redis.call('PUBLISH', 'skye:changes', ARGV[6])
return 1
"""

# KEYS: a bucket. ARGV: what to fill in, and how much the bucket holds, in microseconds of its running out.
# Returns whether that has fitted in, and how full the bucket then is. Redis's own clock counts, for all
# instances share it; a bucket far fuller than full is from before it was set back, and counts as empty.
_FILL = """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local amount, capacity = tonumber(ARGV[1]), tonumber(ARGV[2])
local empty_at = tonumber(redis.call('GET', KEYS[1]) or now)
local filled = math.max(empty_at - now, 0)
if filled > 2 * capacity then filled = 0 end
if filled + amount > capacity then return {0, filled} end
filled = filled + amount
redis.call('SET', KEYS[1], string.format('%.0f', now + filled), 'PX', math.ceil(filled / 1000))
return {1, filled}
"""


class Entry(NamedTuple):
    """An entry of a game's log: the number of its last event, and its bytes."""

    last_event: int
    stored: bytes


class Answer(NamedTuple):
    """An answer to remember under an idempotency key for `ttl_s` seconds."""

    key: str
    stored: bytes
    ttl_s: int


@dataclass(frozen=True, slots=True)
class Commit:
    """What one change of a game writes, all or nothing.

    `expected` is how the stored table must begin for the write to happen; None for a new game. `entries` are
    added to the log, or with `anew` are all of it from now on.
    """

    game_id: str
    expected: bytes | None
    table: bytes
    entries: Sequence[Entry]
    ttl_s: int
    answer: Answer | None = None
    anew: bool = False


class Store(Protocol):
    """What the service asks of a store. Every method raises Problem store_unavailable when it fails."""

    def load(self, game_id: str, answer_key: str | None = None) -> tuple[bytes | None, bytes | None]:
        """Return the stored table and the answer under an idempotency key, each None if there is none."""

    def load_with_log(self, game_id: str, after: int = 0) -> tuple[bytes | None, list[Entry]]:
        """Return the stored table and the entries of its log that hold events beyond number `after`."""

    def load_many(self, game_ids: Sequence[str]) -> list[bytes | None]:
        """Return stored tables, None where there is none."""

    def commit(self, commit: Commit) -> bool:
        """Write all of a change, or nothing when the table is no longer the one expected."""

    def index(self, status: str, game_id: str, score: float) -> None:
        """List a public game under a status."""

    def unindex(self, status: str, game_ids: Sequence[str]) -> None:
        """List public games under a status no more."""

    def indexed(self, status: str, below: float | None, limit: int) -> list[tuple[str, float]]:
        """Return the newest public games of a status with a score below the one given, newest first."""

    def index_sizes(self, statuses: Sequence[str]) -> list[int]:
        """Return how many games are listed under each status."""

    def fill(self, bucket: str, amount_us: int, capacity_us: int) -> tuple[bool, int]:
        """Fill a bucket, which runs out in time, by so many microseconds, unless it would spill over.

        Return whether that was done, and after how many microseconds it will be empty.
        """

    def ping(self) -> None:
        """Do nothing if the store is there."""

    def published_changes(self, stopped: threading.Event) -> Iterator[str | None]:
        """Yield the id of each game that is committed, as it happens; None when some may have been missed.

        It ends when `stopped` is set, or with the Problem store_unavailable.
        """


class RedisStore:
    """The store on a Redis server, or on what speaks like one."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._commit = client.register_script(_COMMIT)
        self._fill = client.register_script(_FILL)

    @classmethod
    def from_settings(cls, settings: Settings) -> RedisStore:
        """Connect to the Redis that the settings name; a command that fails is never sent again by itself.

        redis-py would repeat a write that has timed out, and so make it count twice.
        """
        if settings.redis_url is None or settings.redis_url == MEMORY_URL:
            return cls(_in_memory())
        timeout_s = settings.redis_timeout_ms / 1000
        client = redis.Redis.from_url(
            settings.redis_url,
            socket_timeout=timeout_s,
            socket_connect_timeout=timeout_s,
            retry=Retry(NoBackoff(), 0),
            max_connections=1000,
        )
        return cls(client)

    def load(self, game_id: str, answer_key: str | None = None) -> tuple[bytes | None, bytes | None]:
        """See `Store.load`."""
        with _outages_told():
            if answer_key is None:
                return self._get(_table_key(game_id)), None
            found: Any = self._redis.mget(_table_key(game_id), _answer_key(game_id, answer_key))
            return found[0], found[1]

    def load_with_log(self, game_id: str, after: int = 0) -> tuple[bytes | None, list[Entry]]:
        """See `Store.load_with_log`. Both are read in one transaction, so they belong together."""
        with _outages_told():
            pipeline = self._redis.pipeline(transaction=True)
            pipeline.get(_table_key(game_id))
            pipeline.xrange(_log_key(game_id), min=f"{after + 1}-0")
            table, entries = pipeline.execute()
            return table, [
                Entry(int(entry.split(b"-")[0]), fields.get(b"c", b"")) for entry, fields in entries
            ]

    def load_many(self, game_ids: Sequence[str]) -> list[bytes | None]:
        """See `Store.load_many`."""
        with _outages_told():
            pipeline = self._redis.pipeline(transaction=False)
            for game_id in game_ids:
                pipeline.get(_table_key(game_id))
            tables: list[bytes | None] = pipeline.execute()
            return tables

    def commit(self, commit: Commit) -> bool:
        """See `Store.commit`."""
        answer = commit.answer or Answer("-", b"", 0)
        keys = [_table_key(commit.game_id), _log_key(commit.game_id), _answer_key(commit.game_id, answer.key)]
        last_event = commit.entries[-1].last_event if commit.entries else 0
        arguments: list[Any] = [
            commit.expected or b"",
            commit.table,
            commit.ttl_s,
            answer.stored,
            answer.ttl_s,
            f"{commit.game_id}:{last_event}",
            int(commit.anew),
        ]
        for entry in commit.entries:
            arguments += entry
        with _outages_told():
            return bool(self._commit(keys=keys, args=arguments))

    def index(self, status: str, game_id: str, score: float) -> None:
        """See `Store.index`."""
        with _outages_told():
            self._redis.zadd(_index_key(status), {game_id: score})

    def unindex(self, status: str, game_ids: Sequence[str]) -> None:
        """See `Store.unindex`."""
        with _outages_told():
            self._redis.zrem(_index_key(status), *game_ids)

    def indexed(self, status: str, below: float | None, limit: int) -> list[tuple[str, float]]:
        """See `Store.indexed`."""
        highest = "+inf" if below is None else f"({below!r}"
        with _outages_told():
            found: Any = self._redis.zrevrangebyscore(
                _index_key(status), highest, "-inf", start=0, num=limit, withscores=True
            )
            return [(game_id.decode(), score) for game_id, score in found]

    def index_sizes(self, statuses: Sequence[str]) -> list[int]:
        """See `Store.index_sizes`."""
        with _outages_told():
            pipeline = self._redis.pipeline(transaction=False)
            for status in statuses:
                pipeline.zcard(_index_key(status))
            sizes: list[int] = pipeline.execute()
            return sizes

    def fill(self, bucket: str, amount_us: int, capacity_us: int) -> tuple[bool, int]:
        """See `Store.fill`."""
        with _outages_told():
            done, filled_us = self._fill(keys=[f"skye:bucket:{bucket}"], args=[amount_us, capacity_us])
            return bool(done), filled_us

    def ping(self) -> None:
        """See `Store.ping`."""
        with _outages_told():
            self._redis.ping()

    def published_changes(self, stopped: threading.Event) -> Iterator[str | None]:
        """See `Store.published_changes`."""
        pubsub: Any = self._redis.pubsub  # which redis-py leaves untyped
        with _outages_told(), pubsub(ignore_subscribe_messages=True) as ear:
            ear.subscribe(CHANGES_CHANNEL)
            yield None
            while not stopped.is_set():
                message = ear.get_message(timeout=_LISTEN_S)
                if message is not None:
                    yield bytes(message["data"]).split(b":")[0].decode()

    def _get(self, key: str) -> bytes | None:
        stored: Any = self._redis.get(key)
        return stored if stored is None else bytes(stored)


@contextmanager
def _outages_told() -> Iterator[None]:
    """Turn what goes wrong between here and Redis into a refusal that says so."""
    try:
        yield
    except redis.RedisError as error:
        raise Problem("store_unavailable") from error


def _in_memory() -> redis.Redis:
    """Return a Redis that lives in this process and dies with it."""
    import fakeredis  # noqa: PLC0415 - wanted only where there is no Redis at all

    memory: redis.Redis = fakeredis.FakeRedis()
    return memory


def _table_key(game_id: str) -> str:
    return f"skye:{{{game_id}}}:table"


def _log_key(game_id: str) -> str:
    return f"skye:{{{game_id}}}:log"


def _answer_key(game_id: str, key: str) -> str:
    return f"skye:{{{game_id}}}:answer:{key}"


def _index_key(status: str) -> str:
    return f"skye:index:{status}"
