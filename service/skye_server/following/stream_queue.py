"""The queue of a stream, into which the feed of its game puts batches of changes (bounded: backpressure)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from skye_server.cooperative_yield import disconnect_check
from skye_server.following.streams import Idle
from skye_server.games.authorization import Caller
from skye_server.games.game import Change, Game
from skye_server.games.views.events import NumberedEventView, event_views

MAX_QUEUED: Final = 64
"""The length of a queue; further items are dropped while the client of its stream receives slowly."""


@dataclass(slots=True, eq=False)
class Batch:
    """Consecutive changes of a game.

    :param game: the game after these changes, or later.
    :param previous: the change before them; None when they may not follow the changes that were read before.
    :param after: the number of the last event before them.
    """

    game: Game
    changes: list[Change]
    previous: Change | None
    after: int
    _rendered: dict[int | None, bytes] = field(default_factory=dict)

    def rendered(self, caller: Caller, render: Callable[[list[NumberedEventView]], bytes]) -> bytes:
        """Return the events as a caller may see them, rendered once for all callers of the same seat.

        :param render: always the same function.
        """
        body = self._rendered.get(caller.seat)
        if body is None:
            body = self._rendered[caller.seat] = render(self.views(caller))
        return body

    def views(self, caller: Caller) -> list[NumberedEventView]:
        """Return the events as a caller may see them."""
        views = [view for change in self.changes for view in event_views(self.game, change, caller)]
        return [view for view in views if view["id"] > self.after]

    def since(self, last: Change) -> Batch:
        """Return the batch of the changes after one of them."""
        later = self.changes[self.changes.index(last) + 1 :]
        return Batch(self.game, later, last, last.last_event)


class Closed(NamedTuple):
    """The end of the feed: the process shuts down, or the game can no longer be read."""

    reason: str


class Disconnected(NamedTuple):
    """The client of the stream has closed its connection."""


Item: TypeAlias = Batch | Idle | Closed | Disconnected


class StreamQueue:
    """The queue of one stream.

    :param wake: called after each new item.
    """

    __slots__ = ("_has_dropped", "_items", "_wake", "has_disconnected")

    def __init__(self, wake: Callable[[], None]) -> None:
        self.has_disconnected = disconnect_check()
        self._wake = wake
        self._items: list[Item | None] = []
        self._has_dropped = False

    @property
    def is_empty(self) -> bool:
        """Whether no item is in the queue."""
        return not self._items

    def put(self, item: Item) -> None:
        """Add an item, or drop it when the queue is full; never wait for a slow client."""
        if not isinstance(item, Batch | Idle):
            self._add(item)
        elif len(self._items) >= MAX_QUEUED:
            self.drop()
        elif not self._has_dropped:
            self._add(item)

    def drop(self) -> None:
        """Drop further batches until the stream has emptied the queue; it then reads the log."""
        if not self._has_dropped:
            self._has_dropped = True
            self._add(None)

    def _add(self, item: Item | None) -> None:
        self._items.append(item)
        self._wake()

    def get(self) -> Item | None:
        """Return the next item; None when items were dropped: the stream has to read the log."""
        item = self._items.pop(0)
        if item is None:
            self._has_dropped = False
        return item
