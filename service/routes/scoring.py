"""Scoring for those who ask: of a game, of one territory, of placements not made, of any territories."""

from __future__ import annotations

from typing import Any

from flask import Response, request

from engine import (
    SCORING_TILES,
    InvalidTerritory,
    Place,
    Territory,
    assess,
    castle_alone,
    scores_as_seen_by,
    survey_of,
    territory_report,
    what_if,
)
from service.drawing import territory_svg
from service.exchange import JSON, Resource, check_accepts, games, own_seat, shown, token, unchanged
from service.problems import FieldError, Problem
from service.schemas import requests
from service.steps import game_in_play
from service.table import Table

SVG = "image/svg+xml"

blueprint = Resource("Scoring", __name__, url_prefix="/v1", description="Points, areas, and what would be.")


@blueprint.route("/games/<game>/scores")
def get_scores(game: str) -> Response:
    """Get the points by round and scoring tile so far, and what final scoring would give now."""
    table, caller = games().read(game, token())
    scores = scores_as_seen_by(caller.seat, game_in_play(table))
    return unchanged(table.version) or shown({"version": table.version, **scores}, version=table.version)


@blueprint.route("/games/<game>/players/<int:seat>/territory")
def get_territory(game: str, seat: int) -> Response:
    """Get a seat's territory: tiles, areas, tiles joined to the castle, counts; or its picture."""
    table, _ = games().read(game, token())
    territory = _territory(table, seat)
    if check_accepts(JSON, SVG) == SVG:
        return _picture(table, seat, territory)
    report = {"seat": seat, "version": table.version, **territory_report(territory)}
    return unchanged(table.version) or shown(report, version=table.version)


@blueprint.route("/games/<game>/players/<int:seat>/territory.svg")
def draw_territory(game: str, seat: int) -> Response:
    """Draw a seat's territory."""
    table, _ = games().read(game, token())
    return _picture(table, seat, _territory(table, seat))


def _territory(table: Table, seat: int) -> Territory:
    if seat >= len(table.seats):
        raise Problem("seat_not_found")
    return table.game.players[seat].territory if table.game else castle_alone(table.seats[seat].color)


def _picture(table: Table, seat: int, territory: Territory) -> Response:
    cached = unchanged(table.version)
    if cached is not None:
        return cached
    coordinates = request.args.get("coordinates", "").lower() in ("1", "true")
    drawn = territory_svg(
        territory, survey_of(territory), title=table.seats[seat].name, coordinates=coordinates
    )
    response = Response(drawn, content_type=SVG)
    response.headers["ETag"] = f'"{table.version}"'
    response.headers["Cache-Control"] = "private, no-cache"
    response.headers["Vary"] = "Authorization, Accept"
    return response


@blueprint.route("/games/<game>/players/<int:seat>/what-if", methods=["POST"])
@blueprint.arguments(requests.Trial)
def try_placements(trial: dict[str, Any], game: str, seat: int) -> Response:
    """Try placements: whether they are legal, and the points before and after. Nothing changes."""
    table, caller = games().read(game, token())
    own_seat(caller, seat, len(table.seats))
    placements = [Place(**placement) for placement in trial["placements"]]
    return shown({"version": table.version, **what_if(seat, game_in_play(table), seat, placements)})


@blueprint.route("/scoring", methods=["POST"])
@blueprint.arguments(requests.ScoringQuery)
def score_territories(query: dict[str, Any]) -> Response:
    """Score territories as they lie, apart from any game."""
    territories = [_assembled(number, asked["tiles"]) for number, asked in enumerate(query["territories"])]
    golds = [asked["gold"] for asked in query["territories"]]
    return shown(assess(territories, golds, query.get("scoring_tiles", list(SCORING_TILES))))


def _assembled(number: int, tiles: list[dict[str, Any]]) -> Territory:
    try:
        return Territory.assembled(Place(**tile) for tile in tiles)
    except InvalidTerritory as error:
        pointer = f"/territories/{number}/tiles/{error.facts['index']}"
        raise Problem("invalid_territory", errors=[FieldError(pointer, error.detail)]) from error
