"""The games of a store: read and save them, delete them, and rebuild their past (`history`).

What is known here are games, and no callers. A change is saved if the stored game is still the one that was
changed: a header shows it, the beginning of the stored bytes. A commit is followed by the relay, which writes
what lies elsewhere (see `skye_server.relay`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple, Protocol

from skye_server.error_codes import Problem
from skye_server.games.authorization import players_of
from skye_server.games.due import RELAY_MS, due_after, relay_entries
from skye_server.games.game import Change, Game, Status
from skye_server.games.transitions import Transition
from skye_server.observability.metrics import Metrics
from skye_server.settings import Settings
from skye_server.store.codec import (
    FORMAT,
    StoredFormatError,
    changes_from_log,
    decode_game,
    encode_changes,
    encode_game,
    encode_history,
)
from skye_server.store.commit import Commit, LogEntry, StoredRecord
from skye_server.store.game_history import GameHistory
from skye_server.store.redis_store import RedisStore

EXPIRY_S: Final = 86_400
"""How much longer the keys of a game are stored than the game: meanwhile a dispatcher deletes it, with what
refers to it. Without the game nothing names its players, so this is longer than dispatchers may be down."""


class Places(Protocol):
    """The places that players have among their games, whose number is limited."""

    def reserve(self, game_id: str, players: Collection[str], *, limited: bool = True) -> None:
        """Reserve a place for players that a commit is about to give a role in a game.

        :raises Problem: too_many_games, too_much_contention.
        """

    def withdraw(self, game_id: str, players: Collection[str]) -> None:
        """Give places up that were reserved for a commit which conflicts with another."""


class RelayedCommit(NamedTuple):
    """What the relay needs of a commit.

    :param header: how the stored game begins.
    """

    header: bytes
    changes: Sequence[Change]


class Relaying(Protocol):
    """What follows each commit; it never raises."""

    def committed(self, before: Game | None, after: Game, commit: RelayedCommit) -> None:
        """Relay a commit."""

    def deleted(self, game: Game) -> None:
        """Relay the deletion of a game."""


class NoRelay:
    """Leaves all to the dispatchers."""

    def committed(self, before: Game | None, after: Game, commit: RelayedCommit) -> None:
        """Do nothing."""

    def deleted(self, game: Game) -> None:
        """Do nothing."""


def version_header(game: Game) -> bytes:
    """Return the beginning of a stored game: its format and its version."""
    return b"%d:%d:" % (FORMAT, game.version)


def header_of(stored: bytes) -> bytes:
    """Return the header of a stored game, by which the store recognizes it: format, version and checksum."""
    return stored[: stored.index(b"{")]


class _Cached(NamedTuple):
    """A game, the bytes that it is stored as, and what was derived from it."""

    stored: bytes
    game: Game
    derived: dict[Any, bytes]


class GameCache:
    """Games by id, each with exactly the bytes that it is stored as.

    The store is always read: a cached game is used only when the store still holds the same bytes.
    """

    def __init__(self, decode: Callable[[bytes], Game] = decode_game, max_size: int = 256) -> None:
        self._decode = decode
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
        game = self._decode(stored)
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
        return header_of(cached.stored)

    def derived(self, game: Game) -> dict[Any, bytes]:
        """Return the dict for what is derived from a game; it lasts as long as the game is cached."""
        cached = self._cached.get(game.id)
        return cached.derived if cached is not None and cached.game is game else {}

    def replace(self, game: Game, seen: Game) -> None:
        """Cache another form of a stored game, which differs in nothing that is worth a commit."""
        cached = self._cached.get(game.id)
        if cached is not None and cached.game is game:
            self._cached[game.id] = cached._replace(game=seen)

    def put(self, stored: bytes, game: Game) -> None:
        """Cache a game and the bytes it is stored as; a full cache evicts the least recently used game."""
        self._cached.pop(game.id, None)
        if len(self._cached) >= self._max_size:
            del self._cached[next(iter(self._cached))]
        self._cached[game.id] = _Cached(stored, game, {})


class LoggedGame(NamedTuple):
    """A game, and the log entries with its events after number `after`.

    :param limit: the maximum number of entries that were read.
    """

    game: Game
    after: int
    entries: Sequence[LogEntry]
    limit: int | None

    def changes(self) -> list[Change]:
        """Return the changes that have events after number `after`.

        :raises Problem: data_corrupt, data_newer, when some of them are lost; server_busy, bad_request.
        """
        return changes_from_log(self.game, self.after, self.entries, self.limit)


class GameStore:
    """The games of a store.

    :param places: what limits the games of players.
    :param delete_more: deletes what else belongs to a game that is deleted.
    :param relay: set when the parts of a process are connected.
    """

    relay: Relaying = NoRelay()

    def __init__(  # noqa: PLR0913 - what a commit concerns
        self,
        store: RedisStore,
        settings: Settings,
        metrics: Metrics,
        places: Places,
        now_ms: Callable[[], int],
        *,
        delete_more: Callable[[Game], object],
    ) -> None:
        self._games = store.games
        self._rulesets = store.rulesets
        self._ttl_s = {
            Status.LOBBY: settings.game_ttl_lobby_s,
            Status.PLAYING: settings.game_ttl_playing_s,
            Status.FINISHED: settings.game_ttl_finished_s,
            Status.ABORTED: settings.game_ttl_aborted_s,
        }
        self._metrics = metrics
        self._places = places
        self._now_ms = now_ms
        self._delete_more = delete_more
        self.history = GameHistory(store.games)
        self.cache = GameCache(store.rulesets.decoded)

    def read(self, game_id: str) -> Game:
        """Return a game as it is stored.

        :raises Problem: game_not_found.
        """
        return self.decoded(game_id, self._games.load(game_id)[0])

    def read_with_record(self, game_id: str, record_key: str | None) -> tuple[Game, bytes | None]:
        """Return a game as it is stored, and the idempotency record under a key.

        :raises Problem: game_not_found.
        """
        stored, record = self._games.load(game_id, record_key)
        return self.decoded(game_id, stored), record

    def read_with_log(self, game_id: str, after: int, limit: int | None = None) -> LoggedGame:
        """Return a game as it is stored, with the log entries that have events after number `after`.

        :param limit: the maximum number of log entries to read; each has at least one event.
        :raises Problem: game_not_found.
        """
        stored, entries = self._games.load_with_log(game_id, after, limit)
        return LoggedGame(self.decoded(game_id, stored), after, entries, limit)

    def find(self, game_id: str) -> Game | None:
        """Return a game as it is stored, None if there is none."""
        return self.find_with_record(game_id, None)[0]

    def find_with_record(self, game_id: str, record_key: str | None) -> tuple[Game | None, bytes | None]:
        """Return a game as it is stored and the idempotency record under a key, None for what is missing."""
        stored, record = self._games.load(game_id, record_key)
        return None if stored is None else self.cache.decoded(game_id, stored), record

    def find_to_attend(self, game_id: str) -> tuple[Game | None, int]:
        """Return a game as it is stored, None if there is none, and the milliseconds until it expires."""
        stored, left_ms = self._games.load_to_attend(game_id)
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

        :param before: None for a new game.
        :param limited: whether to limit the games of the player keys that get a role.
        :raises Problem: too_many_games.
        """
        game = transition.game
        if joining := players_of(game) - players_of(before):
            self._places.reserve(game.id, joining, limited=limited)
        if before is None:
            self._rulesets.add(game.ruleset)
        now_ms, ttl_s = self._now_ms(), self._ttl_s[game.status]
        due = due_after(before, game, now_ms, now_ms + 1000 * ttl_s)
        is_relayed = any(entry.kind == "relay" for entry in due)
        commit = Commit(
            game.id,
            None if before is None else self.cache.stored_header(before),
            encode_game(game),
            self._entries(before, transition),
            ttl_s + EXPIRY_S,
            record,
            replaces_log=game.is_over,
            due=due,
            now_ms=now_ms,
            relayed_version=game.version if is_relayed else None,
        )
        if not self._games.commit(commit):
            self._metrics.commit_conflicted()
            self._places.withdraw(game.id, joining)
            return False
        self.cache.put(commit.game, game)
        if before is None or before.status is not game.status:
            self._metrics.game_changed(before.status if before else None, game.status)
        if is_relayed:
            self.relay.committed(before, game, RelayedCommit(header_of(commit.game), transition.changes))
        return True

    def delete(self, game: Game, record: StoredRecord | None) -> bool:
        """Delete a game that is over or has expired, unless it has changed; return whether it was.

        :param record: the idempotency record of the deletion.
        """
        relay = relay_entries(game.id, players_of(game), self._now_ms() + RELAY_MS)
        if not self._games.delete(game.id, self.cache.stored_header(game), record, relay):
            return False
        self.relay.deleted(game)
        with suppress(Problem):  # what stays after an outage expires
            self._delete_more(game)
        return True

    def _entries(self, before: Game | None, transition: Transition) -> list[LogEntry]:
        """Return the log entry to write, if any: of the changes, or of all changes of a game that is over."""
        game = transition.game
        if not game.is_over:
            changes = transition.changes
            return [LogEntry(changes[-1].last_event, encode_changes(changes))] if changes else []
        history = [] if before is None else self.history.changes(before)
        return [LogEntry(game.last_event, encode_history([*history, *transition.changes]))]


def readable_games(store: RedisStore, game_ids: Sequence[str]) -> list[Game | None]:
    """Return games as they are stored, None for each that is missing or cannot be read; none is cached."""
    return decoded_games(store, store.games.load_many(game_ids))


def decoded_games(store: RedisStore, found: Sequence[bytes | None]) -> list[Game | None]:
    """Return stored games, None for each that is missing or cannot be read; none is cached."""
    games: list[Game | None] = []
    for stored in found:
        try:
            games.append(None if stored is None else store.rulesets.decoded(stored))
        except StoredFormatError:
            games.append(None)
    return games
