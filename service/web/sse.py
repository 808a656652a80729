"""Server-sent events (SSE): frame the items of a stream as messages and comments."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import Any, Final

import msgspec
from flask import Response

from service.matches.event_view_types import NumberedEventView
from service.usecases.event_stream import StreamEnded, StreamEvents, StreamItem, StreamStarted
from service.usecases.player_follower import (
    PlayerStreamEnded,
    PlayerStreamEvents,
    PlayerStreamItem,
    PlayerStreamStarted,
)
from service.usecases.subscription import Idle

EVENT_STREAM: Final = "text/event-stream"
_RETRY_MS: Final = 500
"""How soon a client reconnects after a disconnect, in milliseconds."""


def frames(items: Generator[StreamItem] | Generator[PlayerStreamItem]) -> Iterator[bytes]:
    """Yield the frames of a stream: messages with an `id`, from which a client resumes, and comments."""
    with closing(items):
        yield from map(_frame, items)  # no variable here holds a batch while the stream waits for the next


def _frame(item: StreamItem | PlayerStreamItem) -> bytes:
    match item:
        case StreamStarted() | PlayerStreamStarted():
            return b"retry: %d\n" % _RETRY_MS + _message("stream", item._asdict())
        case StreamEvents(batch, caller):
            return batch.rendered(caller, _events)
        case PlayerStreamEvents(views):
            return _events(views)
        case Idle(reason):
            return b": %s\n\n" % reason.encode()
        case StreamEnded() | PlayerStreamEnded():
            return _message("end", item._asdict())


def _events(views: list[NumberedEventView] | list[dict[str, Any]]) -> bytes:
    return b"".join(
        b"id: %b\ndata: %s\n\n" % (str(view["id"]).encode(), msgspec.json.encode(view)) for view in views
    )


def _message(name: str, data: object) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), msgspec.json.encode(data))


def response(
    items: Generator[StreamItem] | Generator[PlayerStreamItem], on_close: Callable[[], None]
) -> Response:
    """Return a stream as a response; `on_close` is called when it ends."""
    streamed = Response(frames(items), content_type=EVENT_STREAM)
    streamed.call_on_close(on_close)
    streamed.headers["Cache-Control"] = "no-store"
    streamed.headers["X-Accel-Buffering"] = "no"
    return streamed
