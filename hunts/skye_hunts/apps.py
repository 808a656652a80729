"""The applications of bug hunts: each is the API on a store of its own, with the defects of its hunt."""

from __future__ import annotations

import copy
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from skye_hunts.defects import DEFECTS
from skye_hunts.hunts import HUNT_TTL_S, HUNTS_PATH, Hunt, Hunts
from skye_hunts.reports import Judge
from skye_hunts.seams import install
from skye_hunts.store import HuntStore
from skye_server.error_codes import Problem
from skye_server.games.game import Status
from skye_server.http.framework import Host

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

_MAX_APPS: Final = 300
"""How many applications of hunts a worker keeps; it builds others again when they get requests."""

_IN_HUNT: Final = re.compile(rf"({HUNTS_PATH}/([a-z0-9]{{12}})/api)(?:\1)*(/v1(?:/.*)?|/openapi.*|/docs.*)")
"""A path in a hunt. A client that joins the address of its API with a link of a response repeats the base."""

_BASE: Final = "skye.hunt_base"
"""The key in the WSGI environment of the path below which an application of a hunt is."""

_DOCUMENTS: Final = "/openapi"
_SERVER: Final = re.compile(rb'(\burl: |"url":")/(?=[",\n])')
"""The address of the server in its own contract, as YAML or JSON."""


class HuntApps:
    """The applications of the hunts of a lab server, in one worker.

    :param host: the application of the server.
    """

    def __init__(self, host: Host) -> None:
        self.host = host
        ttl: dict[str, Any] = {f"game_ttl_{status}_s": HUNT_TTL_S for status in Status}
        self._settings = replace(host.settings, lab=False, limits=False, **ttl)
        self._apps: OrderedDict[str, WSGIApplication] = OrderedDict()
        self.store = HuntStore(host.store.calls)
        self.hunts = Hunts(self.store, DEFECTS, Judge(self), host.clock)

    @cached_property
    def base(self) -> Flask:
        """The application without collaborators, which all hunts copy."""
        app = self.host.routes(self._settings)
        app.after_request(_with_links)
        return app

    def build(
        self, prefix: str, defects: Sequence[str], clock: Callable[[], float] | None = None
    ) -> tuple[Flask, WSGIApplication]:
        """Return an application with defects, and its WSGI application.

        :param prefix: the prefix of its keys in the store.
        """
        app = copy.copy(self.base)
        app.extensions, app.view_functions = dict(app.extensions), dict(app.view_functions)
        store = self.host.store.within(prefix)
        connected = self.host.connect(app, self._settings, store, clock or self.host.clock)
        for name in defects:
            install(app, DEFECTS[name])
        return app, connected

    def operation(self, method: str, path: str) -> str:
        """Return the name of the operation of a request within a hunt, empty if there is none."""
        adapter = self.base.url_map.bind("")
        try:
            endpoint, _ = adapter.match(path.partition("?")[0], "GET" if method == "HEAD" else method)
        except HTTPException:
            return ""
        return str(endpoint).rpartition(".")[2]

    def of_hunt(self, hunt: Hunt) -> WSGIApplication:
        """Return the application of a hunt."""
        app = self._apps.pop(hunt.id, None)
        if app is None:
            _, app = self.build(self.store.prefix(hunt.id), hunt.defects)
        self._apps[hunt.id] = app
        if len(self._apps) > _MAX_APPS:
            self._apps.popitem(last=False)
        return app

    def dispatcher(self, server: WSGIApplication) -> WSGIApplication:
        """Return the server's application, with the APIs of hunts below their paths."""

        def dispatch(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
            found = _IN_HUNT.fullmatch(environ.get("PATH_INFO", ""))
            if found is None:
                return server(environ, start_response)
            try:
                app = self.of_hunt(self.hunts.running(found[2]))
            except Problem:  # the server has a route that says so
                return server(environ, start_response)
            return mounted(app, found[1], found[3], environ, start_response)

        return dispatch


def mounted(
    app: WSGIApplication, base: str, path: str, environ: WSGIEnvironment, start_response: StartResponse
) -> Iterable[bytes]:
    """Respond with an application below a path: what it links to is below that path too.

    :param base: the path below which the application is.
    :param path: the rest of the path of the request.
    """
    environ = {
        **environ,
        "SCRIPT_NAME": environ.get("SCRIPT_NAME", "") + base,
        "PATH_INFO": path,
        _BASE: base,
    }
    environ.pop("HTTP_ACCEPT_ENCODING", None)
    return app(environ, start_response)


def _with_links(response: Response) -> Response:
    """Let a response of a mounted application link to what is below its path; `HEAD` as `GET`."""
    base = request.environ.get(_BASE)
    if base is None:
        return response
    if response.location and response.location.startswith("/"):
        response.location = base + response.location
    links = [link.replace("</", f"<{base}/") for link in response.headers.getlist("Link")]
    response.headers.setlist("Link", links)
    has_links = response.mimetype == "application/json" or request.path.startswith(_DOCUMENTS)
    if has_links and (body := response.get_data()):  # a response 304 has none
        response.set_data(_linked(body, base.encode(), request.path))
    return response


def _linked(data: bytes, base: bytes, path: str) -> bytes:
    if path.startswith(_DOCUMENTS):
        return _SERVER.sub(rb"\g<1>" + base, data, count=1)
    if path == "/v1":
        return data.replace(b':"/', b':"%s/' % base)
    return data.replace(b'"href":"/v1/', b'"href":"%s/v1/' % base)
