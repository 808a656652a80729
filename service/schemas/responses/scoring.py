"""Points and why, territories and their areas, and what would be."""

from __future__ import annotations

from service.schemas.enums import AnyTile, ObjectKind, ScoringSlot, ScoringTileId, Side, TerrainName
from service.schemas.fields import Boolean, Coordinate, Integer, ListOf, Seat
from service.schemas.objects import One
from service.schemas.responses.game import ScoringTilePoints
from service.schemas.responses.problem import ProblemCode
from service.schemas.responses.shape import (
    ROUNDS,
    BySeat,
    Count,
    ResponseObject,
    Round,
    TerritoryTile,
    TerritoryTiles,
    Text,
    TilesAsPlaced,
    Version,
)
from skye import LANDSCAPE, PLAYERS, SCORING_TILES, SLOTS

_MAX_SCROLLS = 14
_MAX_REGIONS = 5 * (len(LANDSCAPE) + 1)
_MAX_POINTS = 1000
_MAX_PLACES = 4000
"""More than the legal placements of all tiles that can be asked for at once."""


class Award(ResponseObject):
    """Points, and the tiles that earned them."""

    points = Count("The points.")
    tiles = TerritoryTiles("The tiles of the thing that earned them; none where gold did.")


class Awards(ListOf):
    """What points are made of."""

    def __init__(self) -> None:
        super().__init__(Award, "What earned the points, one by one.", length=(0, _MAX_REGIONS))


class SlotScore(ResponseObject):
    """What a scoring tile gave a seat in a round."""

    slot = ScoringSlot("The slot.")
    id = ScoringTileId("The scoring tile in it.")
    points = Count("The points.")
    awards = Awards()


class RoundScore(ResponseObject):
    """What a round gave a seat."""

    round = Round()
    scoring_tiles = ListOf(SlotScore, "The scoring tiles of the round.", length=(0, len(SLOTS)))


class Scroll(ResponseObject):
    """A scroll in a territory, and what it gives in final scoring."""

    kind = ObjectKind("What it counts.")
    tile = AnyTile("The tile that bears it.")
    count = Count("How many of its kind there are in the territory.")
    completed = Boolean("Whether it lies in a completed area, which doubles its points.")
    points = Count("Its points.")


class Scrolls(ListOf):
    """The scrolls of a territory."""

    def __init__(self) -> None:
        super().__init__(Scroll, "The scrolls, one by one.", length=(0, _MAX_SCROLLS))


class FinalScoring(ResponseObject):
    """What final scoring gives for a territory as it now lies. What hangs on a hidden purse is null."""

    scrolls = Scrolls()
    scroll_points = Count("The points of all scrolls.")
    gold = Count("The gold in the purse.", allow_none=True)
    gold_points = Count("1 point for every 5 gold.", allow_none=True)
    leftover_gold = Count("The gold that earned no point; it breaks ties.", allow_none=True)


class SeatScores(ResponseObject):
    """The points of one seat."""

    seat = Seat("The seat.")
    score = Count("The points so far.")
    rounds = ListOf(RoundScore, "The rounds scored so far.", length=(0, ROUNDS))
    final = One(FinalScoring, "What final scoring would give now, or has given.")
    projected_score = Count("The points if the game ended now; null when hidden.", allow_none=True)


class Scores(ResponseObject):
    """The points of each seat, by round and scoring tile, and what final scoring would give."""

    version = Version()
    players = BySeat(SeatScores, "The points of each seat, in seat order.")


class AreaCell(ResponseObject):
    """The part of an area that lies on one tile."""

    tile = AnyTile()
    region = Count("Which region of the tile it is: the index in `regions` of the tile in the catalogue.", 4)
    x = Coordinate("Position eastwards of the castle.")
    y = Coordinate("Position southwards of the castle.")
    sides = ListOf(Side(), "The edges of the cell that it reaches.", length=(0, 4))
    center = Boolean("Whether it covers the middle of the tile.")


class Area(ResponseObject):
    """An area of a territory: tiles or parts of tiles of one terrain that are joined."""

    terrain = TerrainName()
    tiles = TerritoryTiles("Its tiles, each once.")
    cells = ListOf(AreaCell, "The regions of tiles that it consists of.", length=(1, _MAX_REGIONS))
    completed = Boolean("Whether every edge that it reaches has a tile on its other side.")
    brochs = Count("The brochs in it.")
    ships = Count("The ships in it.")
    lighthouses = Count("The lighthouses adjacent to it.")
    scrolls = ListOf(ObjectKind("A kind of scroll."), "The scrolls in it.", length=(0, _MAX_SCROLLS))


class Areas(ListOf):
    """The areas of a territory."""

    def __init__(self) -> None:
        super().__init__(Area, "The areas.", length=(0, _MAX_REGIONS))


