"""Exports: the records of many finished games, in one response."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any, Final

import msgspec
from flask import Response, request

from skye_server.commands.current_games import Games
from skye_server.contract.requests.queries import RecordsQuery
from skye_server.cooperative_yield import pause
from skye_server.error_codes import UNREADABLE, Problem
from skye_server.games.authorization import SPECTATOR
from skye_server.games.game import Status
from skye_server.games.views.game import timestamp
from skye_server.http.framework import collaborators
from skye_server.http.rate_limits import charge_records
from skye_server.http.request_parsing import charged_player, takes
from skye_server.http.responses import check_accepts
from skye_server.openapi.documented_errors import STORE_ERRORS
from skye_server.openapi.operations import ResponseDoc, of_player, operation, text
from skye_server.resources.history import record_view
from skye_server.resources.leagues import blueprint
from skye_server.store.finished_games import FinishedGames, cursor_of, end_of, place_of

__all__ = ["blueprint"]

NDJSON: Final = "application/x-ndjson"
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
    return _export(games, games.listing.finished(games.ruleset(query.get("ruleset")).id), query)


@blueprint.route("/me/records")
@of_player(
    _RECORDS,
    errors=["not_acceptable", "invalid_parameter"],
)
@takes(query=RecordsQuery)
def export_own_records(query: dict[str, Any]) -> Response:
    """Export the records of a player's finished games.

    As `GET /v1/records`, with the same lines, order and parameters, for each finished game in which the key
    holds a seat or that it created. Private games and those left out there are included.
    """
    games = _accept_export(query["limit"])
    player = charged_player(active=False)
    return _export(
        games, games.player_listing.finished(player, games.ruleset(query.get("ruleset")).id), query
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
    headers = {"Cache-Control": "no-store", "Vary": "Accept-Encoding"}
    if request.accept_encodings["gzip"] > 0:
        headers["Content-Encoding"] = "gzip"
        lines = _gzipped(lines)
    return Response(lines, headers=headers, content_type=NDJSON)


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
    record = record_view(game, SPECTATOR, changes)
    return msgspec.json.encode({"cursor": cursor, "finished_at": timestamp(end_ms), "record": record}) + b"\n"


def _gzipped(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield compressed lines; flush after each, so that the client can decompress every line it receives."""
    compressor = zlib.compressobj(wbits=31)
    for line in lines:
        yield compressor.compress(line) + compressor.flush(zlib.Z_SYNC_FLUSH)
    yield compressor.flush()
