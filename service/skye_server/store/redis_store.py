"""The store on Redis, which holds all state of the service.

`shards` describes the keys of a game. The id of a log entry is the number of its last event and a random
number, which differs between concurrent writers of the same change. Field `c` holds the changes, field `h`
the format and checksum.

Of rate limits, `skye:bucket:KIND:ADDRESS`: the time, in microseconds since 1970, at which a leaky bucket will
be empty. Buckets and indexes have no format number: a new format would get another key.

Other modules describe other keys: `redis_players` and `history_store` those of players, `game_index` those of
the list of public games, `due_queue` those of due work, `ruleset_store` that of rulesets. Features have
stores of their own, on the same `calls`.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from operator import index
from pathlib import Path
from typing import IO, Any, Final

import redis

from skye_server.error_codes import Problem
from skye_server.games.due import Due
from skye_server.redis_url import MEMORY_URL, parse
from skye_server.settings import Settings
from skye_server.store import redis_deletion
from skye_server.store.backup import (
    Counts,
    finish_restore,
    restore_backup,
    stored_keys,
    unfinished_restore,
    write_backup,
)
from skye_server.store.codec import entry_header
from skye_server.store.commit import Commit, LogEntry, StoredRecord
from skye_server.store.connection.batching import read_together
from skye_server.store.connection.calls import UNKNOWN_OUTCOME, RedisCalls, RetryPolicy
from skye_server.store.connection.failures import PROTOCOL_ERRORS, call_deadline, expect_bytes
from skye_server.store.connection.prefixed import PrefixedTopology
from skye_server.store.connection.pubsub import ChangeSubscriber
from skye_server.store.connection.server_warnings import is_too_old, server_warnings
from skye_server.store.connection.topology import SingleServer, Topology, topology_of
from skye_server.store.due_queue import DueQueue
from skye_server.store.game_index import GameIndex
from skye_server.store.history_store import HistoryStore
from skye_server.store.lua_scripts import COMMIT, DELETE, FILL, SETTLE, TOUCH, MinReplicas
from skye_server.store.redis_players import RedisPlayers
from skye_server.store.ruleset_store import RulesetStore
from skye_server.store.shards import key_of, keys_of, shard_key, shard_of

_SALTS: Final = 4096  # below this a salt takes no more than one byte in the stream

_HEADER_BYTES: Final = 32
"""The maximum size of the header of a stored game."""

_CLOCK_KEY: Final = "skye:{clock}"
"""A key whose server is asked for the time; nothing is stored under it."""

_PING_TIMEOUT_S: Final = 0.5
"""The deadline of a health check: shorter than that of other calls, because a probe is repeated anyway."""


class RedisStore:
    """The store on a Redis server, or on a server that speaks its protocol.

    Every method raises Problem store_unavailable when the store fails.

    :param retry_policy: for all calls except those whose reply is useless later.
    :param min_replicas: the replicas that must acknowledge each commit. With all replicas, any server that is
        elected master has the commit (see `deploy/durability.md`).
    :param timeout_s: the deadline of each attempt of a call.
    """

    def __init__(
        self,
        topology: Topology | redis.Redis,
        retry_policy: RetryPolicy | None = None,
        min_replicas: MinReplicas | None = None,
        timeout_s: float | None = None,
    ) -> None:
        self._topology = SingleServer(topology) if isinstance(topology, redis.Redis) else topology
        self._retry_policy = retry_policy or RetryPolicy(0)
        self._timeout_s = timeout_s
        self._calls = RedisCalls(self._topology, self._retry_policy, timeout_s, min_replicas)
        self.index = GameIndex(self._calls)
        self.players = RedisPlayers(self._calls)
        self.history = HistoryStore(self._calls)
        self.due = DueQueue(self._calls)
        self.rulesets = RulesetStore(self._calls)
        # At random, so that processes do not all ping the same node of a cluster.
        self._ping_key = f"skye:{secrets.token_hex(8)}"

    @property
    def calls(self) -> RedisCalls:
        """The calls of this store: for the stores of features."""
        return self._calls

    @classmethod
    def from_settings(cls, settings: Settings) -> RedisStore:
        """Return the store that the settings name; it connects at the first call."""
        if settings.redis_url is None or settings.redis_url == MEMORY_URL:
            return cls(_in_memory())
        timeout_s = settings.redis_timeout_ms / 1000
        topology = topology_of(parse(settings.redis_url), timeout_s)
        retry_policy = RetryPolicy(settings.redis_wait_ms / 1000)
        min_replicas = MinReplicas(settings.redis_replicas, max(1, settings.redis_timeout_ms // 2))
        return cls(topology, retry_policy, min_replicas if min_replicas.replicas else None, timeout_s)

    def within(self, prefix: str) -> RedisStore:
        """Return a store on the same server of a lab, whose keys begin with a prefix: it shares no data."""
        topology = PrefixedTopology(self._topology, prefix)
        return RedisStore(topology, self._retry_policy, timeout_s=self._timeout_s)

    def load(self, game_id: str, record_key: str | None = None) -> tuple[bytes | None, bytes | None]:
        """Return the stored game and the idempotency record under a key; None for each that is missing.

        A record is returned only when it is replicated like a new one.
        """
        keys = keys_of(game_id, "game", f"record:{record_key}")

        def read(server: redis.Redis) -> tuple[bytes | None, bytes | None]:
            if record_key is None:
                return expect_bytes(server.get(keys[0])), None
            game, record = server.mget(keys)
            return expect_bytes(game), expect_bytes(record)

        def read_replicated(server: redis.Redis) -> tuple[bytes | None, bytes | None]:
            game, record = read(server)
            exists = record and TOUCH.run(server, keys[1:], (), self._calls.min_replicas)
            return game, record if exists else None

        found = self._calls.call(keys[0], read)
        if found[1] is None or self._calls.min_replicas is None:
            return found
        # Read again with the write: another server may be the master by then.
        return self._calls.call(keys[0], read_replicated, writes=True)

    def load_with_log(
        self, game_id: str, after: int = 0, limit: int | None = None
    ) -> tuple[bytes | None, list[LogEntry]]:
        """Return the stored game and its log entries with events after number `after`, at most `limit`.

        Not a transaction: Redis rejects these when its memory is full.

        The log may be newer than the game, and contain changes that the returned game lacks.
        """
        key, log = keys_of(game_id, "game", "log")
        log_range = ("XRANGE", log, f"{after + 1}-0", "+", *(() if limit is None else ("COUNT", limit)))

        def read(server: redis.Redis) -> tuple[bytes | None, list[LogEntry]]:
            game, entries = read_together(server, [("GET", key), log_range])
            return expect_bytes(game), [_log_entry(entry_id, fields) for entry_id, fields in entries]

        return self._calls.call(key, read)

    def load_to_attend(self, game_id: str) -> tuple[bytes | None, int]:
        """Return the stored game, and after how many milliseconds its keys expire."""
        key = key_of(game_id, "game")

        def read(server: redis.Redis) -> tuple[bytes | None, int]:
            game, left_ms = read_together(server, [("GET", key), ("PTTL", key)])
            return expect_bytes(game), index(left_ms)

        return self._calls.call(key, read)

    def load_many(self, game_ids: Sequence[str]) -> list[bytes | None]:
        """Return stored games, None for each that is missing."""
        keys = [key_of(game_id, "game") for game_id in game_ids]
        return self._calls.call_each(keys, lambda server, key: server.get(key), expect_bytes)

    def headers(self, game_ids: Sequence[str]) -> list[bytes | None]:
        """Return the first bytes of stored games, which contain their versions; None for each missing one."""
        keys = [key_of(game_id, "game") for game_id in game_ids]

        def read(server: Any, key: str) -> Any:
            return server.getrange(key, 0, _HEADER_BYTES - 1)

        return [found or None for found in self._calls.call_each(keys, read, expect_bytes)]

    def commit(self, commit: Commit) -> bool:
        """Write all of a change; return False and write nothing when the game has changed since it was read.

        The script recognises a retry whose first attempt was committed.

        :raises Problem: data_corrupt, data_newer, when the game's log is missing.
        """
        record = commit.record or StoredRecord("-", b"", 0)
        game_id = commit.game_id
        keys = keys_of(game_id, "game", "log", f"record:{record.key}", "records", "watch", "webhooks")
        keys += [
            shard_key(shard_of(game_id), f"due.{kind}")
            for kind in ("webhook", *(due.kind for due in commit.due))
        ]
        arguments: list[Any] = [
            commit.expected_prefix or b"",
            commit.game,
            commit.ttl_s,
            record.data,
            record.ttl_s,
            int(commit.replaces_log),
            game_id,
            commit.now_ms,
            record.owner,
            *(part for due in commit.due for part in (due.id, due.due_ms)),
        ]
        salt = secrets.randbelow(_SALTS)
        for entry in commit.entries:
            header = entry_header(entry.last_event, entry.data)
            arguments += f"{entry.last_event}-{salt}", entry.data, header
        result = self._calls.run_script(COMMIT, keys, arguments, counts_attempts=True)
        if result == 2:
            raise Problem("store_unavailable", UNKNOWN_OUTCOME)
        if result == 3:
            raise Problem("data_corrupt", "The game's log is lost.")
        return bool(result)

    def delete(
        self, game_id: str, expected_prefix: bytes, record: StoredRecord | None, relay: Sequence[Due]
    ) -> bool:
        """Delete a game and all that belongs to it; return False when it has changed since it was read.

        :param record: the record of the deletion, which stays.
        :param relay: the entries of its relay, which report the deletion.
        """
        key, data, ttl_s, _ = record or StoredRecord("-", b"", 0)
        keys = keys_of(game_id, "game", "log", "records", f"record:{key}", "watch", "webhooks")
        keys += [shard_key(shard_of(game_id), f"due.{kind}") for kind in ("game", "relay")]
        relay_ms = max(entry.due_ms for entry in relay)
        arguments = (expected_prefix, data, ttl_s, game_id, relay_ms, *(entry.id for entry in relay))
        return bool(self._calls.run_script(DELETE, keys, arguments, counts_attempts=True))

    def settle(
        self,
        game_id: str,
        relayed_prefix: bytes | None,
        former: Sequence[str],
        due_ms: int | None,
        was_due_ms: int | None = None,
    ) -> bool:
        """Note that a game is relayed; return False if others have changed it: the relay is still due then.

        :param relayed_prefix: how the stored game began; None if there was none.
        :param former: the ids of other entries of the relay that are done.
        :param due_ms: when the relay is due again.
        :param was_due_ms: when the relay of the commit was due that is relayed; None if all commits are.
        """
        keys = [key_of(game_id, "game"), shard_key(shard_of(game_id), "due.relay")]
        times = ["" if at_ms is None else at_ms for at_ms in (due_ms, was_due_ms)]
        arguments = [relayed_prefix or b"", game_id, *times, *former]

        def run(server: redis.Redis) -> bool:
            return bool(SETTLE.run(server, keys, arguments))

        return self._calls.call(keys[0], run, writes=True, retries=False)

    def delete_all(self) -> int:
        """Delete all data of the service on a single server; return the number of games."""
        return redis_deletion.delete_all(self._calls, self._ping_key)

    def backup(self, file: IO[bytes]) -> Counts:
        """See `write_backup`."""
        return write_backup(self._topology, self._calls, file)

    def restore(self, path: Path) -> Counts:
        """See `restore_backup`."""
        return restore_backup(self._topology, self._calls, path)

    def unfinished_restore(self) -> str | None:
        """See `backup.unfinished_restore`."""
        return unfinished_restore(self._calls)

    def finish_restore(self) -> None:
        """See `backup.finish_restore`."""
        finish_restore(self._calls)

    def stored(self) -> Iterator[tuple[str, str]]:
        """Yield owner and kind of each key of games, players and pools; see `shards`."""
        yield from stored_keys(self._topology)

    def fill_bucket(self, bucket: str, amount_us: int, capacity_us: int) -> tuple[bool, int]:
        """Add an amount to a leaky bucket unless it would overflow.

        The bucket leaks one microsecond per microsecond.

        :returns: whether the amount was added, and the level in microseconds.
        """
        key = f"skye:bucket:{bucket}"

        def run(server: redis.Redis) -> tuple[bool, int]:
            done, filled_us = FILL.run(server, [key], [amount_us, capacity_us])
            return bool(done), int(filled_us)

        return self._calls.call(key, run, writes=True, retries=False)

    def ping(self) -> None:
        """Return when the store responds."""

        def ping(server: redis.Redis) -> None:
            # Not around the lookup: if interrupted, it would never detect a Sentinel that does not respond.
            with call_deadline(_PING_TIMEOUT_S, Problem("store_unavailable")):
                if not server.ping():
                    raise ValueError("no PONG")

        self._calls.call(self._ping_key, ping, retries=False)

    def time(self) -> float:
        """Return the time of the Redis server that all processes of a service ask, in seconds since 1970.

        In a cluster it is the master of one slot.
        """

        def read(server: redis.Redis) -> float:
            with call_deadline(_PING_TIMEOUT_S, Problem("store_unavailable")):
                seconds, microseconds = server.time()
                return float(seconds) + float(microseconds) / 1_000_000

        return self._calls.call(_CLOCK_KEY, read, retries=False)

    def warnings(self) -> list[str]:
        """Return what an operator should change, such as an eviction policy or too few replicas."""
        return [*server_warnings(self._calls), *self._replicas_warnings()]

    def too_old(self) -> str | None:
        """Return what the operator must change if Redis lacks commands that this store calls."""
        return next(filter(is_too_old, self.warnings()), None)

    def _replicas_warnings(self) -> list[str]:
        required = self._calls.min_replicas.replicas if self._calls.min_replicas else 0
        try:
            with call_deadline(_PING_TIMEOUT_S):
                found = self._topology.replicas()
        except (redis.RedisError, *PROTOCOL_ERRORS):
            return []  # Redis is unavailable, which the health check reports, or does not say it
        if found <= required:
            return []
        fault = f"SKYE_REDIS_REPLICAS is {required}, less than the number of replicas of a master"
        return [f"{fault}: a failover may lose acknowledged changes; set it to {found}"]

    def change_subscriber(self, on_change: Callable[[str], None]) -> ChangeSubscriber:
        """Return a subscriber to channels of changes, which never raises.

        :param on_change: called with each watched channel on which a change was published or may have been
            missed.
        """
        return ChangeSubscriber(self._topology, on_change)


def _in_memory() -> redis.Redis:
    """Return a Redis in the memory of this process."""
    import fakeredis  # noqa: PLC0415 - only where there is no Redis

    memory: redis.Redis = fakeredis.FakeRedis()
    return memory


def _log_entry(entry_id: bytes, fields: dict[bytes, bytes]) -> LogEntry:
    """Return a log entry; one that lacks a field is corrupt, which its header shows."""
    return LogEntry(int(entry_id.split(b"-")[0]), fields.get(b"c", b""), fields.get(b"h", b""))
