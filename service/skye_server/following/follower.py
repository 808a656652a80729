"""Follow a game: long poll and event stream, both from a position in the event log."""

from __future__ import annotations

import threading
import time
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Final, TypeAlias

from skye_server.commands.current_games import Games, LoadedGame
from skye_server.cooperative_yield import Computation, has_disconnected, release_slot
from skye_server.error_codes import Problem
from skye_server.following.change_notifier import ChangeNotifier
from skye_server.following.event_stream import EventStream
from skye_server.following.game_feed import GameFeeds, time_to_next_read
from skye_server.games.authorization import Caller
from skye_server.games.game import Change, Game
from skye_server.games.views.events import NumberedEventView, event_views
from skye_server.store.shards import key_of

_DISCONNECT_CHECK_S: Final = 1.0
"""How often a waiting request checks whether its client has disconnected, in seconds."""

_MANY_CHANGES: Final = 100
"""The number of changes beyond which their events are rendered in time slices."""

Page: TypeAlias = tuple[LoadedGame, list[Change]]
"""A game with the caller's role, and changes of its log."""


@dataclass(frozen=True, slots=True)
class Follower:
    """One client that follows one game."""

    games: Games
    change_notifier: ChangeNotifier
    feeds: GameFeeds
    game_id: str
    token: str | None

    def read(self, after: int, limit: int | None = None) -> Page:
        """Return the changes with events after number `after`.

        :param limit: the maximum number of log entries to read; each has at least one event.
        :raises Problem: what `Games.read_with_log` raises; history_lost, when there is no event `after`.
        """
        return self._read(after, after, limit)

    def read_from(self, after: int) -> Page:
        """Return what `read` does, and the change that contains event `after` itself, for `stream`.

        :raises Problem: what `read` raises.
        """
        return self._read(after, max(after - 1, 0))

    def _read(self, after: int, from_event: int, limit: int | None = None) -> Page:
        page = self.games.read_with_log(self.game_id, self.token, from_event, limit)
        if after > page[0].game.last_event:
            raise Problem("history_lost")
        return page

    def long_poll(self, after: int, wait_s: float, limit: int | None = None) -> Page:
        """Return what `read` does, but wait up to `wait_s` seconds for new events.

        :raises Problem: what `read` raises.
        """
        until = time.monotonic() + wait_s
        with self.change_notifier.changes_of(key_of(self.game_id, "changes")) as changed:
            while True:
                changed.clear()
                loaded, changes = self.read(after, limit)
                game, left = loaded.game, until - time.monotonic()
                if changes or game.is_over or left <= 0 or self.change_notifier.stopped:
                    return loaded, changes
                is_woken = wait(changed, min(left, time_to_next_read(game, self.games.now_ms())))
                if not is_woken and has_disconnected():
                    return loaded, changes

    def stream(self, first: Page, after: int) -> EventStream:
        """Return the stream of the events after number `after`.

        :param first: what `read_from` returned when the stream was opened.
        """
        return EventStream(self.feeds, self.token, first, after)


def wait(event: threading.Event, timeout_s: float) -> bool:
    """Wait for an event until a timeout, or until the client has disconnected; return whether it is set."""
    release_slot()
    until = time.monotonic() + timeout_s
    while (left_s := until - time.monotonic()) > 0:
        if event.wait(min(left_s, _DISCONNECT_CHECK_S)):
            return True
        if has_disconnected():
            return False
    return event.is_set()


def events_after(game: Game, caller: Caller, changes: list[Change], after: int) -> list[NumberedEventView]:
    """Return the events after number `after` as the caller may see them.

    :raises Problem: server_busy, bad_request.
    """
    views: list[NumberedEventView] = []
    with Computation() if len(changes) > _MANY_CHANGES else nullcontext() as computation:
        for change in changes:
            views += [view for view in event_views(game, change, caller) if view["id"] > after]
            if computation is not None:
                computation.checkpoint()
    return views
