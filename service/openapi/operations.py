"""Decorators that document a view for the contract. They do not change the view.

The view's docstring gives summary and description, and its name the `operationId`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from enum import Enum
from http import HTTPStatus
from typing import Any, NamedTuple, TypeVar

from marshmallow import Schema

from service.matches.errors import ERROR_CODES
from service.openapi.components import (
    IDEMPOTENCY_KEY,
    IF_MATCH,
    IF_NONE_MATCH,
    PLAYER,
    REQUIRED_IDEMPOTENCY_KEY,
    TOKEN,
    component_of,
)
from service.schemas.responses import Problem
from service.web.problems import CONTENT_TYPE

JSON = "application/json"

View = TypeVar("View", bound=Callable[..., Any])

CODES = "x-problem-codes"
"""The extension under which an error response lists its codes."""


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
    """A link from an response to an operation, with its parameters as runtime expressions."""

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
    schema: type[Schema] | dict[str, Any] | None = None
    content_type: str = JSON
    headers: Sequence[str] = ()
    links: Sequence[Link] = ()


STORE_ERRORS = ("store_unavailable",)
"""The codes of every operation that reads the store."""

GAME_ERRORS = (
    *STORE_ERRORS,
    "token_unknown",
    "not_found",
    "game_not_found",
    "game_unreadable",
    "too_much_contention",
    "server_busy",
)
"""The codes of every operation on a game."""

BODY_ERRORS = (
    "bad_request",
    "malformed_json",
    "unsupported_media_type",
    "body_too_large",
    "invalid_body",
    "server_busy",
)
"""The codes of every operation with a request body."""

CREATION_ERRORS = (
    *STORE_ERRORS,
    "bad_request",
    "body_too_large",
    "invalid_parameter",
    "idempotency_key_reused",
    "too_much_contention",
    "server_busy",
)
"""The codes of every operation that stores its response under an idempotency key."""

SEAT_BINDING_ERRORS = ("token_unknown", "game_unreadable", "too_many_games")
"""The codes of every operation that can bind a seat to a player key."""

PLAYER_KEY_ERRORS = (
    *STORE_ERRORS,
    "player_key_required",
    "token_unknown",
    "game_unreadable",
    "too_much_contention",
)
"""The codes of every operation that requires a player key."""

WRITE_ERRORS = (*GAME_ERRORS, *CREATION_ERRORS, "version_mismatch")
"""The codes of every operation that changes a game."""

NEW_GAME_ERRORS = (
    "invalid_setup",
    "invalid_record",
    "game_not_over",
    "game_full",
    "color_taken",
    "name_taken",
)
"""The codes of every operation that creates games."""

HOST_ERRORS = ("token_required", "host_only")
"""The codes of every operation that only the host may call."""

OWN_SEAT_ERRORS = ("token_required", "not_your_seat", "seat_not_found")
"""The codes of every operation that needs the token of a seat; the host may act for some seats."""


def text(name: str) -> dict[str, str]:
    """Return the schema of a response that is not JSON: a reference to the component of this name."""
    return {"$ref": f"#/components/schemas/{name}"}


_UNEXPECTED_ERRORS = (
    "bad_request",
    "invalid_fault",
    "lab_off",
    "method_not_allowed",
    "invalid_parameter",
    "request_timeout",
    "uri_too_long",
    "headers_too_large",
    "internal_error",
)
"""The codes of the `default` response, which every operation has."""

_LIMITS = ("RateLimit", "RateLimit-Policy")
_EVERYWHERE = (
    "X-Request-Id",
    "X-Skye-Lab",
    "Vary",
    "Access-Control-Allow-Origin",
    "Access-Control-Expose-Headers",
)
_OF_STATUS: dict[int | str, list[str]] = {
    401: ["WWW-Authenticate"],
    412: ["ETag"],
    429: ["Retry-After"],
    503: ["Retry-After"],
    "default": ["Allow"],
}


class Describe(NamedTuple):
    """Documents a view: its responses, its error codes and its request headers.

    `limited` is whether its requests count against the rate limit.
    """

    responses: Sequence[ResponseDoc]
    errors: Iterable[str] = ()
    token: Token = Token.NONE
    headers: Sequence[str] = ()
    limited: bool = True

    def __call__(self, view: View) -> View:
        """Store the documentation on the view, where flask-smorest reads it."""
        known: dict[str, Any] = deepcopy(vars(view).get("_apidoc", {}))
        known.setdefault("arguments", {}).setdefault("parameters", []).extend(map(component_of, self.headers))
        known["manual_doc"] = {
            "operationId": view.__name__,
            "security": _SECURITY[self.token],
            "responses": self._responses() | self._error_responses(),
        }
        vars(view)["_apidoc"] = known
        return view

    def _responses(self) -> dict[int | str, Any]:
        responses: dict[int | str, Any] = {}
        for documented in self.responses:
            response = responses.setdefault(documented.status, {"description": documented.description})
            limits = _LIMITS if self.limited else ()
            response["headers"] = _named("Cache-Control", *documented.headers, *_EVERYWHERE, *limits)
            if documented.schema is not None:
                response.setdefault("content", {})[documented.content_type] = {"schema": documented.schema}
            if documented.links:
                response["links"] = {link.operation: link.doc for link in documented.links}
        return responses

    def _error_responses(self) -> dict[int | str, Any]:
        wanted = {*self.errors, *(["too_many_requests"] if self.limited else [])}
        by_status: dict[int | str, list[str]] = {}
        for code, kind in ERROR_CODES.items():
            if code in wanted:
                by_status.setdefault(kind.status, []).append(code)
        by_status["default"] = list(_UNEXPECTED_ERRORS)
        return {
            status: _SHARED_NAMES.get(tuple(codes)) or _error_response(status, codes)
            for status, codes in by_status.items()
        }


def operation(
    *responses: ResponseDoc, errors: Iterable[str] = (), headers: Sequence[str] = (), limited: bool = True
) -> Describe:
    """Document a view that does not belong to a single game."""
    return Describe(responses, errors, headers=headers, limited=limited)


def reads(*responses: ResponseDoc, errors: Iterable[str] = (), token: Token = Token.OPTIONAL) -> Describe:
    """Document a view that reads a game. Its `ETag` is the version of the game."""
    return _tagged(responses, (*GAME_ERRORS, *errors), token)


def never_changes(*responses: ResponseDoc, errors: Iterable[str] = ()) -> Describe:
    """Document a view whose response changes only with the version of the service."""
    return _tagged(responses, errors, Token.NONE)


def _tagged(responses: Iterable[ResponseDoc], errors: Iterable[str], token: Token) -> Describe:
    tagged = [response._replace(headers=["ETag", *response.headers]) for response in responses]
    unchanged = ResponseDoc(304, "The client's copy is current.", headers=["ETag"])
    return Describe([*tagged, unchanged], errors, token, [IF_NONE_MATCH])


def writes(
    response: ResponseDoc,
    *others: ResponseDoc,
    errors: Iterable[str] = (),
    token: Token = Token.REQUIRED,
) -> Describe:
    """Document a view that changes a game; `others` are its responses without the game."""
    created = ["Location"] if response.status == HTTPStatus.CREATED else []
    response = response._replace(headers=["ETag", *created])
    return Describe([response, *others], (*WRITE_ERRORS, *errors), token, [IDEMPOTENCY_KEY, IF_MATCH])


def of_player(*responses: ResponseDoc, errors: Iterable[str] = (), headers: Sequence[str] = ()) -> Describe:
    """Document a view of the player whose key the client sends."""
    return Describe(responses, (*PLAYER_KEY_ERRORS, *errors), Token.PLAYER, headers)


def creates(response: ResponseDoc, *, errors: Iterable[str] = ()) -> Describe:
    """Document a view that creates a game."""
    response = response._replace(headers=["ETag", "Location"])
    return Describe(
        [response], (*CREATION_ERRORS, *SEAT_BINDING_ERRORS, *errors), Token.OPTIONAL, [IDEMPOTENCY_KEY]
    )


def creates_several(response: ResponseDoc, *, errors: Iterable[str] = ()) -> Describe:
    """Document a view that creates several games and requires an idempotency key."""
    return Describe(
        [response],
        (*CREATION_ERRORS, *SEAT_BINDING_ERRORS, *errors),
        Token.OPTIONAL,
        [REQUIRED_IDEMPOTENCY_KEY],
    )


def _named(*names: str) -> dict[str, str]:
    """Return headers as references to their components."""
    return {name: name for name in names}


def _error_response(status: int | str, codes: Sequence[str]) -> dict[str, Any]:
    """Return the error response of a status, with the codes that it can have."""
    return {
        "description": "\n".join(f"- `{code}`: {ERROR_CODES[code].meaning}" for code in codes),
        "headers": _named("Cache-Control", *_OF_STATUS.get(status, []), *_EVERYWHERE, *_LIMITS),
        "content": {CONTENT_TYPE: {"schema": Problem}},
        CODES: list(codes),
    }


_SHARED: dict[str, tuple[str, ...]] = {
    "UnreadableBody": ("malformed_json", "bad_request"),
    "TokenNeeded": ("token_required", "token_unknown"),
    "PlayerKeyNeeded": ("token_unknown", "player_key_required"),
    "InvalidRequest": ("invalid_body", "invalid_parameter", "idempotency_key_reused"),
    "InvalidHeader": ("invalid_parameter", "idempotency_key_reused"),
    "NoSuchGame": ("not_found", "game_not_found"),
    "NoSuchSeat": ("not_found", "game_not_found", "seat_not_found"),
    "Unavailable": ("store_unavailable", "too_much_contention", "server_busy", "game_unreadable"),
    "Unexpected": _UNEXPECTED_ERRORS,
    **{code.title().replace("_", ""): (code,) for code in ERROR_CODES},
}
_SHARED_NAMES = {codes: name for name, codes in _SHARED.items()}


def shared_error_responses() -> dict[str, dict[str, Any]]:
    """Return the error responses that several operations share, by the name of the component."""
    return {
        name: _error_response("default" if name == "Unexpected" else ERROR_CODES[codes[0]].status, codes)
        for name, codes in _SHARED.items()
    }