class ObjectCounts(ResponseObject):
    """How many of each thing there are; whisky is counted in tiles."""

    whisky = Count("Tiles with whisky.")
    sheep = Count("Sheep.")
    cattle = Count("Cattle.")
    farm = Count("Farms.")
    broch = Count("Brochs.")
    ship = Count("Ships.")
    lighthouse = Count("Lighthouses.")


class TerritoryReport(ResponseObject):
    """A seat's territory and what is in it."""

    seat = Seat("The seat.")
    version = Version()
    tiles = TilesAsPlaced("The tiles in placing order, the castle first.")
    areas = Areas()
    connected_tiles = TerritoryTiles("The tiles joined to the castle by road, without the castle.")
    counts = One(ObjectCounts, "How many of each thing there are in it.")


class TriedPlacement(TerritoryTile):
    """Whether a tile could be placed so."""

    legal = Boolean("Whether the tile can lie so.")
    in_hand = Boolean("Whether the seat has the tile in hand, and could place it now.")
    code = ProblemCode("Why it cannot, as a refusal would say.", allow_none=True)
    detail = Text("Why it cannot, in a sentence.", 500, allow_none=True)


class TilePointsChange(ResponseObject):
    """What placements would change for a scoring tile. What hangs on a hidden purse is null."""

    slot = ScoringSlot("The slot.")
    id = ScoringTileId("The scoring tile in it.")
    before = Count("What it would give now.", allow_none=True)
    after = Count("What it would give afterwards; null also if not all can lie so.", allow_none=True)


class ScrollPointsChange(ResponseObject):
    """What placements would change for the scrolls."""

    before = Count("What they would give now.")
    after = Count("What they would give afterwards; null if not all can lie so.", allow_none=True)


class WhatIf(ResponseObject):
    """What placements would bring."""

    version = Version()
    legal = Boolean("Whether all of them can lie so, one after the other.")
    placements = ListOf(
        TriedPlacement, "The placements tried, up to the first that cannot lie so.", length=(0, 20)
    )
    scoring_tiles = ListOf(
        TilePointsChange, "The points of each scoring tile, in slots A to D.", length=(4, 4)
    )
    scrolls = One(ScrollPointsChange, "The points of the scrolls.")


class Gain(Integer):
    """What a placement adds: less than 0 when it costs more than it brings."""

    def __init__(self, description: str) -> None:
        super().__init__(-_MAX_POINTS, _MAX_POINTS, description)


class PlacementAward(Award):
    """Points that a placement would earn, and the tiles that would earn them."""

    slot = ScoringSlot("The slot of the scoring tile.")


class ScoringTileGain(ResponseObject):
    """What a placement would add to the points of a scoring tile."""

    slot = ScoringSlot("The slot of the scoring tile.")
    id = ScoringTileId("The scoring tile.")
    points = Gain("The points.")


class PlacementGains(TerritoryTile):
    """A legal placement, and what it would add."""

    gains = ListOf(ScoringTileGain, "The points, in slots A to D.", length=(4, 4))
    scrolls = Gain("The points of the scrolls.")
    whisky_income = Gain("The gold of each income for whisky joined to the castle by road.")
    completed_areas = Gain("The completed areas.")
    connected_tiles = Gain("The tiles joined to the castle by road.")
    awards = ListOf(
        PlacementAward,
        "What would earn the points of `gains`: awards that are new or become others.",
        length=(0, _MAX_REGIONS),
    )


class TerritoryWorth(ResponseObject):
    """What a territory is worth as it lies; `most_gold`, which compares purses, counts as 0."""

    scoring_tiles = ListOf(
        ScoringTilePoints, "The points of each scoring tile, in slots A to D.", length=(4, 4)
    )
    scrolls = Count("The points of the scrolls.")
    whisky_income = Count("The gold of each income for whisky joined to the castle by road.")
    completed_areas = Count("The completed areas.")
    connected_tiles = Count("The tiles joined to the castle by road.")


class Places(ResponseObject):
    """Every legal placement of some tiles in a territory, each as the only one, and what it would add."""

    version = Version()
    before = One(TerritoryWorth, "What the territory is worth now.")
    places = ListOf(PlacementGains, "The placements, tile by tile.", length=(0, _MAX_PLACES))


class TileScore(ResponseObject):
    """What a scoring tile gives a territory."""

    id = ScoringTileId("The scoring tile.")
    points = Count("The points.")
    awards = Awards()


class TerritoryScore(ResponseObject):
    """What a territory scores."""

    scoring_tiles = ListOf(
        TileScore, "The scoring tiles, as they were asked for.", length=(0, len(SCORING_TILES))
    )
    scrolls = Scrolls()
    scroll_points = Count("The points of all scrolls.")
    gold_points = Count("1 point for every 5 gold.")
    leftover_gold = Count("The gold that earned no point.")
    areas = Areas()


class ScoredTerritories(ResponseObject):
    """What territories score."""

    territories = ListOf(TerritoryScore, "The territories, as they were sent.", length=(1, PLAYERS[-1]))
