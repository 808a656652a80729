"""WSGI middleware, and the hooks that Flask runs before and after each view.

The middleware adds request ids and default headers to responses, counts them and logs them, including those
that Flask renders outside the views: error responses and streams. Rate limits and CORS register other hooks.

A hook compares the preconditions `If-Match` and `If-None-Match` (RFC 9110, section 13.1): of a read with the
entity tag of its response, of other requests with what a read of their path returns. A change of a game
compares them with the version of the game in the attempt that commits (`command_from_request`).
"""

from __future__ import annotations

import logging
import re
import secrets
import select
import socket
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from flask import Flask, Request, Response, current_app, request
from gevent.monkey import get_original
from werkzeug.datastructures import ETags
from werkzeug.exceptions import HTTPException
from werkzeug.http import quote_etag

from skye.errors import RuleError
from skye_server.client_address import network
from skye_server.cooperative_yield import ComputingClient, computing_client
from skye_server.error_codes import Problem
from skye_server.http.framework import collaborators, feature
from skye_server.http.request_parsing import (
    OF_PLAYER,
    OF_VERSION,
    entity_tags,
    player_of_request,
    refuse_unknown_parameters,
)
from skye_server.http.request_slots import SLOT
from skye_server.observability.logs import facts
from skye_server.observability.metrics import Metrics, pattern
from skye_server.store.connection import calls

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

FAULT_HEADER: Final = "Skye-Fault"

FAULT_VARIABLE: Final = "HTTP_SKYE_FAULT"
"""The key of the header in the WSGI environment."""

LAB_HEADER: Final = ("Skye-Lab", "on")
"""The header of every response of a lab server."""

FORWARDED: Final = "HTTP_X_FORWARDED_FOR"

REQUEST_ID: Final = "skye.request_id"
"""The key of the request's id in the WSGI environment."""

PROBLEM_CODE: Final = "skye.problem_code"
"""The key of the problem's code in the WSGI environment, when the response is a problem."""

Header: TypeAlias = tuple[str, str]

_TRACEPARENT: Final = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?"
)

_log = logging.getLogger(__name__)
_GAME_ID = re.compile(r"[a-z0-9]{12}")

# A token that a client sends as an id by mistake must not appear in the logs.
_VALID_REQUEST_ID = re.compile(r"(?!.*skye_)[A-Za-z0-9._~:/+=@-]{1,64}")

_POLICY: Final = ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
_HEADERS: Final = [
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "cross-origin"),  # clients are pages of other origins
]

_Poll: Final = get_original("select", "poll")  # gevent's own would switch to other greenlets

_HOST: Final = re.compile(
    r"(?:\[[0-9A-Fa-fv.:]+\]"  # an IP literal
    r"|(?:[A-Za-z0-9\-._~!$&'()*+;=]|%[0-9A-Fa-f]{2})+)"  # a name or IPv4 address (RFC 3986), without commas:
    r"(?::[0-9]*)?"  # several Host headers arrive as one value with a comma
)


def request_id(sent: str | None = None) -> str:
    """Return the id that the client sent, or a new one if it sent none or a malformed one."""
    return sent if sent and _VALID_REQUEST_ID.fullmatch(sent) else secrets.token_hex(8)


def trace_id(environ: WSGIEnvironment) -> str | None:
    """Return the trace id of the `traceparent` header (W3C Trace Context), None without a valid one."""
    found = _TRACEPARENT.fullmatch(environ.get("HTTP_TRACEPARENT", ""))
    return found and found[1]


def default_headers(its_id: str) -> list[Header]:
    """Return the default headers for a response that the worker sends without the application.

    :param its_id: the id of the request.
    """
    return [("X-Request-Id", its_id), *_HEADERS, _POLICY]


