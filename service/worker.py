"""The gunicorn worker: gevent's, which also stops promptly and refuses in our own form.

gunicorn loads this module before it forks and before gevent patches the standard library, so nothing that the
application imports may be imported here.
"""

import contextlib
from collections.abc import Iterator
from http import HTTPStatus
from socket import socket
from types import FrameType

import gevent
from greenlet import greenlet
from gunicorn import util
from gunicorn.workers.ggevent import GeventWorker


class Worker(GeventWorker):
    """A gevent worker that closes idle connections when told to stop, and never answers in HTML.

    gunicorn's own waits for every connection that a client keeps open, up to the whole graceful timeout,
    though no request is under way on it.
    """

    def init_process(self) -> None:
        """Begin to serve."""
        self._idle: dict[greenlet, gevent.Timeout] = {}
        # What gunicorn cannot read never reaches the application: it answers by this function of its own.
        util.write_error = _write_problem
        super().init_process()

    @contextlib.contextmanager
    def timeout_ctx(self) -> Iterator[None]:  # type: ignore[override]  # the stubs are wrong: it gives a context
        """Bound the wait for a connection's next request by gunicorn's keep-alive."""
        waiting, timeout = gevent.getcurrent(), gevent.Timeout(self.cfg.keepalive)
        self._idle[waiting] = timeout
        try:
            with timeout:
                yield
        except gevent.Timeout as ended:
            if ended is not timeout:
                raise
        finally:
            del self._idle[waiting]

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop: answer what has been asked, and end the waits for more."""
        super().handle_exit(sig, frame)
        gevent.spawn(self._end_waits)  # not here: a signal may interrupt any greenlet at any point

    def _end_waits(self) -> None:
        for waiting, timeout in list(self._idle.items()):
            gevent.kill(waiting, timeout)


def _write_problem(sock: socket, status_int: int, reason: str, mesg: str) -> None:  # noqa: ARG001 - gunicorn's form
    """Answer a request that is not HTTP, or too long, or (status 500) that the application dropped."""
    from service.envelope import bare_envelope  # noqa: PLC0415 - see above
    from service.problems import Problem, response_for  # noqa: PLC0415 - see above

    dropped = status_int == HTTPStatus.INTERNAL_SERVER_ERROR
    answer = response_for(Problem("internal_error") if dropped else Problem("bad_request", mesg))
    headers = [*answer.headers, *bare_envelope(), ("Connection", "close")]
    head = "".join(f"{name}: {value}\r\n" for name, value in headers)
    util.write_nonblock(sock, f"HTTP/1.1 {answer.status}\r\n{head}\r\n".encode("latin-1") + answer.get_data())
