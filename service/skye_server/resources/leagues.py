"""Leagues: create many games with one request."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response

from skye_server.commands.creation_commands import create_games as create_new_games
from skye_server.contract.requests.creation import GamesToCreate
from skye_server.contract.responses.changes import CreatedGamesView
from skye_server.http.framework import collaborators
from skye_server.http.rate_limits import charge_batch
from skye_server.http.request_parsing import command_from_request, require_idempotency_key, takes
from skye_server.http.responses import uncached_json
from skye_server.openapi.documented_errors import BODY_ERRORS, NEW_GAME_ERRORS
from skye_server.openapi.operations import Link, ResponseDoc, creates
from skye_server.openapi.parameters import REQUIRED_IDEMPOTENCY_KEY
from skye_server.webhooks.bots import show_secrets

blueprint = Blueprint("Leagues", __name__, url_prefix="/v1")


@blueprint.route("/batches", methods=["POST"])
@creates(
    ResponseDoc(
        201,
        "The games and their tokens.",
        CreatedGamesView,
        links=[Link("get_game", "The first of the games.", {"game": "$response.body#/games/0/game_id"})],
    ),
    errors=[*BODY_ERRORS, *NEW_GAME_ERRORS],
    key=REQUIRED_IDEMPOTENCY_KEY,
)
@takes(GamesToCreate, "The games to open.")
def create_games(body: dict[str, Any]) -> Response:
    """Create up to 100 games.

    Each game has the form of the body of `POST /v1/games`. The server checks all games first: if one is
    invalid, it creates none, and the pointers in `errors` begin with the index of that game, such as
    `/games/3`. Together the games may seat 200 bots.

    The `Idempotency-Key` is required. If the response does not arrive, or the request fails with 429 or
    503, some of the games may exist: retry the request with the same key. The server then creates the missing
    games, and the response has all games with their tokens.

    With a player key as the bearer token, each game and its first seat without a bot are bound to the key.
    """
    require_idempotency_key()
    charge_batch(body["games"])
    command = command_from_request()
    secrets = collaborators().url_bots.of_games(command, body["games"], "/games/{}")
    view = create_new_games(collaborators().games, command, body["games"])
    for created, game in zip(view["games"], body["games"], strict=True):
        show_secrets(created["players"], game, secrets)
    return uncached_json(view, 201)
