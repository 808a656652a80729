"""Scoring: of a game, of one territory, of hypothetical placements, of any territories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Annotated, Any

from flask import Blueprint, Response

from skye import Place, Territory
from skye.errors import InvalidTerritory
from skye.fields import MAX_TILES, Keywords, Seat
from skye.positions import MAX_GOLD
from skye.rulesets import MAX_PLAYERS, MAX_SCORING_TILES, Ruleset
from skye.svg import territory_svg
from skye.territory import castle_alone
from skye.views import (
    PlacementGainsView,
    ScoredTerritoriesView,
    ScoresView,
    TerritoryView,
    TerritoryWorthView,
    WhatIfView,
    placement_gains_view,
    scored_territories_view,
    scores_view,
    territory_view,
    territory_worth_view,
    what_if_view,
)
from skye_server.contract.enums import AnyTile, LandscapeTile, RulesetName, ScoringTileId
from skye_server.contract.fields import Coordinate, Integer, QueryBoolean, Rotation
from skye_server.contract.moves import Placement
from skye_server.contract.objects import ListOf, Object, Query
from skye_server.cooperative_yield import Computation
from skye_server.error_codes import FieldError, Problem
from skye_server.games.authorization import require_hints, require_own_seat, require_seat
from skye_server.games.game import Game
from skye_server.games.transitions import state_begun
from skye_server.games.views.fields import Versioned, versioned
from skye_server.http.framework import collaborators
from skye_server.http.request_parsing import bearer_token, takes
from skye_server.http.responses import SVG, etag, json_response, not_modified, text_response, versioned_json
from skye_server.openapi.documented_errors import BODY_ERRORS, GAME_ERRORS, OWN_SEAT_ERRORS
from skye_server.openapi.operations import PICTURE, Describe, ResponseDoc, Token, operation, reads

blueprint = Blueprint("Scoring", __name__, url_prefix="/v1")


MAX_TILES_TO_PLACE = 2 * (MAX_PLAYERS - 1)
"""The number of tiles that the other seats can offer for sale."""


class PlacesQuery(Query):
    """Which tiles to find places for."""

    tile = ListOf(
        LandscapeTile(),
        "A landscape tile that is in no territory; repeat the parameter for several tiles.",
        length=(1, MAX_TILES_TO_PLACE),
        error="This is not from {min} to {max} tiles.",
        required=True,
    )


class TerritoryPictureQuery(Query):
    """How to draw a territory."""

    coordinates = QueryBoolean("Whether the picture shows the coordinates.", load_default=False)


class PlacementsToTry(Object):
    """Placements to try, one after the other."""

    placements = ListOf(
        Placement,
        "The placements, in order.",
        length=(0, 20),
        error="At most {max} placements can be tried at once.",
        required=True,
    )


class TileToScore(Object):
    """A tile in a territory, with its cell and rotation."""

    tile = AnyTile("The tile.", required=True)
    x = Coordinate("Cells east of the castle.", required=True)
    y = Coordinate("Cells south of the castle.", required=True)
    rotation = Rotation("The rotation; 0 if left out.", load_default=0)


class TerritoryToScore(Object):
    """A territory to score, and the gold of its owner."""

    tiles = ListOf(
        TileToScore,
        "The tiles in any order: one castle at (0, 0), the others connected to it by edges.",
        length=(1, MAX_TILES + 1),
        error="This is not from {min} to {max} tiles.",
        required=True,
    )
    gold = Integer(0, MAX_GOLD, "The gold in the purse; 0 if left out.", load_default=0)


class TerritoriesToScore(Object):
    """Territories to score, independent of any game."""

    territories = ListOf(
        TerritoryToScore,
        "One territory for each player; majorities compare them.",
        length=(1, MAX_PLAYERS),
        error="This is not from {min} to {max} territories.",
        required=True,
    )
    ruleset = RulesetName("The rules; those of new games on this server if left out.")
    scoring_tiles = ListOf(
        ScoringTileId(),
        "The scoring tiles to score; all of the ruleset if left out.",
        length=(0, MAX_SCORING_TILES),
        error="These are more than {max} scoring tiles.",
    )


class TerritoryReport(Versioned, TerritoryView):
    """The territory of a seat, its areas and its objects."""

    seat: Seat


class Places(Versioned):
    """Every legal placement of some tiles in a territory, and the effect of each alone."""

    before: Annotated[TerritoryWorthView, "The value of the current territory."]
    places: Annotated[Sequence[PlacementGainsView], Keywords(maxItems=4000), "The placements, tile by tile."]
    """The maximum is more than the number of legal placements of the tiles of one request."""


_BEGUN = ("game_not_started",)
_OF_SEAT = OWN_SEAT_ERRORS


@blueprint.route("/games/<game>/scores")
@reads(ResponseDoc(200, "The points.", versioned(ScoresView, "Scores")), errors=["not_acceptable", *_BEGUN])
def get_scores(game: str) -> Response:
    """Get the scores of a game.

    For each seat the points by round and scoring tile, with the tiles that earned them, and the points of
    final scoring if the game ended now.
    """
    current, caller = collaborators().games.read_content(game, bearer_token())
    scores = scores_view(state_begun(current), caller.seat)
    return versioned_json(current, caller, scores)


@blueprint.route("/games/<game>/players/<seat:seat>/territory")
@reads(
    ResponseDoc(200, "The territory.", TerritoryReport),
    errors=["not_acceptable", *_OF_SEAT],
)
def get_territory(game: str, seat: int) -> Response:
    """Get a territory.

    The tiles, the areas, the tiles connected to the castle by road, and the number of each kind of object.
    """
    current, caller = collaborators().games.read_content(game, bearer_token())
    seat = require_seat(current, caller, seat)
    territory = _territory(current, seat)
    report = {"seat": seat, "version": current.version, **territory_view(territory)}
    return json_response(report, tag=_tag(current, seat))


@blueprint.route("/games/<game>/players/<seat:seat>/territory/picture.svg")
@reads(PICTURE, errors=["invalid_parameter", *_OF_SEAT])
@takes(query=TerritoryPictureQuery)
def get_territory_picture(query: dict[str, Any], game: str, seat: int) -> Response:
    """Get the picture of a territory.

    An SVG picture without references to other resources: terrain, roads, objects, scrolls and completed
    areas.
    """
    current, caller = collaborators().games.read_content(game, bearer_token())
    seat = require_seat(current, caller, seat)
    return _picture(current, seat, _territory(current, seat), coordinates=query["coordinates"])


def _tag(game: Game, seat: int, form: str = "") -> str:
    """Return an entity tag for all callers, as territories are public: of `me` it differs by the seat."""
    return etag(game.version, form=f"-of{seat}{form}")


def _territory(game: Game, seat: int) -> Territory:
    return (
        game.state.players[seat].territory
        if game.state
        else castle_alone(game.seats[seat].color, game.ruleset.id)
    )


def _picture(game: Game, seat: int, territory: Territory, *, coordinates: bool) -> Response:
    tag = _tag(game, seat, "-svg")
    cached = not_modified(tag)
    if cached is not None:
        return cached
    return text_response(_drawn(territory, game.seats[seat].name, coordinates=coordinates), SVG, tag)


@lru_cache(maxsize=64)
def _drawn(territory: Territory, title: str, *, coordinates: bool) -> str:
    """Return the picture of a territory. Most versions of a game change at most one of them."""
    with Computation():
        return territory_svg(territory, title=title, coordinates=coordinates)


@blueprint.route("/games/<game>/players/<seat:seat>/what-if", methods=["POST"])
@Describe(
    [ResponseDoc(200, "The effect of the placements.", versioned(WhatIfView, "TriedPlacements"))],
    errors=[
        *GAME_ERRORS,
        *BODY_ERRORS,
        *_BEGUN,
        *_OF_SEAT,
        "not_acceptable",
        "token_required",
        "not_your_seat",
        "not_public_yet",
        "hints_off",
    ],
    token=Token.REQUIRED,
)
@takes(PlacementsToTry, "The placements to try.")
def try_placements(trial: dict[str, Any], game: str, seat: int) -> Response:
    """Try placements.

    The response states whether the placements are legal in their order, with the points of each scoring tile
    before and after. The tiles need not be in hand: a request can try any tile that is in no territory. The
    game does not change. In a game without hints this is possible only when it is over.
    """
    current, caller = collaborators().games.read_content(game, bearer_token())
    seat = require_own_seat(current, caller, seat)
    require_hints(caller)
    placements = [Place(**placement) for placement in trial["placements"]]
    return json_response({"version": current.version, **what_if_view(state_begun(current), seat, placements)})


@blueprint.route("/games/<game>/players/<seat:seat>/places")
@reads(
    ResponseDoc(200, "The placements.", Places),
    errors=["not_acceptable", "invalid_parameter", "tile_not_yours", "hints_off", *_BEGUN, *_OF_SEAT],
)
@takes(query=PlacesQuery)
def list_places(query: dict[str, Any], game: str, seat: int) -> Response:
    """List the places of tiles.

    Every legal cell and rotation of a tile in the territory of a seat, in any phase, and the effect of the
    placement: points by scoring tile, points of scrolls, income, completed areas, tiles connected to the
    castle. The tiles need not be in hand: a request can name any tiles that are in no territory. One request
    can value all tiles that are for sale. In a game without hints this is possible only when it is over.
    """
    current, caller = collaborators().games.read_content(game, bearer_token())
    seat = require_seat(current, caller, seat)
    require_hints(caller)
    state = state_begun(current)
    tag = _tag(current, seat)
    cached = not_modified(tag)
    if cached is not None:
        return cached
    places: list[PlacementGainsView] = []
    with Computation() as computation:
        for tile in dict.fromkeys(query["tile"]):
            places += placement_gains_view(state, seat, tile)
            computation.checkpoint()
    view = {"version": current.version, "before": territory_worth_view(state, seat), "places": places}
    return json_response(view, tag=tag)


@blueprint.route("/scoring", methods=["POST"])
@operation(
    ResponseDoc(200, "The points of each territory, with the reasons.", ScoredTerritoriesView),
    errors=[*BODY_ERRORS, "invalid_territory", "not_acceptable"],
)
@takes(TerritoriesToScore, "The territories, and which scoring tiles to score.")
def score_territories(query: dict[str, Any]) -> Response:
    """Score any territories.

    Independent of any game: the points for each scoring tile with the awards, scrolls, gold and areas. Tiles
    may be in any order, but must lie as the rules allow; `errors` names the first wrong tile.
    """
    ruleset = collaborators().games.ruleset(query.get("ruleset"))
    scoring_tiles = query.get("scoring_tiles", list(ruleset.scoring_tiles))
    _check_known(ruleset, scoring_tiles)
    golds = [asked["gold"] for asked in query["territories"]]
    territories: list[Territory] = []
    with Computation() as computation:
        for number, asked in enumerate(query["territories"]):
            territories.append(_assembled(ruleset, number, asked["tiles"]))
            computation.checkpoint()
        scores = scored_territories_view(ruleset, territories, golds, scoring_tiles)
    return json_response(scores)


def _check_known(ruleset: Ruleset, scoring_tiles: Iterable[str]) -> None:
    """Check that a ruleset has all of some scoring tiles."""
    errors = [
        FieldError(f"/scoring_tiles/{index}", f"{ruleset.id} has no scoring tile {tile}.")
        for index, tile in enumerate(scoring_tiles)
        if tile not in ruleset.scoring_tiles
    ]
    if errors:
        raise Problem("invalid_body", errors=errors)


def _assembled(ruleset: Ruleset, number: int, tiles: list[dict[str, Any]]) -> Territory:
    try:
        return Territory.from_placements((Place(**tile) for tile in tiles), ruleset.id)
    except InvalidTerritory as error:
        pointer = f"/territories/{number}/tiles/{error.facts['index']}"
        raise Problem("invalid_territory", errors=[FieldError(pointer, error.detail)]) from error
