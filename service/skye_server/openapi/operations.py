"""Decorators that document a view for the contract, mark the views of a player, announce the end of one.

The view's docstring gives summary and description, and its name the `operationId`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime
from enum import Enum
from functools import wraps
from http import HTTPStatus
from typing import Any, Final, NamedTuple, TypeVar

from flask import Response, after_this_request

from skye_server.commands.views import TimedGameView
from skye_server.http.request_parsing import DOCUMENTATION, OF_PLAYER, OF_VERSION
from skye_server.http.responses import JSON, SVG
from skye_server.openapi.components import (
    IDEMPOTENCY_KEY,
    IF_MATCH,
    IF_NONE_MATCH,
    PLAYER,
    TOKEN,
    component_of,
)
from skye_server.openapi.documented_errors import (
    COMMON_HEADERS,
    CREATION_ERRORS,
    GAME_ERRORS,
    LIMIT_HEADERS,
    PLAYER_KEY_ERRORS,
    SEAT_BINDING_ERRORS,
    WRITE_ERRORS,
    error_responses,
    header_references,
)

View = TypeVar("View", bound=Callable[..., Any])


class Token(Enum):
    """Whether an operation needs a token, and which kind."""

    NONE = "none"
    OPTIONAL = "optional"
    REQUIRED = "required"
    PLAYER = "player"


_SECURITY: dict[Token, list[dict[str, list[str]]]] = {
    Token.NONE: [],
    Token.OPTIONAL: [{}, {TOKEN: []}],
    Token.REQUIRED: [{TOKEN: []}],
    Token.PLAYER: [{PLAYER: []}],
}


class Link(NamedTuple):
    """A link from a response to an operation, with its parameters as runtime expressions."""

    operation: str
    description: str
    parameters: dict[str, str]

    @property
    def doc(self) -> dict[str, Any]:
        """The OpenAPI Link Object."""
        return {
            "operationId": self.operation,
            "description": self.description,
            "parameters": self.parameters,
        }


class ResponseDoc(NamedTuple):
    """The documentation of a successful response of an operation."""

    status: int
    description: str
    schema: type | dict[str, Any] | None = None
    content_type: str = JSON
    headers: Sequence[str] = ()
    links: Sequence[Link] = ()


def text(name: str) -> dict[str, str]:
    """Return the schema of a response that no TypedDict describes: a reference to a component."""
    return {"$ref": f"#/components/schemas/{name}"}


THIS_GAME = {"game": "$request.path.game"}
"""The parameter of a link that keeps the game of the request."""

THIS_SEAT = {**THIS_GAME, "seat": "$request.path.seat"}
"""The parameters of a link that keeps the seat of the request."""

NEW_GAME = {"game": "$response.body#/game/id"}
"""The parameter of a link to the game that the request created."""


OWN_VIEW = ResponseDoc(
    200,
    "The caller's new view of the game.",
    TimedGameView,
    links=[Link("get_game", "The game.", THIS_GAME)],
)


PICTURE = ResponseDoc(200, "The picture.", text("Picture"), content_type=SVG)


@dataclass(frozen=True, slots=True)
class Describe:
    """Documents a view: its responses, its error codes and its request headers.

    `limited` is whether its requests count against the rate limit. `body` describes a body that the view
    reads by itself. `of_version` is whether its commit compares the preconditions with the version of a game.
    `scheme` is the security scheme of a feature, in place of `token`.
    """

    responses: Sequence[ResponseDoc]
    errors: Iterable[str] = ()
    token: Token = Token.NONE
    headers: Sequence[str] = ()
    limited: bool = True
    body: dict[str, Any] | None = None
    of_version: bool = False
    scheme: str = ""

    def __call__(self, view: View) -> View:
        """Store the documentation on the view, where the contract reads it."""
        errors = {*self.errors, *(["too_many_requests"] if self.limited else [])}
        operation: dict[str, Any] = deepcopy(vars(view).get(DOCUMENTATION, {}))
        operation |= {
            "operationId": view.__name__,
            "security": [{self.scheme: []}] if self.scheme else _SECURITY[self.token],
            "responses": self._responses() | error_responses(errors),
        }
        if self.headers:
            operation["parameters"] = [*operation.get("parameters", ()), *map(component_of, self.headers)]
        if self.body is not None:
            operation["requestBody"] = self.body
        if self.token is Token.PLAYER:
            vars(view)[OF_PLAYER] = True
        if self.of_version:
            vars(view)[OF_VERSION] = True
        vars(view)[DOCUMENTATION] = operation
        return view

    def _responses(self) -> dict[int | str, Any]:
        responses: dict[int | str, Any] = {}
        for documented in self.responses:
            response = responses.setdefault(documented.status, {"description": documented.description})
            limits = LIMIT_HEADERS if self.limited else ()
            response["headers"] = header_references(
                "Cache-Control", *documented.headers, *COMMON_HEADERS, *limits
            )
            if documented.schema is not None:
                response.setdefault("content", {})[documented.content_type] = {"schema": documented.schema}
            if documented.links:
                response["links"] = {link.operation: link.doc for link in documented.links}
        return responses


def operation(
    *responses: ResponseDoc, errors: Iterable[str] = (), headers: Sequence[str] = (), limited: bool = True
) -> Describe:
    """Document a view that does not belong to a single game."""
    return Describe(responses, errors, headers=headers, limited=limited)


def reads(*responses: ResponseDoc, errors: Iterable[str] = (), token: Token = Token.OPTIONAL) -> Describe:
    """Document a view that reads a game. Its `ETag` is the version of the game."""
    hidden = ("not_public_yet",) if token is Token.OPTIONAL else ()
    return _tagged(responses, (*GAME_ERRORS, *hidden, *errors), token)


def never_changes(*responses: ResponseDoc, errors: Iterable[str] = ()) -> Describe:
    """Document a view whose response changes only with the version of the service."""
    return _tagged(responses, errors, Token.NONE)


def _tagged(responses: Iterable[ResponseDoc], errors: Iterable[str], token: Token) -> Describe:
    tagged = [response._replace(headers=["ETag", *response.headers]) for response in responses]
    unchanged = ResponseDoc(304, "The client's copy is current.", headers=["ETag"])
    # `If-Match` is honoured too, but no client of a read needs it, and tools that generate it see 412 only.
    return Describe([*tagged, unchanged], (*errors, "version_mismatch"), token, [IF_NONE_MATCH])


def writes(response: ResponseDoc, *, errors: Iterable[str] = (), token: Token = Token.REQUIRED) -> Describe:
    """Document a view that changes a game."""
    created = ["Location"] if response.status == HTTPStatus.CREATED else []
    response = response._replace(headers=["ETag", *created])
    headers = [IDEMPOTENCY_KEY, IF_MATCH, IF_NONE_MATCH]
    return Describe([response], (*WRITE_ERRORS, *errors), token, headers, of_version=True)


def of_player(*responses: ResponseDoc, errors: Iterable[str] = (), headers: Sequence[str] = ()) -> Describe:
    """Document a view of the player whose key the client sends."""
    return Describe(responses, (*PLAYER_KEY_ERRORS, *errors), Token.PLAYER, headers)


def creates(response: ResponseDoc, *, errors: Iterable[str] = (), key: str = IDEMPOTENCY_KEY) -> Describe:
    """Document a view that creates games.

    :param key: the component of its idempotency key.
    """
    errors = (*CREATION_ERRORS, *SEAT_BINDING_ERRORS, *errors)
    return Describe([response], errors, Token.OPTIONAL, [key])


_SHORTEST: Final = timedelta(days=182)
"""The guide's page on versions promises at least half a year."""


def deprecated(
    since: date, until: date, successor: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Announce in all responses that an operation may be removed after `until`; it stands above `@operation`.

    :param successor: the path of the operation to use, as in `/v2/games`.
    :raises ValueError: if the time is shorter than promised.
    """
    if until - since < _SHORTEST:
        raise ValueError(f"{until} is less than six months after {since}")
    begins, ends = (datetime(day.year, day.month, day.day, tzinfo=UTC) for day in (since, until))
    links = f'<{successor}>; rel="successor-version", </docs/versions#deprecation>; rel="deprecation"'

    def announce(response: Response) -> Response:
        response.headers["Deprecation"] = f"@{int(begins.timestamp())}"
        response.headers["Sunset"] = format_datetime(ends, usegmt=True)
        response.headers.add("Link", links)
        return response

    def decorate(view: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(view)
        def announced(*arguments: Any, **named: Any) -> Any:
            after_this_request(announce)  # errors of the view have the headers too
            return view(*arguments, **named)

        vars(announced)[DOCUMENTATION] = {**vars(view).get(DOCUMENTATION, {}), "deprecated": True}
        return announced

    return decorate
