"""The gunicorn worker: gevent's, which also stops promptly, loses nobody, and refuses in our own form.

gunicorn loads this module before it forks and before gevent patches the standard library, so nothing of the
application may be imported here that has to do with sockets or threads.
"""

from __future__ import annotations

import contextlib
import os
from collections import OrderedDict
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

from service.server.client_connection import (
    MOST_UNWANTED,
    MOST_UNWANTED_S,
    PIECE,
    Bodies,
    Connection,
    TooSlow,
)
from service.settings import Settings

if TYPE_CHECKING:
    from service.matches.errors import Problem

_LAST_CALL_S = 0.5
"""How long connections without a request are left open once the worker is told to stop."""

_SPARE = 20
"""One in so many of the connections that a worker takes is kept free for those who come."""

_MOST_BODIES = 2**26
"""Bytes of all bodies together that clients are sending to a worker; four of the largest may always."""

_UNREADABLE: dict[type[Exception], str] = {
    errors.InvalidRequestLine: "The request line is not as HTTP/1.1 has it.",
    errors.InvalidRequestMethod: "A method has from 3 to 20 capital letters.",
    errors.InvalidHTTPVersion: "Only HTTP/1.1 and HTTP/1.0 are spoken here.",
    errors.ExpectationFailed: "The only expectation that can be met is 100-continue.",
    errors.UnsupportedTransferCoding: "The only transfer coding is chunked.",
}
"""What is wrong with a request; else it is a header."""

_FRAMING = ("CONTENT-LENGTH", "TRANSFER-ENCODING", "HOST")


