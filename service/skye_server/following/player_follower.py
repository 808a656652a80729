"""Follow a player: one long poll or stream over all games of a player key, from an id of the player's events.

It waits for the change notifier like the stream of one game. While it is open, it also applies missed
deadlines, reports those that are near, and relays the events that a crashed process has not written: there
may be no other request that would do so in time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from skye_server.commands.current_games import Games
from skye_server.cooperative_yield import has_disconnected
from skye_server.error_codes import ERROR_CODES, Problem
from skye_server.following import game_feed
from skye_server.following.change_notifier import ChangeNotifier
from skye_server.following.follower import wait
from skye_server.following.game_feed import HEARTBEAT, OUTAGE_S, STORE_FAILS
from skye_server.following.stream_clock import StreamClock, Timer
from skye_server.following.subscription import Idle
from skye_server.games.views.game import timestamp
from skye_server.matchmaking import tickets
from skye_server.players.events import FollowedGame, PlayerEvent
from skye_server.players.player_games import PlayerEvents
from skye_server.storage.connection import retry
from skye_server.storage.redis_players import changes_name

_PAGE: Final = 100
"""How many events a stream reads at once."""

_CATCH_UP_CHECKS: Final = 3
"""The number of checks of a stream between two calls of `catch_up`; each call takes as long as two checks."""


_RETRY_MS: Final = 1000
"""The time after which a deadline that could not be applied is tried again."""


class PlayerStreamStarted(NamedTuple):
    """The beginning of a stream, after the event with the id `after`."""

    after: str
    last_event: str
    now: str


class PlayerStreamEvents(NamedTuple):
    """New events."""

    views: list[dict[str, Any]]


class PlayerStreamEnded(NamedTuple):
    """The end of a stream, with its reason, after the event with the id `last_event`."""

    reason: str
    last_event: str


PlayerStreamItem: TypeAlias = PlayerStreamStarted | PlayerStreamEvents | Idle | PlayerStreamEnded
"""What a stream sends; `skye_server.http` frames it as server-sent events."""


@dataclass(slots=True)
class PlayerFollower:
    """One client that follows the games of one player key."""

    games: Games
    change_notifier: ChangeNotifier
    clock: StreamClock
    token: str | None
    _player: str = ""
    _states: dict[str, FollowedGame] = field(default_factory=dict)
    _checked_at: float = float("-inf")
    _checks_to_catch_up: int = 0

    def read(self, after: str, limit: int) -> PlayerEvents:
        """Return up to `limit` events after the one with the id `after`.

        :raises Problem: player_key_required, token_unknown, history_lost, game_unreadable, store_unavailable.
        """
        self._player = self.games.identities.require_player(self.token)
        return self.games.players.events_after(self._player, after, limit)

    def long_poll(self, after: str, wait_s: float, limit: int) -> PlayerEvents:
        """Return what `read` does, but wait up to `wait_s` seconds for new events.

        :raises Problem: what `read` raises; too_much_contention.
        """
        until = time.monotonic() + wait_s
        player = self.games.identities.require_player(self.token)
        with self.change_notifier.changes_of(changes_name(player)) as changed:
            while True:
                changed.clear()
                self._maintain_games(player)
                page = self.read(after, limit)
                left = until - time.monotonic()
                if page.events or left <= 0 or self.change_notifier.stopped:
                    return page
                is_woken = wait(changed, min(left, self._time_to_next()))
                if not is_woken and has_disconnected():
                    return page

    def stream(
        self, first: PlayerEvents, after: str, wake: Callable[[], None]
    ) -> Generator[PlayerStreamItem | None]:
        """Yield the events after the one with the id `after` as they happen, None until `wake` is called.

        The stream ends when the key is replaced, when the process shuts down, and when the store has lost
        events that were sent. A client that reconnects continues after the last event that it has received.

        :param first: what `read` returned when the stream was opened.
        """
        page, player = first, self._player
        with (
            self.clock.timer(wake) as timer,
            self.change_notifier.calling(changes_name(player), timer.notify),
        ):
            yield PlayerStreamStarted(after, first.last_event, timestamp(self.games.now_ms()))
            while True:
                if page.events:
                    after = page.events[-1][0]
                    self._states |= self.games.players.states(
                        player, {event.game for _, event in page.events}
                    )
                    yield PlayerStreamEvents([event_view(*event) for event in page.events])
                if self.change_notifier.stopped:
                    yield PlayerStreamEnded("restart", after)
                    return
                timer.is_changed = False
                try:
                    with retry.without_retries():
                        self._maintain_games(player)
                        page = self.read(after, _PAGE)
                except Problem as problem:
                    if ERROR_CODES[problem.code].status < 500:
                        yield PlayerStreamEnded(problem.code, after)
                        return
                    yield STORE_FAILS
                    time.sleep(OUTAGE_S)
                    continue
                if page.events:
                    continue
                if (yield from self._idle(timer)):
                    return

    def _idle(self, timer: Timer) -> Generator[PlayerStreamItem | None, None, bool]:
        """Yield heartbeats until the player's events are to be read; return whether the client is gone."""
        left_s = self._time_to_next()
        until = time.monotonic() + left_s
        while left_s > 0:
            self.clock.set(timer, min(left_s, game_feed.HEARTBEAT_S))
            while not (timer.is_changed or timer.is_due):
                yield None
                if timer.has_disconnected():
                    return True
            if timer.is_changed:
                break
            yield HEARTBEAT
            left_s = until - time.monotonic()
        return False

    def _maintain_games(self, player: str) -> None:
        """Apply deadlines that have passed, report those that are near, and catch up at some checks."""
        players, now_ms = self.games.players, self.games.now_ms()
        for game_id, state in list(self._states.items()):
            if state.deadline_ms is not None and state.deadline_ms <= now_ms:
                self._apply_deadline(player, game_id, now_ms)
            elif state.near_at_ms is not None and state.near_at_ms <= now_ms:
                self._states[game_id] = players.report_near(player, game_id, state)
        if time.monotonic() - self._checked_at < game_feed.CHECK_S:
            return
        if self._checks_to_catch_up <= 0:
            tickets.catch_up(self.games, player)
            self._states = players.catch_up(player)
            self._checks_to_catch_up = _CATCH_UP_CHECKS
        self._checks_to_catch_up -= 1
        self._checked_at = time.monotonic()

    def _apply_deadline(self, player: str, game_id: str, now_ms: int) -> None:
        """Apply the deadline of a game if it has passed, and note the next one.

        The actions of other players move the deadline to a later time without an event of this player. A game
        that is read at each known deadline is therefore never read too late.
        """
        state = self._states.pop(game_id)
        try:
            self.games.apply_deadlines_of(game_id)
            current = self.games.players.relay(player, game_id)
        except Problem:  # another request may apply it too
            current = msgspec.structs.replace(state, deadline_ms=now_ms + _RETRY_MS)
        if current is not None and current.deadline_ms is not None and current.deadline_ms > now_ms:
            self._states[game_id] = current

    def _time_to_next(self) -> float:
        """Return the seconds to the next check, deadline, or report of a near deadline."""
        moments = [
            at_ms
            for state in self._states.values()
            for at_ms in (state.deadline_ms, state.near_at_ms)
            if at_ms is not None
        ]
        left_s = self._checked_at + game_feed.CHECK_S - time.monotonic()
        if moments:
            left_s = min(left_s, (min(moments) - self.games.now_ms()) / 1000 + 0.01)
        return max(left_s, 0.01)


def event_view(event_id: str, event: PlayerEvent) -> dict[str, Any]:
    """Return an event of a player as the API shows it."""
    view: dict[str, Any] = {
        "id": event_id,
        "at": timestamp(event.at_ms),
        "type": event.type,
        "game": event.game,
        "seat": event.seat,
        "version": event.version,
        "last_event": event.last_event,
        "status": event.status,
    }
    if event.turn is not None:
        deadline_ms = event.turn.deadline_ms
        deadline = None if deadline_ms is None else timestamp(deadline_ms)
        view |= {"phase": event.turn.phase, "deadline": deadline}
    return view
