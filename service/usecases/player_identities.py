"""Player identities: which player a key belongs to, and the replacement of keys."""

from __future__ import annotations

from service.matches.errors import Problem
from service.matches.player_keys import hash_player_key, is_player_key
from service.storage.player_codec import KeyRecord, decoded, key_records
from service.storage.player_store import PlayerStore


class PlayerIdentities:
    """The players of a store, by their keys."""

    def __init__(self, store: PlayerStore) -> None:
        self._store = store

    def require_player(self, token: str | None) -> str:
        """Return the id of the player whose key a bearer token is.

        :raises Problem: player_key_required, token_unknown, game_unreadable, store_unavailable.
        """
        if token is None or not is_player_key(token):
            raise Problem("player_key_required")
        player, _ = self._player_of(hash_player_key(token))
        if not player:
            raise Problem("token_unknown", "This player key has been replaced.")
        return player

    def player_of_key(self, token: str | None) -> str:
        """Return the id of the player whose key a bearer token is; empty if it is no player key.

        :raises Problem: token_unknown, game_unreadable, store_unavailable.
        """
        return self.require_player(token) if is_player_key(token or "") else ""

    def replace_key(self, token: str | None, new_key: str) -> None:
        """Replace a player key; a retry with the old key succeeds.

        The new key is stored before the old one becomes invalid: a crash in between leaves both valid.

        :raises Problem: what `require_player` raises; key_taken.
        """
        old, new = hash_player_key(token or ""), hash_player_key(new_key)
        if token is not None and is_player_key(token) and self._player_of(old)[1].replaced_by == new != "":
            return
        player = self.require_player(token)
        record = key_records.encode(KeyRecord(player))
        if old == new or not self._store.add_key(new, record):
            raise Problem("key_taken")
        stored = self._store.key_record(old)
        if not self._store.replace_key(old, stored, key_records.encode(KeyRecord("", new))):
            raise Problem("too_much_contention")

    def _player_of(self, key_hash: str) -> tuple[str, KeyRecord]:
        stored = self._store.key_record(key_hash)
        record = KeyRecord(key_hash) if stored is None else decoded(key_records.decode, stored)
        return record.player, record
