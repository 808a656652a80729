"""Fault injection for tests of clients, on a server with `SKYE_LAB`; others refuse `Skye-Fault`.

The hook reads `Skye-Fault`, or takes the stored fault of the game, and delays the request or responds with
an error before the view runs; the WSGI middleware alters the response of the application. Other requests are
not altered.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from flask import Flask, request
from werkzeug.wsgi import ClosingIterator

from skye_server.cooperative_yield import has_disconnected
from skye_server.error_codes import Problem
from skye_server.http.framework import feature
from skye_server.http.middleware import FAULT_VARIABLE, Header
from skye_server.http.sse import EVENT_STREAM, KEEPS_REQUEST
from skye_server.lab.fault_header import Faults, parse

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment


_FAULTS: Final = "skye.faults"
"""The key of the request's `Faults` in the WSGI environment."""

_NO_FAULTS: Final = Faults()
_CODES: Final = {429: "too_many_requests", 500: "internal_error", 503: "store_unavailable"}
_PIECES_PER_S: Final = 10
_HEARTBEAT_S: Final = 1.0


def register(app: Flask) -> None:
    """Register the hook that applies `Skye-Fault`, before the hooks that measure time."""
    app.before_request(_apply_faults_before)


def _apply_faults_before() -> None:
    if request.routing_exception is not None:
        return
    header: str | None = request.environ.get(FAULT_VARIABLE)
    if header is None:
        header = _stored_fault_of_game()
    if header is None:
        return
    apply(parse(header, is_stream=_opens_stream()))


def apply(faults: Faults) -> None:
    """Apply faults to the current request: delay it, fail it, or alter its response.

    :raises Problem: the one that the faults ask for.
    """
    request.environ[_FAULTS], request.environ[KEEPS_REQUEST] = faults, True
    time.sleep(faults.delay_before_ms / 1000)
    if faults.status is not None:
        raise Problem(_CODES[faults.status], "Skye-Fault requested this; the request was not handled.")


def stored_fault(method: str | None, fault: str) -> str:
    """Return the stored form of a fault for requests of a method, or of any."""
    return f"{method or '*'} {fault}"


def fault_of(stored: str) -> tuple[str | None, str]:
    """Return the method and the fault of a stored form.

    >>> fault_of(stored_fault(None, "drop"))
    (None, 'drop')
    """
    method, _, fault = stored.partition(" ")
    return None if method == "*" else method, fault


def _stored_fault_of_game() -> str | None:
    """Take the stored fault of the game of the request, None if it has none that applies to the request."""
    lab, game = feature("lab"), (request.view_args or {}).get("game")
    if lab is None or game is None or request.blueprint == "Lab" or request.method == "OPTIONS":
        return None
    stored = lab.store.take_fault(game, _applies)
    return None if stored is None else fault_of(stored)[1]


def _applies(stored: str) -> bool:
    method, fault = fault_of(stored)
    is_for_streams = parse(fault, is_stream=True).events is not None
    return method in (None, request.method) and (_opens_stream() or not is_for_streams)


def _opens_stream() -> bool:
    return request.path.endswith("/events/stream")


class FaultInjection:
    """WSGI middleware that alters the responses to requests with `Skye-Fault`.

    :param is_stopping: returns whether the process shuts down.
    """

    def __init__(self, application: WSGIApplication, is_stopping: Callable[[], bool]) -> None:
        self._application = application
        self._is_stopping = is_stopping

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Respond to a request."""
        content_type = ""

        def start(status: str, headers: list[Header], exc_info: Any = None, /) -> Callable[[bytes], object]:
            nonlocal content_type
            content_type = dict(headers).get("Content-Type", "")
            time.sleep(_faults(environ).delay_after_ms / 1000)  # the view has returned
            return start_response(status, headers, exc_info)

        body = self._application(environ, start)
        if _FAULTS not in environ:
            return body
        altered = self._altered(body, content_type, environ)
        return ClosingIterator(altered, getattr(body, "close", None))

    def _altered(self, body: Iterable[bytes], content_type: str, environ: WSGIEnvironment) -> Iterator[bytes]:
        faults = _faults(environ)
        if faults.drop:
            _cut_connection(environ)
            return iter(())
        if faults.events is not None and content_type.startswith(EVENT_STREAM):
            body = self._faulty_stream(body, faults, environ)
        return iter(body) if faults.bytes_per_s is None else _slowly(body, faults.bytes_per_s)

    def _faulty_stream(
        self, body: Iterable[bytes], faults: Faults, environ: WSGIEnvironment
    ) -> Iterator[bytes]:
        """Yield the first messages of a stream; then hold it, unless the fault cuts it."""
        left = faults.events or 0
        for frame in _frames(body):
            yield frame
            left -= frame.startswith(b"id: ")
            if left <= 0:
                break
        if faults.cut_after is None:
            yield from self._heartbeats(faults.hold_ms / 1000, is_silent=faults.silence_after is not None)
        _cut_connection(environ)

    def _heartbeats(self, hold_s: float, *, is_silent: bool) -> Iterator[bytes]:
        """Yield heartbeats, or nothing, until the time is over, or the client or the process stops."""
        until = time.monotonic() + hold_s
        while (left_s := until - time.monotonic()) > 0 and not (self._is_stopping() or has_disconnected()):
            if not is_silent:
                yield b": heartbeat\n\n"
            time.sleep(min(left_s, _HEARTBEAT_S))


def _faults(environ: WSGIEnvironment) -> Faults:
    """Return the faults of a request; none if its header is rejected."""
    faults: Faults = environ.get(_FAULTS, _NO_FAULTS)
    return faults


def _frames(body: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the messages and comments of a stream, one at a time."""
    for chunk in body:
        for frame in chunk.split(b"\n\n")[:-1]:
            yield frame + b"\n\n"


def _slowly(body: Iterable[bytes], bytes_per_s: int) -> Iterator[bytes]:
    size = bytes_per_s // _PIECES_PER_S
    for chunk in body:
        for start in range(0, len(chunk), size):
            piece = chunk[start : start + size]
            yield piece
            time.sleep(len(piece) / bytes_per_s)


def _cut_connection(environ: WSGIEnvironment) -> None:
    """Close the connection of a request, so that gunicorn cannot send the rest."""
    connection: socket.socket | None = environ.get("gunicorn.socket")
    if connection is None:  # not served by gunicorn, as in tests
        raise ConnectionAbortedError("Skye-Fault requested to close the connection")
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
