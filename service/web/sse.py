"""Server-sent events (SSE): frame the items of a stream as messages and comments."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Final

import msgspec

from service.matches.view_types import NumberedEventView
from service.usecases.event_stream import StreamEnded, StreamEvents, StreamItem, StreamStarted
from service.usecases.subscription import Idle

EVENT_STREAM: Final = "text/event-stream"
_RETRY_MS: Final = 500
"""How soon a client reconnects after a disconnect, in milliseconds."""


def frames(items: Generator[StreamItem]) -> Iterator[bytes]:
    """Yield the frames of a stream: messages with an `id`, from which a client resumes, and comments."""
    with closing(items):
        yield from map(_frame, items)  # no variable here holds a batch while the stream waits for the next


def _frame(item: StreamItem) -> bytes:
    match item:
        case StreamStarted():
            return b"retry: %d\n" % _RETRY_MS + _message("stream", item._asdict())
        case StreamEvents(batch, caller):
            return batch.rendered(caller, _events)
        case Idle(reason):
            return b": %s\n\n" % reason.encode()
        case StreamEnded():
            return _message("end", item._asdict())


def _events(views: list[NumberedEventView]) -> bytes:
    return b"".join(b"id: %d\ndata: %s\n\n" % (view["id"], msgspec.json.encode(view)) for view in views)


def _message(name: str, data: object) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), msgspec.json.encode(data))
