"""The parameters that operations share, in paths and headers."""

from __future__ import annotations

from typing import Any, Final

from skye.fields import MAX_TILES
from skye.rulesets import MAX_ROUNDS
from skye_server.features import merged
from skye_server.http.fault_header import FAULT_HEADER
from skye_server.http.request_parsing import MAX_ENTITY_TAGS_LENGTH
from skye_server.openapi.text import text_of


def _in_path(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "description": description, "schema": schema}


def _in_headers(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "header", "description": description, "schema": schema}


PATH_PARAMETERS: Final = {
    "game": _in_path("game", "The id of the game.", {"$ref": "#/components/schemas/GameId"}),
    "seat": _in_path(
        "seat",
        "The seat, counted from 0 in clockwise order, or `me`: the seat that the token acts for.",
        {"type": "string", "pattern": "^(me|[0-9]{1,2})$", "maxLength": 2},
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
    "webhook": _in_path("webhook", "The id of the webhook.", {"$ref": "#/components/schemas/WebhookId"}),
    "delivery": _in_path("delivery", "The id of the delivery.", {"$ref": "#/components/schemas/DeliveryId"}),
    "tile": _in_path("tile", "The id of the tile.", {"$ref": "#/components/schemas/TileId"}),
    "scoring_tile": _in_path(
        "scoring_tile", "The id of the scoring tile.", {"$ref": "#/components/schemas/ScoringTileId"}
    ),
    "inbox": _in_path(
        "inbox", "The name of the inbox.", {"type": "string", "pattern": "^[a-z0-9-]{1,40}$", "maxLength": 40}
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

HEADER_PARAMETERS: Final = {
    IDEMPOTENCY_KEY: _KEY,
    REQUIRED_IDEMPOTENCY_KEY: _KEY | {"required": True},
    IF_MATCH: _in_headers(
        IF_MATCH,
        "Makes the request conditional: the server responds with 412 unless the entity tag is one of these. "
        "A change of a game compares its version: send its `version` in quotes, or any `ETag` of the game.",
        {"type": "string", "maxLength": MAX_ENTITY_TAGS_LENGTH, "examples": ['"42"']},
    ),
    IF_NONE_MATCH: _in_headers(
        IF_NONE_MATCH,
        "The `ETag` of the client's copy: if the copy is current, the server responds to a read with 304 and "
        "no body, and to a change with 412. `*` is every `ETag`.",
        {"type": "string", "maxLength": MAX_ENTITY_TAGS_LENGTH, "examples": ['"42"']},
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
            "examples": ["delay_before_ms=500, drop"],
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
