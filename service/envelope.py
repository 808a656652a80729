"""What every answer carries, whatever it tells: a request id, and the headers that browsers want.

This wraps the application from outside, where it costs next to nothing and nothing escapes it: neither
refusals nor streams. It also notes when a request came.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

REQUEST_ID: Final = "skye.request_id"
"""Where in the WSGI environment the id of a request stands."""

STARTED: Final = "skye.started"
"""Where the `perf_counter` of its arrival stands."""

# A client that sends its token as an id by mistake must not find it in our logs.
_WELL_FORMED = re.compile(r"(?!.*skye_)[A-Za-z0-9._~:/+=@-]{1,64}")

_POLICY: Final = "Content-Security-Policy"
_HEADERS: Final = [
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "cross-origin"),  # pages of other origins are the point
]
_HEADERS_AND_POLICY: Final = [*_HEADERS, (_POLICY, "default-src 'none'; frame-ancestors 'none'")]


def request_id(sent: str | None = None) -> str:
    """Return the id that a client has sent, if it is well-formed, or else a new one."""
    return sent if sent and _WELL_FORMED.fullmatch(sent) else secrets.token_hex(8)


def enclosed(headers: list[tuple[str, str]], its_id: str) -> list[tuple[str, str]]:
    """Return the headers of an answer and those of its envelope; a policy of its own stands."""
    has_policy = any(name == _POLICY for name, _ in headers)
    return [*headers, ("X-Request-Id", its_id), *(_HEADERS if has_policy else _HEADERS_AND_POLICY)]


class Envelope:
    """A WSGI application around another that puts every answer into its envelope."""

    def __init__(self, application: WSGIApplication) -> None:
        self._application = application

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        its_id = environ[REQUEST_ID] = request_id(environ.get("HTTP_X_REQUEST_ID"))
        environ[STARTED] = perf_counter()

        def start(
            status: str, headers: list[tuple[str, str]], exc_info: Any = None, /
        ) -> Callable[[bytes], object]:
            return start_response(status, enclosed(headers, its_id), exc_info)

        return self._application(environ, start)
