"""The catalogue: every tile, its picture, and every scoring tile. It never changes while a version runs."""

from __future__ import annotations

from typing import Any

from flask import Response, request

from engine import ROTATIONS, TILES, scoring_tile_views
from service import views
from service.drawing import tile_svg
from service.exchange import Resource, shown
from service.problems import FieldError, Problem

blueprint = Resource("Catalogue", __name__, url_prefix="/v1", description="Tiles and scoring tiles.")

_DAY_S = 86_400


@blueprint.route("/tiles")
def list_tiles() -> Response:
    """List all 78 tiles in reference orientation."""
    return _cacheable(shown({"tiles": [views.tile_view(tile) for tile in TILES]}))


@blueprint.route("/tiles/<tile>")
def get_tile(tile: str) -> Response:
    """Get one tile in reference orientation."""
    return _cacheable(shown(views.tile_view(_known(tile))))


@blueprint.route("/tiles/<tile>.svg")
def draw_tile(tile: str) -> Response:
    """Draw one tile, turned clockwise by `rotation`."""
    rotation = request.args.get("rotation", "0")
    if rotation not in map(str, ROTATIONS):
        detail = "This is not one of 0, 90, 180, 270."
        raise Problem("invalid_parameter", errors=[FieldError("rotation", detail)])
    return _cacheable(Response(tile_svg(_known(tile), int(rotation)), content_type="image/svg+xml"))


@blueprint.route("/scoring-tiles")
def list_scoring_tiles() -> Response:
    """List all 16 scoring tiles."""
    return _cacheable(shown({"scoring_tiles": scoring_tile_views()}))


def _known(tile: str) -> str:
    if tile not in TILES:
        raise Problem("tile_not_found", "There is no such tile; the ids are L01 to L73 and castle-COLOR.")
    return tile


def _cacheable(response: Response) -> Response:
    response.headers["Cache-Control"] = f"public, max-age={_DAY_S}"
    response.add_etag()
    conditional: Any = response.make_conditional(request)
    answer: Response = conditional
    return answer
