"""Games: load current matches with the role of the caller, and apply missed deadlines.

Commands (`skye_server.commands.game_commands`) change matches by optimistic concurrency; see
`skye_server.commands.attempts`. `skye_server.commands.game_repository` decodes, commits and deletes matches.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from skye_server.commands.commit_retries import MAX_ATTEMPTS, back_off
from skye_server.commands.game_history import GameHistory
from skye_server.commands.game_repository import MatchRepository
from skye_server.commands.listing import Listing
from skye_server.error_codes import Problem
from skye_server.games import autoplay
from skye_server.games.authorization import Caller, role_of
from skye_server.games.game import Change, Match
from skye_server.observability.metrics import Metrics
from skye_server.players.identities import PlayerIdentities
from skye_server.players.listing import PlayerListing
from skye_server.players.player_games import Players
from skye_server.settings import Settings
from skye_server.storage.event_log import changes_from_log
from skye_server.storage.store import Store


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
        self.store = store
        self._settings = settings
        self._clock = clock
        self.metrics = metrics or Metrics()
        self.listing = Listing(store, self.now_ms)
        self.history = GameHistory(store)
        self.identities = PlayerIdentities(store.players)
        self.player_listing = PlayerListing(store)
        self.players = Players(store, settings, self.now_ms)
        self.pools = store.pools
        self.matches = MatchRepository(store, settings, self.metrics, self.listing, self.players)

    # Queries.

    def read(self, game_id: str, token: str | None) -> LoadedMatch:
        """Return a match as it is now, and the caller's role.

        :raises Problem: game_not_found, token_unknown, too_much_contention, game_unreadable,
            store_unavailable.
        """
        stored, _ = self.store.load(game_id)
        match, caller = self.authenticate(game_id, stored, token)
        return LoadedMatch(self.apply_deadlines(match), caller)

    def view(self, loaded: LoadedMatch) -> bytes:
        """Return the game as the caller may see it, in JSON."""
        return self.matches.cache.view(*loaded)

    def read_with_log(
        self, game_id: str, token: str | None, after: int = 0, limit: int | None = None
    ) -> tuple[LoadedMatch, list[Change]]:
        """Return a match, the caller's role, and the changes that have events after number `after`.

        :param limit: the maximum number of log entries to read; each has at least one event.
        :raises Problem: what `read` raises; game_unreadable also when some of these changes are lost.
        """
        stored, entries = self.store.load_with_log(game_id, after, limit)
        loaded = self.authenticate(game_id, stored, token)
        if self.apply_deadlines(loaded.match) is not loaded.match:
            return self.read_with_log(game_id, token, after, limit)
        return loaded, changes_from_log(loaded.match, after, entries, limit)

    def changes_after(self, game_id: str, after: int) -> tuple[Match, list[Change]]:
        """Return a match and the changes that have events after number `after`, without authentication.

        :raises Problem: game_not_found, too_much_contention, game_unreadable, store_unavailable.
        """
        stored, entries = self.store.load_with_log(game_id, after)
        match = self.matches.decoded(game_id, stored)
        if self.apply_deadlines(match) is not match:
            return self.changes_after(game_id, after)
        return match, changes_from_log(match, after, entries)

    def check(self) -> None:
        """Check that the store responds.

        :raises Problem: store_unavailable.
        """
        self.store.ping()

    def eviction_warning(self) -> str | None:
        """Return a warning for the operator if the store may delete games when it is full, else None."""
        return self.store.eviction_warning()

    def replicas_warning(self) -> str | None:
        """Return a warning for the operator if a failover may lose acknowledged changes, else None."""
        return self.store.replicas_warning()

    def delete_all(self) -> int:
        """Delete all games and players of a server for testers; return how many games there were.

        :raises Problem: store_unavailable.
        """
        return self.store.delete_all()

    @property
    def idempotency_ttl_s(self) -> int:
        """How long an idempotency record is stored, in seconds."""
        return self._settings.idempotency_ttl_s

    def now_ms(self) -> int:
        """Return the time of the service's clock, in milliseconds since 1970."""
        return int(self._clock() * 1000)

    def time_of(self, match: Match) -> int:
        """Return the time by the clock of a match, in milliseconds since 1970."""
        return self.now_ms() if match.clock_ms is None else match.clock_ms

    # The role of a caller.

    def authenticate(self, game_id: str, stored: bytes | None, token: str | None) -> LoadedMatch:
        """Return a match and the role that the token has in it; a player key without a role is a spectator.

        :raises Problem: game_not_found, token_unknown, game_unreadable, store_unavailable.
        """
        match = self.matches.decoded(game_id, stored)
        return LoadedMatch(match, self.role_of(match, token))

    def role_of(self, match: Match, token: str | None) -> Caller:
        """Return the role that a token or a player key has in a match.

        :raises Problem: game_not_found, token_unknown, game_unreadable, store_unavailable.
        """
        return role_of(match, token, self.identities.player_of_key(token))

    # Deadlines.

    def apply_deadlines(self, match: Match) -> Match:
        """Apply the deadline that has passed, if any: the first request after a deadline applies it.

        :raises Problem: game_not_found, game_unreadable, too_much_contention, store_unavailable.
        """
        for attempt in range(MAX_ATTEMPTS):
            now_ms = self.time_of(match)
            if not match.is_overdue(now_ms):
                return match
            transition = autoplay.play_bots(autoplay.after_deadline(match, now_ms), now_ms)
            if self.matches.save(match, transition):
                return transition.match
            back_off(attempt)
            match = self.matches.current(match.id)
        raise Problem("too_much_contention")

    def apply_deadlines_of(self, game_id: str) -> None:
        """Load a match, and apply its deadline if it has passed.

        :raises Problem: game_not_found, game_unreadable, too_much_contention, store_unavailable.
        """
        self.apply_deadlines(self.matches.current(game_id))
