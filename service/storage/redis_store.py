"""The store on Redis, which alone holds state.

Of each game there are, under one hash tag so that a cluster keeps them together:

    skye:{ID}:table       string   the table (see `codec`)
    skye:{ID}:log         stream   one entry for each change; its id is the number of the change's last event,
                                   and a number that tells two who wrote the same from each other. Of a game
                                   that is over, one entry for all
    skye:{ID}:answer:KEY  string   the answer to an idempotency key, for a while

and of all public games, by status, a sorted set `skye:index:STATUS` of ids by time of creation. The index
may lag behind when a process dies between two writes; whoever lists games compares and mends it.

Where requests are limited, `skye:bucket:KIND:WHOSE` is how full a bucket is: the time, in microseconds since
1970, at which it will have run out.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeVar

import redis

from service.matches.errors import Problem
from service.settings import MEMORY_URL, Settings
from service.storage.connect import connected
from service.storage.lua_scripts import COMMIT, FILL, TOUCH, MinReplicas, Script
from service.storage.protocol_errors import PROTOCOL_ERRORS, expect_bytes, expect_int
from service.storage.pubsub import heard
from service.storage.redis_calls import Calls
from service.storage.redis_url import parse
from service.storage.retry import RetryPolicy, TooFewReplicas
from service.storage.store import Commit, LogEntry, StoredResponse
from service.storage.topology import Servers, SingleServer

_SALTS: Final = 4096  # so few take one byte more in an entry's id than none

T = TypeVar("T")

_UNCERTAIN: Final = (
    "The store broke off, or has fewer copies than wanted; the change may have happened. "
    "Send it again with the same Idempotency-Key, or look."
)


class RedisStore:
    """The store on a Redis server, or on what speaks like one.

    Calls are made again with `patience`, but for those whose answer is of no use later; each takes
    `timeout_s` seconds at most, where that is given. With `copies`, a change is done when there are so many
    of it, and the server that has it still is the one to hold it: one that has been replaced may have
    followers yet, who will soon forget what they have from it.
    """

    def __init__(
        self,
        servers: Servers | redis.Redis,
        patience: RetryPolicy | None = None,
        copies: MinReplicas | None = None,
        timeout_s: float | None = None,
    ) -> None:
        self._servers = SingleServer(servers) if isinstance(servers, redis.Redis) else servers
        self._calls = Calls(self._servers, patience or RetryPolicy(0), timeout_s)
        self._copies = copies
        # Which server a process asks for a sign of life is left to chance.
        self._any_key = f"skye:{secrets.token_hex(8)}"

    @classmethod
    def from_settings(cls, settings: Settings) -> RedisStore:
        """Return the store on the Redis that the settings name; it is called when it is first needed."""
        if settings.redis_url is None or settings.redis_url == MEMORY_URL:
            return cls(_in_memory())
        timeout_s = settings.redis_timeout_ms / 1000
        servers = connected(parse(settings.redis_url), timeout_s)
        patience = RetryPolicy(settings.redis_wait_ms / 1000)
        copies = MinReplicas(settings.redis_replicas, max(1, settings.redis_timeout_ms // 2))
        return cls(servers, patience, copies if copies.replicas else None, timeout_s)

    def load(self, game_id: str, response_key: str | None = None) -> tuple[bytes | None, bytes | None]:
        """See `Store.load`. An answer that is found is as safe as when it was given first."""
        table_key = _table_key(game_id)
        if response_key is None:
            return self._calls.ask(table_key, lambda server: expect_bytes(server.get(table_key))), None
        keys = [table_key, _answer_key(game_id, response_key)]

        def read(server: redis.Redis) -> tuple[bytes | None, bytes | None]:
            found: Any = server.mget(keys)
            table, answer = found
            return expect_bytes(table), expect_bytes(answer)

        def read_safely(server: redis.Redis) -> tuple[bytes | None, bytes | None]:
            table, answer = read(server)
            return table, answer if answer and self._run(TOUCH, server, keys[1:], ()) else None

        found = self._calls.ask(table_key, read)
        if found[1] is None or self._copies is None:
            return found
        # Whoever holds the game now is asked again, should it be another before the answer is safe there.
        return self._do(table_key, read_safely)

    def load_with_log(
        self, game_id: str, after: int = 0, limit: int | None = None
    ) -> tuple[bytes | None, list[LogEntry]]:
        """See `Store.load_with_log`. It is no transaction: Redis refuses any when its memory is full."""

        def read(server: redis.Redis) -> tuple[bytes | None, list[LogEntry]]:
            pipeline = server.pipeline(transaction=False)
            pipeline.get(_table_key(game_id))
            pipeline.xrange(_log_key(game_id), min=f"{after + 1}-0", count=limit)
            table, entries = pipeline.execute()
            return expect_bytes(table), [
                LogEntry(int(entry.split(b"-")[0]), fields.get(b"c", b"")) for entry, fields in entries
            ]

        return self._calls.ask(_table_key(game_id), read)

    def load_many(self, game_ids: Sequence[str]) -> list[bytes | None]:
        """See `Store.load_many`."""
        return self._calls.ask_each(
            [_table_key(game_id) for game_id in game_ids], lambda server, key: server.get(key), expect_bytes
        )

    def commit(self, commit: Commit) -> bool:
        """See `Store.commit`. Made again after a broken connection, it is told so, and never done twice."""
        answer = commit.answer or StoredResponse("-", b"", 0)
        keys = [_table_key(commit.game_id), _log_key(commit.game_id), _answer_key(commit.game_id, answer.key)]
        last_event = commit.entries[-1].last_event if commit.entries else 0
        arguments: list[Any] = [
            commit.expected or b"",
            commit.table,
            commit.ttl_s,
            answer.stored,
            answer.ttl_s,
            f"{commit.game_id}:{last_event}",
            int(commit.replaces_log),
            0,
        ]
        salt = secrets.randbelow(_SALTS)
        for entry in commit.entries:
            arguments += f"{entry.last_event}-{salt}", entry.stored
        times = 0

        def told() -> list[Any]:
            nonlocal times
            arguments[7] = min(times, 1)
            times += 1
            return arguments

        done = self._do(keys[0], lambda server: self._run(COMMIT, server, keys, told()))
        if done == 2:
            raise Problem("store_unavailable", _UNCERTAIN)
        if done == 3:
            raise Problem("game_unreadable", "The game's log is lost.")
        return bool(done)

    def add_to_index(self, status: str, game_id: str, score: float) -> None:
        """See `Store.add_to_index`."""
        key = _index_key(status)
        self._calls.ask(key, lambda server: server.zadd(key, {game_id: score}))

    def remove_from_index(self, status: str, game_ids: Sequence[str]) -> None:
        """See `Store.remove_from_index`."""
        key = _index_key(status)
        self._calls.ask(key, lambda server: server.zrem(key, *game_ids))

    def list_index(self, status: str, below: float | None, limit: int) -> list[tuple[str, float]]:
        """See `Store.list_index`."""
        key, highest = _index_key(status), "+inf" if below is None else f"({below!r}"

        def read(server: redis.Redis) -> list[tuple[str, float]]:
            found: Any = server.zrevrangebyscore(key, highest, "-inf", start=0, num=limit, withscores=True)
            return [(game_id.decode(), float(score)) for game_id, score in found]

        return self._calls.ask(key, read)

    def sample_index(self, status: str, number: int) -> list[tuple[str, float]]:
        """See `Store.sample_index`."""
        key = _index_key(status)
        chosen: Any = self._calls.ask(key, lambda server: server.zrandmember(key, number), patient=False)
        if not chosen:
            return []
        scores: Any = self._calls.ask(key, lambda server: server.zmscore(key, chosen), patient=False)
        found = zip(chosen, scores, strict=True)
        return [(game_id.decode(), score) for game_id, score in found if score is not None]

    def index_sizes(self, statuses: Sequence[str]) -> list[int]:
        """See `Store.index_sizes`."""
        keys = [_index_key(status) for status in statuses]
        return self._calls.ask_each(keys, lambda server, key: server.zcard(key), expect_int, patient=False)

    def fill_bucket(self, bucket: str, amount_us: int, capacity_us: int) -> tuple[bool, int]:
        """See `Store.fill_bucket`."""
        key = f"skye:bucket:{bucket}"

        def run(server: redis.Redis) -> tuple[bool, int]:
            done, filled_us = FILL.run(server, [key], [amount_us, capacity_us])
            return bool(done), int(filled_us)

        return self._calls.ask(key, run, patient=False)

    def ping(self) -> None:
        """See `Store.ping`."""

        def ask(server: redis.Redis) -> None:
            if not server.ping():
                raise ValueError("no PONG")

        self._calls.ask(self._any_key, ask, patient=False)

    def subscribe_to_changes(self, stopped: threading.Event) -> Iterator[str | None]:
        """See `Store.subscribe_to_changes`."""
        try:
            yield from heard(self._servers, stopped)
        except (redis.RedisError, *PROTOCOL_ERRORS) as error:
            raise Problem("store_unavailable") from self._calls.failed(error)

    def _do(self, key: str, command: Callable[[redis.Redis], T]) -> T:
        """Return what a command returns that writes what must be safe, as many times as it takes."""
        try:
            return self._calls.ask(key, command, certain=self._copies is not None)
        except Problem as problem:
            kinds = redis.ConnectionError | redis.TimeoutError | TooFewReplicas
            if isinstance(problem.__cause__, kinds):
                problem.detail = _UNCERTAIN
            raise

    def _run(self, script: Script, server: redis.Redis, keys: Sequence[str], arguments: Sequence[Any]) -> int:
        """Return what a script returns, when enough replicas have what it has written."""
        if self._copies is None:
            return expect_int(script.run(server, keys, arguments))
        return expect_int(script.run_copied(server, keys, arguments, self._copies))


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
