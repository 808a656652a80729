"""Games: load current games with their caller, add the time of outages, and apply missed deadlines.

`admit` finds the caller of each request about a game. It comes before anything that is cached of the game.

Commands (`skye_server.commands.game_commands`) change games by optimistic concurrency; see
`skye_server.commands.attempts`. `skye_server.store.games` reads and saves them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from msgspec.structs import replace

from skye import Ruleset
from skye.rulesets import ruleset_of
from skye_server.commands.watch_codes import WatchCodes
from skye_server.error_codes import Problem
from skye_server.features import installed
from skye_server.games import autoplay
from skye_server.games.authorization import Caller, Credentials, caller_of, is_watch_code, require_content
from skye_server.games.game import Change, Game
from skye_server.games.outages import Outage, with_outages
from skye_server.games.transitions import Transition
from skye_server.observability.metrics import Metrics
from skye_server.players.identities import PlayerIdentities
from skye_server.players.player_games import Players
from skye_server.settings import Settings
from skye_server.store.commit import MAX_ATTEMPTS, back_off
from skye_server.store.games import GameStore
from skye_server.store.outages import MAX_GAP_MS, SignsOfLife
from skye_server.store.redis_store import RedisStore

_SIGN_CHECK_MS: Final = 250
"""After how long a game is looked at again whose deadline has passed, but there is no later sign of life."""

_SILENCE_CHECK_MS: Final = 5_000
"""The same during an outage."""


class LoadedGame(NamedTuple):
    """A game as it is now, and the caller: the role in it, and what the role may see of it."""

    game: Game
    caller: Caller


class Admitted(NamedTuple):
    """A game with its caller, what the request shows of the caller, and the time by the clock of the game."""

    loaded: LoadedGame
    credentials: Credentials
    now_ms: int


class Games:
    """All games of a store."""

    def __init__(
        self,
        store: RedisStore,
        settings: Settings,
        clock: Callable[[], float] = time.time,
        metrics: Metrics | None = None,
        signs: SignsOfLife | None = None,
    ) -> None:
        self.store = store
        self.settings = settings
        self._clock = clock
        self.metrics = metrics or Metrics()
        self.signs = signs or SignsOfLife(store.outages, clock, 1000 * settings.game_ttl_playing_s)
        self.identities = PlayerIdentities(store.players)
        self.watch_codes = WatchCodes(store, self.identities)
        self.players = Players(store, settings, self.now_ms)
        self.stored = GameStore(
            store,
            settings,
            self.metrics,
            self.players,
            self.now_ms,
            delete_more=partial(_delete_data_of_features, store),
        )

    # Queries.

    def ruleset(self, named: str | None) -> Ruleset:
        """Return the ruleset that a request names; that of new games on this server if it names none."""
        return self.settings.ruleset if named is None else ruleset_of(named)

    def read(self, game_id: str, token: str | None) -> LoadedGame:
        """Return a game as it is now, and the caller's role.

        :raises Problem: game_not_found, token_unknown, invitation_over.
        """
        return self.admit(self.stored.read(game_id), token).loaded

    def read_content(self, game_id: str, token: str | None) -> LoadedGame:
        """Return a game as it is now, and the role of a caller who may see its content.

        :raises Problem: what `read` raises; not_public_yet.
        """
        loaded = self.read(game_id, token)
        require_content(loaded.caller)
        return loaded

    def read_past(self, game_id: str, token: str | None, event: int) -> LoadedGame:
        """Return a game and the caller's role as they were when event number `event` had happened.

        :raises Problem: what `read_content` raises; event_not_found; data_corrupt, data_newer.
        """
        game, caller = self.read_content(game_id, token)
        past = self.stored.history.at_event(game, event)
        seat = self.stored.history.seat_at(past, game, caller.seat)
        return LoadedGame(past, caller._replace(seat=seat))

    def read_with_log(
        self, game_id: str, token: str | None, after: int = 0, limit: int | None = None
    ) -> tuple[LoadedGame, list[Change]]:
        """Return a game, the caller's role, and the changes that have events after number `after`.

        :param limit: the maximum number of log entries to read; each has at least one event.
        :raises Problem: what `read_content` raises; data_corrupt, data_newer also when some of these changes
            are lost.
        """
        logged = self.stored.read_with_log(game_id, after, limit)
        loaded = self.admit(logged.game, token).loaded
        if loaded.game.version != logged.game.version:
            return self.read_with_log(game_id, token, after, limit)
        require_content(loaded.caller)
        return loaded, logged.changes()

    def changes_after(self, game_id: str, after: int) -> tuple[Game, list[Change]]:
        """Return a game and the changes that have events after number `after`, without authentication.

        :raises Problem: game_not_found.
        """
        logged = self.stored.read_with_log(game_id, after)
        if self.apply_deadlines(logged.game).version != logged.game.version:
            return self.changes_after(game_id, after)
        return logged.game, logged.changes()

    def now_ms(self) -> int:
        """Return the time of the service's clock, in milliseconds since 1970."""
        return int(self._clock() * 1000)

    def time_of(self, game: Game) -> int:
        """Return the time by the clock of a game, in milliseconds since 1970."""
        return self.now_ms() if game.clock_ms is None else game.clock_ms

    # The caller.

    def caller(
        self, game: Game, token: str | None, *, invite: str | None = None, is_retired: bool = False
    ) -> tuple[Caller, Credentials]:
        """Return the caller of a request about a game, and what the request shows of the caller.

        :param game: the game as it is stored.
        :param invite, is_retired: see `Credentials`.
        :raises Problem: game_not_found, token_unknown, invitation_over.
        """
        credentials = Credentials(token, self.identities.player_of_key(token), invite, is_retired)
        watches = is_watch_code(token) and self.watch_codes.admits(game, token)
        return caller_of(game, credentials, watches=watches), credentials

    def admit(
        self,
        game: Game,
        token: str | None,
        *,
        invite: str | None = None,
        is_retired: bool = False,
        acts: bool = False,
    ) -> Admitted:
        """Find the caller of a request about a game, and apply the deadline that has passed, if any.

        The other parameters are those of `caller`.

        :param acts: see `apply_deadlines`.
        :raises Problem: game_not_found, token_unknown, invitation_over.
        """
        caller, credentials = self.caller(game, token, invite=invite, is_retired=is_retired)
        current, now_ms = self._on_time(game, acts=acts)
        return Admitted(LoadedGame(current, caller.in_game(current)), credentials, now_ms)

    # Deadlines.

    def apply_deadlines(self, game: Game, *, acts: bool = False) -> Game:
        """Apply the deadline that has passed, if any; a dispatcher or the first request after it does so.

        Before that, the game gets the time of outages that it has not seen.

        :param acts: whether an action follows.
        :raises Problem: game_not_found.
        """
        return self._on_time(game, acts=acts)[0]

    def wait_ms(self, game: Game) -> int | None:
        """Return after how many milliseconds the game may change without a request; None for never."""
        if game.due_ms is None or game.clock_ms is not None:
            return None
        now_ms = self.now_ms()
        if game.due_ms > now_ms:
            return game.due_ms - now_ms
        return _SILENCE_CHECK_MS if self._span(game).is_silent else _SIGN_CHECK_MS

    def new(self, transition: Transition) -> Transition:
        """Return the transition that creates a game, which has seen all outages that are known."""
        uptime = self.signs.uptime
        if uptime is None:
            return transition
        return transition._replace(game=replace(transition.game, outage=uptime.last))

    def uncharged(self, game: Game) -> Transition:
        """Return a game with the time of an outage that is not over yet, until now, if there is one.

        So the decision that follows is charged none of it. What is left of the outage is added at its end.
        """
        span = self._span(game)
        if not (span.is_silent and span.sign_ms):
            return Transition(game)
        return with_outages(game, [Outage(game.outage, span.sign_ms, span.now_ms)], span.now_ms)

    def _on_time(self, game: Game, *, acts: bool = False) -> tuple[Game, int]:
        """Return a game after the deadline that has passed, if any, and the time by the clock of the game."""
        for attempt in range(MAX_ATTEMPTS):
            span = self._span(game)
            if span.due_ms < span.now_ms and (
                span.is_silent if acts else span.due_ms < (game.due_ms or 0) <= span.now_ms
            ):
                self.signs.look()
                span = self._span(game)
            now_ms, outages = span.now_ms, span.outages
            transition = with_outages(game, outages, now_ms) if outages else Transition(game)
            current = transition.game
            if current.is_overdue(span.due_ms):
                late = autoplay.after_deadline(current, span.due_ms, now_ms)
                transition = transition.then(autoplay.play_bots(late, now_ms))
            if not transition.changes:
                if current is not game:
                    self.stored.cache.replace(game, current)
                return current, now_ms
            if self.stored.save(game, transition):
                return transition.game, self.time_of(transition.game)
            back_off(attempt)
            game = self.stored.read(game.id)
        raise Problem("too_much_contention")

    def _span(self, game: Game) -> _Span:
        """Return the time of a game, and what this process knows of signs of life and outages."""
        uptime = self.signs.uptime  # before the time: an outage is not newer than the clock
        now_ms = self.time_of(game)
        if uptime is None or game.clock_ms is not None or game.is_over:
            return _Span(now_ms, now_ms, now_ms)
        ahead_ms = 0  # of a lab server, whose clock can be advanced
        if self._clock is not self.signs.clock:
            ahead_ms = now_ms - int(1000 * self.signs.clock())
        sign_ms = uptime.sign_ms + ahead_ms if uptime.sign_ms else 0
        is_silent = now_ms - sign_ms > MAX_GAP_MS
        is_sure = self.settings.lab and not is_silent  # testers who advance the clock see its effect at once
        due_ms = now_ms if is_sure else min(now_ms, sign_ms)
        if uptime.last <= game.outage:
            return _Span(now_ms, sign_ms, due_ms, is_silent)
        outages = tuple([outage.later(ahead_ms) for outage in uptime.after(game.outage)])
        return _Span(now_ms, sign_ms, due_ms, is_silent, outages)


class _Span(NamedTuple):
    """The time of a game as a process knows it.

    :param sign_ms: the last sign of life of a worker; 0 if none is known.
    :param due_ms: what ended by then is due: nobody is late before a later sign.
    :param is_silent: whether the last sign is so old that this may be an outage.
    :param outages: those that the game has not seen.
    """

    now_ms: int
    sign_ms: int
    due_ms: int
    is_silent: bool = False
    outages: tuple[Outage, ...] = ()


def _delete_data_of_features(store: RedisStore, game: Game) -> None:
    for feature in installed():
        feature.game_deleted(store, game)
