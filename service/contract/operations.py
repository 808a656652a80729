"""Decorators that say of a view what the contract says of its operation. They leave the view as it is.

The view's docstring gives summary and description, and its name the `operationId`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from enum import Enum
from types import FunctionType
from typing import Any, NamedTuple, TypeVar

from marshmallow import Schema

from service.contract.components import IDEMPOTENCY_KEY, IF_MATCH, IF_NONE_MATCH, TOKEN
from service.problems import CONTENT_TYPE, KINDS
from service.schemas.answers import Problem

JSON = "application/json"

View = TypeVar("View", bound=FunctionType)

CODES = "x-problem-codes"
"""Under which an answer that refuses lists its codes for programs."""


class Token(Enum):
    """Whether an operation asks for a token."""

    NONE = "none"
    OPTIONAL = "optional"
    REQUIRED = "required"


_SECURITY: dict[Token, list[dict[str, list[str]]]] = {
    Token.NONE: [],
    Token.OPTIONAL: [{}, {TOKEN: []}],
    Token.REQUIRED: [{TOKEN: []}],
}


class Link(NamedTuple):
    """A link from an answer to an operation, with its parameters as runtime expressions."""

    operation: str
    description: str
    parameters: dict[str, str]


class Answer(NamedTuple):
    """One answer of an operation that is no refusal."""

    status: int
    description: str
    schema: type[Schema] | dict[str, Any] | None = None
    content_type: str = JSON
    headers: Sequence[str] = ()
    links: Sequence[Link] = ()


EVERYWHERE = ("bad_request", "method_not_allowed", "internal_error")
"""What any operation could answer, though it should not come to that."""

STORE = ("too_many_requests", "store_unavailable")
"""What refuses wherever games are read."""

GAME = (*STORE, "token_unknown", "game_not_found", "game_unreadable", "too_much_contention")
"""What refuses wherever a game is named."""

BODY = ("bad_request", "malformed_json", "unsupported_media_type", "body_too_large", "invalid_body")
"""What refuses wherever there is a body."""

CREATES = (
    *STORE,
    "bad_request",
    "body_too_large",
    "invalid_parameter",
    "idempotency_key_reused",
    "too_much_contention",
)
"""What refuses wherever an answer is remembered under a key."""

WRITES = (*GAME, *CREATES, "version_mismatch")
"""What refuses wherever a game is changed."""

_TAGGED = ("ETag", "Cache-Control")


def operation(
    *answers: Answer, refuses: Iterable[str] = (), token: Token = Token.NONE, headers: Sequence[str] = ()
) -> Callable[[View], View]:
    """Document a view: its answers, the codes it refuses with, and the headers it heeds."""

    def document(view: View) -> View:
        known: dict[str, Any] = deepcopy(vars(view).get("_apidoc", {}))
        known.setdefault("arguments", {}).setdefault("parameters", []).extend(headers)
        known["manual_doc"] = {
            "operationId": view.__name__,
            "security": _SECURITY[token],
            "responses": _responses(answers) | _refusals(refuses),
        }
        vars(view)["_apidoc"] = known
        return view

    return document


def reads(
    *answers: Answer, refuses: Iterable[str] = (), token: Token = Token.OPTIONAL
) -> Callable[[View], View]:
    """Document a view that shows something of a game, which has the game's version for a tag."""
    tagged = [answer._replace(headers=_TAGGED) for answer in answers]
    unchanged = Answer(304, "What the client has still holds.", headers=_TAGGED)
    refusals = (*GAME, "not_acceptable", *refuses)
    return operation(*tagged, unchanged, refuses=refusals, token=token, headers=[IF_NONE_MATCH])


def writes(
    answer: Answer, *, refuses: Iterable[str] = (), token: Token = Token.REQUIRED
) -> Callable[[View], View]:
    """Document a view that changes a game."""
    answer = answer._replace(headers=(*_TAGGED, *answer.headers))
    return operation(answer, refuses=(*WRITES, *refuses), token=token, headers=[IDEMPOTENCY_KEY, IF_MATCH])


def creates(answer: Answer, *, refuses: Iterable[str] = ()) -> Callable[[View], View]:
    """Document a view that makes a game."""
    answer = answer._replace(headers=(*_TAGGED, "Location"))
    return operation(answer, refuses=(*CREATES, *refuses), headers=[IDEMPOTENCY_KEY])


def never_changes(*answers: Answer, refuses: Iterable[str] = ()) -> Callable[[View], View]:
    """Document a view that always shows the same while a version of the service runs."""
    tagged = [answer._replace(headers=_TAGGED) for answer in answers]
    unchanged = Answer(304, "What the client has still holds.", headers=_TAGGED)
    return operation(*tagged, unchanged, refuses=refuses, headers=[IF_NONE_MATCH])


def _responses(answers: Iterable[Answer]) -> dict[int | str, Any]:
    responses: dict[int | str, Any] = {}
    for answer in answers:
        response = responses.setdefault(answer.status, {"description": answer.description})
        if answer.headers:
            response["headers"] = {name: name for name in answer.headers}
        if answer.schema is not None:
            response.setdefault("content", {})[answer.content_type] = {"schema": answer.schema}
        if answer.links:
            response["links"] = {
                f"{link.operation}": {
                    "operationId": link.operation,
                    "description": link.description,
                    "parameters": link.parameters,
                }
                for link in answer.links
            }
    return responses


def _refusals(codes: Iterable[str]) -> dict[int | str, Any]:
    wanted = set(codes)
    by_status: dict[int | str, list[str]] = {}
    for code in KINDS:  # in the order of the table
        if code in wanted:
            by_status.setdefault(KINDS[code].status, []).append(code)
    return {status: _refusal(status, of_status) for status, of_status in by_status.items()} | {
        "default": _refusal("default", EVERYWHERE)
    }


_HEADERS_OF: dict[int | str, list[str]] = {
    401: ["WWW-Authenticate"],
    429: ["Retry-After"],
    503: ["Retry-After"],
}


def _refusal(status: int | str, codes: Sequence[str]) -> dict[str, Any]:
    names = ["Cache-Control", *_HEADERS_OF.get(status, [])]
    return {
        "description": "\n".join(f"- `{code}`: {KINDS[code].meaning}" for code in codes),
        "headers": {name: name for name in names},
        "content": {CONTENT_TYPE: {"schema": Problem}},
        CODES: list(codes),
    }
