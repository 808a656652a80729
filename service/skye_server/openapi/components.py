"""The shared components of operations: parameters, response headers, plain values and security schemes."""

from __future__ import annotations

from typing import Any, Final

from skye.fields import MAX_TILES
from skye.rulesets import MAX_PLAYERS, MAX_ROUNDS
from skye_server import docs as guide
from skye_server.features import merged
from skye_server.games.views.fields import MAX_OPAQUE_LENGTH
from skye_server.http.middleware import FAULT_HEADER
from skye_server.http.request_parsing import MAX_ENTITY_TAGS_LENGTH
from skye_server.openapi.text import text_of

MAX_HEADER_LENGTH: Final = 1024
"""The maximum length of a header of a response."""

MAX_TEXT_LENGTH: Final = 4 * 1024 * 1024
"""The maximum length of a page, a picture or a file; the largest is a script of 1.7 million characters."""


def _header(description: str, schema: dict[str, Any], *, always: bool = True) -> dict[str, Any]:
    return {"description": description, "required": always, "schema": schema}


def _text(*examples: str, **more: str) -> dict[str, Any]:
    """Return the schema of a header that is a short text."""
    return {"type": "string", "maxLength": MAX_HEADER_LENGTH} | (
        {"examples": [*examples]} if examples else more
    )


def _limit(description: str, example: str) -> dict[str, Any]:
    schema = _text(example)
    return _header(f"If requests are limited: {description}", schema, always=False)


HEADERS: Final = {
    "ETag": _header(
        "The entity tag, for `If-Match` and `If-None-Match`. For a game it is the `version` in quotes; "
        'a view that depends on the caller or the seat has a suffix, as in `"42-seat1"`.',
        _text('"42"', '"42-seat1"'),
    ),
    "Location": _header(
        "The path of the created resource; of a redirect, its target.",
        _text(format="uri-reference"),
    ),
    "Link": _header(
        'Links (RFC 8288): `rel="next"` is the next page of a list, if there is one; `rel="describedby"` '
        'documents a problem; `rel="service-desc"` is the contract, `rel="service-doc"` the guide.',
        _text('</v1/games?cursor=42&limit=20>; rel="next"'),
        always=False,
    ),
    "Content-Encoding": _header(
        "`gzip`, if `Accept-Encoding` allows it.", {"type": "string", "const": "gzip"}, always=False
    ),
    "Vary": _header(
        "The request headers that the response depends on: `Authorization` and `Accept` for views of a "
        "game, `Accept-Encoding` for what can be compressed, `Origin` if the server restricts the origins "
        "that may call it.",
        _text("Authorization, Accept"),
        always=False,
    ),
    "Access-Control-Allow-Origin": _header(
        "The origin whose pages may read the response; `*` for every origin.",
        _text("*"),
        always=False,
    ),
    "Access-Control-Expose-Headers": _header(
        "The response headers that such a page may read.",
        _text("ETag, Location, Link, Retry-After, X-Request-Id, RateLimit, RateLimit-Policy"),
        always=False,
    ),
    "Cache-Control": _header("Whether and for how long the response may be cached.", _text("no-store")),
    "Retry-After": _header(
        "How many seconds to wait before a retry.",
        {"type": "integer", "format": "int32", "minimum": 0, "maximum": 86_400},
    ),
    "WWW-Authenticate": _header("Always `Bearer`.", {"type": "string", "const": "Bearer"}),
    "Accept-Encoding": _header(
        "With a body that is compressed: the codings of bodies that the server takes.",
        {"type": "string", "const": "identity"},
        always=False,
    ),
    "Allow": _header("With 405: the methods of the path.", _text("GET, HEAD, OPTIONS"), always=False),
    "X-Request-Id": _header(
        "The id of the request in the server's logs: the id sent, if well-formed, or a new one.",
        {"type": "string", "minLength": 1, "maxLength": 64},
    ),
    "Skye-Lab": _header(
        "`on`, if the server is a lab for testers (`SKYE_LAB`).",
        {"type": "string", "const": "on"},
        always=False,
    ),
    "RateLimit": _limit(
        "the requests left in the quota (`r`), and the seconds until the whole quota is available (`t`).",
        '"requests";r=2998;t=1',
    ),
    "RateLimit-Policy": _limit(
        "the size of the quota (`q`), and its window in seconds (`w`).",
        '"requests";q=3000;w=60',
    ),
}
"""The components of headers, by the name of the header."""

