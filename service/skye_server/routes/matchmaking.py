"""Quick matches: request one, get and cancel the request."""

from __future__ import annotations

from typing import Any

from flask import Response

from skye_server.contract import requests, responses
from skye_server.http.framework import collaborators
from skye_server.http.rate_limits import charge_creation
from skye_server.http.request_parsing import Resource, command_from_request
from skye_server.http.responses import json_response, uncached_json
from skye_server.matchmaking.tickets import cancel_match, get_match, seek_match
from skye_server.openapi.components import IDEMPOTENCY_KEY
from skye_server.openapi.documented_errors import BODY_ERRORS
from skye_server.openapi.operations import Link, ResponseDoc, of_player

blueprint = Resource(
    "Matches", __name__, url_prefix="/v1/matches", description="Quick matches between player keys."
)

_THIS = {"match": "$response.body#/id"}


@blueprint.route("", methods=["POST"])
@of_player(
    ResponseDoc(
        201,
        "The request, and the game if there were enough players.",
        responses.QuickMatch,
        headers=["Location"],
        links=[
            Link("get_quick_match", "The status of the request.", _THIS),
            Link("cancel_quick_match", "Stop waiting.", _THIS),
        ],
    ),
    errors=[*BODY_ERRORS, "invalid_parameter", "idempotency_key_reused", "too_many_games"],
    headers=[IDEMPOTENCY_KEY],
)
@blueprint.arguments(requests.QuickMatchToSeek, description="The seats and options of the game.")
def seek_quick_match(body: dict[str, Any]) -> Response:
    """Seek a quick match.

    The player of the key waits for others with the same `seats` and `options`. As soon as there are enough
    players, the server starts a public game with all of them, in random seats; it has no host. The events
    `seated` and `your_turn` of the key announce it; polling this request shows it too.

    If the player already waits with the same `seats` and `options`, or was matched with them in the last ten
    seconds and that game goes on, the response is the existing request.
    """
    charge_creation(1)
    criteria = {"seats": body["seats"], "options": body["options"]}
    command, games = command_from_request(), collaborators().games
    found = seek_match(games, command, body["name"], criteria, body["wait_ms"])
    return uncached_json(found.view, 201, [("Location", f"/v1/matches/{found.id}")])


@blueprint.route("/<match>")
@of_player(
    ResponseDoc(200, "The request.", responses.QuickMatch),
    errors=["not_acceptable", "not_found", "match_not_found"],
)
def get_quick_match(match: str) -> Response:
    """Get a request for a quick match.

    The server stores requests for a day.
    """
    found = get_match(collaborators().games, command_from_request(), match)
    return json_response(found.view)


@blueprint.route("/<match>", methods=["DELETE"])
@of_player(
    ResponseDoc(200, "The request as it is now.", responses.QuickMatch),
    errors=["invalid_parameter", "bad_request", "body_too_large", "not_found", "match_not_found"],
    headers=[IDEMPOTENCY_KEY],
)
def cancel_quick_match(match: str) -> Response:
    """Cancel a request for a quick match.

    Cancelling a matched request has no effect: its game has begun.
    """
    found = cancel_match(collaborators().games, command_from_request(), match)
    return uncached_json(found.view, 200, [])
