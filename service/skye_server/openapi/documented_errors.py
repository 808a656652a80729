"""Error responses in the contract: their body, the codes of each kind of operation, shared responses."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Annotated, Any, NotRequired, TypedDict

from skye import Phase
from skye.fields import (
    Color,
    Coordinate,
    Count,
    Keywords,
    LandscapeTileIds,
    ProblemCode,
    Rotation,
    Seat,
    Side,
    TerrainName,
    TileId,
)
from skye.rulesets import MAX_PLAYERS
from skye_server.error_codes import ERROR_CODES, MAX_ERRORS, UNREADABLE, ErrorPlace
from skye_server.games.game import InvitationEnd
from skye_server.games.views.fields import GameId, PlayerName, Version
from skye_server.http.problems import CONTENT_TYPE

CODES = "x-problem-codes"
"""The extension under which an error response lists its codes."""


STORE_ERRORS = ("store_unavailable",)
"""The codes of every operation that reads the store."""

GAME_ERRORS = (
    *STORE_ERRORS,
    "token_unknown",
    "not_found",
    "game_not_found",
    "invitation_over",
    *UNREADABLE,
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

SEAT_BINDING_ERRORS = ("token_unknown", "player_key_only", *UNREADABLE, "too_many_games")
"""The codes of every operation that can bind a seat to a player key."""

PLAYER_KEY_ERRORS = (
    *STORE_ERRORS,
    "player_key_required",
    "player_key_only",
    "token_unknown",
    *UNREADABLE,
    "too_much_contention",
    "server_busy",
)
"""The codes of every operation that requires a player key."""

WRITE_ERRORS = (*GAME_ERRORS, *CREATION_ERRORS, "version_mismatch")
"""The codes of every operation that changes a game."""

URL_BOT_ERRORS = tuple(filter(ERROR_CODES.__contains__, ["bot_unreachable"]))
"""The codes of every operation that can seat a bot at a URL, on a server that has these."""

NEW_GAME_ERRORS = (
    "storage_full",
    "invalid_setup",
    "invalid_record",
    "game_not_over",
    *URL_BOT_ERRORS,
    "game_full",
    "color_taken",
    "name_taken",
)
"""The codes of every operation that creates games."""

HOST_ERRORS = ("token_required", "host_only")
"""The codes of every operation that only the host may call."""

OWN_SEAT_ERRORS = ("token_required", "not_your_seat", "seat_not_found")
"""The codes of every operation that needs the token of a seat; the host may act for some seats."""


_UNEXPECTED_ERRORS = (
    "bad_request",
    *filter(ERROR_CODES.__contains__, ["invalid_fault"]),
    "lab_off",
    "method_not_allowed",
    "invalid_parameter",
    "request_timeout",
    "version_mismatch",
    "uri_too_long",
    "headers_too_large",
    "internal_error",
)
"""The codes of the `default` response, which every operation has."""

LIMIT_HEADERS = ("RateLimit", "RateLimit-Policy")
COMMON_HEADERS = (
    "X-Request-Id",
    "Skye-Lab",
    "Vary",
    "Access-Control-Allow-Origin",
    "Access-Control-Expose-Headers",
)
_OF_STATUS: dict[int | str, list[str]] = {
    401: ["WWW-Authenticate"],
    412: ["ETag"],
    415: ["Accept-Encoding"],
    429: ["Retry-After"],
    503: ["Retry-After"],
    "default": ["Allow"],
}


def header_references(*names: str) -> dict[str, str]:
    """Return headers as references to their components."""
    return {name: name for name in names}


def _error_response(status: int | str, codes: Sequence[str]) -> dict[str, Any]:
    """Return the error response of a status, with the codes that it can have."""
    headers = ["Cache-Control", "Link", *_OF_STATUS.get(status, []), *COMMON_HEADERS, *LIMIT_HEADERS]
    return {
        "description": "\n".join(f"- `{code}`: {ERROR_CODES[code].meaning}" for code in codes),
        "headers": header_references(*headers),
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
    "Unavailable": ("store_unavailable", "too_much_contention", "server_busy", "data_newer"),
    "UnavailableOrFull": (
        "store_unavailable",
        "too_much_contention",
        "server_busy",
        "storage_full",
        "data_newer",
    ),
    "Unexpected": _UNEXPECTED_ERRORS,
    **{code.title().replace("_", ""): (code,) for code in ERROR_CODES},
}
_SHARED_NAMES = {codes: name for name, codes in _SHARED.items()}


def error_responses(codes: Container[str]) -> dict[int | str, Any]:
    """Return the error responses of an operation with these codes, by status."""
    by_status: dict[int | str, list[str]] = {}
    invalid = ERROR_CODES["invalid_parameter"].status
    is_listed = any(code in codes for code, kind in ERROR_CODES.items() if kind.status == invalid)
    for code, kind in ERROR_CODES.items():
        # Every operation refuses unknown parameters, and `default` is not for a status of its own.
        if code in codes or (is_listed and code == "invalid_parameter"):
            by_status.setdefault(kind.status, []).append(code)
    by_status["default"] = list(_UNEXPECTED_ERRORS)
    return {
        status: _SHARED_NAMES.get(tuple(listed)) or _error_response(status, listed)
        for status, listed in by_status.items()
    }


def shared_error_responses() -> dict[str, dict[str, Any]]:
    """Return the error responses that several operations share, by the name of the component."""
    return {
        name: _error_response("default" if name == "Unexpected" else ERROR_CODES[codes[0]].status, codes)
        for name, codes in _SHARED.items()
    }


FieldProblem = TypedDict(
    "FieldProblem",
    {
        "in": Annotated[ErrorPlace, "The part of the request."],
        "pointer": NotRequired[
            Annotated[
                str,
                Keywords(maxLength=500),
                "In the body: a JSON pointer to the value; empty for the whole body.",
            ]
        ],
        "name": NotRequired[
            Annotated[str, Keywords(maxLength=500), "Elsewhere: the name of the parameter or header."]
        ],
        "detail": Annotated[str, Keywords(maxLength=500), "A sentence that describes the fault."],
    },
)
FieldProblem.__doc__ = "An invalid part of a request."


class ProblemParams(TypedDict):
    """The values in `detail`. The fields depend on the code; there may be new ones."""

    tile: NotRequired[TileId]
    tiles: NotRequired[Annotated[LandscapeTileIds, "The tiles in question."]]
    x: NotRequired[Annotated[Coordinate, "Cells east of the castle."]]
    y: NotRequired[Annotated[Coordinate, "Cells south of the castle."]]
    rotation: NotRequired[Rotation]
    side: NotRequired[Annotated[Side, "The edge of the cell."]]
    own: NotRequired[Annotated[TerrainName, "The terrain of the tile at this edge."]]
    neighbor: NotRequired[Annotated[TerrainName, "The terrain of the neighbour at this edge."]]
    need: NotRequired[Annotated[Count, "The required amount of gold or number of players."]]
    have: NotRequired[Annotated[Count, "The present amount of gold or number of players, games or streams."]]
    seat: NotRequired[
        Annotated[Seat, "The seat whose turn it is, that the token does not act for, or that cannot start."]
    ]
    phase: NotRequired[Annotated[Phase, "The phase of the game."]]
    required_phase: NotRequired[Annotated[Phase, "The phase to which the action belongs."]]
    color: NotRequired[Annotated[Color, "The colour that another player has."]]
    seat_count: NotRequired[
        Annotated[Count, Keywords(maximum=MAX_PLAYERS), "The number of seats of the game."]
    ]
    last: NotRequired[Annotated[Count, "The number of the last placement of the round."]]
    name: NotRequired[Annotated[PlayerName, "The name that another player has."]]
    version: NotRequired[Version]
    last_event: NotRequired[Annotated[Count, "The number of the last event of the game."]]
    game_id: NotRequired[Annotated[GameId, "The game in which the caller has a seat."]]
    seconds: NotRequired[Annotated[Count, "How many seconds to wait."]]
    action: NotRequired[
        Annotated[
            int, Keywords(minimum=1), "The number of the action of a record that breaks a rule, from 1."
        ]
    ]
    invitation_end: NotRequired[Annotated[InvitationEnd, "Why the invitation is over."]]
    reason: NotRequired[Annotated[ProblemCode, "The code of the rule that the action breaks."]]


class Problem(TypedDict):
    """An error response (RFC 9457)."""

    type: Annotated[
        str,
        Keywords(maxLength=100, format="uri-reference", examples=["/docs/errors#wrong_phase"]),
        "The documentation of the code.",
    ]
    title: Annotated[str, Keywords(maxLength=60, examples=["Wrong phase"]), "The code in words."]
    status: Annotated[int, Keywords(minimum=400, maximum=599), "The status of the response."]
    detail: Annotated[str, Keywords(maxLength=1000), "Why the request failed: a sentence for people."]
    instance: Annotated[
        str,
        Keywords(maxLength=100, format="uri", examples=["urn:skye:request:9f2c4b7a1d3e5f60"]),
        "The id of this problem: `urn:skye:request:` and the id of the request, as in `X-Request-Id`.",
    ]
    code: Annotated[ProblemCode, "Why the request failed: a word for programs."]
    trace_id: NotRequired[
        Annotated[
            str,
            Keywords(maxLength=32, examples=["4bf92f3577b34da6a3ce929d0e0e4736"]),
            "The trace id of `traceparent` (W3C Trace Context), if the client sent one.",
        ]
    ]
    errors: NotRequired[
        Annotated[
            Sequence[FieldProblem],
            Keywords(minItems=1, maxItems=MAX_ERRORS),
            "The invalid parts of the request.",
        ]
    ]
    params: NotRequired[
        Annotated[ProblemParams, "The values in `detail`, for clients with texts of their own."]
    ]
