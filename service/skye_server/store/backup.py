"""A backup of all stored values in one file, which any supported Redis or Valkey can restore.

The file is a gzip of msgpack values, each after its length in 4 bytes: a header, the stored values, and a
footer with their number. Ordinary commands read and write them, so the form does not depend on the version of
the server. The keys of a game are read in one step: the backup has a game in play as it was at one moment. No
step reads more than one game or player. Due entries and the lists of games are left out: they follow from the
rest (see `relay.relay`). The list of outages, with the last sign of life, is the last value: what happened to
the games since they were read is an outage for them (see `outages`).

From its first write until these have been rebuilt, a restore marks the server as incomplete (see `layout`).
The header has the number of the layout: a backup of another one is not restored.
"""

from __future__ import annotations

import gzip
import hashlib
import itertools
import re
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

import msgspec
import redis

from skye_server.error_codes import Problem
from skye_server.store.connection.calls import RedisCalls
from skye_server.store.connection.failures import expect_bytes
from skye_server.store.connection.topology import Topology
from skye_server.store.layout import (
    LAYOUT,
    RESTORE_KEY,
    UNFINISHED,
    VERSION,
    claim_layout,
    unusable_layout,
)
from skye_server.store.lua_scripts import Script
from skye_server.store.outages import KEY as OUTAGES
from skye_server.store.outages import SIGN_S, OutageStore
from skye_server.store.shards import owner_of

FORMAT: Final = 1

_READ_BY_ALL_S: Final = 2 * SIGN_S
"""After how long every process that serves has read that there is no sign of life."""

_KIND: Final = "skye-server backup"
_LEFT_OUT: Final = re.compile(
    rb"skye:(?:bucket:|\{clock\}|\{dispatchers\}|\{index\}|\{s\d+\}:(?:due\.[a-z]+|leases|unrelayed)$)"
)
"""Keys that no owner has and a backup leaves out: counters of rate limits, due work, dispatchers, lists of
games; the number of the layout, the mark of a restore, and the list of outages, which it has at its end."""

# KEYS: keys in one slot. Returns the type, the milliseconds to live (-1: forever) and the content of each,
# and of a stream the last id.
_READ: Final = Script("""
local found = {}
for i, key in ipairs(KEYS) do
  local kind, content, last = redis.call('TYPE', key).ok, {}, ''
  if kind == 'string' then content = {redis.call('GET', key)}
  elseif kind == 'hash' then content = redis.call('HGETALL', key)
  elseif kind == 'list' then content = redis.call('LRANGE', key, 0, -1)
  elseif kind == 'set' then content = redis.call('SMEMBERS', key)
  elseif kind == 'zset' then content = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  elseif kind == 'stream' then
    content = redis.call('XRANGE', key, '-', '+')
    local info = redis.call('XINFO', 'STREAM', key)
    for j = 1, #info, 2 do if info[j] == 'last-generated-id' then last = info[j + 1] end end
  end
  found[i] = {kind, redis.call('PTTL', key), content, last}
end
return found
""")


class BackupError(Exception):
    """A backup cannot be read or restored; the text says why."""


class Stored(NamedTuple):
    """One stored value.

    :param expires_ms: milliseconds since 1970.
    :param last_id: the last id of a stream; empty for other types.
    """

    key: bytes
    kind: str
    expires_ms: int | None
    content: list[Any]
    last_id: bytes


class Counts(NamedTuple):
    """How many games, and values of games and players, a backup has."""

    games: int
    values: int


_WRITES: Final = {"hash": "HSET", "list": "RPUSH", "set": "SADD"}
_decode: Final = msgspec.msgpack.Decoder(Stored).decode


