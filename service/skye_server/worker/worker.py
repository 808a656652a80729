"""The gunicorn worker: gevent's with room for new connections, graceful shutdown and JSON error responses.

gunicorn loads this module before it forks and before gevent patches the standard library, so modules of the
application that use sockets or threads are imported late.

Graceful shutdown: the worker ends streams, responds to long polls and closes idle connections after half a
second. TCP keepalive detects half-open connections: their clients disappeared without closing them.
"""

from __future__ import annotations

import contextlib
import os
from collections import OrderedDict
from collections.abc import Sequence
from itertools import islice
from socket import (
    AF_UNIX,
    IPPROTO_TCP,
    SO_KEEPALIVE,
    SOL_SOCKET,
    TCP_KEEPCNT,
    TCP_KEEPIDLE,
    TCP_KEEPINTVL,
    TCP_USER_TIMEOUT,
    socket,
)
from types import FrameType
from typing import TYPE_CHECKING, Any

import gevent
from gevent.server import StreamServer
from greenlet import greenlet
from gunicorn.http import errors
from gunicorn.http.message import Request
from gunicorn.workers import ggevent

from skye_server.settings import Settings
from skye_server.worker.client_connection import (
    CHUNK_BYTES,
    MAX_DISCARDED_BYTES,
    MAX_DISCARDING_S,
    BufferedBodies,
    Connection,
)
from skye_server.worker.parked_streams import ParkedStreams

if TYPE_CHECKING:
    from skye_server.error_codes import Problem

_SHUTDOWN_GRACE_S = 0.5
"""How long idle connections stay open during shutdown."""

_RESERVED_SHARE = 20
"""A worker reserves one in this many connections for new clients, and gives up clients to do so."""

_HALF_OPEN_S = 30
"""After how long a client that acknowledges nothing has disconnected."""

_MAX_BODIES_BYTES = 2**26
"""The bytes of all request bodies that a worker is receiving; at least four of the largest size."""

_HEALTH_PATHS = ("/healthz", "/readyz", "/metrics")


