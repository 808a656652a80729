"""Error codes: the one table of codes with status and meaning, and the exception that carries one.

`service.web.problems` renders them as `application/problem+json` (RFC 9457). Illegal moves are raised by the
engine as `RuleError`; their codes are in the table too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from skye import RULE_ERRORS


class ErrorCode(NamedTuple):
    """The HTTP status and the meaning of an error code, in one sentence."""

    status: int
    meaning: str


_SERVICE_CODES: dict[str, ErrorCode] = {
    "malformed_json": ErrorCode(400, "The body is not JSON in UTF-8, or is nested too deeply."),
    "bad_request": ErrorCode(400, "The request cannot be read as HTTP."),
    "invalid_fault": ErrorCode(400, "`X-Skye-Fault` is invalid; `errors` tells why. Nothing was done."),
    "token_required": ErrorCode(401, "This needs a token: `Authorization: Bearer TOKEN`."),
    "token_unknown": ErrorCode(
        401,
        "The token belongs to no seat or host of this game, is a replaced player key, or no Bearer token.",
    ),
    "player_key_required": ErrorCode(
        401, "This needs a player key: `Authorization: Bearer skye_key_...`, a key that the client makes."
    ),
    "not_your_seat": ErrorCode(403, "The token does not act for this seat."),
    "host_only": ErrorCode(403, "Only the game's host token may do this."),
    "lab_off": ErrorCode(
        403, "The server is no lab (`SKYE_LAB`): it takes no `X-Skye-Fault` and empties no store."
    ),
    "not_found": ErrorCode(404, "There is nothing at this path."),
    "game_not_found": ErrorCode(
        404, "There is no such game, or it is private and the caller has no token of it."
    ),
    "match_not_found": ErrorCode(404, "The player of this key has no such request for a quick match."),
    "seat_not_found": ErrorCode(404, "The game has no such seat."),
    "event_not_found": ErrorCode(404, "The game has not had that many events."),
    "round_not_found": ErrorCode(404, "The round has not begun, or the game does not have that many."),
    "tile_not_found": ErrorCode(404, "There is no such tile."),
    "method_not_allowed": ErrorCode(405, "The path has no such method; `Allow` lists those it has."),
    "not_acceptable": ErrorCode(406, "None of the media types in `Accept` can be served here."),
    "request_timeout": ErrorCode(408, "The request has not come whole in time; the connection ends."),
    "game_not_started": ErrorCode(409, "The game is still in its lobby."),
    "game_already_started": ErrorCode(409, "The game has left its lobby."),
    "game_aborted": ErrorCode(409, "The host has aborted the game; nothing can change it any more."),
    "game_full": ErrorCode(409, "Every seat of the game is taken."),
    "color_taken": ErrorCode(409, "Another player has this colour."),
    "name_taken": ErrorCode(409, "Another player of this game has this name."),
    "already_seated": ErrorCode(409, "The player of this key holds a seat of the game already."),
    "key_taken": ErrorCode(409, "The new player key is in use, or was."),
    "too_few_players": ErrorCode(409, "A game needs at least two players."),
    "seat_played_by_bot": ErrorCode(409, "A bot plays this seat."),
    "too_many_changes": ErrorCode(
        409, "The game has changed so often that nothing can be undone any more; what is left can be played."
    ),
    "clock_not_manual": ErrorCode(409, "The clock of the game is not manual."),
    "game_not_over": ErrorCode(409, "This needs a game that is over."),
    "history_lost": ErrorCode(
        410,
        "The player has no event of this id any more: list the games again, and follow from `last_event`.",
    ),
    "version_mismatch": ErrorCode(412, "`If-Match` names another version than the game's; `ETag` has that."),
    "body_too_large": ErrorCode(413, "The body is larger than the service takes."),
    "uri_too_long": ErrorCode(414, "The request line is longer than 8,190 bytes."),
    "unsupported_media_type": ErrorCode(415, "Send the body as `Content-Type: application/json`."),
    "invalid_body": ErrorCode(422, "The body is JSON of the wrong shape or range; `errors` tells where."),
    "invalid_parameter": ErrorCode(
        422, "A parameter of the path, query or headers is invalid; `errors` tells which."
    ),
    "idempotency_key_reused": ErrorCode(422, "The Idempotency-Key was used before with another request."),
    "headers_too_large": ErrorCode(
        431, "More than 100 headers, one of more than 8,190 bytes, or a head of more than 32 KiB."
    ),
    "too_many_requests": ErrorCode(429, "Slow down; `Retry-After` says for how many seconds."),
    "too_many_games": ErrorCode(429, "The player key has as many games as one may have that are not over."),
    "too_many_streams": ErrorCode(429, "As many streams are open as one may have; close one, or wait."),
    "internal_error": ErrorCode(
        500, "A fault in the service; nothing was changed. Please report the request id."
    ),
    "store_unavailable": ErrorCode(
        503, "The store does not answer; nothing is known to have changed. Retry."
    ),
    "too_much_contention": ErrorCode(503, "Too many requests changed the game at once. Retry."),
    "server_busy": ErrorCode(503, "The server is computing the moves of too many bots. Retry."),
    "game_unreadable": ErrorCode(
        503, "The stored game is damaged, or a newer version of the service wrote it."
    ),
}

_RULE_STATUS = {"invalid_territory": 422, "invalid_record": 422, "invalid_setup": 422}

ERROR_CODES: dict[str, ErrorCode] = _SERVICE_CODES | {
    error.code: ErrorCode(_RULE_STATUS.get(error.code, 409), error.meaning) for error in RULE_ERRORS
}
"""Every error code by name; the documentation of the error responses is generated from this table."""


MAX_ERRORS: Final = 20
"""Validation errors reported for one body."""


class FieldError(NamedTuple):
    """One invalid place of a request: its JSON pointer (or parameter name) and a sentence about it."""

    pointer: str
    detail: str


class Problem(Exception):
    """An error that the service reports to the client; `code` is one of `ERROR_CODES`."""

    def __init__(
        self,
        code: str,
        detail: str | None = None,
        *,
        errors: list[FieldError] | None = None,
        headers: dict[str, str] | None = None,
        **params: str | int,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail or ERROR_CODES[code].meaning
        self.errors = errors
        self.headers = headers or {}
        self.params: Mapping[str, object] = params