def write_backup(topology: Topology, calls: RedisCalls, file: IO[bytes]) -> Counts:
    """Write all values into a file.

    :raises BackupError: if the server has a part of a backup only.
    :raises Problem: store_unavailable.
    :raises OSError: if the file cannot be written.
    """
    if unfinished_restore(calls):
        raise BackupError(UNFINISHED)
    games = values = 0
    with gzip.GzipFile("", "wb", 6, file) as packed:
        _write_frame(packed, {"kind": _KIND, "format": FORMAT, "layout": f"{LAYOUT} {VERSION}"})
        for keys in itertools.chain(_groups(topology), [[OUTAGES.encode()]]):
            for stored in _read(calls, keys):
                _write_frame(packed, stored)
                games, values = games + _is_game(stored.key), values + 1
        _write_frame(packed, {"games": games, "values": values})
    return Counts(games, values)


def restore_backup(topology: Topology, calls: RedisCalls, outages: OutageStore, path: Path) -> Counts:
    """Check a file, then restore its values into servers without games; `finish_restore` is to follow.

    A restore that broke off is repeated: all values are written again. A process that serves these servers
    meanwhile knows first that there is no sign of life: for it, no restored game is late.

    :raises BackupError: if the file is damaged or of another format or layout, or there are games of other
        origin.
    :raises Problem: store_unavailable.
    :raises OSError: if the file cannot be read.
    """
    counts = check_backup(path)
    if refusal := claim_layout(calls):
        raise BackupError(f"{refusal}.")
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    begun = unfinished_restore(calls)
    if begun is None and any(_has_games(server) for server in _masters(topology)):
        raise BackupError("That server has games already. Restore into an empty one.")
    if begun not in (None, digest):
        raise BackupError(
            f"A restore of another file, with the SHA-256 {begun}, broke off. Restore that one."
        )
    calls.call(RESTORE_KEY, lambda server: server.set(RESTORE_KEY, digest), writes=True)
    if outages.begin_restore():
        time.sleep(_READ_BY_ALL_S)
    for stored in _stored_values(path):
        _restore(calls, stored)
    return counts


def unfinished_restore(calls: RedisCalls) -> str | None:
    """Return the SHA-256 of the file whose restore has not finished, None without one.

    :raises Problem: store_unavailable.
    """
    digest = calls.call(RESTORE_KEY, lambda server: expect_bytes(server.get(RESTORE_KEY)), retries=False)
    return None if digest is None else digest.decode()


def finish_restore(calls: RedisCalls) -> None:
    """Say that the servers have everything again.

    :raises Problem: store_unavailable.
    """
    calls.call(RESTORE_KEY, lambda server: server.delete(RESTORE_KEY), writes=True)


def check_backup(path: Path) -> Counts:
    """Read a whole file, and return what its footer counts.

    :raises BackupError: if it is no backup, incomplete, damaged, or of a newer format or another layout.
    :raises OSError: if it cannot be read.
    """
    read = sum(1 for _ in _stored_values(path))
    footer = next(itertools.islice(_frames(path), read + 1, None))
    counts = msgspec.msgpack.decode(footer, type=dict[str, int])
    if counts["values"] != read:
        raise BackupError(f"{path} is damaged.")
    return Counts(**counts)


def stored_keys(topology: Topology) -> Iterator[tuple[str, str]]:
    """Yield owner and kind of each key that has an owner.

    :raises Problem: store_unavailable.
    """
    for server in _masters(topology):
        found = (owner_of(key.decode()) for key in _keys(server, "skye:{*}:*", 1000))
        yield from (owned for owned in found if owned is not None)


def _masters(topology: Topology) -> list[redis.Redis]:
    try:
        return topology.masters()
    except redis.RedisError as error:
        raise Problem("store_unavailable") from error


def _keys(server: redis.Redis, pattern: str, count: int) -> list[bytes]:
    try:
        return list(server.scan_iter(match=pattern, count=count))
    except redis.RedisError as error:
        raise Problem("store_unavailable") from error


def _has_games(server: redis.Redis) -> bool:
    return any(not key.startswith(b"skye:{clock}:") for key in _keys(server, "skye:{*}:*", count=1000))


