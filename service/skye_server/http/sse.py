"""Server-sent events (SSE): frame the items of a stream as messages and comments, send them, and resume."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Generator
from contextlib import closing
from typing import Any, Final, Self, TypeAlias

import msgspec
from flask import Response, request

from skye_server.client_address import network
from skye_server.error_codes import ErrorPlace, FieldError, Problem
from skye_server.following.game_stream import StreamEvents, StreamItem, StreamStarted
from skye_server.following.player_stream import PlayerStreamEvents, PlayerStreamItem, PlayerStreamStarted
from skye_server.following.streams import Idle, StreamEnded
from skye_server.games.views.events import NumberedEventView
from skye_server.http.framework import collaborators

EVENT_STREAM: Final = "text/event-stream"
_RETRY_MS: Final = 500
"""How soon a client reconnects after a disconnect, in milliseconds."""

Items: TypeAlias = Generator[StreamItem | None] | Generator[PlayerStreamItem | None]
"""The items of a stream; None when there is nothing to send until the stream is woken."""

KEEPS_REQUEST: Final = "skye.keeps_request"
"""The key in the WSGI environment of requests whose response a middleware alters."""


class _Body:
    """The body of a stream, as a WSGI server iterates over it.

    When there is nothing to send for the first time, a connection that can park streams takes over the rest.
    With any other server the iteration waits.

    :param items: returns the items of the stream; its argument is the function that wakes the stream.
    :param connection: the connection of the gunicorn worker; None if the stream cannot be parked.
    """

    def __init__(
        self, items: Callable[[Callable[[], None]], Items], on_close: Callable[[], None], connection: Any
    ) -> None:
        self._on_close: Callable[[], None] | None = on_close
        self._connection = connection
        self._is_woken = threading.Event()
        self._wake = self._is_woken.set
        self._frames = _frames(items(self._on_wake))

    def _on_wake(self) -> None:
        self._wake()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        for frame in self._frames:
            if frame:
                return frame
            if self._park():
                break
            self._is_woken.wait()
            self._is_woken.clear()
        raise StopIteration

    def _park(self) -> bool:
        """Park the stream, if its connection can; return whether it is parked."""
        wake = None if self._connection is None else self._connection.park(self._frames, self._on_close)
        if wake is None:
            return False
        self._wake = wake
        self._on_close = self._connection = None
        del self._frames, self._is_woken
        return True

    def close(self) -> None:
        """End the stream, unless it is parked."""
        on_close, self._on_close = self._on_close, None
        if on_close is not None:
            try:
                self._frames.close()
            finally:
                on_close()


def _frames(items: Items) -> Generator[bytes]:
    """Yield the frames of a stream: messages with an `id`, from which a client resumes, and comments."""
    with closing(items):
        yield from map(_frame, items)  # no variable here holds a batch while the stream waits for the next


def _frame(item: StreamItem | PlayerStreamItem | None) -> bytes:
    match item:
        case None:
            return b""
        case StreamStarted() | PlayerStreamStarted():
            return b"retry: %d\n" % _RETRY_MS + _message("stream", item._asdict())
        case StreamEvents(batch, caller):
            return batch.rendered(caller, _events)
        case PlayerStreamEvents(views):
            return _events(views)
        case Idle(reason):
            return b": %s\n\n" % reason.encode()
        case StreamEnded():
            return _message("end", item._asdict())


def _events(views: list[NumberedEventView] | list[dict[str, Any]]) -> bytes:
    return b"".join(
        b"id: %b\ndata: %s\n\n" % (str(view["id"]).encode(), msgspec.json.encode(view)) for view in views
    )


def _message(name: str, data: object) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), msgspec.json.encode(data))


def response(items: Callable[[Callable[[], None]], Items], on_close: Callable[[], None]) -> Response:
    """Return a stream as a response.

    :param items: returns the items of the stream; its argument is the function that wakes the stream.
    :param on_close: called when the stream ends.
    """
    connection: Any = request.environ.get("gunicorn.socket")
    if KEEPS_REQUEST in request.environ or not hasattr(connection, "park"):  # a server other than our worker
        connection = None
    else:
        connection.request.force_close()  # a parked stream ends with its connection
    streamed = Response(_Body(items, on_close, connection), content_type=EVENT_STREAM)
    streamed.headers["Cache-Control"] = "no-store"
    streamed.headers["X-Accel-Buffering"] = "no"
    return streamed


_LAST_EVENT_ID = "Last-Event-ID"


def count_open(token: str | None, *, is_stream: bool, of_player: bool = False) -> Callable[[], None]:
    """Count the stream or the long poll of this request as one that its client has open.

    :param of_player: whether it follows all games of a player.
    :returns: a function that counts its end.
    :raises Problem: too_many_streams.
    """
    address = network(request.remote_addr)
    return collaborators().open_streams.open(token, address, is_stream=is_stream, of_player=of_player)


def last_event_id(form: str, error: str) -> str | None:
    """Return the id of the last event that a reconnecting client has, None without one.

    An empty header is none: it is what a client sends whose last event id is the empty string.

    :param form: the regular expression of an id.
    :param error: the error text for other ids.
    :raises Problem: invalid_parameter.
    """
    last = request.headers.get(_LAST_EVENT_ID) or None
    if last is not None and not re.fullmatch(form, last):
        raise Problem("invalid_parameter", errors=[FieldError(_LAST_EVENT_ID, error, ErrorPlace.HEADER)])
    return last
