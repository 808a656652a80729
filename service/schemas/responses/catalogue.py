"""The catalogue: tiles, scoring tiles and scenarios; health and the index."""

from __future__ import annotations

from service.matches.scenarios import SCENARIOS
from service.schemas.enums import AnyTile, ObjectKind, ScenarioName, ScoringTileId, Side, TerrainName
from service.schemas.fields import Boolean
from service.schemas.objects import Constant, ListOf, NestedObject
from service.schemas.responses.position import ScenarioPosition
from service.schemas.responses.scoring import ObjectCounts
from service.schemas.responses.shape import ResponseObject, Text
from skye import SCORING_TILES, TILES


class TileEdges(ResponseObject):
    """The terrain on each edge of a tile in reference orientation."""

    north = TerrainName()
    east = TerrainName()
    south = TerrainName()
    west = TerrainName()


class TileRegion(ResponseObject):
    """A part of a tile in reference orientation: a connected part of one terrain."""

    terrain = TerrainName()
    sides = ListOf(Side("An edge."), "The edges that the region reaches.", length=(0, 4))
    center = Boolean("Whether the region covers the middle of the tile.")


class Tile(ResponseObject):
    """A tile in reference orientation."""

    id = AnyTile("The id of the tile.")
    castle = Boolean("Whether the tile is one of the five castle tiles.")
    edges = NestedObject(TileEdges, "The terrain on each edge.")
    center = TerrainName("The terrain in the middle.")
    regions = ListOf(TileRegion, "The parts of the tile; `areas[].cells` refer to them.", length=(1, 5))
    roads = ListOf(
        ListOf(
            Side(), "The edges that one road joins; a road on one edge ends inside the tile.", length=(1, 4)
        ),
        "The roads; they are not joined to each other.",
        length=(0, 4),
    )
    counts = NestedObject(ObjectCounts, "The number of each kind of object.")
    scroll = ObjectKind("What the scroll counts; null without a scroll.", allow_none=True)


class TileList(ResponseObject):
    """All tiles."""

    tiles = ListOf(Tile, "The tiles.", length=(len(TILES), len(TILES)))


class ScoringTile(ResponseObject):
    """A scoring tile."""

    id = ScoringTileId("The id of the scoring tile.")
    title = Text("The title.", 60)
    text = Text("What scores points.", 500)
    majority = Boolean("Whether it compares players: 5 points for the most and 2 for the second.")


class ScoringTileList(ResponseObject):
    """All scoring tiles."""

    scoring_tiles = ListOf(ScoringTile, "The scoring tiles.", length=(len(SCORING_TILES), len(SCORING_TILES)))


class Scenario(ResponseObject):
    """A position to begin a game from, by its name."""

    name = ScenarioName("The value of `scenario` in `POST /v1/games`.")
    text = Text("A description of the position.", 200)
    position = NestedObject(ScenarioPosition, "The position, as `POST /v1/games` accepts it.")


class ScenarioList(ResponseObject):
    """All scenarios."""

    scenarios = ListOf(Scenario, "The scenarios.", length=(len(SCENARIOS), len(SCENARIOS)))


class Health(ResponseObject):
    """The health of the server."""

    status = Constant("ok", 'Always "ok".')
    lab = Boolean("Whether the server is a lab for testers (`SKYE_LAB`).")


class Readiness(Health):
    """The readiness of the server."""

    warnings = ListOf(
        Text("A sentence.", 200),
        "What an operator should change: `SKYE_REDIS_REPLICAS`, if it is below the number of replicas.",
        length=(0, 1),
    )


class ServiceIndex(ResponseObject):
    """The paths to begin with."""

    play = Text("The web client, for playing in a browser.", 60)
    games = Text("The public games, and where to create one.", 60)
    tiles = Text("All tiles.", 60)
    scoring_tiles = Text("All scoring tiles.", 60)
    scenarios = Text("All scenarios.", 60)
    lab = Text("The laboratory of a server for testers; null on other servers.", 60, allow_none=True)
    guide = Text("The guide.", 60)
    reference = Text("The reference.", 60)
    contract = Text("The contract.", 60)
