"""Flask, without what this service has no use for, and each request would pay for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from flask import Flask, Request, Response
from flask.sessions import NullSession, SessionInterface
from werkzeug.http import HTTP_STATUS_CODES
from werkzeug.routing import IntegerConverter, MapAdapter

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

_STATUS_LINES: Final = {status: f"{status} {name.upper()}" for status, name in HTTP_STATUS_CODES.items()}


class NoSessions(SessionInterface):
    """Knows nobody again: who asks shows a token."""

    _nobody = NullSession()

    def open_session(self, app: Flask, request: Request) -> NullSession:  # noqa: ARG002 - Flask's form
        """Return the session of every request."""
        return self._nobody


class PlainInteger(IntegerConverter):
    """A number in a path, in one way only: or else one seat would have many addresses."""

    regex = "(?:0|[1-9][0-9]*)"


class Application(Flask):
    """Flask for views that are no coroutines, on any host, without sessions."""

    session_interface = NoSessions()

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return a view as it is."""
        return func

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """Return what matches the path of a request, whatever host it names."""
        if request is None:
            return None
        return MapAdapter(
            self.url_map,
            server_name="",
            script_name=request.root_path,
            subdomain="",
            url_scheme="http",
            path_info=request.path,
            default_method=request.method,
        )


class Ready(Response):
    """An answer that is sent as it stands: its bytes are all there, and so are its headers.

    It is made an ordinary Response the moment that anybody looks at it, as to alter its headers.
    """

    def __init__(self, body: bytes, status: int, headers: list[tuple[str, str]]) -> None:
        self._ready = body, status, headers

    def __getattr__(self, name: str) -> Any:
        """Return what only an ordinary Response has."""
        super().__init__(*self._ready)
        return getattr(self, name)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        if "headers" in self.__dict__:
            return super().__call__(environ, start_response)
        body, status, headers = self._ready
        start_response(_STATUS_LINES[status], headers)
        return () if environ["REQUEST_METHOD"] == "HEAD" else (body,)
