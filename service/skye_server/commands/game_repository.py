"""Game repository: decode stored games, with an LRU cache, and commit and delete games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec

from skye_server.commands.game_history import GameHistory
from skye_server.commands.listing import Listing
from skye_server.error_codes import Problem
from skye_server.games.authorization import Caller, players_of
from skye_server.games.due import due_after
from skye_server.games.game import Game, Status
from skye_server.games.transitions import Transition
from skye_server.games.views.game import game_view
from skye_server.observability.metrics import Metrics
from skye_server.players.player_games import Players
from skye_server.settings import Settings
from skye_server.storage.codec import (
    decode_game,
    encode_change,
    encode_game,
    encode_history,
    version_header,
)
from skye_server.storage.redis_store import RedisStore
from skye_server.storage.store import Commit, LogEntry, StoredRecord
from skye_server.webhooks.owners import WebhookOwners

_encoder = msgspec.json.Encoder()

EXPIRY_S: Final = 60
"""How much longer the keys of a game are stored than the game: meanwhile a dispatcher deletes it, with what
refers to it."""

_RELIST_INTERVAL: Final = 16
"""A game in play is added to the list again at each version that is a multiple of this."""


class _Cached(NamedTuple):
    """A game, the bytes that it is stored as, and its rendered views by caller."""

    stored: bytes
    game: Game
    views: dict[Caller, bytes]


class GameCache:
    """Games by id, each with exactly the bytes that it is stored as.

    The store is always read: a cached game is used only when the store still holds the same bytes.
    """

    def __init__(self, max_size: int = 256) -> None:
        self._max_size = max_size
        self._cached: dict[str, _Cached] = {}

    def decoded(self, game_id: str, stored: bytes) -> Game:
        """Return the game that is stored as these bytes.

        :raises StoredFormatError: when they are corrupt or of an unsupported format.
        """
        cached = self._cached.get(game_id)
        if cached is not None and cached.stored == stored:
            self._cached[game_id] = self._cached.pop(game_id, cached)
            return cached.game
        game = decode_game(stored)
        self.put(stored, game)
        return game

    def stored_header(self, game: Game) -> bytes:
        """Return the header that the stored game must have when a transition from this game is written.

        Its checksum detects a lost update: after Redis has lost a second or two of writes, other changes may
        have led to another game of the same version. A game that is not cached has no known checksum.
        """
        cached = self._cached.get(game.id)
        if cached is None or cached.game is not game:
            return version_header(game)
        return cached.stored[: cached.stored.index(b"{")]

    def view(self, game: Game, caller: Caller) -> bytes:
        """Return the game as a caller may see it, in JSON.

        A rendered view is cached with its game, for this caller only: callers never share one.
        """
        cached = self._cached.get(game.id)
        rendered = cached.views if cached is not None and cached.game is game else {}
        body = rendered.get(caller)
        if body is None:
            body = rendered[caller] = _encoder.encode(game_view(game, caller))
        return body

    def put(self, stored: bytes, game: Game) -> None:
        """Cache a game and the bytes it is stored as; a full cache evicts the least recently used game."""
        self._cached.pop(game.id, None)
        if len(self._cached) >= self._max_size:
            del self._cached[next(iter(self._cached))]
        self._cached[game.id] = _Cached(stored, game, {})


class GameRepository:
    """The games of a store. Each commit also updates the list of games and the games of players."""

    def __init__(  # noqa: PLR0913, PLR0917 - what a commit concerns
        self,
        store: RedisStore,
        settings: Settings,
        metrics: Metrics,
        listing: Listing,
        players: Players,
        owners: WebhookOwners,
        now_ms: Callable[[], int],
    ) -> None:
        self._store = store
        self._ttl_s = {
            Status.LOBBY: settings.game_ttl_lobby_s,
            Status.PLAYING: settings.game_ttl_playing_s,
            Status.FINISHED: settings.game_ttl_finished_s,
            Status.ABORTED: settings.game_ttl_aborted_s,
        }
        self._metrics = metrics
        self._history = GameHistory(store)
        self._listing = listing
        self._players = players
        self._owners = owners
        self._now_ms = now_ms
        self.cache = GameCache()

    def current(self, game_id: str) -> Game:
        """Return a game as it is stored.

        :raises Problem: game_not_found.
        """
        return self.decoded(game_id, self._store.load(game_id)[0])

    def find(self, game_id: str) -> Game | None:
        """Return a game as it is stored, None if there is none."""
        stored, _ = self._store.load(game_id)
        return None if stored is None else self.cache.decoded(game_id, stored)

    def find_to_attend(self, game_id: str) -> tuple[Game | None, int]:
        """Return a game as it is stored, None if there is none, and the milliseconds until it expires."""
        stored, left_ms = self._store.load_to_attend(game_id)
        game = None if stored is None else self.cache.decoded(game_id, stored)
        return game, left_ms - 1000 * EXPIRY_S

    def decoded(self, game_id: str, stored: bytes | None) -> Game:
        """Return a stored game.

        :raises Problem: game_not_found, when there is none.
        """
        if stored is None:
            raise Problem("game_not_found")
        return self.cache.decoded(game_id, stored)

    def save(
        self,
        before: Game | None,
        transition: Transition,
        record: StoredRecord | None = None,
        *,
        limited: bool = True,
    ) -> bool:
        """Write a transition if the stored game is still `before` (compare-and-set); return whether it was.

        :param before: None for a new game, which is listed before it is written.
        :param limited: whether to limit the games of the player keys that get a role.
        :raises Problem: too_many_games.
        """
        game = transition.game
        players = players_of(game)
        kept = before is not None and before.seats is game.seats
        players_before = players if kept else players_of(before)
        if before is None:
            self._listing.update(None, game, transition.changes)
        if joining := players - players_before:
            self._players.announce(game.id, joining, limited=limited)
        now_ms, ttl_s = self._now_ms(), self._ttl_s[game.status]
        commit = Commit(
            game.id,
            None if before is None else self.cache.stored_header(before),
            encode_game(game),
            self._entries(before, transition),
            ttl_s + EXPIRY_S,
            record,
            replaces_log=game.is_over,
            due=[
                *due_after(before, game, now_ms, now_ms + 1000 * ttl_s),
                *self._owners.due_after(before, game, now_ms),
            ],
            now_ms=now_ms,
        )
        if not self._store.commit(commit):
            self._metrics.commit_conflicted()
            return False
        self.cache.put(commit.game, game)
        if before is None or before.status is not game.status:
            self._metrics.game_changed(before.status if before else None, game.status)
            if before is not None:
                self._listing.update(before, game, transition.changes)
        elif game.status is Status.LOBBY or game.version % _RELIST_INTERVAL == 0:
            self._listing.relist(game)
        if concerned := players | players_before:
            self._players.relay_commit(before, game, concerned)
        return True

    def delete(self, game: Game, record: StoredRecord | None) -> bool:
        """Delete a game that is over, and references to it, unless it has changed; return whether it was.

        The game itself comes last: when a step before that fails, a retry finds it and completes the rest.

        :param record: the idempotency record of the deletion.
        """
        self._players.forget(game)
        self._listing.remove(game)
        return self._store.delete(game.id, self.cache.stored_header(game), record)

    def expire(self, game: Game) -> None:
        """Delete a game whose time is over, unless it has changed, and report that to its players."""
        if self._store.delete(game.id, self.cache.stored_header(game), None):
            self._listing.remove(game)
            for player in players_of(game):
                self._players.relay(player, game.id)

    def _entries(self, before: Game | None, transition: Transition) -> list[LogEntry]:
        """Return the log entries to write: one for each change, or one for all of a game that is over."""
        game = transition.game
        if not game.is_over:
            return [LogEntry(change.last_event, encode_change(change)) for change in transition.changes]
        history = [] if before is None else self._history.changes(before)
        return [LogEntry(game.last_event, encode_history([*history, *transition.changes]))]
