"""Scoring for those who ask: of a game, of one territory, of placements not made, of any territories."""

from __future__ import annotations

from typing import Any

from flask import Response

from service.matches.authorization import require_own_seat, require_seat
from service.matches.cooperative_yield import Computation
from service.matches.errors import FieldError, Problem
from service.matches.match import Match
from service.matches.transitions import game_begun
from service.openapi.operations import BODY, GAME, Describe, ResponseDoc, Token, operation, reads, text
from service.schemas import requests, responses
from service.svg import territory_svg
from service.web.collaborators import collaborators
from service.web.request_parsing import Resource, bearer_token
from service.web.responses import etag, json_response, not_modified, text_response
from skye import (
    SCORING_TILES,
    InvalidTerritory,
    Place,
    PlacementGainsView,
    Territory,
    assess,
    castle_alone,
    placement_gains,
    scores_as_seen_by,
    standing_view,
    territory_report,
    what_if,
)

SVG = "image/svg+xml"
_DRAWN = "-svg"
"""What tells the tag of a picture from that of the same territory as JSON."""

blueprint = Resource("Scoring", __name__, url_prefix="/v1", description="Points, areas, and what would be.")

_BEGUN = ("game_not_started",)
_OF_SEAT = ("seat_not_found",)
_PICTURE = ResponseDoc(200, "The picture.", text("Picture"), content_type=SVG)


@blueprint.route("/games/<game>/scores")
@reads(ResponseDoc(200, "The points.", responses.Scores), refuses=["not_acceptable", *_BEGUN])
def get_scores(game: str) -> Response:
    """Get the scores of a game.

    For each seat the points by round and scoring tile, with the tiles that earned them, and what final
    scoring would give if the game ended now.
    """
    table, caller = collaborators().games.read(game, bearer_token())
    scores = scores_as_seen_by(caller.seat, game_begun(table))
    tag = etag(table.version, caller)
    return not_modified(tag) or json_response({"version": table.version, **scores}, tag=tag)


@blueprint.route("/games/<game>/players/<int:seat>/territory")
@reads(
    ResponseDoc(200, "The territory.", responses.TerritoryReport),
    refuses=["not_acceptable", *_OF_SEAT],
)
def get_territory(game: str, seat: int) -> Response:
    """Get a territory.

    Its tiles, its areas, the tiles joined to the castle by road, and how many of each thing are in it.
    """
    table, _ = collaborators().games.read(game, bearer_token())
    territory = _territory(table, seat)
    report = {"seat": seat, "version": table.version, **territory_report(territory)}
    tag = etag(table.version)  # which everybody sees alike
    return not_modified(tag) or json_response(report, tag=tag)


@blueprint.route("/games/<game>/players/<int:seat>/territory.svg")
@reads(_PICTURE, refuses=["invalid_parameter", *_OF_SEAT])
@blueprint.arguments(requests.TerritoryPictureQuery, location="query")
def get_territory_picture(query: dict[str, Any], game: str, seat: int) -> Response:
    """Get the picture of a territory.

    An SVG picture without references to other resources: terrain, roads, objects, scrolls and completed
    areas.
    """
    table, _ = collaborators().games.read(game, bearer_token())
    return _picture(table, seat, _territory(table, seat), coordinates=query["coordinates"])


def _territory(table: Match, seat: int) -> Territory:
    require_seat(table, seat)
    return table.game.players[seat].territory if table.game else castle_alone(table.seats[seat].color)


def _picture(table: Match, seat: int, territory: Territory, *, coordinates: bool) -> Response:
    tag = etag(table.version, form=_DRAWN)
    cached = not_modified(tag)
    if cached is not None:
        return cached
    title = table.seats[seat].name
    drawn = territory_svg(territory, territory.summary, title=title, coordinates=coordinates)
    return text_response(drawn, SVG, tag)


@blueprint.route("/games/<game>/players/<int:seat>/what-if", methods=["POST"])
@Describe(
    [ResponseDoc(200, "What the placements would bring.", responses.WhatIf)],
    refuses=[*GAME, *BODY, *_BEGUN, *_OF_SEAT, "not_acceptable", "token_required", "not_your_seat"],
    token=Token.REQUIRED,
)
@blueprint.arguments(requests.Trial, description="The placements to try.")
def try_placements(trial: dict[str, Any], game: str, seat: int) -> Response:
    """Try placements.

    Whether tiles could be placed so, one after the other, and the points of each scoring tile before and
    after. The tiles need not be in hand: any that lies in no territory can be tried. Nothing changes.
    """
    table, caller = collaborators().games.read(game, bearer_token())
    require_own_seat(table, caller, seat)
    placements = [Place(**placement) for placement in trial["placements"]]
    return json_response({"version": table.version, **what_if(game_begun(table), seat, placements)})


@blueprint.route("/games/<game>/players/<int:seat>/places")
@reads(
    ResponseDoc(200, "The placements.", responses.Places),
    refuses=["not_acceptable", "invalid_parameter", "tile_not_yours", *_BEGUN, *_OF_SEAT],
)
@blueprint.arguments(requests.PlacesQuery, location="query")
def list_places(query: dict[str, Any], game: str, seat: int) -> Response:
    """List the places of tiles.

    Every cell and rotation in which a tile could lie in the territory of a seat, in any phase, and what it
    would add: points by scoring tile, points of scrolls, income, completed areas, tiles joined to the castle.
    The tiles need not be in hand: any that lies in no territory can be asked for. One request values a tile,
    or all tiles that are for sale.
    """
    table, _ = collaborators().games.read(game, bearer_token())
    require_seat(table, seat)
    state = game_begun(table)
    tag = etag(table.version)  # territories are public
    cached = not_modified(tag)
    if cached is not None:
        return cached
    places: list[PlacementGainsView] = []
    with Computation() as computation:
        for tile in dict.fromkeys(query["tile"]):
            places += placement_gains(state, seat, tile)
            computation.checkpoint()
    view = {"version": table.version, "before": standing_view(state, seat), "places": places}
    return json_response(view, tag=tag)


@blueprint.route("/scoring", methods=["POST"])
@operation(
    ResponseDoc(200, "The points of each territory, and why.", responses.ScoredTerritories),
    refuses=[*BODY, "invalid_territory", "not_acceptable"],
)
@blueprint.arguments(requests.ScoringQuery, description="The territories, and which scoring tiles to score.")
def score_territories(query: dict[str, Any]) -> Response:
    """Score any territories.

    Apart from any game: the points for each scoring tile with what earned them, scrolls, gold and areas.
    Tiles may come in any order, but must lie as the rules allow; the errors name each wrong tile.
    """
    territories = [_assembled(number, asked["tiles"]) for number, asked in enumerate(query["territories"])]
    golds = [asked["gold"] for asked in query["territories"]]
    return json_response(assess(territories, golds, query.get("scoring_tiles", list(SCORING_TILES))))


def _assembled(number: int, tiles: list[dict[str, Any]]) -> Territory:
    try:
        return Territory.from_placements(Place(**tile) for tile in tiles)
    except InvalidTerritory as error:
        pointer = f"/territories/{number}/tiles/{error.facts['index']}"
        raise Problem("invalid_territory", errors=[FieldError(pointer, error.detail)]) from error