def _groups(topology: Topology) -> Iterator[list[bytes]]:
    """Yield the keys of all servers, those of one game, player or pool together."""
    for server in _masters(topology):
        keys = {key for key in _keys(server, "skye:*", 1000) if not _LEFT_OUT.match(key)}
        for _, group in itertools.groupby(sorted(keys), _owner):
            yield list(group)


def _owner(key: bytes) -> str:
    """Return the owner of a key, the key itself if it has none."""
    name = key.decode()
    return (owner_of(name) or (name, ""))[0]


def _is_game(key: bytes) -> bool:
    return (owner_of(key.decode()) or ("", ""))[1] == "game"


def _read(calls: RedisCalls, keys: list[bytes]) -> Iterator[Stored]:
    """Yield the values of keys in one slot that exist."""
    names = [key.decode() for key in keys]
    replies: Any = calls.call(names[0], lambda server: _READ.run(server, names, ()))
    now_ms = time.time_ns() // 1_000_000
    for key, (kind, ttl_ms, content, last_id) in zip(keys, replies, strict=True):
        if content:
            yield Stored(key, kind.decode(), None if ttl_ms < 0 else now_ms + ttl_ms, content, last_id)


def _restore(calls: RedisCalls, stored: Stored) -> None:
    def run(server: redis.Redis) -> None:
        pipeline: Any = server.pipeline(transaction=True)
        for command in _commands(stored):
            pipeline.execute_command(*command)
        pipeline.execute()

    calls.call(stored.key.decode(), run, writes=True)


def _commands(stored: Stored) -> Iterator[tuple[Any, ...]]:
    """Yield the commands that write a value."""
    key, content = stored.key, stored.content
    yield "DEL", key  # a retry writes it again
    match stored.kind:
        case "string":
            yield "SET", key, content[0]
        case "zset":
            yield "ZADD", key, *(part for pair in _pairs(content) for part in reversed(pair))
        case "stream":
            for entry_id, fields in content:
                yield "XADD", key, entry_id, *fields
            yield "XSETID", key, stored.last_id
            yield "COPY", key, key + b":copy", "REPLACE"  # see `lua_scripts.PACK`
            yield "RENAME", key + b":copy", key
        case kind:
            yield _WRITES[kind], key, *content
    if stored.expires_ms is not None:
        yield "PEXPIREAT", key, stored.expires_ms


def _pairs(content: list[Any]) -> Iterator[tuple[Any, Any]]:
    return zip(content[::2], content[1::2], strict=True)


def _write_frame(packed: gzip.GzipFile, value: Any) -> None:
    data = msgspec.msgpack.encode(value)
    packed.write(len(data).to_bytes(4, "big") + data)


def _frames(path: Path) -> Iterator[bytes]:
    """Yield the header, the values and the footer of a file.

    :raises BackupError: if it breaks off, or is damaged.
    """
    try:
        with gzip.open(path) as packed:
            while length := packed.read(4):
                yield packed.read(int.from_bytes(length, "big"))
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BackupError(f"{path} is no backup of skye-server, or is incomplete.") from error


def _stored_values(path: Path) -> Iterator[Stored]:
    """Yield the values of a file.

    :raises BackupError: if it is no backup, is damaged, or has a newer format or another layout.
    """
    frames = _frames(path)
    try:
        header = msgspec.msgpack.decode(next(frames, b""), type=dict[str, Any])
        if header.get("kind") != _KIND:
            raise BackupError(f"{path} is no backup of skye-server.")
        if header["format"] > FORMAT:
            raise BackupError(f"{path} was written by a newer version of skye-server: use that version.")
        if refusal := unusable_layout(header.get("layout", "").encode()):
            raise BackupError(f"{path}: {refusal}.")
        before = next(frames)
        for frame in frames:
            yield _decode(before)
            before = frame
    except (KeyError, StopIteration, TypeError, ValueError) as error:
        raise BackupError(f"{path} is no backup of skye-server, or is incomplete.") from error
