"""The event stream of a game for one client, and the long poll: both from a position in the event log."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import nullcontext
from typing import Final, NamedTuple, TypeAlias

from skye_server.commands.current_games import LoadedGame
from skye_server.cooperative_yield import Computation, has_disconnected
from skye_server.error_codes import ERROR_CODES, Problem
from skye_server.following import streams
from skye_server.following.game_feed import GameFeeds, time_to_next_read
from skye_server.following.stream_queue import Batch, Closed, Disconnected, Item, StreamQueue
from skye_server.following.streams import STORE_FAILS, Idle, StreamEnded, stream_ended, wait
from skye_server.games.authorization import SPECTATOR, Caller, is_player_key, is_watch_code, require_content
from skye_server.games.game import Change, Game
from skye_server.games.stream_ends import StreamEndReason
from skye_server.games.views.events import NumberedEventView, event_views
from skye_server.games.views.game import timestamp
from skye_server.store.connection.calls import without_retries
from skye_server.store.shards import key_of

_MANY_CHANGES: Final = 100
"""The number of changes beyond which their events are rendered in time slices."""

Page: TypeAlias = tuple[LoadedGame, list[Change]]
"""A game with the caller's role, and changes of its log."""


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


class GameStream:
    """The events of a game for one client: page by page (`long_poll`), or as they happen (`items`)."""

    # An idle stream holds no game in memory: the loaded one is let go once its events are sent.
    __slots__ = ("_after", "_caller", "_feeds", "_game_id", "_holders", "_is_over", "_last", "token")

    def __init__(self, feeds: GameFeeds, game_id: str, token: str | None) -> None:
        self._feeds = feeds
        self._game_id = game_id
        self.token = token
        self._caller = SPECTATOR
        self._holders: tuple[object, ...] | None = None
        self._after = 0
        self._last: Change | None = None
        self._is_over = False

    def read(self, after: int, limit: int | None = None) -> Page:
        """Return the changes with events after number `after`.

        :param limit: the maximum number of log entries to read; each has at least one event.
        :raises Problem: what `Games.read_with_log` raises; history_lost, when there is no event `after`.
        """
        return self._load(after, after, limit)

    def read_from(self, after: int) -> Page:
        """Return what `read` does, and the change that contains event `after` itself, for `items`.

        :raises Problem: what `read` raises.
        """
        return self._load(after, max(after - 1, 0))

    def _load(self, after: int, from_event: int, limit: int | None = None) -> Page:
        page = self._feeds.games.read_with_log(self._game_id, self.token, from_event, limit)
        if after > page[0].game.last_event:
            raise Problem("history_lost")
        return page

    def long_poll(self, after: int, wait_s: float, limit: int | None = None) -> Page:
        """Return what `read` does, but wait up to `wait_s` seconds for new events.

        :raises Problem: what `read` raises.
        """
        until = time.monotonic() + wait_s
        games, notifier = self._feeds.games, self._feeds.change_notifier
        with notifier.changes_of(key_of(self._game_id, "changes")) as changed:
            while True:
                changed.clear()
                loaded, changes = self.read(after, limit)
                game, left = loaded.game, until - time.monotonic()
                if changes or game.is_over or left <= 0 or notifier.stopped:
                    return loaded, changes
                is_woken = wait(changed, min(left, time_to_next_read(games, game)))
                if not is_woken and has_disconnected():
                    return loaded, changes

    def items(self, first: Page, after: int, wake: Callable[[], None]) -> Generator[StreamItem | None]:
        """Yield the events after number `after` as they happen, and None when to wait until `wake` is called.

        The stream ends with the game, when the caller may no longer read it, when the process shuts down, and
        when the store has lost events that were sent, for example by a failover, even if others have replaced
        them. A client that reconnects continues after the last event that it has received.

        :param first: what `read_from` returned when the stream was opened.
        """
        (game, self._caller), changes = first
        del first
        self._after = after
        self._holders = None if self.token is None else _holders(game)
        now = timestamp(self._feeds.games.time_of(game))
        yield StreamStarted(game.id, game.status, game.version, game.last_event, after, now)
        yield from self._attempt(self._send(Batch(game, changes, None, after)))
        if not self._is_over:
            last_event = game.last_event
            del game, changes
            with self._feeds.queue(self._game_id, last_event, self._last, wake) as queue:
                while not self._is_over:
                    if queue.is_empty:
                        yield None
                    else:
                        yield from self._handle(queue.get(), queue)

    def _handle(self, item: Item | None, queue: StreamQueue) -> Iterator[StreamItem]:
        match item:
            case Idle():
                yield item
            case Closed(reason):
                yield self._end(reason)
            case Disconnected():
                self._is_over = True
            case _:
                batch = None if item is None else self._next_of(item)
                if (yield from self._attempt(self._read_log() if batch is None else self._send(batch))):
                    queue.drop()
                    time.sleep(streams.OUTAGE_S)

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

    def _read_log(self) -> Iterator[StreamItem]:
        """Read the event log instead of waiting for the feed."""
        with without_retries():
            game, changes = self._feeds.games.changes_after(self._game_id, max(self._after - 1, 0))
        if self._last is not None and self._last not in changes:
            yield self._end(StreamEndReason.HISTORY_LOST)
            return
        yield from self._send(Batch(game, changes, None, self._after))

    def _send(self, batch: Batch) -> Iterator[StreamItem]:
        """Yield the events of a batch, and the end of the stream with the end of the game."""
        game = batch.game
        token = self.token
        # A player key may be replaced at any time, which no game shows; watch codes that it made end with it.
        is_replaceable = token is not None and (is_player_key(token) or is_watch_code(token))
        if token is not None and (_holders(game) != self._holders or is_replaceable):
            with without_retries():
                self._caller, _ = self._feeds.games.caller(game, token)
            self._holders = _holders(game)
        require_content(self._caller.in_game(game))
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
