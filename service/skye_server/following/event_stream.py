"""The event stream of one client that follows one game, fed by the game's feed, and the end of streams."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from typing import Final, NamedTuple, TypeAlias

from skye_server.commands.current_games import LoadedGame
from skye_server.error_codes import ERROR_CODES, Problem
from skye_server.following.game_feed import OUTAGE_S, STORE_FAILS, GameFeeds
from skye_server.following.subscription import Batch, Closed, Disconnected, Idle, Item, Subscription
from skye_server.games.authorization import Caller, is_player_key, is_watch_code
from skye_server.games.game import Change, Game
from skye_server.games.views.game import timestamp
from skye_server.store.connection.calls import without_retries

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
