"""Decorators that say of a view what the contract says of its operation. They leave the view as it is.

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
"""Under which an answer that refuses lists its codes for programs."""


class Token(Enum):
    """Whether an operation asks for a token, and whether only a player key will do."""

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
    """A link from an answer to an operation, with its parameters as runtime expressions."""

    operation: str
    description: str
    parameters: dict[str, str]

    @property
    def doc(self) -> dict[str, Any]:
        """The link as OpenAPI writes it."""
        return {
            "operationId": self.operation,
            "description": self.description,
            "parameters": self.parameters,
        }


class ResponseDoc(NamedTuple):
    """What the contract says of a successful response of an operation."""

    status: int
    description: str
    schema: type[Schema] | dict[str, Any] | None = None
    content_type: str = JSON
    headers: Sequence[str] = ()
    links: Sequence[Link] = ()


STORE = ("store_unavailable",)
"""What refuses wherever games are read."""

GAME = (
    *STORE,
    "token_unknown",
    "not_found",
    "game_not_found",
    "game_unreadable",
    "too_much_contention",
    "server_busy",
)
"""What refuses wherever a game is named."""

BODY = (
    "bad_request",
    "malformed_json",
    "unsupported_media_type",
    "body_too_large",
    "invalid_body",
    "server_busy",
)
"""What refuses wherever there is a body."""

CREATES = (
    *STORE,
    "bad_request",
    "body_too_large",
    "invalid_parameter",
    "idempotency_key_reused",
    "too_much_contention",
    "server_busy",
)
"""What refuses wherever an answer is remembered under a key."""

KEYED = ("token_unknown", "game_unreadable", "too_many_games")
"""What refuses wherever a player key takes a seat."""

PLAYERS = (*STORE, "player_key_required", "token_unknown", "game_unreadable", "too_much_contention")
"""What refuses wherever only a player key will do."""

WRITES = (*GAME, *CREATES, "version_mismatch")
"""What refuses wherever a game is changed."""

NEW_GAME_ERRORS = (
    "invalid_setup",
    "invalid_record",
    "game_not_over",
    "game_full",
    "color_taken",
    "name_taken",
)
"""The codes of a request that creates games."""

HOST = ("token_required", "host_only")
"""The codes of a request that only the host may send."""

OWN_SEAT = ("token_required", "not_your_seat", "seat_not_found")
"""The codes of a request that needs the token of a seat; the host may act for some seats."""


def text(name: str) -> dict[str, str]:
    """Return the schema of an answer that is no JSON: the component of this name."""
    return {"$ref": f"#/components/schemas/{name}"}


_UNEXPECTED = (
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
"""What any operation could answer, though it should not come to that."""

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
    """Documents a view: its answers, the codes it refuses with, and the headers it heeds.

    `limited` says whether its requests are counted.
    """

    answers: Sequence[ResponseDoc]
    refuses: Iterable[str] = ()
    token: Token = Token.NONE
    headers: Sequence[str] = ()
    limited: bool = True

    def __call__(self, view: View) -> View:
        """Note on the view what flask-smorest reads when the document is made."""
        known: dict[str, Any] = deepcopy(vars(view).get("_apidoc", {}))
        known.setdefault("arguments", {}).setdefault("parameters", []).extend(map(component_of, self.headers))
        known["manual_doc"] = {
            "operationId": view.__name__,
            "security": _SECURITY[self.token],
            "responses": self._responses() | self._refusals(),
        }
        vars(view)["_apidoc"] = known
        return view

    def _responses(self) -> dict[int | str, Any]:
        responses: dict[int | str, Any] = {}
        for answer in self.answers:
            response = responses.setdefault(answer.status, {"description": answer.description})
            limits = _LIMITS if self.limited else ()
            response["headers"] = _named("Cache-Control", *answer.headers, *_EVERYWHERE, *limits)
            if answer.schema is not None:
                response.setdefault("content", {})[answer.content_type] = {"schema": answer.schema}
            if answer.links:
                response["links"] = {link.operation: link.doc for link in answer.links}
        return responses

    def _refusals(self) -> dict[int | str, Any]:
        wanted = {*self.refuses, *(["too_many_requests"] if self.limited else [])}
        by_status: dict[int | str, list[str]] = {}
        for code, kind in ERROR_CODES.items():
            if code in wanted:
                by_status.setdefault(kind.status, []).append(code)
        by_status["default"] = list(_UNEXPECTED)
        return {
            status: _SHARED_NAMES.get(tuple(codes)) or _refusal(status, codes)
            for status, codes in by_status.items()
        }


def operation(
    *answers: ResponseDoc, refuses: Iterable[str] = (), headers: Sequence[str] = (), limited: bool = True
) -> Describe:
    """Document a view that has to do with no game in particular."""
    return Describe(answers, refuses, headers=headers, limited=limited)


def reads(*answers: ResponseDoc, refuses: Iterable[str] = (), token: Token = Token.OPTIONAL) -> Describe:
    """Document a view that shows something of a game, which has the game's version for a tag."""
    return _tagged(answers, (*GAME, *refuses), token)


