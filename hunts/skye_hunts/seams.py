"""The places at which defects are put into the application of a hunt.

An application of a hunt has views of its own, so that a defect replaces these and never a module's function:
no other application sees it. What a view's defect gets is the request of Flask, and the response that a
correct view returns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import msgspec
from flask import Flask, Response, request

from skye_hunts.hunts import Defect
from skye_hunts.store import HuntMemory
from skye_server.commands.current_games import Games
from skye_server.error_codes import Problem
from skye_server.games.game import Game
from skye_server.http.framework import collaborators
from skye_server.http.request_parsing import BODY, body_of, decode

Json: TypeAlias = Any
View: TypeAlias = Callable[..., Response]
Environ: TypeAlias = dict[str, Any]
Wrapper: TypeAlias = Callable[..., Response]
"""A function that gets a view, then the view's arguments by name."""

Seam: TypeAlias = Callable[[Callable[..., Any]], Wrapper]
"""A function that returns a wrapper of views, which calls a function that changes something."""

TOGETHER: Final = "skye.together"
"""The key in `Environ` of the barrier of requests that a replay sends together."""

SLOW_S: Final = 0.4
"""How long a defect delays what should not take so long: more than a replay takes for slow."""


def install(app: Flask, defect: Defect) -> None:
    """Put a defect into one application."""
    for endpoint, view in app.view_functions.items():
        if endpoint.rpartition(".")[2] in defect.changes:
            app.view_functions[endpoint] = wrapped(view, defect.wrapper)


def wrapped(view: Any, wrapper: Wrapper) -> View:
    """Return a view within a wrapper."""

    def changed(**arguments: Any) -> Response:
        return wrapper(lambda: view(**arguments), **arguments)

    vars(changed).update(vars(view))
    return changed


def whole_view(wrapper: Wrapper) -> Wrapper:
    """Wrap the view."""
    return wrapper


def sent_headers(change: Callable[[Environ], object]) -> Wrapper:
    """Change the WSGI environment of requests before the view reads it."""

    def changed(view: View, **_: Any) -> Response:
        change(request.environ)
        return view()

    return changed


def sent_body(change: Callable[[Json], object]) -> Wrapper:
    """Change the JSON bodies of requests, in place, before they are validated."""
    return sent_headers(lambda _: replace_body(change))


def response(change: Callable[[Response], object]) -> Wrapper:
    """Change responses, with any status; error responses are exceptions and are not changed."""

    def changed(view: View, **_: Any) -> Response:
        found = view()
        change(found)
        return found

    return changed


def response_body(change: Callable[[Json], object]) -> Wrapper:
    """Change the JSON bodies of successful responses, in place."""
    return response(lambda found: change_json(found, change))


def refused(code: str) -> Seam:
    """Return the seam at which a wrapper replaces the refusals with a problem.

    A refused request has changed nothing: the wrapper can call the view again.
    """

    def seam(instead: Wrapper) -> Wrapper:
        def changed(view: View, **arguments: Any) -> Response:
            try:
                return view()
            except Problem as problem:
                if problem.code != code:
                    raise
            return instead(view, **arguments)

        return changed

    return seam


def games() -> Games:
    """Return the games of the current application."""
    return collaborators().games


def current(game: str) -> Game:
    """Return a game as it is stored."""
    return games().stored.read(game)


def memory() -> HuntMemory:
    """Return what the current application remembers for its defects."""
    return HuntMemory(games().store.calls)


def environ() -> Environ:
    """Return the WSGI environment of the current request."""
    return request.environ


def json_of(response: Response) -> Json:
    """Return the JSON body of a response."""
    return msgspec.json.decode(response.get_data())


def change_json(response: Response, change: Callable[[Json], object]) -> Response:
    """Change the JSON body of a response in place, if it has one; return the response."""
    if response.mimetype == "application/json" and response.get_data():
        value = json_of(response)
        change(value)
        response.set_data(msgspec.json.encode(value))
    return response


def json_sent() -> Json:
    """Return the JSON body of the current request, which a view has validated."""
    return msgspec.json.decode(body_of(request))


def replace_body(change: Callable[[Json], object]) -> None:
    """Change the JSON body of the current request in place, if it is an object."""
    data = body_of(request)
    try:
        value = decode(data, request.max_content_length or len(data))
    except Problem:  # the view refuses this body
        return
    if isinstance(value, dict):
        change(value)
        request.environ[BODY] = msgspec.json.encode(value)