class Worker(ggevent.GeventWorker):
    """A gevent worker that slow clients do not fill.

    gunicorn's own worker waits for bodies and for readers of responses without an end, at shutdown for idle
    connections the whole graceful timeout, and responds to invalid requests in HTML.
    """

    def init_process(self) -> None:
        """Initialize the worker and serve."""
        self.configure(Settings.from_environment(os.environ))
        ggevent.StreamServer = _Server  # type: ignore[attr-defined]  # the class that gunicorn's `run` uses
        super().init_process()

    def configure(self, settings: Settings) -> None:
        """Set the limits of connections."""
        # In the order in which the worker began to wait for their current requests.
        self._connections: OrderedDict[greenlet, Connection] = OrderedDict()
        self._max_connections = self.worker_connections - max(1, self.worker_connections // _RESERVED_SHARE)
        self._bodies = BufferedBodies(max(_MAX_BODIES_BYTES, 4 * settings.max_body_bytes))
        self._streams = ParkedStreams(self.worker_connections)
        self._health_port = settings.health_bind.port if settings.health_bind else None
        self._settings = settings

    def run(self) -> None:
        """Serve until the arbiter stops the worker."""
        for listener in self.sockets:
            if listener.family != AF_UNIX:
                _detect_half_open_connections(listener)
        super().run()
        self._streams.join(self.cfg.graceful_timeout)

    def handle(self, listener: socket, client: socket, addr: Any) -> None:  # noqa: ARG002 - gunicorn's signature
        """Serve one connection, in a greenlet of its own.

        gunicorn has a separate pool of connections for each listener, so clients of the other listeners
        cannot use up that of the health listener.
        """
        # Not the port of the listener, which may be closed while the last connections are accepted.
        is_health = client.family != AF_UNIX and client.getsockname()[1] == self._health_port
        # gunicorn uses it in place of the socket.
        connection: Any = Connection(client, self.cfg.keepalive, self._bodies, self._streams)
        if not self._settings.allows_all_origins:
            connection.keep_heads()
        connection.is_health = is_health
        current = gevent.getcurrent()
        self._connections[current] = connection
        if len(self._connections) > self._max_connections:
            self._make_room(1)
        try:
            super().handle(connection, connection, addr)
        finally:
            del self._connections[current]

    def notify(self) -> None:
        """Report to the arbiter each second; make room if a full worker has begun to wait for its clients."""
        super().notify()
        self._make_room(len(self._connections) - self._max_connections)

    def _make_room(self, number: int) -> None:
        """Give up the clients that the worker has waited for longest, at most a number of them."""
        waiting = (one for one in self._connections.values() if one.wait_ended_by is not None)
        for connection in islice(waiting, max(0, number)):
            connection.give_up()

    def handle_request(self, listener_name: Any, req: Request, sock: Any, addr: Any) -> bool:
        """Respond to a request, then discard the rest of its body, or the client could lose the response.

        :raises UnsupportedTransferCoding: if the body has another transfer coding than chunked.
        :raises StopIteration: to end the connection.
        """
        for name, value in req.headers:
            # gunicorn would pass the encoded body to the application.
            if name == "TRANSFER-ENCODING" and value.lower() != "chunked":
                raise errors.UnsupportedTransferCoding(value)
        if sock.is_health and req.path not in _HEALTH_PATHS:
            self._refuse_path(sock)
        sock.request = req
        # The version of the response, which is that of the server (RFC 9110, section 2.5).
        req.version = min(req.version or (1, 1), (1, 1))
        _close_after_malformed_body(req)
        try:
            return super().handle_request(listener_name, req, sock, addr)
        finally:
            self._bodies.forget(sock)
            sock.flush()
            if sock.stream is not None or not _discard_body(req, sock):
                raise StopIteration

    def _refuse_path(self, connection: Connection) -> None:
        from skye_server.error_codes import Problem  # noqa: PLC0415 - see above

        self._send_and_close(connection, Problem("not_found", "This port serves health checks and metrics."))
        raise StopIteration

    def handle_error(self, req: Request | None, client: Any, addr: Any, exc: BaseException) -> None:  # noqa: ARG002 - gunicorn's signature
        """Respond to a request that is malformed, too large or too slow, or that the application dropped."""
        from skye_server.error_codes import Problem  # noqa: PLC0415 - see above

        problem = problem_for(exc) if client.request is None else Problem("internal_error")
        if problem.code == "internal_error":
            self.log.error("a request was dropped", exc_info=exc)
        self._send_and_close(client, problem)

    def _send_and_close(self, connection: Connection, problem: Any) -> None:
        from skye_server.http.cors import headers_without_app  # noqa: PLC0415 - see above

        cors_headers = headers_without_app(self._settings, connection.read_origin())
        with contextlib.suppress(OSError):
            connection.send(encode_response(problem, self.wsgi, cors_headers))
            connection.linger()

    def timeout_ctx(self) -> Connection:  # type: ignore[override]  # the stubs are wrong: it gives a context
        """Return the connection as the context manager that bounds the wait for its next request."""
        current = gevent.getcurrent()
        self._connections.move_to_end(current)
        connection = self._connections[current]
        if not self.alive:
            connection.head_silence_s = _SHUTDOWN_GRACE_S
        return connection

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Shut down gracefully: complete requests, end streams, close idle connections."""
        super().handle_exit(sig, frame)
        gevent.spawn(self._close_idle_connections)  # not here: a signal may interrupt any greenlet

    def _close_idle_connections(self) -> None:
        application = getattr(self, "wsgi", None)  # None: stopped before it was loaded
        if application is not None:
            from skye_server.http.framework import collaborators  # noqa: PLC0415 - see above

            collaborators(application).games.signs.stop()
            collaborators(application).change_notifier.stop()
        # A proxy may be sending a request on a connection that looks idle here: closed at once, that request
        # would be lost. Responses from now on carry `Connection: close`: busy connections end by themselves.
        idle = [one for one in self._connections.values() if one.request is None]
        gevent.sleep(_SHUTDOWN_GRACE_S)
        for connection in idle:
            if connection.request is None:
                connection.give_up()


def _close_after_malformed_body(req: Request) -> None:
    """Let the response to a request whose body is malformed say that the connection ends with it."""
    is_over = req.should_close

    def should_close() -> bool:
        body: Any = req.body
        return is_over() or bool(getattr(body, "failed", False))

    req.should_close = should_close  # type: ignore[method-assign]  # gunicorn asks when it sends the headers


def _discard_body(req: Request, connection: Connection) -> bool:
    """Read the rest of a request body, within bounds; return whether its end was reached."""
    body: Any = req.body
    left = MAX_DISCARDED_BYTES
    if body is None:
        return True
    if body.failed:
        connection.linger()
        return False
    connection.is_discarding = True
    suppressed = contextlib.suppress(OSError, errors.ParseException)
    with suppressed, gevent.Timeout(MAX_DISCARDING_S, TimeoutError):
        while data := body.read(min(left, CHUNK_BYTES)):
            left -= len(data)
        return left > 0
    return False


def _detect_half_open_connections(listener: socket) -> None:
    """Set TCP keepalive and the user timeout, which accepted connections inherit from their listener."""
    listener.setsockopt(IPPROTO_TCP, TCP_USER_TIMEOUT, _HALF_OPEN_S * 1000)  # for unacknowledged data
    listener.setsockopt(SOL_SOCKET, SO_KEEPALIVE, 1)
    listener.setsockopt(IPPROTO_TCP, TCP_KEEPIDLE, _HALF_OPEN_S)
    listener.setsockopt(IPPROTO_TCP, TCP_KEEPINTVL, max(1, _HALF_OPEN_S // 3))
    listener.setsockopt(IPPROTO_TCP, TCP_KEEPCNT, 3)


class _Server(StreamServer):
    """A server that accepts the connections in the kernel's queue before it closes, to avoid resets."""

    def close(self) -> None:
        """Close the listening socket."""
        while self.started and not self.full() and (accepted := self.do_read()):
            self.do_handle(*accepted)
        super().close()


_DETAILS: dict[type[Exception], str] = {
    errors.InvalidRequestLine: "The request line is not as HTTP/1.1 has it.",
    errors.InvalidRequestMethod: "A method has from 3 to 20 capital letters.",
    errors.InvalidHTTPVersion: "Only HTTP/1.1 and HTTP/1.0 are spoken here.",
    errors.ExpectationFailed: "The only expectation that can be met is 100-continue.",
    errors.UnsupportedTransferCoding: "The only transfer coding is chunked.",
}
"""The detail by type of exception; all other exceptions concern a header."""

_NAMED_HEADERS = ("CONTENT-LENGTH", "TRANSFER-ENCODING", "HOST")


def problem_for(error: BaseException) -> Problem:
    """Return the problem to report for an exception of gunicorn's request parser."""
    from skye_server.error_codes import Problem  # noqa: PLC0415 - see above

    if isinstance(error, errors.LimitRequestLine):
        return Problem("uri_too_long")
    if isinstance(error, errors.LimitRequestHeaders):
        return Problem("headers_too_large")
    if isinstance(error, errors.ParseException):
        # Other headers are not repeated: a secret may stand where a name should.
        name = getattr(error, "hdr", None)
        header = f"`{name.title()}`" if name in _NAMED_HEADERS else "A header"
        return Problem("bad_request", _DETAILS.get(type(error), f"{header} is not as HTTP/1.1 has it."))
    return Problem("internal_error")


def encode_response(problem: Problem, application: Any, cors_headers: Sequence[tuple[str, str]]) -> bytes:
    """Return a response as sent on a connection that ends with it, and count it in the metrics.

    :param cors_headers: the headers with which pages can read the response (`cors.headers_without_app`).
    """
    from skye_server.http.framework import collaborators  # noqa: PLC0415 - see above
    from skye_server.http.middleware import LAB_HEADER, default_headers, request_id  # noqa: PLC0415 - see above
    from skye_server.http.problems import response_for  # noqa: PLC0415 - see above

    its = collaborators(application)
    its.metrics.error_sent(problem.code)
    its_id = request_id()
    response = response_for(problem, its_id)
    headers = [
        *response.headers,
        *default_headers(its_id),
        *([LAB_HEADER] if its.games.settings.lab else []),
        *cors_headers,
    ]
    headers.append(("Connection", "close"))
    head = "".join(f"{name}: {value}\r\n" for name, value in headers)
    return f"HTTP/1.1 {response.status}\r\n{head}\r\n".encode("latin-1") + response.get_data()
