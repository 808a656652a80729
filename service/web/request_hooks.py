"""Request hooks: what Flask runs before and after each view, other than rate limits and CORS."""

from __future__ import annotations

import re
import select
import socket
from collections.abc import Callable
from typing import Final

from flask import Flask, request
from gevent.monkey import get_original

from service.matches.cooperative_yield import client_disconnected
from service.matches.errors import Problem
from service.storage import retry
from service.web.request_parsing import refuse_encoded_slashes, refuse_unknown_parameters

_Poll: Final = get_original("select", "poll")  # gevent's own would switch to other greenlets

_HOST: Final = re.compile(
    r"(?:\[[0-9A-Fa-fv.:]+\]"  # an IP literal
    r"|(?:[A-Za-z0-9\-._~!$&'()*+;=]|%[0-9A-Fa-f]{2})*)"  # a name or IPv4 address (RFC 3986), without commas:
    r"(?::[0-9]*)?"  # several Host headers arrive as one value with a comma
)


def register(app: Flask) -> None:
    """Register the hooks of an app."""
    app.before_request(retry.start_budget)
    app.before_request(refuse_encoded_slashes)
    app.before_request(refuse_unknown_parameters)
    app.before_request(_check_host)
    app.before_request(_watch_connection)
    app.teardown_request(retry.clear_budget)


def _check_host() -> None:
    """Check that a request of HTTP/1.1 has a valid `Host` header (RFC 9112, section 3.2).

    :raises Problem: bad_request.
    """
    host = request.environ.get("HTTP_HOST")
    if host is None and request.environ.get("SERVER_PROTOCOL") == "HTTP/1.0":
        return
    if host is None or not _HOST.fullmatch(host):
        raise Problem("bad_request", "The Host header is missing or invalid.")


def _watch_connection() -> None:
    """Cancel long computations of the request when its client disconnects."""
    client_disconnected.set(_disconnect_check(request.environ.get("gunicorn.socket")))


def _disconnect_check(connection: socket.socket | None) -> Callable[[], bool]:
    """Return what tells whether a client has disconnected, without reading from its connection."""

    def has_disconnected() -> bool:
        if connection is None:  # not served by gunicorn, as in tests
            return False
        events = _Poll()
        try:
            events.register(connection, select.POLLRDHUP)
            return bool(events.poll(0))
        except (OSError, ValueError):  # closed by the worker
            return True

    return has_disconnected
