"""Game feeds: new events of a game are read once for all streams of a worker that follow it (fan-out).

A change of a followed game makes one thread of a small pool read and decode the new events, and put them
into the queue of every stream. Events are rendered once for all callers of the same seat.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from skye_server.commands.current_games import Games
from skye_server.error_codes import ERROR_CODES, Problem
from skye_server.following import streams
from skye_server.following.change_notifier import ChangeNotifier
from skye_server.following.stream_clock import StreamClock
from skye_server.following.stream_queue import Batch, Closed, Disconnected, Item, StreamQueue
from skye_server.games.game import Change, Game
from skye_server.games.stream_ends import StreamEndReason
from skye_server.store.connection.calls import without_retries
from skye_server.store.shards import key_of

_READERS: Final = 16
"""The number of threads that read games; a read may take long when it lets bots move after a deadline."""

_log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _GameFeed:
    """The streams of one game, by their queues, and the position up to which it has been read.

    :param after: the number of the last event that has been read.
    :param last: the change that contains it, None if it is not known.
    """

    game_id: str
    after: int
    last: Change | None
    queues: set[StreamQueue] = field(default_factory=set)
    heartbeat_at: float = field(default_factory=lambda: time.monotonic() + streams.HEARTBEAT_S)
    read_at: float = field(default_factory=lambda: time.monotonic() + streams.CHECK_S)
    is_reading: bool = False
    is_changed: bool = False
    notify: Callable[[], None] = lambda: None
    wake: Callable[[], None] = lambda: None

    @property
    def due_at(self) -> float:
        """The time of its next read or heartbeat, by `time.monotonic`."""
        return min(self.read_at, self.heartbeat_at)

    def has_disconnected(self) -> bool:
        """End the streams whose clients have disconnected; the feed itself goes on."""
        for queue in list(self.queues):
            if queue.has_disconnected():
                queue.put(Disconnected())
        return False

    def distribute(self, item: Item) -> None:
        """Put an item into the queue of every stream."""
        for queue in list(self.queues):
            queue.put(item)

    def distribute_changes(self, game: Game, changes: list[Change]) -> None:
        """Distribute the changes that were read."""
        batch = Batch(game, changes, None, self.after)
        if self.last in changes and self.last is not None:
            batch = batch.since(self.last)
        # Otherwise it is the first read, or the store has lost events that were distributed.
        self.last = changes[-1] if changes else None
        self.after = game.last_event if self.last is None else self.last.last_event
        if batch.changes or batch.previous is None or game.is_over:
            self.distribute(batch)
            self.heartbeat_at = time.monotonic() + streams.HEARTBEAT_S

    def beat(self) -> None:
        """Distribute a heartbeat."""
        self.distribute(streams.HEARTBEAT)
        self.heartbeat_at = time.monotonic() + streams.HEARTBEAT_S


class GameFeeds:
    """The feeds of the games that the streams of this process follow."""

    def __init__(self, games: Games, change_notifier: ChangeNotifier, clock: StreamClock) -> None:
        self.games = games
        self.change_notifier = change_notifier
        self._lock = threading.Lock()
        self._feeds: dict[str, _GameFeed] = {}
        self._readers = ThreadPoolExecutor(_READERS, "game-feed")
        self._clock = clock
        change_notifier.at_stop(self._stop)

    @property
    def followed(self) -> set[str]:
        """The ids of the games that have streams."""
        return set(self._feeds)

    @contextmanager
    def queue(
        self, game_id: str, last_event: int, last: Change | None, wake: Callable[[], None]
    ) -> Iterator[StreamQueue]:
        """Yield a queue for a stream, which gets what happens in a game that is not over.

        :param last_event: the number of the last event that the stream has read.
        :param last: the change that contains it, None if it is not known.
        :param wake: called when the queue has an item.
        """
        queue = StreamQueue(wake)
        with self._lock:
            feed = self._feeds.get(game_id)
            is_new = feed is None
            if feed is None:
                feed = self._feeds[game_id] = _GameFeed(game_id, last_event, last)
                feed.notify, feed.wake = partial(self._read, feed), partial(self._wake, feed)
                self.change_notifier.watch(key_of(game_id, "changes"), feed.notify)
                self._clock.add(feed)
            feed.queues.add(queue)
        if is_new:
            self._read(feed)
        if last is None or feed.last != last:  # checked after it was added: it misses nothing in between
            queue.drop()
        if self.change_notifier.stopped:
            queue.put(Closed(StreamEndReason.RESTART))
        try:
            yield queue
        finally:
            with self._lock:
                feed.queues.discard(queue)
                if not feed.queues:
                    self._forget(feed)

    def _stop(self) -> None:
        with self._lock:
            for feed in self._feeds.values():
                feed.distribute(Closed(StreamEndReason.RESTART))
            self._readers.shutdown(wait=False)

    def _read(self, feed: _GameFeed) -> None:
        """Read a game in a thread of the pool; a thread that is reading it reads it again."""
        with self._lock:
            feed.is_changed = True
            if feed.is_reading or self.change_notifier.stopped:
                return
            feed.is_reading = True
            self._readers.submit(self._run_reader, feed)

    def _run_reader(self, feed: _GameFeed) -> None:
        try:
            while self._must_read(feed):
                self._read_once(feed)
        except Exception:  # noqa: BLE001 - an executor reports no errors
            _log.exception("a game feed has failed")
            self._close(feed, StreamEndReason.RESTART)  # clients reconnect
        self._clock.update(feed)

    def _must_read(self, feed: _GameFeed) -> bool:
        with self._lock:
            feed.is_reading = feed.is_changed
            feed.is_changed = False
            return feed.is_reading

    def _read_once(self, feed: _GameFeed) -> None:
        try:
            with without_retries():
                game, changes = self.games.changes_after(feed.game_id, max(feed.after - 1, 0))
        except Problem as problem:
            if ERROR_CODES[problem.code].status < 500:
                self._close(feed, problem.code)
            feed.distribute(streams.STORE_FAILS)
            feed.read_at = time.monotonic() + streams.OUTAGE_S
            return
        feed.distribute_changes(game, changes)
        feed.read_at = time.monotonic() + time_to_next_read(self.games, game)

    def _close(self, feed: _GameFeed, reason: str) -> None:
        with self._lock:
            self._forget(feed)
        feed.distribute(Closed(reason))

    def _forget(self, feed: _GameFeed) -> None:
        if self._feeds.get(feed.game_id) is feed:
            del self._feeds[feed.game_id]
            self.change_notifier.unwatch(key_of(feed.game_id, "changes"), feed.notify)
            self._clock.remove(feed)

    def _wake(self, feed: _GameFeed) -> None:
        """Send a heartbeat, or start a read of the game, when it is due."""
        now = time.monotonic()
        if now >= feed.read_at:
            feed.read_at = now + streams.CHECK_S  # until it has been read
            self._read(feed)
        if now >= feed.heartbeat_at:
            feed.beat()


def time_to_next_read(games: Games, game: Game) -> float:
    """Return the seconds to the next check, or to an earlier deadline."""
    wait_ms = games.wait_ms(game)
    return streams.CHECK_S if wait_ms is None else min(streams.CHECK_S, wait_ms / 1000 + 0.01)
