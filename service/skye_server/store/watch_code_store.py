"""The store of watch codes on Redis: of each game one hash, in the shard of the game (see `shards`).

Field `secret` has the random secret from which the codes derive; each other field, for a credential of the
host that has requested its code (`credential_id`), what identifies the code.

A commit of the game sets the time to live again; the deletion of the game deletes the hash.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from skye_server.store.connection.calls import RedisCalls
from skye_server.store.lua_scripts import Script
from skye_server.store.shards import key_of

SECRET: Final = "secret"  # noqa: S105 - the name of a field
"""The field of the secret."""

# KEYS: watch codes, game. ARGV: the secret, the credential, what identifies its code, then the credentials to
# forget. Returns 0 if there is another secret, or no game.
_ADD: Final = Script("""
local stored, ttl = redis.call('HGET', KEYS[1], 'secret'), redis.call('TTL', KEYS[2])
if (stored and stored ~= ARGV[1]) or ttl < 0 then return 0 end
redis.call('HSET', KEYS[1], 'secret', ARGV[1], ARGV[2], ARGV[3])
for i = 4, #ARGV do redis.call('HDEL', KEYS[1], ARGV[i]) end
redis.call('EXPIRE', KEYS[1], ttl)
return 1
""")


class WatchCodeStore:
    """The stored watch codes. Every method raises Problem store_unavailable when it fails."""

    def __init__(self, calls: RedisCalls) -> None:
        self._calls = calls

    def all(self, game_id: str) -> dict[str, str]:
        """Return the fields of a game: the secret, and what identifies the codes of credentials."""
        key = key_of(game_id, "watch")
        found: dict[bytes, bytes] = self._calls.call(key, lambda server: dict(server.hgetall(key)))  # type: ignore[arg-type]  # no awaitable
        return {name.decode(): value.decode() for name, value in found.items()}

    def add(self, game_id: str, secret: str, credential: str, code: str, forgotten: Collection[str]) -> bool:
        """Store what identifies the code of a credential; return False if the game has another secret.

        :param forgotten: the credentials whose codes are invalid.
        """
        keys = [key_of(game_id, kind) for kind in ("watch", "game")]
        arguments: list[Any] = [secret, credential, code, *forgotten]
        return bool(self._calls.run_script(_ADD, keys, arguments))
