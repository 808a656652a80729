"""Players: the index and the events of their games.

A player's record of a game is in another slot of a cluster than the game, so no commit can write both. The
game is the source of truth, and the record follows it:

1. `announce` writes a record before the commit that gives the player a role. Without it no process would
   look for the game after a crash between the two writes.
2. `relay` derives events from the log of the game after the position in the record, and writes the events
   and the new position in one step (compare-and-set), so that concurrent processes write each event once.
3. `catch_up` relays the events that a crashed process has not written. Each reader of a player's games or
   events calls it first, and a stream repeats it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from typing import Final, NamedTuple

import msgspec

from skye_server.commands.commit_retries import MAX_ATTEMPTS, back_off
from skye_server.error_codes import Problem, skip_unreadable
from skye_server.games.authorization import players_of
from skye_server.games.game import Game
from skye_server.players.codec import followed_games, player_events
from skye_server.players.events import (
    Derived,
    FollowedGame,
    PlayerEvent,
    can_cause_events,
    deadline_near,
    derive,
    lose_role,
    ticket_expired,
    webhook_disabled,
)
from skye_server.players.identities import PlayerIdentities
from skye_server.settings import Settings
from skye_server.storage.codec import decode_game
from skye_server.storage.event_log import changes_from_log
from skye_server.storage.player_store import GameUpdate, UpdateOutcome
from skye_server.storage.redis_players import ACTIVE_SCORE
from skye_server.storage.redis_store import RedisStore
from skye_server.webhooks.owners import NO_GAME, WebhookOwners, events_entry, player_owner

_DONE: Final = UpdateOutcome.DONE

_WRITTEN_MS: Final = 10_000
"""How long after it was announced an event is certainly written, or not."""

_REFUSED_S: Final = 5.0
"""How long a player with too many games is refused without a look at the games: it costs a single request."""

_MAX_REFUSED: Final = 1000
"""The maximum number of such players that a process remembers."""

_PAGE: Final = 100
"""How many games `catch_up` reads at once."""

_LATEST_MS: Final = 9e12
"""A time after all deadlines, in milliseconds since 1970: the position of waiting games without one."""


class PlayerEvents(NamedTuple):
    """Events of a player with their ids, and the id of the player's last event."""

    events: list[tuple[str, PlayerEvent]]
    last_event: str


NO_EVENT: Final = "0-0"
"""The id before a player's first event."""


