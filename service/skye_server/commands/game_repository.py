"""Match repository: decode stored matches, with an LRU cache, and commit and delete matches."""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec

from skye_server.commands.game_history import GameHistory
from skye_server.commands.listing import Listing
from skye_server.error_codes import Problem
from skye_server.games.authorization import Caller, players_of
from skye_server.games.game import Match, Status
from skye_server.games.transitions import Transition
from skye_server.games.views import game
from skye_server.observability.metrics import Metrics
from skye_server.players.player_games import Players
from skye_server.settings import Settings
from skye_server.storage.codec import (
    StoredFormatError,
    decode_match,
    encode_change,
    encode_history,
    encode_match,
    stored_header,
    version_header,
)
from skye_server.storage.store import Commit, LogEntry, Store, StoredResponse

_encoder = msgspec.json.Encoder()

_RELIST_INTERVAL: Final = 16
"""A game in play is added to the list again at each version that is a multiple of this."""


class _Cached(NamedTuple):
    """A match, the bytes that it is stored as, and its rendered views by caller."""

    stored: bytes
    match: Match
    views: dict[Caller, bytes]


class MatchCache:
    """Matches by id, each with exactly the bytes that it is stored as.

    The store is always read: a cached match is used only when the store still holds the same bytes.
    """

    def __init__(self, max_size: int = 256) -> None:
        self._max_size = max_size
        self._cached: dict[str, _Cached] = {}

    def decoded(self, game_id: str, stored: bytes) -> Match:
        """Return the match that is stored as these bytes.

        :raises StoredFormatError: when they are corrupt or of an unsupported format.
        """
        cached = self._cached.get(game_id)
        if cached is not None and cached.stored == stored:
            return cached.match
        match = decode_match(stored)
        self.put(stored, match)
        return match

    def stored_as(self, match: Match) -> bytes | None:
        """Return the bytes that a match is stored as, None when it is not cached."""
        cached = self._cached.get(match.id)
        return cached.stored if cached is not None and cached.match is match else None

    def view(self, match: Match, caller: Caller) -> bytes:
        """Return the game as a caller may see it, in JSON.

        A rendered view is cached with its match, for this caller only: callers never share one.
        """
        cached = self._cached.get(match.id)
        rendered = cached.views if cached is not None and cached.match is match else {}
        body = rendered.get(caller)
        if body is None:
            body = rendered[caller] = _encoder.encode(game.game_view(match, caller))
        return body

    def put(self, stored: bytes, match: Match) -> None:
        """Cache a match and the bytes it is stored as; the oldest entry is evicted when the cache is full."""
        self._cached.pop(match.id, None)
        if len(self._cached) >= self._max_size:
            del self._cached[next(iter(self._cached))]
        self._cached[match.id] = _Cached(stored, match, {})


class MatchRepository:
    """The matches of a store. Each commit also updates the list of games and the games of players."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        metrics: Metrics,
        listing: Listing,
        players: Players,
    ) -> None:
        self._store = store
        self._settings = settings
        self._metrics = metrics
        self._history = GameHistory(store)
        self._listing = listing
        self._players = players
        self.cache = MatchCache()

    def current(self, game_id: str) -> Match:
        """Return a match as it is stored.

        :raises Problem: game_not_found, game_unreadable, store_unavailable.
        """
        return self.decoded(game_id, self._store.load(game_id)[0])

    def decoded(self, game_id: str, stored: bytes | None) -> Match:
        """Return a stored match.

        :raises Problem: game_not_found, when there is none; game_unreadable.
        """
        if stored is None:
            raise Problem("game_not_found")
        try:
            return self.cache.decoded(game_id, stored)
        except StoredFormatError as error:
            raise Problem("game_unreadable", f"{str(error).capitalize()}.") from error

    def save(
        self,
        before: Match | None,
        transition: Transition,
        record: StoredResponse | None = None,
        *,
        limited: bool = True,
    ) -> bool:
        """Write a transition if the stored match is still `before` (compare-and-set); return whether it was.

        :param before: None for a new match, which is listed before it is written.
        :param limited: whether to limit the games of the player keys that get a role.
        :raises Problem: too_many_games, too_much_contention, store_unavailable, game_unreadable.
        """
        match = transition.match
        players = players_of(match)
        kept = before is not None and before.seats is match.seats
        players_before = players if kept else players_of(before)
        if before is None:
            self._listing.update(None, match)
        if joining := players - players_before:
            self._players.announce(match.id, joining, limited=limited)
        expected = None if before is None else self._expected_header(before)
        stored, ttl_s = encode_match(match), self._ttl_s(match.status)
        entries = self._entries(before, transition)
        if not self._store.commit(
            Commit(match.id, expected, stored, entries, ttl_s, record, replaces_log=match.is_over)
        ):
            self._metrics.commit_conflicted()
            return False
        self.cache.put(stored, match)
        if before is None or before.status is not match.status:
            self._metrics.game_changed(before.status if before else None, match.status)
            if before is not None:
                self._listing.update(before, match)
        elif match.status is Status.LOBBY or match.version % _RELIST_INTERVAL == 0:
            self._listing.relist(match)
        if concerned := players | players_before:
            self._players.relay_commit(before, match, concerned)
        return True

    def delete(self, match: Match, record: StoredResponse | None) -> bool:
        """Delete a match that is over, and references to it, unless it has changed; return whether it was.

        The match itself comes last: when a step before that fails, a retry finds it and completes the rest.

        :param record: the idempotency record of the deletion.
        :raises Problem: too_much_contention, store_unavailable.
        """
        self._players.forget(match)
        self._listing.remove(match)
        return self._store.delete(match.id, self._expected_header(match), record)

    def _entries(self, before: Match | None, transition: Transition) -> list[LogEntry]:
        """Return the log entries to write: one for each change, or one for all of a match that is over."""
        match = transition.match
        if not match.is_over:
            return [LogEntry(change.last_event, encode_change(change)) for change in transition.changes]
        history = [] if before is None else self._history.changes(before)
        return [LogEntry(match.last_event, encode_history([*history, *transition.changes]))]

    def _expected_header(self, match: Match) -> bytes:
        """Return the header that the stored match must have when a transition from this match is written.

        Its checksum detects a lost update: after Redis has lost a second or two of writes, other changes may
        have led to another match of the same version.
        """
        stored = self.cache.stored_as(match)
        return version_header(match) if stored is None else stored_header(stored)

    def _ttl_s(self, status: Status) -> int:
        return {
            Status.LOBBY: self._settings.game_ttl_lobby_s,
            Status.PLAYING: self._settings.game_ttl_playing_s,
            Status.FINISHED: self._settings.game_ttl_finished_s,
            Status.ABORTED: self._settings.game_ttl_aborted_s,
        }[status]
