"""Server-sent events (SSE): frame the items of a stream as messages and comments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from service.usecases.follower import StreamEnded, StreamEvents, StreamIdle, StreamItem, StreamStarted

EVENT_STREAM: Final = "text/event-stream"
_RETRY_MS: Final = 500
"""How soon a client reconnects after a disconnect, in milliseconds."""


def frames(items: Iterator[StreamItem]) -> Iterator[bytes]:
    """Yield the frames of a stream: messages with an `id`, from which a client resumes, and comments."""
    for item in items:
        match item:
            case StreamStarted():
                yield b"retry: %d\n" % _RETRY_MS + _message("stream", _position(item))
            case StreamEvents(views):
                for view in views:
                    yield b"id: %d\ndata: %s\n\n" % (view["id"], msgspec.json.encode(view))
            case StreamIdle(reason):
                yield b": %s\n\n" % reason.encode()
            case StreamEnded(reason, last_event):
                yield _message("end", {"reason": reason, "last_event": last_event})


def _position(started: StreamStarted) -> dict[str, object]:
    """Return where a stream begins: an `after` beyond `last_event` is of another history."""
    match = started.loaded.match
    return {
        "game": match.id,
        "status": match.status,
        "version": match.version,
        "last_event": match.last_event,
        "after": started.after,
    }


def _message(name: str, data: object) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), msgspec.json.encode(data))