class Players:
    """The games of all players of a store."""

    def __init__(
        self, store: RedisStore, settings: Settings, now_ms: Callable[[], int], owners: WebhookOwners
    ) -> None:
        self._games = store
        self._store = store.players
        self._identities = PlayerIdentities(store.players)
        self._due, self._owners = store.due, owners
        self._now_ms = now_ms
        self._max_active = settings.limit_games_per_key if settings.limits else 0
        self._ttl_s = settings.max_game_ttl_s
        self._refused_until: dict[str, float] = {}

    def check_limit(self, player: str, *, waiting: int) -> None:
        """Check that a player may have one more game that is not over.

        :param waiting: for how many games the player waits already; they count as games that are not over.
        :raises Problem: too_many_games.
        """
        most = self._max_active
        if not most or self.count_games(player, active=True) + waiting < most:
            return
        if time.monotonic() >= self._refused_until.get(player, 0.0):
            self.catch_up(player)  # it removes games that have expired
            if self.count_games(player, active=True) + waiting < most:
                return
            if len(self._refused_until) >= _MAX_REFUSED:
                self._refused_until.clear()
            self._refused_until[player] = time.monotonic() + _REFUSED_S
        raise Problem("too_many_games", f"This key has {most} games that are not over.", have=most)

    # Commits.

    def announce(self, game_id: str, players: Collection[str], *, limited: bool = True) -> None:
        """Record a game for players that a commit is about to give a role in it.

        An announced game is announced again, so that the compare-and-set of another process fails that has
        read the game before the commit and would remove the record. The record of a role that the player has
        lost is removed before.

        :raises Problem: too_many_games.
        """
        for player in players:
            self._announce(player, game_id, limited=limited)

    def _announce(self, player: str, game_id: str, *, limited: bool) -> None:
        for attempt in range(MAX_ATTEMPTS):
            stored = self._store.game(player, game_id)
            state = FollowedGame(self._now_ms())
            if stored is not None:
                known = followed_games.decode(stored)
                if not known.is_announced_only:
                    if self.relay(player, game_id) is not None:
                        return  # another request has given the player the role: the commit will fail
                    continue
                state = FollowedGame(max(state.since_ms, known.since_ms + 1))
            result = self._write(player, game_id, stored, Derived(state), limited=limited)
            if result is UpdateOutcome.TOO_MANY_GAMES:
                self.check_limit(player, waiting=0)
            if result is _DONE:
                if limited and stored is None:
                    announced = followed_games.encode(state)
                    self._identities.check_own(player, partial(self._remove, player, game_id, announced))
                return
            back_off(attempt)
        raise Problem("too_much_contention")

    def relay_commit(self, before: Game | None, after: Game, players: Collection[str]) -> None:
        """Relay a commit to those players whom it concerns; `catch_up` does so later if this fails."""
        for player in players:
            if can_cause_events(before, after, player):
                with suppress(Problem):
                    self.relay(player, after.id)

    def forget(self, game: Game) -> None:
        """Remove a game that is about to be deleted from the games of its players; their events stay."""
        for player in players_of(game):
            for attempt in range(MAX_ATTEMPTS):
                stored = self._store.game(player, game.id)
                if stored is None or self._remove(player, game.id, stored):
                    break
                back_off(attempt)
            else:
                raise Problem("too_much_contention")

    def relay(self, player: str, game_id: str) -> FollowedGame | None:
        """Write the events of a game that are not written yet; return the new state, None without one."""
        for attempt in range(MAX_ATTEMPTS):
            stored = self._store.game(player, game_id)
            if stored is None:
                return None
            state = followed_games.decode(stored)
            derived = self._derived(player, game_id, state)
            if derived.state == state or self._write(player, game_id, stored, derived) is _DONE:
                return derived.state
            back_off(attempt)
        raise Problem("too_much_contention")

    def _derived(self, player: str, game_id: str, state: FollowedGame) -> Derived:
        stored, entries = self._games.load_with_log(game_id, state.last_event)
        now_ms = self._now_ms()
        if stored is None:
            return lose_role(state, game_id, now_ms)
        game = decode_game(stored)
        changes = changes_from_log(game, state.last_event, entries)
        return derive(state, game, player, changes, now_ms)

    # Queries.

    @property
    def max_active(self) -> int | None:
        """How many games that are not over a player may have; None without a limit."""
        return self._max_active or None

    def count_games(self, player: str, *, active: bool) -> int:
        """Return how many games the list of a player has.

        :param active: count only those that are not over.
        """
        return self._store.count_games(player, active=active)

    def attend(self, player: str, game: Game) -> FollowedGame | None:
        """Relay missing events of a game, and report its deadline if it is near; return the state, if any."""
        record = self._store.game(player, game.id)
        return None if record is None else self._attend(player, game.id, record, game.version)

    def _attend(self, player: str, game_id: str, record: bytes, version: int) -> FollowedGame | None:
        state: FollowedGame | None = followed_games.decode(record)
        if state is None or state.version != version:
            state = self.relay(player, game_id)
        return state if state is None or state.over else self.report_near(player, game_id, state)

    def catch_up(self, player: str) -> dict[str, FollowedGame]:
        """Relay missing events, and report deadlines that are near; return the states of the active games."""
        states: dict[str, FollowedGame] = {}
        for (game_id, record), header in self._with_headers(self._store.active_games(player)):
            with skip_unreadable():
                state = self._attend(player, game_id, record, -1 if header is None else _version(header))
                if state is not None and not state.over:
                    states[game_id] = state
        return states

    def _with_headers(
        self, stored: list[tuple[str, bytes]]
    ) -> Iterator[tuple[tuple[str, bytes], bytes | None]]:
        """Yield records of games with the headers of the games; other requests run between two pages."""
        for first in range(0, len(stored), _PAGE):
            page = stored[first : first + _PAGE]
            yield from zip(page, self._games.headers([game_id for game_id, _ in page]), strict=True)

    def events_after(self, player: str, after: str, limit: int) -> PlayerEvents:
        """Return up to `limit` events of a player after the one with the id `after`.

        :raises Problem: history_lost, when no event has this id.
        """
        has_event = after != NO_EVENT
        found, last_id = self._store.events(player, after, limit + has_event)
        if has_event and (not found or found[0].id != after):
            raise Problem("history_lost")
        events = [(event_id, player_events.decode(data)) for event_id, data in found[has_event:]]
        return PlayerEvents(events, last_id or NO_EVENT)

    def last_event(self, player: str) -> str:
        """Return the id of the last event of a player."""
        return self._store.events(player, NO_EVENT, 1).last_id or NO_EVENT

    def states(self, player: str, game_ids: Collection[str]) -> dict[str, FollowedGame]:
        """Return the states of some games of a player."""
        found: dict[str, FollowedGame] = {}
        for game_id in game_ids:
            stored = self._store.game(player, game_id)
            if stored is not None:
                with skip_unreadable():
                    found[game_id] = followed_games.decode(stored)
        return found

    def report_near(self, player: str, game_id: str, state: FollowedGame) -> FollowedGame:
        """Write the event that a deadline is near, if it is; return the new state."""
        now_ms = self._now_ms()
        if state.near_at_ms is None or now_ms < state.near_at_ms:
            return state
        is_over = state.deadline_ms is not None and now_ms >= state.deadline_ms
        reported = msgspec.structs.replace(state, near_at_ms=None)
        events = () if is_over else (deadline_near(state, game_id, now_ms),)
        self._write(player, game_id, followed_games.encode(state), Derived(reported, events))
        return reported

    # Writes.

    def ticket_expired(self, player: str, ticket_id: str, at_ms: int) -> None:
        """Report, once, that a ticket of a player has expired."""
        event = player_events.encode(ticket_expired(ticket_id, at_ms))
        with self._reported(player, NO_GAME):
            self._store.expire_ticket(player, ticket_id, event, self._ttl_s)

    def webhook_disabled(self, player: str, webhook_id: str, at_ms: int) -> None:
        """Report that a webhook of a player is disabled."""
        event = player_events.encode(webhook_disabled(webhook_id, at_ms))
        with self._reported(player, NO_GAME):
            self._store.append_event(player, event, self._ttl_s)

    @contextmanager
    def _reported(self, player: str, game_id: str) -> Iterator[None]:
        """Make a dispatcher send the events written in this context to webhooks, also if it is left early."""
        if not self._owners.has_any(player_owner(player)):
            yield
            return
        now_ms = self._now_ms()
        self._due.add(events_entry(player_owner(player), game_id, now_ms + _WRITTEN_MS))
        yield
        self._due.add(events_entry(player_owner(player), game_id, now_ms))

    def _write(
        self, player: str, game_id: str, expected: bytes | None, derived: Derived, *, limited: bool = False
    ) -> UpdateOutcome:
        record = None if derived.state is None else followed_games.encode(derived.state)
        events = [player_events.encode(event) for event in derived.events]
        max_active = self._max_active if limited and expected is None else 0
        score = 0 if derived.state is None else _score(derived.state)
        update = GameUpdate(player, game_id, expected, record, score, self._ttl_s, max_active, events)
        with self._reported(player, game_id) if events else nullcontext():
            return self._store.update_game(update)

    def _remove(self, player: str, game_id: str, expected: bytes) -> bool:
        return self._write(player, game_id, expected, Derived(None)) is _DONE


def _version(header: bytes) -> int:
    """Return the version in the header of a stored game; -1 if there is none."""
    parts = header.split(b":", 2)
    return int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else -1


def _score(state: FollowedGame) -> float:
    """Return the score of a game, by which a player's games are listed, the highest first."""
    if state.over:
        return state.since_ms
    if state.turn is None:
        return ACTIVE_SCORE + state.since_ms
    return 3 * ACTIVE_SCORE - min(state.turn.deadline_ms or _LATEST_MS, _LATEST_MS)
