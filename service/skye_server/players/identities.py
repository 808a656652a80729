"""Player identities: which player a key belongs to, and the replacement of keys."""

from __future__ import annotations

from collections.abc import Callable

from skye_server.error_codes import Problem
from skye_server.games.authorization import hash_player_key, is_player_key
from skye_server.players.codec import KeyRecord, key_records
from skye_server.store.redis_players import RedisPlayers


class PlayerIdentities:
    """The players of a store, by their keys."""

    def __init__(self, store: RedisPlayers) -> None:
        self._store = store

    def require_player(self, token: str | None) -> str:
        """Return the id of the player whose key is the bearer token.

        :raises Problem: player_key_required, player_key_only, token_unknown.
        """
        if token is None:
            raise Problem("player_key_required")
        if not is_player_key(token):
            raise Problem("player_key_only")
        return self.player_of_hash(hash_player_key(token))

    def player_of_hash(self, key_hash: str) -> str:
        """Return the id of the player of the key with this hash.

        :raises Problem: token_unknown.
        """
        record = self._record_of(key_hash)
        if not record.player:
            raise Problem("token_unknown", "This player key has been replaced.")
        if record.is_blocked:
            raise Problem("token_unknown", "The operator of this server has blocked this player key.")
        if record.replaces and self._record_of(record.replaces).replaced_by != key_hash:
            raise Problem("token_unknown", "This player key has not replaced the old one.")
        return record.player

    def player_of_key(self, token: str | None) -> str:
        """Return the id of the player whose key is the bearer token; empty if the token is not a player key.

        :raises Problem: token_unknown.
        """
        return self.require_player(token) if is_player_key(token or "") else ""

    def replace_key(self, token: str | None, new_key: str) -> str:
        """Replace a player key, and return the id of the player; a retry with the old key succeeds.

        The new key is stored first, and becomes valid in the step that makes the old one invalid. So only one
        of several concurrent replacements gives a valid key: a thief of the old key gets no other.

        :raises Problem: what `require_player` raises; key_taken.
        """
        old, new = hash_player_key(token or ""), hash_player_key(new_key)
        stored = self._store.key_record(old)
        if _decoded(old, stored).replaced_by == new:
            return self.player_of_hash(new)
        player = self.require_player(token)
        record = KeyRecord(player, replaces=old)
        if old == new or not self._store.add_key(new, key_records.encode(record)):
            raise Problem("key_taken")
        replaced = KeyRecord("", new, _decoded(old, stored).replaces)
        if not self._store.replace_key(old, stored, key_records.encode(replaced)):
            raise Problem("too_much_contention")
        return player

    def is_blocked(self, player: str) -> bool:
        """Return whether the valid key of a player is blocked."""
        return self._record_of(self._valid_key(player)).is_blocked

    def set_blocked(self, player: str, *, is_blocked: bool) -> None:
        """Block the valid key of a player, or accept it again.

        :raises Problem: too_much_contention, when the key is being replaced; the key stays as it was.
        """
        key_hash = self._valid_key(player)
        stored = self._store.key_record(key_hash)
        known = _decoded(key_hash, stored)
        record = KeyRecord(known.player, known.replaced_by, known.replaces, is_blocked)
        if known.replaced_by or not self._store.replace_key(key_hash, stored, key_records.encode(record)):
            raise Problem("too_much_contention")

    def _valid_key(self, player: str) -> str:
        """Return the hash of the key by which a player is known now: the last that replaced another."""
        key_hash = player
        while replaced_by := self._record_of(key_hash).replaced_by:
            key_hash = replaced_by
        return key_hash

    def check_own(self, player: str, withdraw: Callable[[], object]) -> None:
        """Check, after a write under the id of a player, that no replacement has taken its first key.

        The key must be unused when a replacement stores it. So either the replacement finds the write and is
        refused, or the writer finds the record of the replacement, and withdraws what it wrote.

        :param withdraw: called if this fails.
        :raises Problem: too_much_contention, when the key has become that of another player since the caller
            was authenticated.
        """
        try:
            record = self._record_of(player)
            if record.replaces or record.player not in ("", player):
                raise Problem("too_much_contention")
        except Problem:
            withdraw()
            raise

    def _record_of(self, key_hash: str) -> KeyRecord:
        return _decoded(key_hash, self._store.key_record(key_hash))


def _decoded(key_hash: str, stored: bytes | None) -> KeyRecord:
    """Return the stored record of a key; a key without one is its player's first."""
    return KeyRecord(key_hash) if stored is None else key_records.decode(stored)
