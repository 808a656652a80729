"""Watch codes: with one, spectators read a private game.

A code belongs to the credential of the host that requests it, and ends with this credential: it derives from
a random secret of the game, the host token that the game has, and the credential. Only its hash is stored,
with the id of the credential and the hash of the host token. So the replacement of a player key ends its
codes in all games in one step, also in games that are over, and a backup has no code.

The store has one hash of each game, in the shard of the game (see `shards`). Field `secret` has the random
secret; each other field, for a credential of the host that has requested its code (`credential_id`), what
identifies the code. A commit of the game sets the time to live again; the deletion of the game deletes the
hash.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Collection
from typing import Any, Final

from skye_server.error_codes import Problem
from skye_server.games.authorization import (
    KEY_PREFIX,
    credential_id,
    hash_token,
    watch_code,
)
from skye_server.games.game import Game
from skye_server.players.identities import PlayerIdentities
from skye_server.store.commit import MAX_ATTEMPTS, back_off
from skye_server.store.connection.calls import RedisCalls
from skye_server.store.lua_scripts import Script
from skye_server.store.redis_store import RedisStore
from skye_server.store.shards import key_of

_SECRET_BYTES = 16


class WatchCodes:
    """The watch codes of all games of a store."""

    def __init__(self, store: RedisStore, identities: PlayerIdentities) -> None:
        self._store, self._identities = WatchCodeStore(store.calls), identities

    def code_for(self, game: Game, credential: str) -> str:
        """Return the code of a game for a credential of its host, the same until the credential ends.

        :param credential: the bearer token of the host.
        :raises Problem: too_much_contention, store_unavailable.
        """
        its_id = credential_id(credential)
        for attempt in range(MAX_ATTEMPTS):
            stored = self._store.all(game.id)
            secret = stored.pop(SECRET, None) or secrets.token_hex(_SECRET_BYTES)
            code = watch_code(bytes.fromhex(secret), game.host, credential)
            entry = _entry(game, code)
            if stored.get(its_id) == entry:
                return code
            # The game has one host token, and its host one key: what other tokens and keys made is invalid.
            kind = its_id.startswith(KEY_PREFIX)
            forgotten = [
                other for other in stored if other.startswith(KEY_PREFIX) == kind and other != its_id
            ]
            if self._store.add(game.id, secret, its_id, entry, forgotten):
                return code
            back_off(attempt)
        raise Problem("too_much_contention")

    def admits(self, game: Game, token: str | None) -> bool:
        """Return whether a token is a valid watch code of a game.

        :param token: a token that `is_watch_code`.
        :raises Problem: store_unavailable.
        """
        if token is None:
            return False
        entry = _entry(game, token)
        for credential, stored in self._store.all(game.id).items():
            if hmac.compare_digest(stored, entry):
                return self._is_current(game, credential)
        return False

    def _is_current(self, game: Game, credential: str) -> bool:
        """Return whether a credential is still one of the host."""
        if not credential.startswith(KEY_PREFIX):
            return credential == game.host
        try:
            return self._identities.player_of_hash(credential.removeprefix(KEY_PREFIX)) == game.host_player
        except Problem as problem:
            if problem.code != "token_unknown":
                raise
            return False


def _entry(game: Game, code: str) -> str:
    """Return what identifies a code, while the game has the host token that it has now."""
    return f"{game.host}/{hash_token(code)}"


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