def never_changes(*answers: ResponseDoc, refuses: Iterable[str] = ()) -> Describe:
    """Document a view that always shows the same while a version of the service runs."""
    return _tagged(answers, refuses, Token.NONE)


def _tagged(answers: Iterable[ResponseDoc], refuses: Iterable[str], token: Token) -> Describe:
    tagged = [answer._replace(headers=["ETag", *answer.headers]) for answer in answers]
    unchanged = ResponseDoc(304, "What the client has still holds.", headers=["ETag"])
    return Describe([*tagged, unchanged], refuses, token, [IF_NONE_MATCH])


def writes(
    answer: ResponseDoc,
    *others: ResponseDoc,
    refuses: Iterable[str] = (),
    token: Token = Token.REQUIRED,
) -> Describe:
    """Document a view that changes a game; `others` are its answers that show no game."""
    created = ["Location"] if answer.status == HTTPStatus.CREATED else []
    answer = answer._replace(headers=["ETag", *created])
    return Describe([answer, *others], (*WRITES, *refuses), token, [IDEMPOTENCY_KEY, IF_MATCH])


def of_player(*answers: ResponseDoc, refuses: Iterable[str] = (), headers: Sequence[str] = ()) -> Describe:
    """Document a view that is about the player whose key is sent."""
    return Describe(answers, (*PLAYERS, *refuses), Token.PLAYER, headers)


def creates(answer: ResponseDoc, *, refuses: Iterable[str] = ()) -> Describe:
    """Document a view that makes a game."""
    answer = answer._replace(headers=["ETag", "Location"])
    return Describe([answer], (*CREATES, *KEYED, *refuses), Token.OPTIONAL, [IDEMPOTENCY_KEY])


def creates_several(answer: ResponseDoc, *, refuses: Iterable[str] = ()) -> Describe:
    """Document a view that makes several games, which needs an idempotency key."""
    return Describe([answer], (*CREATES, *KEYED, *refuses), Token.OPTIONAL, [REQUIRED_IDEMPOTENCY_KEY])


def _named(*names: str) -> dict[str, str]:
    """Return headers as references to their components."""
    return {name: name for name in names}


def _refusal(status: int | str, codes: Sequence[str]) -> dict[str, Any]:
    """Return the answer that refuses with a status, for one of some reasons."""
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
    "Unexpected": _UNEXPECTED,
    **{code.title().replace("_", ""): (code,) for code in ERROR_CODES},
}
_SHARED_NAMES = {codes: name for name, codes in _SHARED.items()}


def shared_refusals() -> dict[str, dict[str, Any]]:
    """Return the refusals that several operations may have in common, by the name of the component."""
    return {
        name: _refusal("default" if name == "Unexpected" else ERROR_CODES[codes[0]].status, codes)
        for name, codes in _SHARED.items()
    }
