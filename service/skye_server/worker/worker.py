"""The gunicorn worker: gevent's with timeouts, connection limits, graceful shutdown and JSON error responses.

gunicorn loads this module before it forks and before gevent patches the standard library, so modules of the
application that use sockets or threads are imported late.

Graceful shutdown: the worker ends streams, responds to long polls and closes idle connections after half a
second. TCP keepalive detects half-open connections: their clients disappeared without closing them.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter, OrderedDict
from collections.abc import Sequence
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
    RequestTimeout,
)
from skye_server.worker.parked_streams import ParkedStreams

if TYPE_CHECKING:
    from skye_server.error_codes import Problem

_SHUTDOWN_GRACE_S = 0.5
"""How long idle connections stay open during shutdown."""

_RESERVED_SHARE = 20
"""A worker reserves one in this many connections for new clients, and closes idle connections to do so."""

_MAX_BODIES_BYTES = 2**26
"""The bytes of all request bodies that a worker is receiving; at least four of the largest size."""

_HEALTH_PATHS = ("/healthz", "/readyz", "/metrics")


class Worker(ggevent.GeventWorker):
    """A gevent worker with bounded waits for clients.

    gunicorn's own worker has no timeout for a request, a body and an acknowledgement, waits the whole
    graceful timeout for idle connections at shutdown, and responds to invalid requests in HTML.
    """

    def init_process(self) -> None:
        """Initialize the worker and serve."""
        self.configure(Settings.from_environment(os.environ))
        ggevent.StreamServer = _Server  # type: ignore[attr-defined]  # the class that gunicorn's `run` uses
        super().init_process()

    def configure(self, settings: Settings) -> None:
        """Set the limits of connections."""
        self._connections: dict[greenlet, Connection] = {}
        self._idle: OrderedDict[Connection, None] = OrderedDict()
        self._max_connections = self.worker_connections - max(1, self.worker_connections // _RESERVED_SHARE)
        self._timeout_s = float(settings.client_timeout_s)
        self._bodies = BufferedBodies(max(_MAX_BODIES_BYTES, 4 * settings.max_body_bytes))
        self._streams = ParkedStreams(self.worker_connections)
        # Behind a proxy all connections come from its address.
        is_limited = settings.is_limited and not settings.trusted_proxies
        self._max_per_address = settings.limit_connections if is_limited else 0
        self._per_address: Counter[str] = Counter()
        self._health_port = settings.health_bind.port if settings.health_bind else None
        self._cors_origins = settings.cors_origins

    def run(self) -> None:
        """Serve until the arbiter stops the worker."""
        for listener in self.sockets:
            if listener.family != AF_UNIX:
                _detect_half_open_connections(listener, int(self._timeout_s))
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
        connection: Any = Connection(client, self._timeout_s, self._idle, self._bodies, self._streams)
        if "*" not in self._cors_origins:
            connection.keep_heads()
        connection.is_health = is_health
        current = gevent.getcurrent()
        self._connections[current] = connection
        address = None if is_health else self._count(addr)
        if not is_health and len(self._connections) > self._max_connections:
            self._close_longest_idle()
        try:
            if address is not None and self._per_address[address] > self._max_per_address:
                self._refuse_connection(connection)
            else:
                super().handle(connection, connection, addr)
        finally:
            del self._connections[current]
            if connection.stream is None:
                self._uncount(address)
            else:
                connection.stream.at_end(self._uncount, address)

    def _count(self, peer: Any) -> str | None:
        """Count a connection of an address; return the address, None if its connections are not limited."""
        from skye_server.client_address import network  # noqa: PLC0415 - see above

        if not self._max_per_address or not isinstance(peer, tuple):
            return None
        address = network(peer[0])
        self._per_address[address] += 1
        return address

    def _uncount(self, address: str | None) -> None:
        """Count the end of a connection that was counted."""
        if address is not None:
            self._per_address[address] -= 1
            if not self._per_address[address]:
                del self._per_address[address]

    def _refuse_connection(self, connection: Connection) -> None:
        from skye_server.error_codes import Problem  # noqa: PLC0415 - see above

        detail = f"This address has {self._max_per_address} connections open already."
        self._send_and_close(connection, Problem("too_many_requests", detail, headers={"Retry-After": "1"}))

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
        try:
            return super().handle_request(listener_name, req, sock, addr)
        finally:
            self._bodies.forget(sock)
            sock.flush()
            if sock.stream is not None or not _discard_body(req, sock):
                raise StopIteration
            sock.idle_timeout_s = self.cfg.keepalive

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

        cors_headers = headers_without_app(self._cors_origins, connection.read_origin())
        with contextlib.suppress(OSError):
            connection.send(encode_response(problem, self.wsgi, cors_headers))
            connection.linger()

    def timeout_ctx(self) -> Connection:  # type: ignore[override]  # the stubs are wrong: it gives a context
        """Return the connection as the context manager that bounds the wait for its next request."""
        connection = self._connections[gevent.getcurrent()]
        if not self.alive:
            connection.idle_timeout_s = _SHUTDOWN_GRACE_S
        return connection

    def _close_longest_idle(self) -> None:
        """Close the connection that has waited longest for its client to send a request."""
        if self._idle:
            self._idle.popitem(last=False)[0].shut_down_reading()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Shut down gracefully: complete requests, end streams, close idle connections."""
        super().handle_exit(sig, frame)
        gevent.spawn(self._close_idle_connections)  # not here: a signal may interrupt any greenlet

    def _close_idle_connections(self) -> None:
        application = getattr(self, "wsgi", None)  # None: stopped before it was loaded
        if application is not None:
            from skye_server.http.framework import collaborators  # noqa: PLC0415 - see above

            collaborators(application).change_notifier.stop()
        # A proxy may be sending a request on a connection that looks idle here: closed at once, that request
        # would be lost. Responses from now on carry `Connection: close`: busy connections end by themselves.
        idle = list(self._idle)
        gevent.sleep(_SHUTDOWN_GRACE_S)
        for connection in idle:
            if connection in self._idle:
                connection.shut_down_reading()


def _discard_body(req: Request, connection: Connection) -> bool:
    """Read the rest of a request body, within bounds; return whether its end was reached."""
    body: Any = req.body
    left = MAX_DISCARDED_BYTES
    if body is None:
        return True
    if body.failed:
        connection.linger()
        return False
    connection.start_discarding(MAX_DISCARDING_S)
    with contextlib.suppress(OSError, errors.ParseException):
        while data := body.read(min(left, CHUNK_BYTES)):
            left -= len(data)
        return left > 0
    return False


def _detect_half_open_connections(listener: socket, timeout_s: int) -> None:
    """Set TCP keepalive and the user timeout, which accepted connections inherit from their listener."""
    listener.setsockopt(IPPROTO_TCP, TCP_USER_TIMEOUT, timeout_s * 1000)  # for unacknowledged data
    listener.setsockopt(SOL_SOCKET, SO_KEEPALIVE, 1)
    listener.setsockopt(IPPROTO_TCP, TCP_KEEPIDLE, timeout_s)
    listener.setsockopt(IPPROTO_TCP, TCP_KEEPINTVL, max(1, timeout_s // 3))
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

    if isinstance(error, RequestTimeout):
        return Problem("request_timeout")
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
