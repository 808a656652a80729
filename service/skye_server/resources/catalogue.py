"""The catalogue: tiles, scoring tiles, pictures, scenarios and bots. It changes only with the version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any, TypeAlias, TypedDict

import msgspec
from flask import Blueprint, Response

from skye.bots import BOT_PROFILES
from skye.fields import (
    MAX_TILES,
    Component,
    Count,
    Keywords,
    ObjectKind,
    RulesetName,
    ScoringSlot,
    Side,
    TerrainName,
    TileId,
)
from skye.positions import Position
from skye.rulesets import (
    MAX_NOTE_LENGTH,
    MAX_PLAYERS,
    MAX_ROUNDS,
    MAX_SCORING_TILES,
    MAX_SLOTS,
    MIN_PLAYERS,
    Ruleset,
)
from skye.svg import scoring_tile_svg, tile_sheet_svg, tile_svg
from skye.tiles import OBJECTS, SIDE_NAMES
from skye.views import ObjectCountsView, ScoringTileView, scoring_tile_catalogue_view
from skye_server.contract import enums
from skye_server.contract.fields import QueryRotation
from skye_server.contract.objects import Query
from skye_server.cooperative_yield import pausing
from skye_server.error_codes import Problem
from skye_server.games.game import TileKind
from skye_server.games.scenarios import SCENARIOS, scenario_view
from skye_server.games.views.fields import BotName
from skye_server.http.framework import collaborators
from skye_server.http.request_parsing import takes
from skye_server.http.responses import JSON, SVG, cacheable, check_accepts, compressed, json_response
from skye_server.openapi.operations import PICTURE, Link, ResponseDoc, never_changes, text
from skye_server.settings import DAY_S

blueprint = Blueprint("Catalogue", __name__, url_prefix="/v1")


class CatalogueQuery(Query):
    """Of which ruleset to show the catalogue."""

    ruleset = enums.RulesetName("The ruleset; that of new games on this server if left out.")


class TilePictureQuery(CatalogueQuery):
    """Which tile to draw, and how."""

    rotation = QueryRotation(load_default=0)


class TileEdgesView(TypedDict):
    """The terrain on each edge of a tile in reference orientation."""

    north: TerrainName
    east: TerrainName
    south: TerrainName
    west: TerrainName


class TileRegionView(TypedDict):
    """A part of a tile in reference orientation: a connected part of one terrain."""

    terrain: TerrainName
    sides: Annotated[Sequence[Side], Keywords(maxItems=4), "The edges that the region reaches."]
    center: Annotated[bool, "Whether the region covers the middle of the tile."]


class TileView(TypedDict):
    """A tile in reference orientation."""

    id: Annotated[TileId, "The id of the tile."]
    kind: Annotated[TileKind, "The kind of tile."]
    edges: Annotated[Mapping[str, str], TileEdgesView, "The terrain on each edge."]
    center: Annotated[TerrainName, "The terrain in the middle."]
    regions: Annotated[
        Sequence[TileRegionView],
        Keywords(minItems=1, maxItems=5),
        "The parts of the tile; `areas[].cells` refer to them.",
    ]
    roads: Annotated[
        Sequence[
            Annotated[
                Sequence[Side],
                Keywords(minItems=1, maxItems=4),
                "The edges that one road joins; a road on one edge ends inside the tile.",
            ]
        ],
        Keywords(maxItems=4),
        "The roads; they are not joined to each other.",
    ]
    counts: Annotated[Mapping[str, int], ObjectCountsView, "The number of each kind of object."]
    scroll: Annotated[ObjectKind | None, "What the scroll counts; null without a scroll."]
    note: Annotated[
        str | None,
        Keywords(maxLength=MAX_NOTE_LENGTH),
        "What is doubtful about the tile: where public transcriptions of the printed tile differ.",
    ]


class TileList(TypedDict):
    """All tiles of a ruleset."""

    ruleset: RulesetName
    tiles: Annotated[Sequence[TileView], Keywords(minItems=1, maxItems=MAX_TILES + MAX_PLAYERS), "The tiles."]


_Slots: TypeAlias = Annotated[Sequence[ScoringSlot], Keywords(minItems=1, maxItems=MAX_SLOTS)]


class RoundTable(TypedDict):
    """The rounds of a game for a number of players."""

    players: Annotated[int, Keywords(minimum=MIN_PLAYERS, maximum=MAX_PLAYERS), "The number of players."]
    rounds: Annotated[
        Sequence[Annotated[_Slots, "The slots that the round scores."]],
        Keywords(minItems=1, maxItems=MAX_ROUNDS),
        "The rounds in their order.",
    ]
    note: Annotated[
        str | None, Keywords(maxLength=MAX_NOTE_LENGTH), "What is doubtful about the table, or null."
    ]


class ScoringTileList(TypedDict):
    """All scoring tiles of a ruleset, and the rounds that score their slots."""

    ruleset: RulesetName
    scoring_tiles: Annotated[
        Sequence[ScoringTileView],
        Keywords(minItems=1, maxItems=MAX_SCORING_TILES),
        "The scoring tiles.",
    ]
    round_tables: Annotated[
        Sequence[RoundTable],
        Keywords(minItems=1, maxItems=MAX_PLAYERS - MIN_PLAYERS + 1),
        "The rounds for each number of players that can play.",
    ]
    catch_up: Annotated[
        Sequence[Count],
        Keywords(minItems=1, maxItems=MAX_ROUNDS),
        "By round, the income that each player gets for each player with more points.",
    ]


class Scenario(TypedDict):
    """A position to begin a game from, by its name."""

    name: Annotated[str, Component("ScenarioName"), "The value of `scenario` in `POST /v1/games`."]
    text: Annotated[str, Keywords(maxLength=200), "A description of the position."]
    position: Annotated[
        Position,
        Component("ScenarioPosition"),
        "The position, as `POST /v1/games` accepts it.",
    ]


class ScenarioList(TypedDict):
    """All scenarios."""

    scenarios: Annotated[Sequence[Scenario], Keywords(minItems=1, maxItems=1000), "The scenarios."]


class Bot(TypedDict):
    """A bot, and how well it plays."""

    name: Annotated[BotName, "The value of `bot` for a seat."]
    title: Annotated[str, Keywords(maxLength=60), "The name that players see."]
    description: Annotated[str, Keywords(maxLength=200), "How it plays."]
    win_percent: Annotated[
        int,
        Keywords(minimum=0, maximum=100),
        "How many of 100 two-player games against `greedy` it wins, measured; a shared win counts half.",
    ]
    decision_ms: Annotated[
        int,
        Keywords(minimum=1, maximum=60_000),
        "The 99th percentile of its decision times in these games, in milliseconds.",
    ]


class BotList(TypedDict):
    """All bots."""

    bots: Annotated[Sequence[Bot], Keywords(minItems=1, maxItems=100), "The bots, the weakest first."]


@blueprint.route("/tiles")
@never_changes(
    ResponseDoc(
        200,
        "The tiles.",
        TileList,
        links=[Link("get_tile", "The first of them.", {"tile": "$response.body#/tiles/0/id"})],
        headers=["Content-Encoding"],
    ),
    errors=["invalid_parameter", "not_acceptable"],
)
@takes(query=CatalogueQuery)
def list_tiles(query: dict[str, Any]) -> Response:
    """List all tiles of a ruleset.

    The castle tiles and the landscape tiles, each in reference orientation. `note` says what is doubtful
    about a tile: public transcriptions of the printed tiles differ.
    """
    ruleset = _ruleset(query)
    tiles = [tile_view(ruleset, tile) for tile in ruleset.tiles.by_id]
    return _list({"ruleset": ruleset.id, "tiles": tiles})


@blueprint.route("/tiles/pictures.svg")
@never_changes(
    ResponseDoc(
        200,
        "The pictures.",
        text("Picture"),
        content_type=SVG,
        headers=["Content-Encoding"],
    ),
    errors=["invalid_parameter"],
)
@takes(query=CatalogueQuery)
def get_tile_pictures(query: dict[str, Any]) -> Response:
    """Get the pictures of all tiles.

    One SVG picture with all tiles in all rotations, and a `<view>` of each: the fragment `#L35-90` shows tile
    L35 rotated by 90 degrees. Browsers draw many fragments of one picture slowly; build a picture of each
    tile from its lines instead. Each definition and each tile is one line that begins with its id; a tile
    refers to the definitions that it needs.
    """
    with pausing():
        sheet = tile_sheet_svg(_ruleset(query))
    return compressed(sheet.encode(), SVG, DAY_S)


@blueprint.route("/tiles/<tile>")
@never_changes(
    ResponseDoc(
        200,
        "The tile.",
        TileView,
        links=[Link("get_tile_picture", "Its picture.", {"tile": "$request.path.tile"})],
    ),
    errors=["invalid_parameter", "not_acceptable", "not_found", "tile_not_found"],
)
@takes(query=CatalogueQuery)
def get_tile(query: dict[str, Any], tile: str) -> Response:
    """Get a tile.

    Terrain, roads, objects and scroll, in reference orientation. A rotation of 90 degrees turns north to
    east.
    """
    ruleset = _ruleset(query)
    return cacheable(json_response(tile_view(ruleset, _known(ruleset, tile))), DAY_S)


@blueprint.route("/tiles/<tile>/picture.svg")
@never_changes(
    PICTURE,
    errors=["invalid_parameter", "not_found", "tile_not_found"],
)
@takes(query=TilePictureQuery)
def get_tile_picture(query: dict[str, Any], tile: str) -> Response:
    """Get the picture of a tile.

    An SVG picture without references to other resources.
    """
    ruleset = _ruleset(query)
    drawn = tile_svg(_known(ruleset, tile), query["rotation"], ruleset)
    return cacheable(Response(drawn, content_type=SVG), DAY_S)


@blueprint.route("/scoring-tiles")
@never_changes(
    ResponseDoc(200, "The scoring tiles.", ScoringTileList, headers=["Content-Encoding"]),
    errors=["invalid_parameter", "not_acceptable"],
)
@takes(query=CatalogueQuery)
def list_scoring_tiles(query: dict[str, Any]) -> Response:
    """List all scoring tiles of a ruleset.

    A game has a scoring tile for each slot. `round_tables` says how many players can play, and which slots
    each round scores; `catch_up`, the income of a round for each player with more points.
    """
    ruleset = _ruleset(query)
    tables = [
        {"players": players, "rounds": ruleset.rounds(players), "note": ruleset.note(f"rounds {players}")}
        for players in ruleset.players
    ]
    tiles = scoring_tile_catalogue_view(ruleset)
    listed = {"ruleset": ruleset.id, "scoring_tiles": tiles, "round_tables": tables}
    return _list(listed | {"catch_up": ruleset.catch_up})


@blueprint.route("/scenarios")
@never_changes(
    ResponseDoc(
        200,
        "The scenarios.",
        ScenarioList,
        links=[Link("create_game", "Begin from one.", {})],
        headers=["Content-Encoding"],
    ),
    errors=["not_acceptable"],
)
def list_scenarios() -> Response:
    """List all scenarios.

    Positions for tests of clients, each with a name and a description. `POST /v1/games` with `scenario`
    begins a game from one. Each scenario has a seed, so its draws are always the same.
    """
    return _list({"scenarios": [scenario_view(each) for each in SCENARIOS.values()]})


@blueprint.route("/bots")
@never_changes(
    ResponseDoc(200, "The bots.", BotList, headers=["Content-Encoding"]),
    errors=["not_acceptable"],
)
def list_bots() -> Response:
    """List all bots.

    The bots that can take a seat (`{"bot": NAME}`), the weakest first.
    """
    fields = ("name", "title", "description", "win_percent", "decision_ms")
    return _list({"bots": [{field: getattr(bot, field) for field in fields} for bot in BOT_PROFILES]})


@blueprint.route("/scoring-tiles/<scoring_tile>")
@never_changes(
    ResponseDoc(
        200,
        "The scoring tile.",
        ScoringTileView,
        links=[
            Link("get_scoring_tile_picture", "Its picture.", {"scoring_tile": "$request.path.scoring_tile"})
        ],
    ),
    errors=["invalid_parameter", "not_acceptable", "not_found", "tile_not_found"],
)
@takes(query=CatalogueQuery)
def get_scoring_tile(query: dict[str, Any], scoring_tile: str) -> Response:
    """Get a scoring tile.

    Its title, a sentence that describes it, and whether it is a majority.
    """
    return cacheable(json_response(_catalogue_entry(_ruleset(query), scoring_tile)), DAY_S)


@blueprint.route("/scoring-tiles/<scoring_tile>/picture.svg")
@never_changes(
    PICTURE,
    errors=["invalid_parameter", "not_found", "tile_not_found"],
)
@takes(query=CatalogueQuery)
def get_scoring_tile_picture(query: dict[str, Any], scoring_tile: str) -> Response:
    """Get the picture of a scoring tile.

    An SVG picture of the scoring objects and their points, without words.
    """
    ruleset = _ruleset(query)
    drawn = scoring_tile_svg(_catalogue_entry(ruleset, scoring_tile)["id"], ruleset)
    return cacheable(Response(drawn, content_type=SVG), DAY_S)


def _ruleset(query: dict[str, Any]) -> Ruleset:
    return collaborators().games.ruleset(query.get("ruleset"))


def _catalogue_entry(ruleset: Ruleset, scoring_tile: str) -> ScoringTileView:
    for entry in scoring_tile_catalogue_view(ruleset):
        if entry["id"] == scoring_tile:
            return entry
    raise Problem("tile_not_found", "There is no such scoring tile.")


def _known(ruleset: Ruleset, tile: str) -> str:
    if tile not in ruleset.tiles.by_id:
        raise Problem("tile_not_found", f"There is no such tile in {ruleset.id}; `GET /v1/tiles` lists them.")
    return tile


def _list(members: dict[str, Any]) -> Response:
    """Return a list that is the same for all callers, compressed if the caller accepts it."""
    check_accepts(JSON)
    return compressed(msgspec.json.encode(members), JSON, DAY_S)


@cache
def tile_view(ruleset: Ruleset, tile_id: str) -> TileView:
    """Return a tile of the catalogue of a ruleset in reference orientation."""
    tile = ruleset.tiles.tile(tile_id)
    return {
        "id": tile.id,
        "kind": TileKind.CASTLE if tile.is_castle else TileKind.LANDSCAPE,
        "edges": {side: terrain.label for side, terrain in zip(SIDE_NAMES, tile.edges, strict=True)},
        "center": tile.center.label,
        "regions": [
            {
                "terrain": region.terrain.label,
                "sides": [SIDE_NAMES[side] for side in region.sides],
                "center": region.center,
            }
            for region in ruleset.tiles.rotated[tile_id, 0].regions
        ],
        "roads": [[SIDE_NAMES[side] for side in road] for road in tile.roads],
        "counts": dict(zip(OBJECTS, tile.counts, strict=True)),
        "scroll": tile.scroll,
        "note": ruleset.note(tile_id),
    }