class Middleware:
    """Adds default headers to each response, counts it, and logs it at level `info`.

    :param more_headers: further headers for each response.
    """

    def __init__(
        self, application: WSGIApplication, metrics: Metrics, more_headers: Sequence[Header] = ()
    ) -> None:
        self._application = application
        self._metrics = metrics
        self._headers = [*_HEADERS, *more_headers]
        self._headers_and_policy = [*self._headers, _POLICY]

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Respond to a request."""
        started = perf_counter()
        environ["PATH_INFO"] = environ["PATH_INFO"] or "/"  # an absolute URI can have none
        environ.pop("HTTP_UPGRADE", None)  # the API has no other protocol; Werkzeug would look for its routes
        its_id = environ[REQUEST_ID] = request_id(environ.get("HTTP_X_REQUEST_ID"))

        def start(status: str, headers: list[Header], exc_info: Any = None, /) -> Callable[[bytes], object]:
            self._record(environ, int(status[:3]), perf_counter() - started)
            added = self._headers if _POLICY[0] in dict(headers) else self._headers_and_policy
            return start_response(status, [*headers, ("X-Request-Id", its_id), *added], exc_info)

        return self._application(environ, start)

    def _record(self, environ: WSGIEnvironment, status: int, seconds: float) -> None:
        """Count a response, and log it.

        :param seconds: the time from the request to the head of the response.
        """
        request: Request = environ["werkzeug.request"]
        code = environ.get(PROBLEM_CODE)
        rule = request.url_rule.rule if request.url_rule else ""
        self._metrics.answered(rule, request.method, status, seconds)
        if code is not None:
            self._metrics.error_sent(code)
        if _log.isEnabledFor(logging.INFO):
            _log_response(request, status, seconds, code)


def _log_response(request: Request, status: int, seconds: float, code: str | None) -> None:
    """Write a line of the access log, without path, query and headers: each may contain a token."""
    arguments = request.view_args or {}
    game = arguments.get("game", "")
    _log.info(
        "answered",
        extra=facts(
            request_id=request.environ[REQUEST_ID],
            trace_id=trace_id(request.environ),
            method=request.method,
            route=pattern(request.url_rule.rule) if request.url_rule else None,
            status=status,
            duration_ms=round(seconds * 1000, 3),
            code=code,
            game=game if _GAME_ID.fullmatch(game) else None,
            seat=arguments.get("seat"),
        ),
    )


def register(app: Flask) -> None:
    """Register the hooks of an app."""
    app.before_request(_begin_request)
    app.teardown_request(calls.clear_budget)


def _begin_request() -> None:
    """Start the retry budget; queue long computations by the client's address, until it disconnects.

    Only a lab accepts `Skye-Fault`. If it were ignored elsewhere, a test could pass without testing anything.

    :raises Problem: lab_off.
    """
    environ = request.environ
    if FAULT_VARIABLE in environ and request.routing_exception is None and feature("lab") is None:
        raise Problem("lab_off")
    calls.start_budget()
    client = ComputingClient(
        network(request.remote_addr), partial(_has_disconnected, environ.get("gunicorn.socket"))
    )
    if (slot := environ.get(SLOT)) is not None:
        client.release_slot = slot.release
    computing_client.set(client)


def check_request() -> Response | None:
    """Check path and host; authenticate the player whose data the request reads; check query, preconditions.

    WSGI decodes an encoded slash, so a path with one would be an alias, as would one that begins with several
    slashes. A request of HTTP/1.1 has a valid
    `Host` header (RFC 9112, section 3.2). An empty one is invalid too: the URI of the request would have no
    host (RFC 9110, section 4.2.1).

    :returns: the response to a read with `If-Match`, otherwise None.
    :raises Problem: not_found, bad_request; store_unavailable, while the stored games must not be used; and
        what `require_player`, `refuse_unknown_parameters` and `check_preconditions` raise.
    """
    environ = request.environ
    if environ["PATH_INFO"].startswith("//") or "%2f" in environ.get("RAW_URI", "").partition("?")[0].lower():
        raise Problem("not_found")
    host = environ.get("HTTP_HOST")
    is_old = not host and environ.get("SERVER_PROTOCOL") == "HTTP/1.0"
    if not is_old and not (host and _HOST.fullmatch(host)):
        raise Problem("bad_request", "The Host header is missing or invalid.")
    _check_caller(environ)
    if environ["PATH_INFO"].startswith("/v1/") and (refusal := collaborators().games.signs.refusal()):
        raise Problem("store_unavailable", refusal)
    view = current_app.view_functions.get(request.endpoint or "")
    if view is not None and OF_PLAYER in vars(view) and request.method in ("GET", "HEAD"):
        player_of_request()
    if request.query_string:
        refuse_unknown_parameters()
    is_conditional = "HTTP_IF_MATCH" in environ or "HTTP_IF_NONE_MATCH" in environ
    if is_conditional and view is not None and OF_VERSION not in vars(view):
        return check_preconditions()
    return None


def _check_caller(environ: WSGIEnvironment) -> None:
    """Refuse pages of other sites on a server for this machine; note a proxy that it does not know of.

    :raises Problem: bad_request.
    """
    games = collaborators().games
    settings = games.settings
    if FORWARDED in environ and settings.bind.is_loopback and not settings.trusted_proxies:
        games.store.note_proxy()
    for name, is_allowed in (
        ("Host", settings.allows_host(environ.get("HTTP_HOST"))),
        ("Origin", "HTTP_ORIGIN" not in environ or settings.allows_origin(environ["HTTP_ORIGIN"])),
    ):
        if settings.is_local and not is_allowed:
            raise Problem(
                "bad_request",
                f"This server is for this machine: the {name} header must name localhost, an address of "
                "loopback, or an origin of SKYE_CORS_ORIGINS.",
            )


def _has_disconnected(connection: socket.socket | None) -> bool:
    """Return whether a client has disconnected, without reading its connection."""
    if connection is None:  # not served by gunicorn, as in tests
        return False
    events = _Poll()
    try:
        events.register(connection, select.POLLRDHUP)
        return bool(events.poll(0))
    except (OSError, ValueError):  # closed by the worker
        return True


def check_preconditions() -> Response | None:
    """Check the preconditions of a request that does not change a game; a read is carried out for that.

    :returns: the response to a read with `If-Match`, otherwise None.
    :raises Problem: version_mismatch, invalid_parameter, and what the read raises.
    """
    wanted, unwanted = entity_tags("If-Match"), entity_tags("If-None-Match")
    if request.method == "OPTIONS":
        return None
    if request.method in ("GET", "HEAD"):
        return None if wanted is None else _response_of_read(wanted)  # the view compares If-None-Match
    _check_present(wanted, unwanted)
    return None


def _response_of_read(wanted: ETags) -> Response:
    """Return the response to a read whose entity tag is one of those that are wanted.

    :raises Problem: version_mismatch.
    """
    response: Response = current_app.make_response(current_app.dispatch_request())
    tag, _ = response.get_etag()
    is_answered = response.status_code < 300 or response.status_code == 304
    if is_answered and not _names(wanted, tag):
        response.close()
        raise _mismatch(tag)
    return response


def _check_present(wanted: ETags | None, unwanted: ETags | None) -> None:
    """Compare the preconditions of a change with what a read of its path returns now, if it can be read.

    :raises Problem: version_mismatch.
    """
    try:
        adapter = current_app.create_url_adapter(request)
        assert adapter is not None
        endpoint, arguments = adapter.match(method="GET")
        read: Callable[..., Any] = current_app.view_functions[endpoint]
        present: Response = read(**arguments)
    except (HTTPException, Problem, RuleError):
        return  # nothing is there, or the caller must not read it: the change itself says so
    tag, _ = present.get_etag()
    present.close()
    if (wanted is not None and not _names(wanted, tag)) or (
        unwanted is not None and _names(unwanted, tag, weak=True)
    ):
        raise _mismatch(tag)


def _names(tags: ETags, tag: str | None, *, weak: bool = False) -> bool:
    """Return whether a list names an entity tag, by the weak or strong comparison; `*` names all."""
    return tags.star_tag or (tag is not None and tag in tags.as_set(include_weak=weak))


def _mismatch(tag: str | None) -> Problem:
    if tag is None:
        return Problem("version_mismatch", "The present representation has no entity tag.")
    return Problem(
        "version_mismatch", f"The entity tag is {quote_etag(tag)}.", headers={"ETag": quote_etag(tag)}
    )
