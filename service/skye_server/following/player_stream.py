"""The event stream of a player for one client, and the long poll: all games of a key, from an event's id.

The relay writes the events. Each stream reads them for itself: a player has few streams.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import Any, Final, NamedTuple, TypeAlias

from skye_server.commands.current_games import Games
from skye_server.cooperative_yield import disconnect_check, has_disconnected
from skye_server.error_codes import ERROR_CODES, Problem
from skye_server.following import streams
from skye_server.following.change_notifier import ChangeNotifier
from skye_server.following.stream_clock import StreamClock
from skye_server.following.streams import HEARTBEAT, STORE_FAILS, Idle, StreamEnded, stream_ended, wait
from skye_server.games.stream_ends import StreamEndReason
from skye_server.games.views.game import timestamp
from skye_server.games.views.player_events import event_view
from skye_server.players.player_games import PlayerEvents
from skye_server.store.connection.calls import without_retries
from skye_server.store.shards import player_key

_PAGE: Final = 100
"""How many events a stream reads at once."""


class PlayerStreamStarted(NamedTuple):
    """The beginning of a stream, after the event with the id `after`."""

    after: str
    last_event: str
    now: str


class PlayerStreamEvents(NamedTuple):
    """New events."""

    views: list[dict[str, Any]]


PlayerStreamItem: TypeAlias = PlayerStreamStarted | PlayerStreamEvents | Idle | StreamEnded
"""What a stream sends; `skye_server.http` frames it as server-sent events."""


class PlayerStream:
    """The events of a player for one client: page by page (`long_poll`), or as they happen (`items`).

    :param due_at: when the clock wakes the stream, by `time.monotonic`.
    :param wake: wakes the stream; it must not block.
    """

    __slots__ = (
        "_change_notifier",
        "_clock",
        "_is_changed",
        "_player",
        "due_at",
        "games",
        "has_disconnected",
        "token",
        "wake",
    )

    def __init__(
        self, games: Games, change_notifier: ChangeNotifier, clock: StreamClock, token: str | None
    ) -> None:
        self.games = games
        self.token = token
        self.wake: Callable[[], None] = lambda: None
        self.has_disconnected: Callable[[], bool] = lambda: False
        self.due_at = 0.0
        self._change_notifier = change_notifier
        self._clock = clock
        self._player = ""
        self._is_changed = False

    def read(self, after: str, limit: int) -> PlayerEvents:
        """Return up to `limit` events after the one with the id `after`.

        :raises Problem: player_key_required, token_unknown, history_lost, data_corrupt, data_newer,
            store_unavailable.
        """
        self._player = self.games.identities.require_player(self.token)
        return self.games.players.events_after(self._player, after, limit)

    def long_poll(self, after: str, wait_s: float, limit: int) -> PlayerEvents:
        """Return what `read` does, but wait up to `wait_s` seconds for new events.

        :raises Problem: what `read` raises; too_much_contention.
        """
        until = time.monotonic() + wait_s
        player = self.games.identities.require_player(self.token)
        with self._change_notifier.changes_of(player_key(player, "changes")) as changed:
            while True:
                changed.clear()
                page = self.read(after, limit)
                left = until - time.monotonic()
                if page.events or left <= 0 or self._change_notifier.stopped:
                    return page
                is_woken = wait(changed, min(left, streams.CHECK_S))
                if not is_woken and has_disconnected():
                    return page

    def items(
        self, first: PlayerEvents, after: str, wake: Callable[[], None]
    ) -> Generator[PlayerStreamItem | None]:
        """Yield the events after the one with the id `after` as they happen, None until `wake` is called.

        The stream ends when the key is replaced, when the process shuts down, and when the store has lost
        events that were sent. A client that reconnects continues after the last event that it has received.

        :param first: what `read` returned when the stream was opened.
        """
        self.wake, self.has_disconnected = wake, disconnect_check()
        self._clock.add(self)
        try:
            with self._change_notifier.calling(player_key(self._player, "changes"), self._notify):
                yield PlayerStreamStarted(after, first.last_event, timestamp(self.games.now_ms()))
                yield from self._events(first, after)
        finally:
            self._clock.remove(self)

    def _events(self, first: PlayerEvents, after: str) -> Generator[PlayerStreamItem | None]:
        events = first.events
        while True:
            if events:
                after = events[-1][0]
                yield PlayerStreamEvents([event_view(*event) for event in events])
            if self._change_notifier.stopped:
                yield stream_ended(StreamEndReason.RESTART, after)
                return
            self._is_changed = False
            try:
                with without_retries():
                    events = self.read(after, _PAGE).events
            except Problem as problem:
                if ERROR_CODES[problem.code].status < 500:
                    yield stream_ended(problem.code, after)
                    return
                yield STORE_FAILS
                time.sleep(streams.OUTAGE_S)
                events = []
                continue
            if events:
                continue
            if (yield from self._idle()):
                return

    def _idle(self) -> Generator[PlayerStreamItem | None, None, bool]:
        """Yield heartbeats until the player's events are to be read; return whether the client is gone."""
        until, left_s = time.monotonic() + streams.CHECK_S, streams.CHECK_S
        while left_s > 0:
            self.due_at = time.monotonic() + min(left_s, streams.HEARTBEAT_S)
            self._clock.update(self)
            while not (self._is_changed or time.monotonic() >= self.due_at):
                yield None
                if self.has_disconnected():
                    return True
            if self._is_changed:
                break
            yield HEARTBEAT
            left_s = until - time.monotonic()
        return False

    def _notify(self) -> None:
        """Wake the stream, because the player has new events."""
        self._is_changed = True
        self.wake()
