"""The gunicorn worker: gevent's, which also stops promptly, loses nobody, and refuses in our own form.

gunicorn loads this module before it forks and before gevent patches the standard library, so nothing that the
application imports may be imported here.
"""

import contextlib
from collections.abc import Iterator
from http import HTTPStatus
from socket import SHUT_RD, socket
from types import FrameType
from typing import Any

import gevent
from gevent.server import StreamServer
from greenlet import greenlet
from gunicorn import util
from gunicorn.http.errors import ParseException
from gunicorn.http.message import Request
from gunicorn.workers import ggevent

_LAST_CALL_S = 0.5
"""How long connections without a request are left open once the worker is told to stop."""

_MOST_LEFT = 8 * 2**20
_MOST_LEFT_S = 2.0
"""How much of a body that nobody wants is taken all the same, in bytes, and for how many seconds."""

_PIECE = 2**16


class Worker(ggevent.GeventWorker):
    """A gevent worker that ends streams and idle connections when told to stop, and never answers in HTML.

    gunicorn's own waits for every connection that a client keeps open, up to the whole graceful timeout,
    though no request is under way on it.
    """

    def init_process(self) -> None:
        """Begin to serve."""
        self._connections: dict[greenlet, socket] = {}
        self._idle: set[socket] = set()
        # What gunicorn cannot read never reaches the application: it answers by this function of its own.
        util.write_error = _write_problem
        ggevent.StreamServer = _Server  # type: ignore[attr-defined]  # gunicorn's `run` makes its server by it
        super().init_process()

    def handle(self, listener: socket, client: socket, addr: Any) -> None:  # noqa: ARG002 - gunicorn's form
        """Serve a connection, which knows its own end also when the listener has been closed meanwhile."""
        self._connections[gevent.getcurrent()] = client
        try:
            super().handle(client, client, addr)
        finally:
            del self._connections[gevent.getcurrent()]

    def handle_request(self, listener_name: Any, req: Request, sock: socket, addr: Any) -> bool:
        """Answer a request, and take what is left of its body: who still sends it would miss the answer."""
        try:
            return super().handle_request(listener_name, req, sock, addr)
        finally:
            if not _taken(req):
                raise StopIteration  # gunicorn's way to end the connection

    @contextlib.contextmanager
    def timeout_ctx(self) -> Iterator[None]:  # type: ignore[override]  # the stubs are wrong: it gives a context
        """Bound the wait for a connection's next request by gunicorn's keep-alive."""
        connection = self._connections[gevent.getcurrent()]
        seconds = self.cfg.keepalive if self.alive else _LAST_CALL_S
        self._idle.add(connection)
        try:
            with gevent.Timeout(seconds, False):  # type: ignore[arg-type]  # the stubs do not know False: in silence
                yield
        finally:
            self._idle.discard(connection)

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
        waiting = self._idle.copy()
        gevent.sleep(_LAST_CALL_S)
        for connection in waiting & self._idle:
            # By a copy, since gevent would break off the wait for the original: what has come is still read.
            with contextlib.suppress(OSError), connection.dup() as copy:
                copy.shutdown(SHUT_RD)


def _taken(req: Request) -> bool:
    """Take what is left of a request's body, within bounds; return whether it came to its end."""
    body, left = req.body, _MOST_LEFT
    if body is None:
        return True
    with contextlib.suppress(OSError, ParseException), gevent.Timeout(_MOST_LEFT_S, False):  # type: ignore[arg-type]  # as above
        while data := body.read(min(left, _PIECE)):
            left -= len(data)
        return left > 0
    return False


class _Server(StreamServer):
    """Takes in, when it closes, those whom the kernel has let in already and would cut off."""

    def close(self) -> None:
        """Close the listening socket."""
        while self.started and not self.full() and (accepted := self.do_read()):
            self.do_handle(*accepted)
        super().close()


def _write_problem(sock: socket, status_int: int, reason: str, mesg: str) -> None:  # noqa: ARG001 - gunicorn's form
    """Answer a request that is not HTTP, or too long, or (status 500) that the application dropped."""
    from service.envelope import bare_envelope  # noqa: PLC0415 - see above
    from service.problems import Problem, response_for  # noqa: PLC0415 - see above

    dropped = status_int == HTTPStatus.INTERNAL_SERVER_ERROR
    answer = response_for(Problem("internal_error") if dropped else Problem("bad_request", mesg))
    headers = [*answer.headers, *bare_envelope(), ("Connection", "close")]
    head = "".join(f"{name}: {value}\r\n" for name, value in headers)
    util.write_nonblock(sock, f"HTTP/1.1 {answer.status}\r\n{head}\r\n".encode("latin-1") + answer.get_data())
