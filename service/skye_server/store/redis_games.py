"""The games on Redis, as bytes: load, commit and delete them; `games` decodes and encodes them.

`shards` describes the keys of a game. The id of a log entry is the number of its last event and a random
number, which differs between concurrent writers of the same change. Field `c` holds the changes, field `h`
the format and checksum.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from operator import index
from typing import Any, Final

import redis

from skye_server.error_codes import Problem
from skye_server.games.due import Due
from skye_server.store.codec import entry_header
from skye_server.store.commit import Commit, LogEntry, StoredRecord
from skye_server.store.connection.batching import read_together
from skye_server.store.connection.calls import UNKNOWN_OUTCOME, RedisCalls
from skye_server.store.connection.failures import expect_bytes
from skye_server.store.lua_scripts import COMMIT, DELETE, SETTLE, TOUCH
from skye_server.store.shards import UNRELAYED, key_of, keys_of, shard_key, shard_of

_SALTS: Final = 4096  # below this a salt takes no more than one byte in the stream


class RedisGames:
    """The stored games. Every method raises Problem store_unavailable when the store fails."""

    def __init__(self, calls: RedisCalls) -> None:
        self._calls = calls

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

    def commit(self, commit: Commit) -> bool:
        """Write all of a change; return False and write nothing when the game has changed since it was read.

        The script recognises a retry whose first attempt was committed.

        :raises Problem: data_corrupt, data_newer, when the game's log is missing.
        """
        record = commit.record or StoredRecord("-", b"", 0)
        game_id = commit.game_id
        keys = keys_of(game_id, "game", "log", f"record:{record.key}", "records", "watch", "webhooks")
        keys += [
            shard_key(shard_of(game_id), kind)
            for kind in ("due.webhook", UNRELAYED, *(f"due.{due.kind}" for due in commit.due))
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
            "" if commit.relayed_version is None else commit.relayed_version,
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
        keys += [shard_key(shard_of(game_id), kind) for kind in ("due.game", "due.relay", UNRELAYED)]
        relay_ms = max(entry.due_ms for entry in relay)
        arguments = (expected_prefix, data, ttl_s, game_id, relay_ms, *(entry.id for entry in relay))
        return bool(self._calls.run_script(DELETE, keys, arguments, counts_attempts=True))

    def settle(
        self,
        game_id: str,
        relayed_prefix: bytes | None,
        former: Sequence[str],
        due_ms: int | None,
        version: int | None = None,
    ) -> bool:
        """Note that a game is relayed; return False if the relay is still due.

        It is if others have changed the game since, or an earlier commit is not relayed.

        :param relayed_prefix: how the stored game began; None if there was none.
        :param former: the ids of other entries of the relay that are done.
        :param due_ms: when the relay is due again.
        :param version: the version that the relayed commit has written; None if all commits are relayed.
        """
        keys = [key_of(game_id, "game")]
        keys += [shard_key(shard_of(game_id), kind) for kind in ("due.relay", UNRELAYED)]
        numbers = ["" if number is None else number for number in (due_ms, version)]
        arguments = [relayed_prefix or b"", game_id, *numbers, *former]

        def run(server: redis.Redis) -> bool:
            return bool(SETTLE.run(server, keys, arguments))

        return self._calls.call(keys[0], run, writes=True, retries=False)

    def forget_unrelayed(self, game_id: str) -> None:
        """Forget which versions of a game are not relayed: another entry now says that all are to be."""
        key = shard_key(shard_of(game_id), UNRELAYED)
        self._calls.call(key, lambda server: server.hdel(key, game_id), writes=True)


def _log_entry(entry_id: bytes, fields: dict[bytes, bytes]) -> LogEntry:
    """Return a log entry; one that lacks a field is corrupt, which its header shows."""
    return LogEntry(int(entry_id.split(b"-")[0]), fields.get(b"c", b""), fields.get(b"h", b""))