SCHEMAS: Final[dict[str, Any]] = {
    "GuidePage": {
        "type": "string",
        "description": "A page of the guide; see `GET /docs`.",
        "enum": list(guide.PAGES),
    },
    "GameId": {
        "type": "string",
        "description": "The id of a game.",
        "minLength": 1,
        "maxLength": 64,
        "pattern": "^[a-z0-9]+$",
        "examples": ["k7mt2vq9xw3c"],
    },
    "Token": {
        "type": "string",
        "description": "A token, to send as `Authorization: Bearer TOKEN`. The server shows it only here.",
        "maxLength": MAX_OPAQUE_LENGTH,
    },
    "Timestamp": {
        "type": "string",
        "description": "A time: RFC 3339, UTC.",
        "format": "date-time",
        "maxLength": 40,
    },
    "PlayerEventId": {
        "type": "string",
        "description": "The id of a player's event.",
        "maxLength": MAX_OPAQUE_LENGTH,
        "examples": ["17-2817361234"],
    },
    "TicketId": {
        "type": "string",
        "description": "The id of a matchmaking ticket.",
        "maxLength": MAX_OPAQUE_LENGTH,
    },
    "WebhookId": {
        "type": "string",
        "description": "The id of a webhook.",
        "minLength": 1,
        "maxLength": 64,
        "pattern": "^[A-Za-z0-9_]+$",
        "examples": ["wh_k7mt2vq9xw3c"],
    },
    "DeliveryId": {
        "type": "string",
        "description": "The id of a delivery.",
        "minLength": 1,
        "maxLength": 64,
        "pattern": "^[A-Za-z0-9_]+$",
        "examples": ["msg_k7mt2vq9xw3c_0000000001"],
    },
    "Picture": {
        "type": "string",
        "description": "An SVG picture without scripts and without references to other resources.",
        "contentMediaType": "image/svg+xml",
        "maxLength": MAX_TEXT_LENGTH,
    },
    "EventStream": {
        "type": "string",
        "description": text_of("event_stream.md"),
        "contentMediaType": "text/event-stream",
        "contentSchema": {"$ref": "#/components/schemas/StreamMessage"},
    },
    "PlayerEventStream": {
        "type": "string",
        "description": text_of("player_event_stream.md"),
        "contentMediaType": "text/event-stream",
        "contentSchema": {"$ref": "#/components/schemas/PlayerStreamMessage"},
    },
    "RecordLines": {
        "type": "string",
        "description": "Records of games as NDJSON: a JSON object on each line.",
        "contentMediaType": "application/x-ndjson",
        "contentSchema": {"$ref": "#/components/schemas/RecordLine"},
    },
    "Page": {
        "type": "string",
        "description": "An HTML page; it loads nothing from other servers.",
        "contentMediaType": "text/html",
        "maxLength": MAX_TEXT_LENGTH,
    },
    "SecurityTxt": {
        "type": "string",
        "description": "A file of lines such as `Contact: URI` (RFC 9116).",
        "contentMediaType": "text/plain",
        "maxLength": 1000,
    },
    "Metrics": {
        "type": "string",
        "description": "Metrics in Prometheus's text format.",
        "contentMediaType": "text/plain",
        "maxLength": MAX_TEXT_LENGTH,
    },
    "Contract": {
        "type": "object",
        "description": "A machine-readable description of the API.",
        "additionalProperties": True,
    },
    "Asset": {
        "type": "string",
        "description": "A script, a style sheet, a picture or a program.",
        "format": "binary",
        "maxLength": MAX_TEXT_LENGTH,
    },
    "SearchIndex": {
        "type": "object",
        "description": "The sections of the guide with their texts, for its search box.",
        "additionalProperties": True,
    },
} | merged("schemas")
"""The components of values that neither a TypedDict nor a schema class describes, by name."""

TOKEN: Final = "token"  # noqa: S105 - the name of the scheme
PLAYER: Final = "player"
SECURITY_SCHEMES: Final[dict[str, dict[str, Any]]] = {
    TOKEN: {
        "type": "http",
        "scheme": "bearer",
        "description": (
            "A host token (`skye_host_...`), from `POST /v1/games`, starts and aborts its game; before the "
            "start it also seats bots and removes players. A seat token (`skye_seat_...`), from `POST "
            "/v1/games` or from `POST /v1/games/{game}/players`, acts for its seat and sees the seat's view. "
            "An invitation code (`skye_invite_...`) reads its game and takes a seat. A player key has the "
            "rights of the tokens of its seats and of the host tokens of the games that it created. A "
            "request without a token sees the spectators' view."
        ),
    },
    PLAYER: {
        "type": "http",
        "scheme": "bearer",
        "description": (
            "The client generates its player key: `skye_key_` and 22 to 64 characters of base64url, with at "
            "least 128 random bits. It needs no registration. Creating or joining a game with the key binds "
            "the seat to it. The server stores only a hash of the key and cannot recover it."
        ),
    },
} | merged("security_schemes")


def _in_path(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "description": description, "schema": schema}


def _in_headers(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "header", "description": description, "schema": schema}


