"""Flask with the collaborators of the routes, and without sessions, URL building by host and other steps.

The service never uses those steps; the table of mechanisms in deploy/decisions.md says what each saves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from flask import Flask, Request, Response, current_app
from flask.sessions import NullSession, SessionInterface
from werkzeug.datastructures import Headers
from werkzeug.routing import IntegerConverter, MapAdapter

from skye_server.commands.current_games import Games
from skye_server.commands.hunts import Hunts
from skye_server.commands.laboratory import Laboratory
from skye_server.following.change_notifier import ChangeNotifier
from skye_server.following.game_feed import GameFeeds
from skye_server.following.open_streams import OpenStreams
from skye_server.following.stream_clock import StreamClock
from skye_server.games.authorization import OWN_SEAT
from skye_server.observability.metrics import Metrics
from skye_server.webhooks.bots import UrlBots
from skye_server.webhooks.webhooks import Webhooks

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

COLLABORATORS: Final = "skye"
"""The name of the collaborators among the extensions of an app."""


@dataclass(frozen=True, slots=True)
class Collaborators:
    """The objects that the routes of one app use.

    :param lab: the laboratory of a server for testers.
    :param hunts: the bug hunts of a server for testers.
    """

    games: Games
    change_notifier: ChangeNotifier
    feeds: GameFeeds
    stream_clock: StreamClock
    open_streams: OpenStreams
    metrics: Metrics
    webhooks: Webhooks
    url_bots: UrlBots
    lab: Laboratory | None
    hunts: Hunts | None = None


def collaborators(app: Flask | None = None) -> Collaborators:
    """Return the collaborators of an app, by default of the current app."""
    found: Collaborators = (app or current_app).extensions[COLLABORATORS]
    return found


class NoSessions(SessionInterface):
    """Stateless: every request is authenticated by its own token."""

    _session = NullSession()

    def open_session(self, app: Flask, request: Request) -> NullSession:  # noqa: ARG002 - Flask's signature
        """Return the empty session that all requests share."""
        return self._session


class PlainInteger(IntegerConverter):
    """An integer in a path without leading zeros; otherwise one seat would have many URLs."""

    regex = "(?:0|[1-9][0-9]*)"


class SeatInPath(PlainInteger):
    """A seat in a path: its number, or `me` for the seat that the token acts for."""

    regex = "(?:me|0|[1-9][0-9]*)"

    def to_python(self, value: str) -> int:
        """Return the number of the seat, `OWN_SEAT` for `me`."""
        return OWN_SEAT if value == "me" else int(super().to_python(value))


class Application(Flask):
    """Flask for synchronous views, on any host, without sessions."""

    session_interface = NoSessions()

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return a view unchanged."""
        return func

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """Return the adapter that matches the path of a request, for any host."""
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


class PrebuiltResponse(Response):
    """A response with complete body and headers, which is sent unchanged unless its headers are accessed."""

    def __init__(self, body: bytes, status: int, headers: list[tuple[str, str]]) -> None:
        # Replaces that of Response, which spends most of its time on `Headers`.
        self.response = self._body = [body]
        self.status_code = status
        self.direct_passthrough = False
        self._on_close = []
        self._plain_headers = headers

    @cached_property
    def headers(self) -> Headers:  # type: ignore[override]  # an attribute there
        """The headers as an object, created on first access."""
        return Headers(self._plain_headers)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Send the response, as a WSGI application."""
        if "headers" in vars(self):
            return super().__call__(environ, start_response)
        start_response(self.status, self._plain_headers)
        return () if environ["REQUEST_METHOD"] == "HEAD" else self._body
