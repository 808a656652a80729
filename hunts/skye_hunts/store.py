"""The bug hunts of a lab server.

    skye-hunts              zset    the ids of hunts, by the time at which they expire
    skye-hunt:{ID}          string  the hunt, encoded
    skye-hunt:{ID}:reports  list    its reports, encoded, oldest first
    skye-hunt:{ID}:copies   zset    the ids of its copies, by the time at which they expire
    skye-hunt:{ID}:api:...          what the API of the hunt stores, under the keys of a server of its own
    skye-replays            zset    the prefixes of replays, by the time at which they are over at the latest
    skye-replay:ID:...              what a replay stores, likewise

All expire with the hunt; what the API of a hunt stores without a time to live is deleted after its end, and
what the replay of a worker that died has left before the next replay or hunt. Keys of hunts do not begin like
those of the server, which deletes and ages its own only.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import Any, Final

import redis

from skye_server.store.connection.calls import RedisCalls
from skye_server.store.connection.failures import expect_bytes
from skye_server.store.lua_scripts import Script

_HUNTS: Final = "skye-hunts"
_REPLAYS: Final = "skye-replays"
_REPLAY_TTL_S: Final = 600
_PAGE: Final = 500

# KEYS: the reports of a hunt. ARGV: a new report, the number of reports that were read, the TTL in seconds.
_ADD_REPORT: Final = Script("""
if redis.call('LLEN', KEYS[1]) ~= tonumber(ARGV[2]) then return 0 end
redis.call('RPUSH', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1
""")


class HuntStore:
    """The store of hunts. Every method raises Problem store_unavailable when it fails."""

    def __init__(self, calls: RedisCalls) -> None:
        self._calls = calls

    @staticmethod
    def prefix(hunt_id: str) -> str:
        """Return the prefix of the keys that the API of a hunt stores."""
        return f"skye-hunt:{{{hunt_id}}}:api:"

    def number(self) -> int:
        """Return the number of hunts that have not expired, after deleting the rest of those that have."""
        self._delete_expired(_HUNTS, self.prefix)
        self._delete_expired(_REPLAYS, str)
        number: Any = self._calls.call(_HUNTS, lambda server: server.zcard(_HUNTS))
        return int(number)

    def begin_replay(self) -> str:
        """Return the prefix of the keys of a new replay."""
        self._delete_expired(_REPLAYS, str)
        prefix = f"skye-replay:{secrets.token_hex(8)}:"
        over_at = time.time() + _REPLAY_TTL_S
        self._calls.call(_REPLAYS, lambda server: server.zadd(_REPLAYS, {prefix: over_at}), writes=True)
        return prefix

    def end_replay(self, prefix: str) -> None:
        """Delete what a replay has stored."""
        self.delete_below(prefix)
        self._calls.call(_REPLAYS, lambda server: server.zrem(_REPLAYS, prefix), writes=True)

    def _delete_expired(self, key: str, prefix: Callable[[str], str]) -> None:
        """Delete what is below the prefixes of the members of a zset that have expired, and these members."""
        expired: Any = self._calls.call(key, lambda server: server.zrangebyscore(key, 0, time.time()))
        for member in expired:
            self.delete_below(prefix(member.decode()))
        if expired:
            self._calls.call(key, lambda server: server.zrem(key, *expired), writes=True)

    def put(self, hunt_id: str, hunt: bytes, ttl_s: int, copy_of: str | None = None) -> None:
        """Store a new hunt, or another state of one.

        :param copy_of: the id of the hunt to list it with as a copy.
        """

        def write(server: redis.Redis) -> None:
            server.set(_key(hunt_id), hunt, ex=ttl_s)
            server.zadd(_HUNTS, {hunt_id: time.time() + ttl_s})
            if copy_of is not None:
                server.zadd(_copies_key(copy_of), {hunt_id: time.time() + ttl_s})
                server.expire(_copies_key(copy_of), ttl_s)

        self._calls.call(_HUNTS, write, writes=True)

    def hunt(self, hunt_id: str) -> bytes | None:
        """Return a hunt, None if there is none."""
        return self._calls.call(_HUNTS, lambda server: expect_bytes(server.get(_key(hunt_id))))

    def copies(self, hunt_id: str) -> list[str]:
        """Return the ids of the copies of a hunt, oldest first."""
        found: Any = self._calls.call(_HUNTS, lambda server: server.zrange(_copies_key(hunt_id), 0, -1))
        return [copy.decode() for copy in found]

    def add_report(self, hunt_id: str, report: bytes, number: int, ttl_s: int) -> bool:
        """Append a report of a hunt; return False if the hunt no longer has that number of reports."""
        keys, arguments = [f"{_key(hunt_id)}:reports"], [report, number, ttl_s]
        return bool(
            self._calls.call(
                _HUNTS,
                lambda server: _ADD_REPORT.run(server, keys, arguments),
                writes=True,
                retries=False,  # the script would not find the number again
            )
        )

    def reports(self, hunt_id: str) -> list[bytes]:
        """Return the reports of a hunt, oldest first."""
        found: Any = self._calls.call(_HUNTS, lambda server: server.lrange(f"{_key(hunt_id)}:reports", 0, -1))
        return list(found)

    def delete_below(self, prefix: str) -> None:
        """Delete all keys with a prefix: what the API of a hunt or of a replay has stored."""

        def delete(server: redis.Redis) -> None:
            page: list[Any] = []
            for key in server.scan_iter(match=f"{prefix}*", count=_PAGE):
                page.append(key)
                if len(page) == _PAGE:
                    server.unlink(*page)
                    page = []
            if page:
                server.unlink(*page)

        self._calls.call(_HUNTS, delete, writes=True)


class HuntMemory:
    """Texts that defects of a hunt keep between requests, on all workers.

    :param calls: those of the store of the hunt's API.
    """

    def __init__(self, calls: RedisCalls) -> None:
        self._calls = calls

    def get(self, name: str) -> str | None:
        """Return the text under a name, None if there is none."""
        found: Any = self._calls.call(_MEMORY, lambda server: server.hget(_MEMORY, name))
        return None if found is None else found.decode()

    def put(self, name: str, text: str) -> None:
        """Keep a text under a name."""
        self._calls.call(_MEMORY, lambda server: server.hset(_MEMORY, name, text), writes=True)

    def count(self, name: str) -> int:
        """Add one to the number under a name, and return it."""
        number: Any = self._calls.call(
            _MEMORY, lambda server: server.hincrby(_MEMORY, name, 1), writes=True, retries=False
        )
        return int(number)


_MEMORY: Final = "skye:memory"


def _key(hunt_id: str) -> str:
    return f"skye-hunt:{{{hunt_id}}}"


def _copies_key(hunt_id: str) -> str:
    return f"{_key(hunt_id)}:copies"