PATH_PARAMETERS: Final = {
    "game": _in_path("game", "The id of the game.", {"$ref": "#/components/schemas/GameId"}),
    "seat": _in_path(
        "seat",
        "The seat, counted from 0 in clockwise order. The server also takes `me` in place of the number: the "
        "seat that the token acts for.",
        {"type": "integer", "format": "int32", "minimum": 0, "maximum": MAX_PLAYERS - 1},
    ),
    "invitation": _in_path(
        "invitation",
        "The id of the invitation.",
        {"type": "string", "minLength": 1, "maxLength": 64},
    ),
    "number": _in_path(
        "number",
        "The number of the placement in this round, counted from 1.",
        {"type": "integer", "format": "int32", "minimum": 1, "maximum": MAX_TILES},
    ),
    "round": _in_path(
        "round",
        "The round, counted from 1.",
        {"type": "integer", "format": "int32", "minimum": 1, "maximum": MAX_ROUNDS},
    ),
    "tile": _in_path("tile", "The id of the tile.", {"$ref": "#/components/schemas/TileId"}),
    "scoring_tile": _in_path(
        "scoring_tile", "The id of the scoring tile.", {"$ref": "#/components/schemas/ScoringTileId"}
    ),
    "page": _in_path("page", "The name of the page.", {"$ref": "#/components/schemas/GuidePage"}),
    "asset": _in_path(
        "asset", "The name of the file.", {"type": "string", "pattern": r"^[a-z0-9.-]+$", "maxLength": 64}
    ),
}

_OF_FEATURES: Final = {name: _in_path(name, *described) for name, described in merged("parameters").items()}

IDEMPOTENCY_KEY: Final = "Idempotency-Key"
REQUIRED_IDEMPOTENCY_KEY: Final = "Required-Idempotency-Key"
"""The component of the header `Idempotency-Key` for operations that require it."""

IF_MATCH: Final = "If-Match"
IF_NONE_MATCH: Final = "If-None-Match"
LAST_EVENT_ID: Final = "Last-Event-ID"

FAULT: Final = FAULT_HEADER

LAST_PLAYER_EVENT_ID: Final = "Last-Player-Event-ID"
"""The component of the header `Last-Event-ID` for player streams, whose ids have another form."""

_KEY: Final = _in_headers(
    IDEMPOTENCY_KEY,
    "Makes the request safe to retry: for an hour, the same key with the same request returns the first "
    "response again; webhooks and tickets are in their present state. A key is scoped to the token, or "
    "without a token to the client's address. Use a random UUID.",
    {"type": "string", "pattern": "^[!-~]{1,255}$", "minLength": 1, "maxLength": 255},
)

# Headers that change what a request does have no example: tools that send each documented example would see
# 412 or an injected fault, and report that the server refuses valid requests.
HEADER_PARAMETERS: Final = {
    IDEMPOTENCY_KEY: _KEY,
    REQUIRED_IDEMPOTENCY_KEY: _KEY | {"required": True},
    IF_MATCH: _in_headers(
        IF_MATCH,
        "Makes the request conditional: the server responds with 412 unless the entity tag is one of these. "
        "A change of a game compares its version: send its `version` in quotes, or any `ETag` of the game.",
        {"type": "string", "maxLength": MAX_ENTITY_TAGS_LENGTH},
    ),
    IF_NONE_MATCH: _in_headers(
        IF_NONE_MATCH,
        "The `ETag` of the client's copy: if the copy is current, the server responds to a read with 304 and "
        "no body, and to a change with 412. `*` is every `ETag`.",
        {"type": "string", "maxLength": MAX_ENTITY_TAGS_LENGTH},
    ),
    LAST_EVENT_ID: _in_headers(
        LAST_EVENT_ID,
        "The number of the last event received, as an `EventSource` sends it when it reconnects; "
        "it takes precedence over `after`. An empty one is none.",
        {"type": "string", "pattern": "^[0-9]{0,9}$", "maxLength": 9, "examples": ["17"]},
    ),
    FAULT: _in_headers(
        FAULT,
        text_of("faults.md"),
        {
            "type": "string",
            "pattern": r"^[a-z_]+(=[0-9]+)?(, ?[a-z_]+(=[0-9]+)?)*$",
            "maxLength": 200,
        },
    ),
    LAST_PLAYER_EVENT_ID: _in_headers(
        LAST_EVENT_ID,
        "The id of the last event received, as an `EventSource` sends it when it reconnects; "
        "it takes precedence over `after`. An empty one is none.",
        {"$ref": "#/components/schemas/PlayerEventId"},
    ),
}


def component_of(parameter: str) -> str:
    """Return the name of the component of a parameter.

    The suffix keeps it different from the names of schemas: code generators ignore case.

    >>> component_of("game"), component_of("Last-Event-ID")
    ('GameParameter', 'LastEventIdParameter')
    """
    return "".join(word.capitalize() for word in parameter.replace("_", "-").split("-")) + "Parameter"


PARAMETERS: Final = {
    component_of(name): parameter
    for name, parameter in (PATH_PARAMETERS | _OF_FEATURES | HEADER_PARAMETERS).items()
}
"""The components of parameters, by the name of the component."""
