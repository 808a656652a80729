"""Detection of disconnected clients, which cancels the computation of their requests."""

from __future__ import annotations

import socket
from collections.abc import Callable

from flask import Flask, request

from service.matches.cooperative_yield import client_disconnected


def register(app: Flask) -> None:
    """Cancel long computations of an app when their client disconnects."""

    @app.before_request
    def watch_connection() -> None:
        client_disconnected.set(_disconnect_check(request.environ.get("gunicorn.socket")))


def _disconnect_check(connection: socket.socket | None) -> Callable[[], bool]:
    def has_disconnected() -> bool:
        if connection is None:  # not served by gunicorn, as in tests
            return False
        try:
            with socket.fromfd(connection.fileno(), socket.AF_INET, socket.SOCK_STREAM) as copy:
                copy.setblocking(False)  # gevent's sockets are non-blocking already
                return not copy.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:  # reset, or closed by the worker
            return True

    return has_disconnected
