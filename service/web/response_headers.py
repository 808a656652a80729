"""What every answer carries, whatever it tells: a request id, and the headers that browsers want.

This wraps the application from outside, where it costs next to nothing and nothing escapes it: neither
refusals nor streams. So it is here too that answers are noted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

REQUEST_ID: Final = "skye.request_id"
"""Where in the WSGI environment the id of a request stands."""

REFUSAL: Final = "skye.refusal"
"""Where the code of its refusal stands, if it was refused."""

Header: TypeAlias = tuple[str, str]

Note: TypeAlias = "Callable[[WSGIEnvironment, int, float], None]"
"""What is told of each answer: the environment of its request, its status, the seconds until it began."""

# A client that sends its token as an id by mistake must not find it in our logs.
_WELL_FORMED = re.compile(r"(?!.*skye_)[A-Za-z0-9._~:/+=@-]{1,64}")

_POLICY: Final = ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
_HEADERS: Final = [
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "cross-origin"),  # pages of other origins are the point
]


def request_id(sent: str | None = None) -> str:
    """Return the id that a client has sent, if it is well-formed, or else a new one."""
    return sent if sent and _WELL_FORMED.fullmatch(sent) else os.urandom(8).hex()


def bare_envelope() -> list[Header]:
    """Return the headers for an answer that no application gives: what was sent cannot be read."""
    return [("X-Request-Id", request_id()), *_HEADERS, _POLICY]


class Envelope:
    """A WSGI application around another, that adds to its answers; `more` are headers for each."""

    def __init__(self, application: WSGIApplication, note: Note, more: Sequence[Header] = ()) -> None:
        self._application = application
        self._note = note
        self._headers = [*_HEADERS, *more]
        self._headers_and_policy = [*self._headers, _POLICY]

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        started = perf_counter()
        its_id = environ[REQUEST_ID] = request_id(environ.get("HTTP_X_REQUEST_ID"))

        def start(status: str, headers: list[Header], exc_info: Any = None, /) -> Callable[[bytes], object]:
            self._note(environ, int(status[:3]), perf_counter() - started)
            ours = self._headers if _POLICY[0] in dict(headers) else self._headers_and_policy
            return start_response(status, [*headers, ("X-Request-Id", its_id), *ours], exc_info)

        return self._application(environ, start)
