"""Many games at once: create them with one request, and export the records of finished ones."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec
from flask import Response, request

from service.matches.cooperative_yield import pause
from service.matches.errors import Problem
from service.matches.match import Match, Status
from service.openapi.operations import (
    BODY_ERRORS,
    NEW_GAME_ERRORS,
    STORE_ERRORS,
    Link,
    ResponseDoc,
    creates_several,
    operation,
    text,
)
from service.routes.game_log import record_view
from service.schemas import requests, responses
from service.usecases.creation_commands import create_games as create_new_games
from service.usecases.games import Games
from service.usecases.listing import cursor_at
from service.web.collaborators import collaborators
from service.web.rate_limits import charge_batch, charge_records
from service.web.request_parsing import Resource, command_from_request, require_idempotency_key
from service.web.responses import check_accepts, uncached_json

blueprint = Resource("Leagues", __name__, url_prefix="/v1", description="Many games at once.")

NDJSON: Final = "application/x-ndjson"
_PAGE: Final = 20
"""How many games the server loads at once."""


@blueprint.route("/batches", methods=["POST"])
@creates_several(
    ResponseDoc(
        201,
        "The games and their tokens.",
        responses.CreatedGames,
        links=[Link("get_game", "The first of the games.", {"game": "$response.body#/games/0/game"})],
    ),
    errors=[*BODY_ERRORS, *NEW_GAME_ERRORS],
)
@blueprint.arguments(requests.GamesToCreate, description="The games to open.")
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
    view = create_new_games(collaborators().games, command_from_request(), body["games"])
    return uncached_json(view, 201, [])


@blueprint.route("/records")
@operation(
    ResponseDoc(200, "The records, one on each line.", text("RecordLines"), content_type=NDJSON),
    errors=[*STORE_ERRORS, "not_acceptable", "invalid_parameter"],
)
@blueprint.arguments(requests.RecordsQuery, location="query")
def export_records(query: dict[str, Any]) -> Response:
    """Export the records of finished games.

    One JSON object on each line (NDJSON) for each finished game of the list, the newest first. To continue an
    interrupted export, send the `cursor` of the last line received. With `Accept-Encoding: gzip` the response
    is compressed. Private games and games that began from a record, a position or a scenario are left out.
    """
    check_accepts(NDJSON)
    charge_records(query["limit"])
    games = collaborators().games
    first = games.listing.page(Status.FINISHED, min(_PAGE, query["limit"]), query.get("cursor"))
    lines = _lines(games, first, query["limit"])
    headers = {"Cache-Control": "no-store", "Vary": "Accept-Encoding"}
    if request.accept_encodings["gzip"] > 0:
        headers["Content-Encoding"] = "gzip"
        lines = _gzipped(lines)
    return Response(lines, headers=headers, content_type=NDJSON)


def _lines(games: Games, page: tuple[list[Match], str | None], limit: int) -> Iterator[bytes]:
    """Yield the lines of an export, which holds one page of games at a time."""
    while True:
        matches, cursor = page
        for match in matches:
            line = _line(games, match)
            if line is not None:
                yield line
            pause()
        limit -= len(matches)
        if cursor is None or limit <= 0:
            return
        page = games.listing.page(Status.FINISHED, min(_PAGE, limit), cursor)


def _line(games: Games, match: Match) -> bytes | None:
    """Return the line of a game, None if the game has expired or cannot be decoded."""
    try:
        (loaded, caller), changes = games.read_with_log(match.id, None)
    except Problem as problem:
        if problem.code in ("game_not_found", "game_unreadable"):
            return None
        raise
    line = {"cursor": cursor_at(loaded), "record": record_view(loaded, caller, changes)}
    return msgspec.json.encode(line) + b"\n"


def _gzipped(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield compressed lines; flush after each, so that the client can decompress every line it receives."""
    compressor = zlib.compressobj(wbits=31)
    for line in lines:
        yield compressor.compress(line) + compressor.flush(zlib.Z_SYNC_FLUSH)
    yield compressor.flush()
