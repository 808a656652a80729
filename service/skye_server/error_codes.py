"""Error codes: the table of codes with status and meaning, and the exception that carries one.

`skye_server.http.problems` renders them as `application/problem+json` (RFC 9457). The table includes the
codes of the engine's `RuleError` and those of the features.

What reads the store may raise store_unavailable, data_corrupt and data_newer; what writes to it also
too_much_contention, when others change the same each time. Docstrings name the other codes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final, NamedTuple

from skye.errors import RULE_ERRORS
from skye.words import Word
from skye_server.features import ErrorCode, merged

_SERVICE_CODES: dict[str, ErrorCode] = {
    "malformed_json": ErrorCode(
        400,
        "The body is not JSON in UTF-8, is nested too deeply, or has two members of one name in an object.",
    ),
    "bad_request": ErrorCode(400, "The request is not valid HTTP."),
    "token_required": ErrorCode(401, "This needs a token: `Authorization: Bearer TOKEN`."),
    "token_unknown": ErrorCode(
        401,
        "The token is not one of this game, is a replaced player key, or is not a Bearer token.",
    ),
    "player_key_required": ErrorCode(
        401, "This needs a player key, which the client generates: `Authorization: Bearer skye_key_...`."
    ),
    "not_your_seat": ErrorCode(403, "The token does not act for this seat."),
    "host_only": ErrorCode(403, "This needs the game's host token."),
    "player_key_only": ErrorCode(
        403, "This accepts no other token than a player key, and the token is one of a game."
    ),
    "not_public_yet": ErrorCode(
        403, "Only the players see the content of this game until it is over (`public_from`)."
    ),
    "hints_off": ErrorCode(403, "The game is played without hints until it is over (`hints`)."),
    "lab_off": ErrorCode(
        403, "The server is not a lab (`SKYE_LAB`): it rejects `Skye-Fault` and all of `/v1/lab`."
    ),
    "not_found": ErrorCode(404, "There is nothing at this path."),
    "game_not_found": ErrorCode(
        404, "There is no such game, or it is private and the caller has none of its tokens."
    ),
    "seat_not_found": ErrorCode(404, "The game has no such seat."),
    "invitation_not_found": ErrorCode(404, "The game has no such unused invitation."),
    "event_not_found": ErrorCode(404, "The game does not have that many events."),
    "round_not_found": ErrorCode(
        404,
        "The round has not begun, was before the position from which the game began, or does not exist.",
    ),
    "tile_not_found": ErrorCode(404, "There is no such tile."),
    "method_not_allowed": ErrorCode(405, "The path does not support the method; `Allow` lists its methods."),
    "not_acceptable": ErrorCode(406, "The path supports none of the media types in `Accept`."),
    "request_timeout": ErrorCode(
        408, "The server did not receive the whole request in time; it closes the connection."
    ),
    "game_not_started": ErrorCode(409, "The game is still in its lobby."),
    "game_already_started": ErrorCode(409, "The game has left its lobby."),
    "game_aborted": ErrorCode(409, "The game was aborted; it can no longer change."),
    "game_full": ErrorCode(409, "Every seat of the game is taken."),
    "seat_taken": ErrorCode(409, "Another player has this seat."),
    "color_taken": ErrorCode(409, "Another player has this colour."),
    "name_taken": ErrorCode(409, "Another player of this game has this name."),
    "already_seated": ErrorCode(409, "This player key already holds a seat of the game."),
    "key_taken": ErrorCode(409, "The new player key is or was in use."),
    "too_few_players": ErrorCode(409, "A game needs at least two players."),
    "seat_played_by_bot": ErrorCode(409, "A bot plays this seat."),
    "seat_not_taken_over": ErrorCode(409, "No bot has taken this seat over after a missed deadline."),
    "takeover_not_possible": ErrorCode(
        409, "The seat cannot be taken over now: nobody has waited long for it, or the game has a clock."
    ),
    "proposal_open": ErrorCode(409, "Another proposal is open; a game has one at a time."),
    "already_proposed": ErrorCode(409, "Such a proposal was made in this round, less than a day ago."),
    "rated_game": ErrorCode(409, "A rated game cannot be aborted once an offer is set: its result counts."),
    "game_paused": ErrorCode(409, "The game is paused; a player can resume it."),
    "game_not_paused": ErrorCode(409, "The game is not paused."),
    "pause_not_possible": ErrorCode(
        409, "The game has no deadline, or its options allow no pause, or it has paused ten times."
    ),
    "no_open_proposal": ErrorCode(409, "No proposal is open in the game."),
    "not_last_placement": ErrorCode(
        409, "Only the last placement of the round can be taken back, and this is another one."
    ),
    "too_many_changes": ErrorCode(
        409, "The seat has used up its revisions, or the game its changes; everybody can still play on."
    ),
    "clock_not_manual": ErrorCode(409, "The clock of the game is not manual."),
    "too_many_games": ErrorCode(409, "The player key has the maximum number of games that are not over."),
    "game_not_over": ErrorCode(409, "This needs a game that is over."),
    "invitation_over": ErrorCode(
        410,
        "The invitation code is no longer valid; `invitation_end` of `params` is the reason.",
    ),
    "history_lost": ErrorCode(
        410,
        "The server does not have the event `after`: load the data again, and follow from its `last_event`.",
    ),
    "version_mismatch": ErrorCode(
        412, "`If-Match` does not name the entity tag, or `If-None-Match` does; `ETag` has the current one."
    ),
    "body_too_large": ErrorCode(413, "The body is too large."),
    "uri_too_long": ErrorCode(414, "The request line is longer than 8,190 bytes."),
    "unsupported_media_type": ErrorCode(415, "Send the body as `Content-Type: application/json`."),
    "invalid_body": ErrorCode(
        422, "The body has the wrong shape or values out of range; `errors` lists them."
    ),
    "invalid_parameter": ErrorCode(
        422, "A parameter in the path, the query or the headers is invalid; `errors` names it."
    ),
    "idempotency_key_reused": ErrorCode(422, "A different request has used this Idempotency-Key."),
    "headers_too_large": ErrorCode(
        431, "More than 100 headers, one of more than 8,190 bytes, or a head of more than 32 KiB."
    ),
    "too_many_requests": ErrorCode(429, "The rate limit is exceeded; wait `Retry-After` seconds."),
    "too_many_streams": ErrorCode(429, "The maximum number of streams is open; close one, or wait."),
    "internal_error": ErrorCode(
        500, "The service failed; nothing was changed. Please report the request id."
    ),
    "data_corrupt": ErrorCode(500, "The stored data is damaged. Please report the request id."),
    "store_unavailable": ErrorCode(
        503, "The store does not respond. A write may or may not have been applied. Retry."
    ),
    "too_much_contention": ErrorCode(503, "Too many requests changed the game at once. Retry."),
    "server_busy": ErrorCode(503, "The server is computing too much for this address. Retry."),
    "storage_full": ErrorCode(
        503, "The store is nearly full, and takes nothing new; games in play go on. Retry later."
    ),
    "data_newer": ErrorCode(503, "A newer version of the service wrote the stored data."),
}

_RULE_STATUS = {"invalid_territory": 422, "invalid_record": 422, "invalid_setup": 422}

_BY_STATUS = sorted((_SERVICE_CODES | merged("errors")).items(), key=lambda item: item[1].status)

ERROR_CODES: dict[str, ErrorCode] = dict(_BY_STATUS) | {
    error.code: ErrorCode(_RULE_STATUS.get(error.code, 409), error.meaning) for error in RULE_ERRORS
}
"""Every error code by name; the documentation of the error responses is generated from this table."""


UNREADABLE: Final = ("data_corrupt", "data_newer")
"""The codes of stored data that cannot be read."""

MAX_ERRORS: Final = 20
"""The maximum number of validation errors in one response."""


_PARAMETER: Final = "a parameter in the path or the query."


class ErrorPlace(Word):
    """A part of a request."""

    BODY = "body", "a value in the body."
    PATH = "path", _PARAMETER
    QUERY = "query", _PARAMETER
    HEADER = "header", "a header."


class FieldError(NamedTuple):
    """An invalid part of a request, and a sentence about it.

    :param place: a JSON pointer into the body, or the name of a parameter or header.
    """

    place: str
    detail: str
    where: ErrorPlace = ErrorPlace.BODY

    @property
    def view(self) -> dict[str, str]:
        """The error as the API shows it."""
        kind = "pointer" if self.where is ErrorPlace.BODY else "name"
        return {"in": self.where, kind: self.place, "detail": self.detail}


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


@contextmanager
def skip_unreadable() -> Iterator[None]:
    """Leave a game out that is corrupt or of an unsupported format: it must not hide the others."""
    try:
        yield
    except Problem as problem:
        if problem.code not in UNREADABLE:
            raise
