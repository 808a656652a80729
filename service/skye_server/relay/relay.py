"""Relay a game: call the consumers, then settle its entries in the outbox, or park it; rebuild everything.

The package describes the relay. Any consumer may be called at any time, and again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, TypeAlias

from skye_server.commands.current_games import Games
from skye_server.error_codes import ERROR_CODES, Problem, skip_unreadable
from skye_server.features import installed
from skye_server.games.authorization import players_of
from skye_server.games.due import RELAY_MS, Due, due_after, near_players, next_relay_ms, relay_entries
from skye_server.games.game import Game
from skye_server.games.player_events import concerned_players
from skye_server.observability.logs import facts
from skye_server.observability.metrics import CONSUMERS, Metrics
from skye_server.relay.consumers import (
    ALL_LISTS,
    Subject,
    relay_history,
    relay_lists,
    relay_players,
    stored_subject,
)
from skye_server.settings import Settings
from skye_server.store.connection.calls import without_retries
from skye_server.store.games import EXPIRY_S, RelayedCommit
from skye_server.store.redis_store import RedisStore
from skye_server.store.shards import PLAYER_OWNER

Consumer: TypeAlias = Callable[[Subject], bool]
"""Writes what is missing of a game; returns False if another process has written a later version."""

_RETRY_MS: Final = 1_000
_MAX_RETRY_MS: Final = 600_000
"""After how long a game that fails is relayed again: at first, and at most."""

_MAX_FAILURES: Final = 10
"""The highest number of failures that is counted."""

_log = logging.getLogger(__name__)


def connected(games: Games) -> Relay:
    """Return the relay of some games, which follows each of their commits from now on."""
    relay = Relay(games.store, games.settings, games.now_ms, games.metrics)
    games.stored.relay = relay
    return relay


class Relay:
    """The relay of the games of a store."""

    def __init__(
        self, store: RedisStore, settings: Settings, now_ms: Callable[[], int], metrics: Metrics
    ) -> None:
        self._store = store
        self._now_ms = now_ms
        self._metrics = metrics
        consumers: Sequence[Consumer] = (
            relay_lists,
            partial(relay_players, ttl_s=settings.player_ttl_s, now_ms=now_ms),
            partial(relay_history, ttl_s=settings.history_ttl_s, now_ms=now_ms),
        )
        self._consumers = dict(zip(CONSUMERS, consumers, strict=True))
        for feature in installed():
            for name, make in feature.consumers.items():
                self._consumers[name] = make(store, settings, now_ms)

    def committed(self, before: Game | None, after: Game, commit: RelayedCommit) -> None:
        """Relay a commit of this process; a dispatcher does so later if this fails."""
        began_ms = self._now_ms()
        players = concerned_players(before, after) | near_players(after, began_ms)
        subject = Subject(self._store, after.id, after, commit.header, players, commit.changes)
        with suppress(Problem), without_retries():
            former = players_of(before) - players_of(after)
            if not (self._relay(subject) and self._settle(subject, began_ms, former, after.version)):
                # This was late: the commit that followed may be relayed already, and its list overwritten;
                # or an earlier one is not relayed, and its entry stays.
                created = players_of(after) if before is None else frozenset()
                for due in relay_entries(after.id, created, self._now_ms() + RELAY_MS):
                    self._store.due.add(due)

    def deleted(self, game: Game) -> None:
        """Relay the deletion of a game by this process; a dispatcher does so later if this fails."""
        began_ms, players = self._now_ms(), players_of(game)
        subject = Subject(self._store, game.id, None, None, players)
        with suppress(Problem), without_retries():
            if self._relay(subject):
                self._settle(subject, began_ms, players)

    def attend(self, entry: str) -> int | None:
        """Relay a game as it is stored.

        :param entry: the id of the game, or of the game and of a player who may have lost the role in it.
        :returns: when to relay it again, in milliseconds since 1970; None for never.
        """
        game_id, _, player = entry.partition("/")
        return self._attend(game_id, player, 0)

    def attend_parked(self, entry: str) -> int | None:
        """Relay a game again that has failed.

        :param entry: the id of the game, that of a player or nothing, and how often it has failed.
        """
        game_id, player, failures = entry.split("/")
        return self._attend(game_id, player, int(failures))

    def _attend(self, game_id: str, player: str, failures: int) -> int | None:
        began_ms = self._now_ms()
        try:
            with without_retries():
                subject = stored_subject(self._store, game_id, frozenset(filter(None, [player])))
                is_done = self._relay(subject) and self._settle(subject, began_ms, filter(None, [player]))
        except Problem as problem:
            if ERROR_CODES[problem.code].status == 503:
                return self._now_ms() + _RETRY_MS
            self._park(game_id, player, failures + 1, problem)
            return None
        return None if is_done else self._now_ms()

    def _relay(self, subject: Subject) -> bool:
        """Call all consumers, also after one has failed; return whether none was overtaken.

        :raises Problem: the first of theirs.
        """
        problems, is_done = [], True
        for name, consumer in self._consumers.items():
            try:
                is_done = consumer(subject) and is_done
            except Problem as problem:
                problems.append(problem)
                self._metrics.relay_failed(name)
        if problems:
            raise problems[0]
        return is_done

    def _settle(
        self, subject: Subject, began_ms: int, former: Iterable[str], version: int | None = None
    ) -> bool:
        """Remove what is relayed from the outbox; return whether nothing else of the game waits.

        :param began_ms: when the relay began: what is near since then may be missing.
        """
        due_ms = next_relay_ms(subject.game, began_ms)
        entries = [f"{subject.game_id}/{player}" for player in former]
        return self._store.games.settle(subject.game_id, subject.header, entries, due_ms, version)

    def _park(self, game_id: str, player: str, failures: int, problem: Problem) -> None:
        """Relay a game again that has failed, later each time, whatever is relayed of it meanwhile."""
        due_ms = self._now_ms() + min(_RETRY_MS << failures, _MAX_RETRY_MS)
        entry = f"{game_id}/{player}/{min(failures, _MAX_FAILURES)}"
        self._store.due.add(Due("parked", entry, due_ms))
        if not player:  # the parked entry relays every version
            self._store.games.forget_unrelayed(game_id)
        known = {"game": game_id, "player": player, "code": problem.code, "failures": failures}
        _log.warning("a game cannot be relayed", extra=facts(**known))


def rebuild(store: RedisStore) -> int:
    """Make the dispatchers derive everything again; return how many entries are queued.

    The entries of the due queue follow from what is stored; those that are queued already stay. Each game is
    relayed, and so is each that a player's record or a list names, also if it is gone. Requests may go on.

    :raises Problem: store_unavailable.
    """
    now_ms, queued = round(1000 * store.time()), 0
    for owner, kind in store.stored():
        with skip_unreadable():
            for due in _entries(store, owner, kind, now_ms):
                store.due.add(due)
                queued += 1
    for name in ALL_LISTS:
        for game_id in store.index.members(name):
            store.due.add(Due("relay", game_id, now_ms))
            queued += 1
    return queued


def _entries(store: RedisStore, owner: str, kind: str, now_ms: int) -> Iterator[Due]:
    """Yield the entries for one key of a game, a player or a pool."""
    if kind == "game":
        stored, left_ms = store.games.load_to_attend(owner)
        if stored is not None:
            yield from due_after(
                None, store.rulesets.decoded(stored), now_ms, now_ms + left_ms - 1000 * EXPIRY_S
            )
    elif kind == "games":
        player = frozenset({owner.removeprefix(PLAYER_OWNER)})
        for game_id in store.players.games_of(*player):
            yield from relay_entries(game_id, player, now_ms)
    for feature in installed():
        yield from feature.rebuild(store, owner, kind, now_ms)
