"""The places at which defects are put into the application of a hunt.

An application of a hunt has views, games and a store of its own, so that a defect replaces methods of these
objects and never a module's function: no other application sees it. What a view's defect gets is the request
of Flask, and the response that a correct view returns.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeAlias

import msgspec
from flask import Flask, Response, request
from werkzeug.datastructures import ImmutableMultiDict

from skye_server.commands.current_games import Games
from skye_server.error_codes import Problem
from skye_server.http.framework import collaborators
from skye_server.http.request_parsing import body_of
from skye_server.storage.hunt_store import HuntMemory

Json: TypeAlias = Any
View: TypeAlias = Callable[..., Response]
Environ: TypeAlias = dict[str, Any]

TOGETHER: Final = "skye.together"
"""The key in `Environ` of the barrier of requests that a replay sends together."""

SLOW_S: Final = 0.4
"""How long a defect delays what should not take so long: more than a replay takes for slow."""


class Seams:
    """The seams of one application."""

    def __init__(self, app: Flask, memory: HuntMemory) -> None:
        self._views = app.view_functions
        self._endpoints = {endpoint.rpartition(".")[2]: endpoint for endpoint in self._views}
        self.games: Games = collaborators(app).games
        self.memory = memory

    def view(self, *operations: str) -> Callable[[Callable[..., Response]], None]:
        """Wrap the views of operations: the function gets the view, then its arguments by name."""

        def decorator(wrapper: Callable[..., Response]) -> None:
            for operation in operations:
                endpoint = self._endpoints[operation]
                original: Any = self._views[endpoint]

                def wrapped(_original: Any = original, **arguments: Any) -> Response:
                    return wrapper(lambda **changed: _original(**{**arguments, **changed}), **arguments)

                vars(wrapped).update(vars(original))
                self._views[endpoint] = wrapped

        return decorator

    def refused(self, operation: str, code: str) -> Callable[[Callable[..., Response]], None]:
        """Replace the refusals of an operation with a problem; the arguments are those of `view`.

        A refused request has changed nothing: the function can call the view again.
        """

        def decorator(instead: Callable[..., Response]) -> None:
            @self.view(operation)
            def changed(view: View, **arguments: Any) -> Response:
                try:
                    return view()
                except Problem as problem:
                    if problem.code != code:
                        raise
                return instead(view, **arguments)

        return decorator

    def request(self, *operations: str) -> Callable[[Callable[[Environ], None]], None]:
        """Change the WSGI environment of requests before the view reads it."""

        def decorator(change: Callable[[Environ], None]) -> None:
            @self.view(*operations)
            def changed(view: View, **_: Any) -> Response:
                change(request.environ)
                return view()

        return decorator

    def query(self, *operations: str) -> Callable[[Callable[[dict[str, str]], None]], None]:
        """Change the parameters of the query, before they are validated."""

        def decorator(change: Callable[[dict[str, str]], None]) -> None:
            @self.view(*operations)
            def changed(view: View, **_: Any) -> Response:
                query = request.args.to_dict()
                change(query)
                vars(request)["args"] = ImmutableMultiDict(query)  # cached there at its first use
                return view()

        return decorator

    def response(self, *operations: str) -> Callable[[Callable[[Response], None]], None]:
        """Change responses, with any status; error responses are exceptions and are not changed."""

        def decorator(change: Callable[[Response], None]) -> None:
            @self.view(*operations)
            def changed(view: View, **_: Any) -> Response:
                response = view()
                change(response)
                return response

        return decorator

    def body(self, *operations: str) -> Callable[[Callable[[Json], object]], None]:
        """Change the JSON bodies of successful responses, in place."""

        def decorator(change: Callable[[Json], object]) -> None:
            self.response(*operations)(lambda response: change_json(response, change))

        return decorator

    def sent(self, *operations: str) -> Callable[[Callable[[Json], object]], None]:
        """Change the JSON bodies of requests, in place, before they are validated."""

        def decorator(change: Callable[[Json], object]) -> None:
            @self.view(*operations)
            def changed(view: View, **_: Any) -> Response:
                replace_body(change)
                return view()

        return decorator


def change_json(response: Response, change: Callable[[Json], object]) -> None:
    """Change the JSON body of a response in place, if it has one."""
    data = response.get_data()
    if data and response.mimetype == "application/json":
        value = msgspec.json.decode(data)
        change(value)
        response.set_data(msgspec.json.encode(value))


def json_of(response: Response) -> Json:
    """Return the JSON body of a response."""
    return msgspec.json.decode(response.get_data())


def replace_body(change: Callable[[Json], object]) -> None:
    """Change the JSON body of the current request in place, if it is an object."""
    with suppress(msgspec.DecodeError):
        value = msgspec.json.decode(body_of(request))
        if isinstance(value, dict):
            change(value)
            request.environ["skye.body"] = msgspec.json.encode(value)


def json_of_request() -> Json:
    """Return the JSON body of the current request, which a view has validated."""
    return msgspec.json.decode(body_of(request))


def environ() -> Environ:
    """Return the WSGI environment of the current request."""
    return request.environ
