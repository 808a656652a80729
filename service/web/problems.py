"""Refusals: the one table of codes, and the `application/problem+json` (RFC 9457) that carries them.

A refusal is raised as a `Problem`, or as the engine's `RuleError`, whose code is in the table too. Nothing
else in the service writes an error answer.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, NamedTuple

import msgspec
from flask import Flask, Response, current_app, request
from werkzeug.exceptions import HTTPException

from service.observability.logs import facts
from service.web.response_headers import REFUSAL, REQUEST_ID
from skye import RULE_ERRORS, RuleError

CONTENT_TYPE = "application/problem+json"


class Kind(NamedTuple):
    """What a code stands for: its HTTP status, and its meaning in one sentence."""

    status: int
    meaning: str


_SERVICE_KINDS: dict[str, Kind] = {
    "malformed_json": Kind(400, "The body is not JSON in UTF-8, or is nested too deeply."),
    "bad_request": Kind(400, "The request cannot be read as HTTP."),
    "token_required": Kind(401, "This needs a token: `Authorization: Bearer TOKEN`."),
    "token_unknown": Kind(
        401, "The token belongs to no seat or host of this game, or is not a Bearer token."
    ),
    "not_your_seat": Kind(403, "The token does not act for this seat."),
    "host_only": Kind(403, "Only the game's host token may do this."),
    "not_found": Kind(404, "There is nothing at this path."),
    "game_not_found": Kind(404, "There is no such game, or it is private and the caller has no token of it."),
    "seat_not_found": Kind(404, "The game has no such seat."),
    "round_not_found": Kind(404, "The round has not begun, or the game does not have that many."),
    "tile_not_found": Kind(404, "There is no such tile."),
    "method_not_allowed": Kind(405, "The path has no such method; `Allow` lists those it has."),
    "not_acceptable": Kind(406, "None of the media types in `Accept` can be served here."),
    "request_timeout": Kind(408, "The request has not come whole in time; the connection ends."),
    "game_not_started": Kind(409, "The game is still in its lobby."),
    "game_already_started": Kind(409, "The game has left its lobby."),
    "game_aborted": Kind(409, "The host has aborted the game; nothing can change it any more."),
    "game_full": Kind(409, "Every seat of the game is taken."),
    "color_taken": Kind(409, "Another player has this colour."),
    "too_few_players": Kind(409, "A game needs at least two players."),
    "seat_played_by_bot": Kind(409, "A bot plays this seat."),
    "too_many_changes": Kind(
        409, "The game has changed so often that nothing can be undone any more; what is left can be played."
    ),
    "game_not_over": Kind(409, "This needs a game that is over."),
    "version_mismatch": Kind(412, "`If-Match` names another version than the game's; `ETag` has that."),
    "body_too_large": Kind(413, "The body is larger than the service takes."),
    "uri_too_long": Kind(414, "The request line is longer than 8,190 bytes."),
    "unsupported_media_type": Kind(415, "Send the body as `Content-Type: application/json`."),
    "invalid_body": Kind(422, "The body is JSON of the wrong shape or range; `errors` tells where."),
    "invalid_parameter": Kind(
        422, "A parameter of the path, query or headers is invalid; `errors` tells which."
    ),
    "idempotency_key_reused": Kind(422, "The Idempotency-Key was used before with another request."),
    "headers_too_large": Kind(
        431, "More than 100 headers, one of more than 8,190 bytes, or a head of more than 32 KiB."
    ),
    "too_many_requests": Kind(429, "Slow down; `Retry-After` says for how many seconds."),
    "too_many_streams": Kind(429, "As many streams are open as one may have; close one, or wait."),
    "internal_error": Kind(500, "A fault in the service; nothing was changed. Please report the request id."),
    "store_unavailable": Kind(503, "The store does not answer; nothing is known to have changed. Retry."),
    "too_much_contention": Kind(503, "Too many requests changed the game at once. Retry."),
    "game_unreadable": Kind(503, "The stored game is damaged, or a newer version of the service wrote it."),
}

_RULE_STATUS = {"invalid_territory": 422, "invalid_record": 422, "invalid_setup": 422}

KINDS: dict[str, Kind] = _SERVICE_KINDS | {
    error.code: Kind(_RULE_STATUS.get(error.code, 409), error.meaning) for error in RULE_ERRORS
}
"""Every code there is, by name: the documentation of refusals is made from this."""

RETRY_AFTER_S = 1
"""What `Retry-After` says where the service itself is at its limit."""


def title_of(status: int) -> str:
    """Return the name of a status as RFC 9110 has it; Python's changes between versions."""
    return {413: "Content Too Large", 414: "URI Too Long", 422: "Unprocessable Content"}.get(
        status
    ) or HTTPStatus(status).phrase


class FieldError(NamedTuple):
    """What is wrong with one place of a request: a JSON pointer (or parameter name) and a sentence."""

    pointer: str
    detail: str


class Problem(Exception):
    """A refusal by the service; `code` is one of `KINDS`."""

    def __init__(
        self,
        code: str,
        detail: str | None = None,
        *,
        errors: list[FieldError] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail or KINDS[code].meaning
        self.errors = errors
        self.headers = headers or {}


def response_for(problem: Problem | RuleError) -> Response:
    """Return the answer that tells of a refusal."""
    kind = KINDS[problem.code]
    body: dict[str, Any] = {
        "type": f"/docs/errors#{problem.code}",
        "title": title_of(kind.status),
        "status": kind.status,
        "detail": problem.detail,
        "code": problem.code,
    }
    headers: dict[str, str] = {"Cache-Control": "no-store"}
    if isinstance(problem, RuleError):
        body.update(problem.facts)
    else:
        headers |= problem.headers
        if problem.errors is not None:
            body["errors"] = [error._asdict() for error in problem.errors]
    if kind.status in (429, 503):
        headers.setdefault("Retry-After", str(RETRY_AFTER_S))
    if kind.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return Response(msgspec.json.encode(body), kind.status, headers, content_type=CONTENT_TYPE)


def _refuse(problem: Problem | RuleError) -> Response:
    """Answer a request with a refusal, and leave word of it for those who count and log."""
    request.environ[REFUSAL] = problem.code
    return response_for(problem)


_BY_STATUS = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    413: "body_too_large",
    415: "unsupported_media_type",
}


def _http_error(error: HTTPException) -> Response:
    """Answer what Flask itself refuses: unknown paths, methods, too large a body."""
    code = _BY_STATUS.get(error.code or 500, "bad_request" if (error.code or 500) < 500 else "internal_error")
    headers = {name: value for name, value in error.get_headers() if name == "Allow"}
    return _refuse(Problem(code, headers=headers))


def _unexpected(error: Exception) -> Response:
    known = facts(
        request_id=request.environ.get(REQUEST_ID), method=request.method, endpoint=request.endpoint
    )
    current_app.logger.error("unexpected error", exc_info=error, extra=known)
    return _refuse(Problem("internal_error"))


def register(app: Flask) -> None:
    """Make every error of the app answer as a problem."""
    app.register_error_handler(Problem, _refuse)
    app.register_error_handler(RuleError, _refuse)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _unexpected)