class Worker(ggevent.GeventWorker):
    """A gevent worker that ends streams and idle connections when told to stop, and never answers in HTML.

    gunicorn's own waits for every connection that a client keeps open, up to the whole graceful timeout,
    though no request is under way on it.
    """

    def init_process(self) -> None:
        """Begin to serve."""
        self._connections: dict[greenlet, Connection] = {}
        self._waiting: OrderedDict[Connection, None] = OrderedDict()
        self._most = self.worker_connections - max(1, self.worker_connections // _SPARE)
        settings = Settings.from_environment(os.environ)
        self._patience_s = float(settings.client_timeout_s)
        self._bodies = Bodies(max(_MOST_BODIES, 4 * settings.max_body_bytes))
        ggevent.StreamServer = _Server  # type: ignore[attr-defined]  # gunicorn's `run` makes its server by it
        super().init_process()

    def run(self) -> None:
        """Serve, until told to stop."""
        for listener in self.sockets:
            if listener.family != AF_UNIX:
                _outlive(listener, int(self._patience_s))
        super().run()

    def handle(self, listener: socket, client: socket, addr: Any) -> None:  # noqa: ARG002 - gunicorn's form
        """Serve a connection, which knows its own end also when the listener has been closed meanwhile."""
        me = gevent.getcurrent()
        connection: Any = Connection(
            client, self._patience_s, self._waiting, self._bodies
        )  # which stands for a socket
        self._connections[me] = connection
        if len(self._connections) > self._most:
            self._make_room()
        try:
            super().handle(connection, connection, addr)
        finally:
            del self._connections[me]

    def handle_request(self, listener_name: Any, req: Request, sock: Any, addr: Any) -> bool:
        """Answer a request, and take what is left of its body: who still sends it would miss the answer.

        :raises UnsupportedTransferCoding: when the body is said to be encoded besides being in chunks.
        """
        for name, value in req.headers:
            if name == "TRANSFER-ENCODING" and value.lower() != "chunked":  # gunicorn would pass the code on
                raise errors.UnsupportedTransferCoding(value)
        sock.request = req
        try:
            return super().handle_request(listener_name, req, sock, addr)
        finally:
            self._bodies.forget(sock)
            sock.flush()
            if not _taken(req, sock):
                raise StopIteration  # gunicorn's way to end the connection
            sock.idle_s = self.cfg.keepalive

    def handle_error(self, req: Request | None, client: Any, addr: Any, exc: BaseException) -> None:  # noqa: ARG002 - gunicorn's form
        """Refuse what is not HTTP, or too long, or too slow, or was dropped by the application."""
        from service.matches.errors import Problem  # noqa: PLC0415 - see above
        from service.web.problems import response_for  # noqa: PLC0415 - see above
        from service.web.response_headers import bare_envelope  # noqa: PLC0415 - see above

        problem = _problem(exc) if client.request is None else Problem("internal_error")
        if problem.code == "internal_error":
            self.log.error("a request was dropped", exc_info=exc)
        application: Any = self.wsgi
        application.extensions["skye-metrics"].refused(problem.code)
        answer = response_for(problem)
        headers = [*answer.headers, *bare_envelope(), ("Connection", "close")]
        head = "".join(f"{name}: {value}\r\n" for name, value in headers)
        with contextlib.suppress(OSError):
            client.send(f"HTTP/1.1 {answer.status}\r\n{head}\r\n".encode("latin-1") + answer.get_data())
            client.linger()

    def timeout_ctx(self) -> Connection:  # type: ignore[override]  # the stubs are wrong: it gives a context
        """Return what bounds the wait for a connection's next request."""
        connection = self._connections[gevent.getcurrent()]
        if not self.alive:
            connection.idle_s = _LAST_CALL_S
        return connection

    def _make_room(self) -> None:
        """End the connection that has waited longest for its client to send a request."""
        if self._waiting:
            self._waiting.popitem(last=False)[0].hang_up()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop: answer what has been asked, tell streams to come back, and end the waits for more."""
        super().handle_exit(sig, frame)
        gevent.spawn(self._wind_down)  # not here: a signal may interrupt any greenlet at any point

    def _wind_down(self) -> None:
        application = getattr(self, "wsgi", None)  # None: told to stop before it was loaded
        if application is not None:
            application.extensions["skye-bell"].stop()
        # A proxy may be sending a request on a connection that looks idle from here: closed at once, that
        # request would be lost. Each answer from now on says `Connection: close`, so busy ones soon are gone.
        waiting = list(self._waiting)
        gevent.sleep(_LAST_CALL_S)
        for connection in waiting:
            if connection in self._waiting:
                connection.hang_up()


def _problem(exc: BaseException) -> Problem:
    """Return what to tell of a request whose head cannot be read."""
    from service.matches.errors import Problem  # noqa: PLC0415 - see above

    if isinstance(exc, TooSlow):
        return Problem("request_timeout")
    if isinstance(exc, errors.LimitRequestLine):
        return Problem("uri_too_long")
    if isinstance(exc, errors.LimitRequestHeaders):
        return Problem("headers_too_large")
    if isinstance(exc, errors.ParseException):
        # Of other headers nothing is told: the fault may be that a secret stands where a name should.
        named = getattr(exc, "hdr", None)
        which = f"`{named.title()}`" if named in _FRAMING else "A header"
        return Problem("bad_request", _UNREADABLE.get(type(exc), f"{which} is not as HTTP/1.1 has it."))
    return Problem("internal_error")


def _taken(req: Request, connection: Connection) -> bool:
    """Take what is left of a request's body, within bounds; return whether it came to its end."""
    body: Any = req.body
    left = MOST_UNWANTED
    if body is None:
        return True
    if body.failed:
        connection.linger()
        return False
    connection.allow(MOST_UNWANTED_S)
    with contextlib.suppress(OSError, errors.ParseException):
        while data := body.read(min(left, PIECE)):
            left -= len(data)
        return left > 0
    return False


def _outlive(listener: socket, patience_s: int) -> None:
    """Have the kernel find out in time which of a listener's clients are gone without a word."""
    listener.setsockopt(IPPROTO_TCP, TCP_USER_TIMEOUT, patience_s * 1000)  # of what they do not acknowledge
    listener.setsockopt(SOL_SOCKET, SO_KEEPALIVE, 1)
    listener.setsockopt(IPPROTO_TCP, TCP_KEEPIDLE, patience_s)
    listener.setsockopt(IPPROTO_TCP, TCP_KEEPINTVL, max(1, patience_s // 3))
    listener.setsockopt(IPPROTO_TCP, TCP_KEEPCNT, 3)


class _Server(StreamServer):
    """Takes in, when it closes, those whom the kernel has let in already and would cut off."""

    def close(self) -> None:
        """Close the listening socket."""
        while self.started and not self.full() and (accepted := self.do_read()):
            self.do_handle(*accepted)
        super().close()
