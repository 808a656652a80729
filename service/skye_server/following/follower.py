"""Follow a game: long poll and event stream, both from a position in the event log."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from skye_server.commands.current_games import Games, LoadedGame
from skye_server.cooperative_yield import Computation, has_disconnected, release_slot
from skye_server.error_codes import ERROR_CODES, Problem
from skye_server.following.change_notifier import ChangeNotifier
from skye_server.following.game_feed import OUTAGE_S, STORE_FAILS, GameFeeds, time_to_next_read
from skye_server.following.subscription import Batch, Closed, Disconnected, Idle, Item, Subscription
from skye_server.games.authorization import Caller, is_player_key, is_watch_code, require_content
from skye_server.games.game import Change, Game
from skye_server.games.views.events import NumberedEventView, event_views
from skye_server.games.views.game import timestamp
from skye_server.store.connection.calls import without_retries
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


_RESUME: Final = {"restart": "reconnect", "history_lost": "reload"}


class StreamEnded(NamedTuple):
    """The end of a stream, after event number `last_event` or the event of a player with this id."""

    reason: str
    resume: str
    last_event: int | str


def stream_ended(reason: str, last_event: int | str) -> StreamEnded:
    """Return the end of a stream for a reason.

    >>> stream_ended("restart", 4).resume, stream_ended("finished", 4).resume
    ('reconnect', 'stop')
    """
    return StreamEnded(reason, _RESUME.get(reason, "stop"), last_event)


class StreamStarted(NamedTuple):
    """The beginning of a stream, after event number `after`."""

    game_id: str
    status: str
    version: int
    last_event: int
    after: int
    now: str | None


class StreamEvents(NamedTuple):
    """New events, to be rendered as the caller may see them."""

    batch: Batch
    caller: Caller


StreamItem: TypeAlias = StreamStarted | StreamEvents | Idle | StreamEnded
"""What a stream sends; `skye_server.http` frames it as server-sent events."""


class EventStream:
    """The events of a game after number `after`, as they happen, to the end of the game.

    The stream also ends when the caller may no longer read the game, when the process shuts down, and when
    the store has lost events that were sent, for example by a failover, even if others have replaced them. A
    client that reconnects continues after the last event that it has received.

    :param first: the game as the client may read it now, and the changes from that of event `after` on.
    """

    __slots__ = (
        "_after",
        "_caller",
        "_feeds",
        "_first",
        "_game_id",
        "_holders",
        "_is_over",
        "_last",
        "_token",
    )

    def __init__(
        self, feeds: GameFeeds, token: str | None, first: tuple[LoadedGame, list[Change]], after: int
    ) -> None:
        self._feeds = feeds
        self._token = token
        self._first: tuple[Game, list[Change]] | None = (first[0].game, first[1])
        self._caller = first[0].caller
        # Only these fields of the game, so that an idle stream does not hold a whole game in memory.
        self._game_id = first[0].game.id
        self._holders = None if token is None else _holders(first[0].game)
        self._after = after
        self._last: Change | None = None
        self._is_over = False

    def items(self, wake: Callable[[], None]) -> Generator[StreamItem | None]:
        """Yield data to send, and None when the stream must wait until `wake` is called."""
        assert self._first is not None
        (game, changes), self._first = self._first, None
        now = timestamp(self._feeds.games.time_of(game))
        yield StreamStarted(game.id, game.status, game.version, game.last_event, self._after, now)
        yield from self._attempt(self._send(Batch(game, changes, None, self._after)))
        if not self._is_over:
            last_event = game.last_event
            del game, changes
            with self._feeds.subscribe(self._game_id, last_event, self._last, wake) as subscription:
                while not self._is_over:
                    if subscription.is_empty:
                        yield None
                    else:
                        yield from self._handle(subscription.get(), subscription)

    def _handle(self, item: Item | None, subscription: Subscription) -> Iterator[StreamItem]:
        match item:
            case Idle():
                yield item
            case Closed(reason):
                yield self._end(reason)
            case Disconnected():
                self._is_over = True
            case _:
                batch = None if item is None else self._next_of(item)
                if (yield from self._attempt(self._read() if batch is None else self._send(batch))):
                    subscription.drop()
                    time.sleep(OUTAGE_S)

    def _attempt(self, items: Iterator[StreamItem]) -> Generator[StreamItem, None, bool]:
        """Yield items, and the end of the stream if the caller may no longer read the game.

        :returns: whether the store has failed: the log must be read again.
        """
        try:
            yield from items
        except Problem as problem:
            if ERROR_CODES[problem.code].status >= 500:
                yield STORE_FAILS
                return True
            yield self._end(problem.code)
        return False

    def _next_of(self, batch: Batch) -> Batch | None:
        """Return the part of a batch after the last sent event; None if the log must be read for it."""
        last = self._last
        if batch.previous is None or last is None:
            return None
        if batch.previous == last:
            return batch
        if last in batch.changes:
            return batch.since(last)
        is_older = bool(batch.changes) and batch.changes[-1].last_event < last.last_event
        return Batch(batch.game, [], None, self._after) if is_older else None

    def _read(self) -> Iterator[StreamItem]:
        """Read the event log instead of waiting for the feed."""
        with without_retries():
            game, changes = self._feeds.games.changes_after(self._game_id, max(self._after - 1, 0))
        if self._last is not None and self._last not in changes:
            yield self._end("history_lost")
            return
        yield from self._send(Batch(game, changes, None, self._after))

    def _send(self, batch: Batch) -> Iterator[StreamItem]:
        """Yield the events of a batch, and the end of the stream with the end of the game."""
        game = batch.game
        token = self._token
        # A player key may be replaced at any time, which no game shows; watch codes that it made end with it.
        is_replaceable = token is not None and (is_player_key(token) or is_watch_code(token))
        if token is not None and (_holders(game) != self._holders or is_replaceable):
            with without_retries():
                self._caller, _ = self._feeds.games.authenticate(game, token)
            self._holders = _holders(game)
        require_content(game, self._caller)
        if batch.changes:
            self._last = batch.changes[-1]
            if self._last.last_event > self._after:
                self._after = self._last.last_event
                yield StreamEvents(batch, self._caller)
        if game.is_over:
            yield self._end(game.status)

    def _end(self, reason: str) -> StreamEnded:
        self._is_over = True
        return stream_ended(reason, self._after)


def _holders(game: Game) -> tuple[object, ...]:
    """Return what the roles of tokens depend on: the host, the seats and the unused invitations."""
    return game.host, game.seats, game.invites
