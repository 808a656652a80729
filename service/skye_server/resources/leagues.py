"""Many games at once: create them with one request, and export the records of finished ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any, Final

import msgspec
from flask import Blueprint, Response

from skye_server.commands.creation_commands import create_games as create_new_games
from skye_server.commands.current_games import Games
from skye_server.commands.views import CreatedGamesView, show_secrets
from skye_server.contract.creation import GameToCreate
from skye_server.contract.enums import RulesetName
from skye_server.contract.fields import Opaque, QueryInteger, Time
from skye_server.contract.objects import CURSOR, ListOf, Object, Query
from skye_server.cooperative_yield import pause
from skye_server.error_codes import UNREADABLE, Problem
from skye_server.games.authorization import SPECTATOR
from skye_server.games.game import Status
from skye_server.games.views.fields import MAX_GAMES
from skye_server.games.views.game import timestamp
from skye_server.games.views.history import record_view
from skye_server.http.framework import collaborators, url_bots
from skye_server.http.rate_limits import charge_batch, charge_new_games, charge_records
from skye_server.http.request_parsing import (
    charged_player,
    command_from_request,
    require_idempotency_key,
    takes,
)
from skye_server.http.responses import NDJSON, check_accepts, ndjson_response, uncached_json
from skye_server.openapi.components import REQUIRED_IDEMPOTENCY_KEY
from skye_server.openapi.documented_errors import BODY_ERRORS, NEW_GAME_ERRORS, STORE_ERRORS
from skye_server.openapi.operations import Link, ResponseDoc, creates, of_player, operation, text
from skye_server.store.game_index import FinishedGames, cursor_of, end_of, place_of

MAX_RECORDS = 1_000
"""The most records that one request exports."""


class GamesToCreate(Object):
    """Games to open with one request, such as those of a league."""

    games = ListOf(
        GameToCreate,
        "The games, each as in the body of `POST /v1/games`.",
        length=(1, MAX_GAMES),
        error="This is not from {min} to {max} games.",
        required=True,
    )


class RecordsQuery(Query):
    """Which records to export."""

    ruleset = RulesetName("Only games of this ruleset; that of new games on this server if left out.")
    limit = QueryInteger(1, MAX_RECORDS, "The most records to return.", load_default=100)
    cursor = Opaque(CURSOR, "This is not the cursor of a line.", "The `cursor` of the last line received.")
    since = Time("Only games that finished at this time or later, such as `finished_at` of a line.")
    until = Time("Only games that finished before this time.")


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
    charge_new_games(body["games"])
    command = command_from_request()
    secrets = url_bots().of_games(command, body["games"], "/games/{}")
    view = create_new_games(collaborators().games, command, body["games"])
    for created, game in zip(view["games"], body["games"], strict=True):
        show_secrets(created["players"], game, secrets)
    return uncached_json(view, 201)


_PAGE: Final = 20
"""How many games the server loads at once."""

_RECORDS: Final = ResponseDoc(
    200,
    "The records, one on each line.",
    text("RecordLines"),
    content_type=NDJSON,
    headers=["Content-Encoding"],
)


@blueprint.route("/records")
@operation(
    _RECORDS,
    errors=[*STORE_ERRORS, "not_acceptable", "invalid_parameter"],
)
@takes(query=RecordsQuery)
def export_records(query: dict[str, Any]) -> Response:
    """Export the records of finished games.

    One JSON object on each line (NDJSON) for each finished public game, the last to finish first. To continue
    an interrupted export, send the `cursor` of the last line received. A complete response with fewer than
    `limit` lines is the last one. To export later what is new, send the `finished_at` of the first line as
    `since`. With `Accept-Encoding: gzip` the response is compressed. Games that began from a record, a
    position or a scenario are left out, and games whose clock the host advances.
    """
    games = _accept_export(query["limit"])
    return _export(games, collaborators().listing.finished(games.ruleset(query.get("ruleset")).id), query)


@blueprint.route("/me/games/records")
@of_player(
    _RECORDS,
    errors=["not_acceptable", "invalid_parameter"],
)
@takes(query=RecordsQuery)
def export_own_records(query: dict[str, Any]) -> Response:
    """Export the records of a player's finished games.

    As `GET /v1/records`, with the same lines, order and parameters, for each finished game in which the key
    holds a seat or that it created. Private games and those left out there are included. Games that have
    expired are not: `GET /v1/me/records` lists their results.
    """
    games = _accept_export(query["limit"])
    player = charged_player(active=False)
    return _export(
        games, collaborators().player_listing.finished(player, games.ruleset(query.get("ruleset")).id), query
    )


def _accept_export(limit: int) -> Games:
    """Check what the client accepts, and charge its address.

    :raises Problem: not_acceptable, too_many_requests.
    """
    check_accepts(NDJSON)
    charge_records(limit)
    return collaborators().games


def _export(games: Games, finished: FinishedGames, query: dict[str, Any]) -> Response:
    """Return the lines of finished games.

    :raises Problem: store_unavailable, when the first games cannot be loaded.
    """
    after, limit = place_of(query.get("cursor")), query["limit"]
    found = finished.after(after, min(_PAGE, limit), query.get("since", 0), query.get("until"))
    ids = ((cursor_of(place), game.id) for place, game in found)
    lines: Iterator[bytes] = islice(_lines(games, chain(list(islice(ids, 1)), ids)), limit)
    return ndjson_response(lines)


def _lines(games: Games, found: Iterable[tuple[str, str]]) -> Iterator[bytes]:
    for cursor, game_id in found:
        line = _line(games, cursor, game_id)
        if line is not None:
            yield line
        pause()


def _line(games: Games, cursor: str, game_id: str) -> bytes | None:
    """Return the line of a game, None if the game has expired or cannot be decoded."""
    try:
        game, changes = games.changes_after(game_id, 0)
    except Problem as problem:
        if problem.code in ("game_not_found", *UNREADABLE):
            return None
        raise
    end_ms = end_of(changes)
    if game.status is not Status.FINISHED or end_ms is None:
        return None
    record = record_view(game, SPECTATOR.in_game(game), changes)
    return msgspec.json.encode({"cursor": cursor, "finished_at": timestamp(end_ms), "record": record}) + b"\n"
