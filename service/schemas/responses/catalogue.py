"""The catalogue: tiles and scoring tiles."""

from __future__ import annotations

from service.matches.scenarios import SCENARIOS
from service.schemas.enums import AnyTile, ObjectKind, ScenarioName, ScoringTileId, Side, TerrainName
from service.schemas.fields import Boolean, ListOf
from service.schemas.objects import Always, One
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
    """A part of a tile in reference orientation: connected ground of one terrain."""

    terrain = TerrainName()
    sides = ListOf(Side("An edge."), "The edges that it reaches.", length=(0, 4))
    center = Boolean("Whether it covers the middle of the tile.")


class Tile(ResponseObject):
    """A tile in reference orientation."""

    id = AnyTile("Which tile it is.")
    castle = Boolean("Whether it is one of the five castle tiles.")
    edges = One(TileEdges, "The terrain on each edge.")
    center = TerrainName("The terrain in the middle.")
    regions = ListOf(TileRegion, "The parts of the tile; `areas[].cells` refer to them.", length=(1, 5))
    roads = ListOf(
        ListOf(
            Side(), "The edges that one road joins; a road on one edge ends inside the tile.", length=(1, 4)
        ),
        "The roads; they are not joined to each other.",
        length=(0, 4),
    )
    counts = One(ObjectCounts, "How many of each thing it shows.")
    scroll = ObjectKind("What its scroll counts; null when it bears none.", allow_none=True)


class TileList(ResponseObject):
    """All tiles."""

    tiles = ListOf(Tile, "The tiles.", length=(len(TILES), len(TILES)))


class ScoringTile(ResponseObject):
    """A scoring tile."""

    id = ScoringTileId("Which tile it is.")
    title = Text("What it is called.", 60)
    text = Text("What it gives points for.", 500)
    majority = Boolean("Whether it compares players, with 5 points for the most and 2 for the second.")


class ScoringTileList(ResponseObject):
    """All scoring tiles."""

    scoring_tiles = ListOf(ScoringTile, "The scoring tiles.", length=(len(SCORING_TILES), len(SCORING_TILES)))


class Scenario(ResponseObject):
    """A position to begin a game from, by its name."""

    name = ScenarioName("What to send as `scenario`.")
    text = Text("What it is.", 200)
    position = One(ScenarioPosition, "What to send as `position`; what it leaves out is drawn.")


class ScenarioList(ResponseObject):
    """All scenarios."""

    scenarios = ListOf(Scenario, "The scenarios.", length=(len(SCENARIOS), len(SCENARIOS)))


class Health(ResponseObject):
    """The service is well."""

    status = Always("ok", 'Always "ok".')
    lab = Boolean("Whether it is a server for testers (`SKYE_LAB`).")


class ServiceIndex(ResponseObject):
    """Where everything is."""

    play = Text("A table to play at, in a browser.", 60)
    games = Text("The public games, and where to create one.", 60)
    tiles = Text("All tiles.", 60)
    scoring_tiles = Text("All scoring tiles.", 60)
    scenarios = Text("All scenarios.", 60)
    guide = Text("The guide.", 60)
    reference = Text("The reference.", 60)
    contract = Text("The contract.", 60)
