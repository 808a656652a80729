"""Games: load, authenticate and commit matches.

Commands (`service.usecases.commands`) change matches by optimistic concurrency; see
`service.usecases.attempts`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from service.matches import autoplay
from service.matches.authorization import SPECTATOR, Caller, identify, identify_player, is_player_key
from service.matches.errors import Problem
from service.matches.match import Change, Match, Status
from service.matches.transitions import Transition
from service.observability.metrics import Metrics
from service.settings import Settings
from service.storage.codec import (
    StoredFormatError,
    encode_change,
    encode_history,
    encode_match,
    stored_header,
    version_header,
)
from service.storage.event_log import changes_from_log
from service.storage.store import Commit, LogEntry, Store, StoredResponse
from service.usecases.commit_retries import MAX_ATTEMPTS, back_off
from service.usecases.game_history import GameHistory
from service.usecases.listing import Listing
from service.usecases.match_cache import MatchCache
from service.usecases.player_identities import PlayerIdentities
from service.usecases.player_listing import PlayerListing
from service.usecases.players import Players


class LoadedMatch(NamedTuple):
    """A match as it is stored, and the role of the caller in it."""

    match: Match
    caller: Caller


class Games:
    """All games of a store."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        clock: Callable[[], float] = time.time,
        metrics: Metrics | None = None,
    ) -> None:
        self._store = store
        self._settings = settings
        self._clock = clock
        self.metrics = metrics or Metrics()
        self._cache = MatchCache()
        self.listing = Listing(store, self.now_ms)
        self.history = GameHistory(store)
        self.identities = PlayerIdentities(store.players)
        self.player_listing = PlayerListing(store)
        self.players = Players(store, settings, self.now_ms)
        self.pools = store.pools

    # Queries.

    def read(self, game_id: str, token: str | None) -> LoadedMatch:
        """Return a match as it is now, and the caller's role.

        :raises Problem: game_not_found, token_unknown, game_unreadable, store_unavailable.
        """
        stored, _ = self._store.load(game_id)
        return self.apply_deadlines(self.authenticate(game_id, stored, token))

    def view(self, loaded: LoadedMatch) -> bytes:
        """Return the game as the caller may see it, in JSON."""
        return self._cache.view(*loaded)

    def read_with_log(
        self, game_id: str, token: str | None, after: int = 0, limit: int | None = None
    ) -> tuple[LoadedMatch, list[Change]]:
        """Return a match, the caller's role, and the changes that hold events beyond number `after`.

        With `limit` no more of the log is read than so many events need.

        :raises Problem: what `read` raises; game_unreadable also when some of these changes are lost.
        """
        stored, entries = self._store.load_with_log(game_id, after, limit)
        loaded = self.authenticate(game_id, stored, token)
        if self.apply_deadlines(loaded).match is not loaded.match:
            return self.read_with_log(game_id, token, after, limit)
        return loaded, changes_from_log(loaded.match, after, entries, limit)

    def changes_after(self, game_id: str, after: int) -> tuple[Match, list[Change]]:
        """Return a match and the changes that hold events beyond number `after`, for no caller.

        :raises Problem: game_not_found, game_unreadable, store_unavailable.
        """
        stored, entries = self._store.load_with_log(game_id, after)
        match = self.decoded(game_id, stored)
        if self.apply_deadlines(LoadedMatch(match, SPECTATOR)).match is not match:
            return self.changes_after(game_id, after)
        return match, changes_from_log(match, after, entries)

    def check(self) -> None:
        """Check that the store responds.

        :raises Problem: store_unavailable.
        """
        self._store.ping()

    def eviction_warning(self) -> str | None:
        """Return a warning for the operator if the store may delete games when it is full, else None."""
        return self._store.eviction_warning()

    def now_ms(self) -> int:
        """Return the time of the service's clock, in milliseconds since 1970."""
        return int(self._clock() * 1000)

    def time_of(self, match: Match) -> int:
        """Return the time by the clock of a match, in milliseconds since 1970."""
        return self.now_ms() if match.clock_ms is None else match.clock_ms

    # Load.

    def load(self, game_id: str, record_key: str | None) -> tuple[bytes | None, bytes | None]:
        """Return the stored match and the idempotency record of a key, each None if there is none.

        :raises Problem: store_unavailable.
        """
        return self._store.load(game_id, record_key)

    def authenticate(
        self,
        game_id: str,
        stored: bytes | None,
        token: str | None,
        *,
        invite: str | None = None,
        retired: bool = False,
    ) -> LoadedMatch:
        """Return a match and the role that the token has in it. A player key without a role is a spectator's.

        :param invite: an invitation code that a caller without a role holds.
        :param retired: accept a token that no longer has a role, as a spectator's.
        :raises Problem: game_not_found, token_unknown, game_unreadable, store_unavailable.
        """
        match = self.decoded(game_id, stored)
        return LoadedMatch(match, self.role_of(match, token, invite=invite, retired=retired))

    def role_of(
        self, match: Match, token: str | None, *, invite: str | None = None, retired: bool = False
    ) -> Caller:
        """Return the role that a token has in a match; see `authenticate`.

        :raises Problem: game_not_found, token_unknown, store_unavailable.
        """
        caller = SPECTATOR if token is None else self.identify(match, token)
        if caller in (None, SPECTATOR) and invite is not None:
            invited = identify(match, invite)
            caller = invited if invited is not None and invited.invited else caller
        if caller is None and retired:
            return SPECTATOR
        if match.private and caller in (None, SPECTATOR):
            raise Problem("game_not_found")
        if caller is None and not is_player_key(token or ""):
            raise Problem("token_unknown")
        return caller or SPECTATOR

    def identify(self, match: Match, token: str) -> Caller | None:
        """Return the role that a token or a player key has in a match, None if it has none.

        :raises Problem: token_unknown, for a player key that was replaced; store_unavailable.
        """
        if is_player_key(token):
            return identify_player(match, self.identities.require_player(token))
        return identify(match, token)

    def apply_deadlines(self, loaded: LoadedMatch) -> LoadedMatch:
        """Apply the deadline that has passed, if any: the first request that comes after it does so.

        :raises Problem: too_much_contention.
        """
        match = loaded.match
        for attempt in range(MAX_ATTEMPTS):
            transition = autoplay.apply_missed_deadline(match, self.time_of(match))
            if not transition.changes:
                return loaded if match is loaded.match else LoadedMatch(match, loaded.caller)
            if self.commit(match, transition):
                return LoadedMatch(transition.match, loaded.caller)
            back_off(attempt)
            match = self.current(match.id)
        raise Problem("too_much_contention")

    def apply_deadlines_of(self, game_id: str) -> None:
        """Apply the deadline of a match that has passed, if any.

        :raises Problem: game_not_found, game_unreadable, too_much_contention, store_unavailable.
        """
        self.apply_deadlines(LoadedMatch(self.current(game_id), SPECTATOR))

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
            return self._cache.decoded(game_id, stored)
        except StoredFormatError as error:
            raise Problem("game_unreadable", f"{str(error).capitalize()}.") from error

    # Commit.

    def commit(
        self,
        before: Match | None,
        transition: Transition,
        record: StoredResponse | None = None,
        *,
        limited: bool = True,
    ) -> bool:
        """Write a transition if the stored match is still `before` (compare-and-set); return whether it was.

        :param before: None for a new match, which is listed before it is written.
        :param limited: whether a player key must not have too many games.
        :raises Problem: store_unavailable, game_unreadable.
        """
        match = transition.match
        if before is None:
            self.listing.update(None, match)
        self.players.announce(before, match, limited=limited)
        expected = None if before is None else self._expected_header(before)
        stored, ttl_s = encode_match(match), self._ttl_s(match.status)
        entries = self._entries(before, transition)
        if not self._store.commit(
            Commit(match.id, expected, stored, entries, ttl_s, record, replaces_log=match.is_over)
        ):
            self.metrics.commit_conflicted()
            return False
        self._cache.put(stored, match)
        if before is None or before.status is not match.status:
            self.metrics.game_changed(before.status if before else None, match.status)
        if before is not None:
            self.listing.update(before, match)
        self.players.relay_commit(before, match)
        return True

    def delete(self, match: Match, record: StoredResponse | None) -> bool:
        """Delete a match that is over and what refers to it, unless it has changed; return whether it was.

        The match itself comes last: when a step before that fails, a retry finds it and completes the rest.

        :param record: the idempotency record of the deletion.
        :raises Problem: too_much_contention, store_unavailable, game_unreadable.
        """
        self.players.forget(match)
        self.listing.remove(match)
        return self._store.delete(match.id, self._expected_header(match), record)

    def delete_all(self) -> int:
        """Delete all games and players of a server for testers; return how many games there were.

        :raises Problem: store_unavailable.
        """
        return self._store.delete_all()

    @property
    def idempotency_ttl_s(self) -> int:
        """How long an idempotency record is stored, in seconds."""
        return self._settings.idempotency_ttl_s

    def _entries(self, before: Match | None, transition: Transition) -> list[LogEntry]:
        """Return the log entries to write: one for each change, or one for all of a match that is over."""
        match = transition.match
        if not match.is_over:
            return [LogEntry(change.last_event, encode_change(change)) for change in transition.changes]
        history = [] if before is None else self.history.changes(before)
        return [LogEntry(match.last_event, encode_history([*history, *transition.changes]))]

    def _expected_header(self, match: Match) -> bytes:
        """Return how the stored match must begin for a transition from this one to be written.

        The checksum in it matters after Redis has lost a second or two of writes: the match may then have
        been played on to another match of the same version.
        """
        stored = self._cache.stored_as(match)
        return version_header(match) if stored is None else stored_header(stored)

    def _ttl_s(self, status: Status) -> int:
        return {
            Status.LOBBY: self._settings.game_ttl_lobby_s,
            Status.PLAYING: self._settings.game_ttl_playing_s,
            Status.FINISHED: self._settings.game_ttl_finished_s,
            Status.ABORTED: self._settings.game_ttl_aborted_s,
        }[status]
