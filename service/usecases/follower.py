"""Follow a game: long poll and event stream, both from a position in the event log."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from service.matches.cooperative_yield import has_disconnected
from service.matches.errors import ERROR_CODES, Problem
from service.matches.event_views import event_views
from service.matches.match import Change, Match
from service.matches.tokens import Caller
from service.matches.views import View
from service.storage import retry
from service.usecases.change_notifier import ChangeNotifier
from service.usecases.games import Games, LoadedMatch

HEARTBEAT_S = 10.0
"""Seconds without news after which a stream sends a heartbeat and reads the log without a notification."""

_OUTAGE_S: Final = 0.5
"""Pause before the log is read again while the store fails, in seconds."""

_DISCONNECT_CHECK_S: Final = 1.0
"""How often a waiting request checks whether its client has disconnected, in seconds."""

Page: TypeAlias = tuple[LoadedMatch, list[Change]]
"""A match with the caller's role, and changes of its log."""


class StreamStarted(NamedTuple):
    """A stream begins after event number `after`; beyond the last event it is of another history."""

    loaded: LoadedMatch
    after: int


class StreamEvents(NamedTuple):
    """New events, as the caller may see them."""

    views: list[View]


class StreamIdle(NamedTuple):
    """There is no news: a heartbeat, or the store fails."""

    reason: str


class StreamEnded(NamedTuple):
    """The stream ends, for a reason, after the event number `last_event`."""

    reason: str
    last_event: int


StreamItem: TypeAlias = StreamStarted | StreamEvents | StreamIdle | StreamEnded
"""What a stream sends; `service.web` frames it as server-sent events."""


@dataclass(frozen=True, slots=True)
class Follower:
    """One client that follows one game."""

    games: Games
    change_notifier: ChangeNotifier
    game_id: str
    token: str | None

    def read(self, after: int, limit: int | None = None) -> Page:
        """Return the changes that hold events beyond number `after`, with `limit` those of so many events.

        :raises Problem: what `Games.read_with_log` raises.
        """
        return self.games.read_with_log(self.game_id, self.token, after, limit)

    def read_from(self, after: int) -> Page:
        """Return what `read` does, with the change that holds event `after` itself, for `stream`.

        :raises Problem: what `read` raises.
        """
        return self.read(max(after - 1, 0))

    def long_poll(self, after: int, wait_s: float, limit: int | None = None) -> Page:
        """Return what `read` does, but wait up to `wait_s` seconds for news.

        :raises Problem: what `read` raises.
        """
        until = time.monotonic() + wait_s
        with self.change_notifier.changes_of(self.game_id) as changed:
            while True:
                changed.clear()
                loaded, changes = self.read(after, limit)
                match, left = loaded.match, until - time.monotonic()
                is_done = bool(changes) or match.is_over or after > match.last_event
                if is_done or left <= 0 or self.change_notifier.stopped:
                    return loaded, changes
                is_woken = _wait(changed, min(left, self._time_to_next_read(loaded)))
                if not is_woken and has_disconnected():
                    return loaded, changes

    def stream(self, first: Page, after: int) -> Iterator[StreamItem]:
        """Yield the events beyond number `after` as they happen, to the end of the game.

        The stream also ends when the caller may no longer read the game, when the process shuts down, and
        when the store has lost events that were sent, as by a failover, whatever replaced them. A client
        that reconnects goes on after the last event it has.

        :param first: what `read_from` returned when the stream was opened.
        """
        loaded, changes = first
        sent: Change | None = None
        with self.change_notifier.changes_of(self.game_id) as changed:
            yield StreamStarted(loaded, after)
            while True:
                views = events_after(*loaded, changes, after)
                if views:
                    after = views[-1]["id"]
                    yield StreamEvents(views)
                sent = changes[-1] if changes else sent
                if loaded.match.is_over or self.change_notifier.stopped:
                    yield StreamEnded(loaded.match.status if loaded.match.is_over else "restart", after)
                    return
                changed.clear()
                try:
                    with retry.without_retries():
                        loaded, changes = self.read_from(after)
                except Problem as problem:
                    if ERROR_CODES[problem.code].status < 500:
                        yield StreamEnded(problem.code, after)
                        return
                    yield StreamIdle("the store does not answer")
                    changed.wait(_OUTAGE_S)
                    continue
                if sent is not None and sent not in changes:
                    yield StreamEnded("history_lost", after)
                    return
                is_news = bool(changes) and changes[-1].last_event > after
                if not is_news and not _wait(changed, self._time_to_next_read(loaded)):
                    if has_disconnected():
                        return
                    yield StreamIdle("heartbeat")

    def _time_to_next_read(self, loaded: LoadedMatch) -> float:
        """Return the seconds to the next heartbeat, or to a deadline that ends before it."""
        if loaded.match.deadline_ms is None:
            return HEARTBEAT_S
        left_s = (loaded.match.deadline_ms - self.games.now_ms()) / 1000
        return min(HEARTBEAT_S, max(left_s, 0.0) + 0.01)


def _wait(event: threading.Event, timeout_s: float) -> bool:
    """Wait for an event until a timeout, or until the client has disconnected; return whether it is set."""
    until = time.monotonic() + timeout_s
    while (left_s := until - time.monotonic()) > 0:
        if event.wait(min(left_s, _DISCONNECT_CHECK_S)):
            return True
        if has_disconnected():
            return False
    return event.is_set()


def events_after(match: Match, caller: Caller, changes: list[Change], after: int) -> list[View]:
    """Return the events beyond number `after` as the caller may see them."""
    return [view for change in changes for view in event_views(match, change, caller) if view["id"] > after]
