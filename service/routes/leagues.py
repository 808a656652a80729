"""Many games at once: create them with one request."""

from __future__ import annotations

from typing import Any

from flask import Response

from service.openapi.operations import BODY, Link, ResponseDoc, creates_several
from service.schemas import requests, responses
from service.usecases.creation_commands import create_games as create_new_games
from service.web.collaborators import collaborators
from service.web.rate_limits import charge_batch
from service.web.request_parsing import Resource, command_from_request, require_idempotency_key
from service.web.responses import uncached_json

blueprint = Resource("Leagues", __name__, url_prefix="/v1", description="Many games at once.")


@blueprint.route("/batches", methods=["POST"])
@creates_several(
    ResponseDoc(
        201,
        "The games and their tokens.",
        responses.CreatedGames,
        links=[Link("get_game", "The first of the games.", {"game": "$response.body#/games/0/game"})],
    ),
    refuses=[
        *BODY,
        "invalid_setup",
        "invalid_record",
        "game_not_over",
        "game_full",
        "color_taken",
        "name_taken",
    ],
)
@blueprint.arguments(requests.GamesToCreate, description="What games to open.")
def create_games(body: dict[str, Any]) -> Response:
    """Create up to 100 games.

    Each game is described as for `POST /v1/games`. All are checked first: if one of them cannot be created,
    none is, and the pointers in `errors` begin with its place, such as `/games/3`. Together the games may
    seat 200 bots.

    The `Idempotency-Key` is required. If the response does not arrive, or the request fails with 429 or
    503, some of the games may exist: send the request again with the same key. The response then names the
    same games with the same tokens, and those that were missing are created.

    With a player key as the bearer token each game and its first seat that no bot plays are bound to the key.
    """
    require_idempotency_key()
    charge_batch(body["games"])
    view = create_new_games(collaborators().games, command_from_request(), body["games"])
    return uncached_json(view, 201, [])
