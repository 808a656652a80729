"""Points with their reasons, territories with their areas, and hypothetical placements."""

from __future__ import annotations

from service.schemas.enums import AnyTile, ObjectKind, ScoringSlot, ScoringTileId, Side, TerrainName
from service.schemas.fields import Boolean, Coordinate, Integer, Seat
from service.schemas.objects import ListOf, NestedObject
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
"""More than the number of legal placements of the tiles of one request."""


class Award(ResponseObject):
    """Points, and the tiles that earned them."""

    points = Count("The points.")
    tiles = TerritoryTiles("The tiles that earned them; none if gold did.")


class Awards(ListOf):
    """The awards that add up to points."""

    def __init__(self) -> None:
        super().__init__(Award, "The awards, which add up to the points.", length=(0, _MAX_REGIONS))


class SlotScore(ResponseObject):
    """The points of a seat for a scoring tile in a round."""

    slot = ScoringSlot("The slot.")
    id = ScoringTileId("The scoring tile in the slot.")
    points = Count("The points.")
    awards = Awards()


class RoundScore(ResponseObject):
    """The points of a seat in a round."""

    round = Round()
    scoring_tiles = ListOf(SlotScore, "The scoring tiles of the round.", length=(0, len(SLOTS)))


class Scroll(ResponseObject):
    """A scroll in a territory, and its points in final scoring."""

    kind = ObjectKind("The kind of object that the scroll counts.")
    tile = AnyTile("The tile with the scroll.")
    count = Count("The number of these objects in the territory.")
    completed = Boolean("Whether the scroll lies in a completed area, which doubles its points.")
    points = Count("The points of the scroll.")


class Scrolls(ListOf):
    """The scrolls of a territory."""

    def __init__(self) -> None:
        super().__init__(Scroll, "The scrolls.", length=(0, _MAX_SCROLLS))


class FinalScoring(ResponseObject):
    """The points of final scoring for the current territory. Values that depend on hidden gold are null."""

    scrolls = Scrolls()
    scroll_points = Count("The points of all scrolls.")
    gold = Count("The gold in the purse.", allow_none=True)
    gold_points = Count("1 point for every 5 gold.", allow_none=True)
    leftover_gold = Count("The gold left after the points for gold; it breaks ties.", allow_none=True)


class SeatScores(ResponseObject):
    """The points of one seat."""

    seat = Seat("The seat.")
    score = Count("The points so far.")
    rounds = ListOf(RoundScore, "The rounds scored so far.", length=(0, ROUNDS))
    final = NestedObject(FinalScoring, "The points of final scoring: if the game ended now, or as scored.")
    projected_score = Count("The points if the game ended now; null when hidden.", allow_none=True)


class Scores(ResponseObject):
    """The points of each seat, by round and scoring tile, and those of final scoring."""

    version = Version()
    players = BySeat(SeatScores, "The points of each seat, in seat order.")


class AreaCell(ResponseObject):
    """A region of a tile that belongs to an area."""

    tile = AnyTile()
    region = Count("The index of the region in `regions` of the tile in the catalogue.", 4)
    x = Coordinate("Cells east of the castle.")
    y = Coordinate("Cells south of the castle.")
    sides = ListOf(Side(), "The edges of the cell that the region reaches.", length=(0, 4))
    center = Boolean("Whether the region covers the middle of the tile.")


class Area(ResponseObject):
    """An area of a territory: connected tiles, or parts of tiles, of one terrain."""

    terrain = TerrainName()
    tiles = TerritoryTiles("The tiles, each once.")
    cells = ListOf(AreaCell, "The regions of tiles that form the area.", length=(1, _MAX_REGIONS))
    completed = Boolean("Whether every edge that the area reaches has a tile on its other side.")
    brochs = Count("The brochs in it.")
    ships = Count("The ships in it.")
    lighthouses = Count("The lighthouses adjacent to it.")
    scrolls = ListOf(ObjectKind("A kind of scroll."), "The scrolls in it.", length=(0, _MAX_SCROLLS))


class Areas(ListOf):
    """The areas of a territory."""

    def __init__(self) -> None:
        super().__init__(Area, "The areas.", length=(0, _MAX_REGIONS))


class ObjectCounts(ResponseObject):
    """The number of each kind of object; for whisky, the number of tiles."""

    whisky = Count("Tiles with whisky.")
    sheep = Count("Sheep.")
    cattle = Count("Cattle.")
    farm = Count("Farms.")
    broch = Count("Brochs.")
    ship = Count("Ships.")
    lighthouse = Count("Lighthouses.")


class TerritoryReport(ResponseObject):
    """The territory of a seat, its areas and its objects."""

    seat = Seat("The seat.")
    version = Version()
    tiles = TilesAsPlaced("The tiles in placing order, the castle first.")
    areas = Areas()
    connected_tiles = TerritoryTiles("The tiles connected to the castle by road, without the castle.")
    counts = NestedObject(ObjectCounts, "The number of each kind of object in the territory.")


class TriedPlacement(TerritoryTile):
    """A placement, and whether it is legal."""

    legal = Boolean("Whether the placement is legal.")
    in_hand = Boolean("Whether the seat has the tile in hand, and could place it now.")
    code = ProblemCode("The code of the error if it is illegal; null otherwise.", allow_none=True)
    detail = Text("Why it is illegal: a sentence for people; null otherwise.", 500, allow_none=True)


class TilePointsChange(ResponseObject):
    """The points of a scoring tile before and after placements; null if they depend on hidden gold."""

    slot = ScoringSlot("The slot.")
    id = ScoringTileId("The scoring tile in the slot.")
    before = Count("The points before the placements.", allow_none=True)
    after = Count("The points after the placements; null also if one is illegal.", allow_none=True)


class ScrollPointsChange(ResponseObject):
    """The points of the scrolls before and after placements."""

    before = Count("The points before the placements.")
    after = Count("The points after the placements; null if one is illegal.", allow_none=True)


class TriedPlacements(ResponseObject):
    """The effect of placements on the points of a seat."""

    version = Version()
    legal = Boolean("Whether all placements are legal, in their order.")
    placements = ListOf(TriedPlacement, "The placements, up to the first illegal one.", length=(0, 20))
    scoring_tiles = ListOf(
        TilePointsChange, "The points of each scoring tile, in slots A to D.", length=(4, 4)
    )
    scroll_points = NestedObject(ScrollPointsChange, "The points of the scrolls.")


class Gain(Integer):
    """A change by a placement; negative if the placement costs more than it gains."""

    def __init__(self, description: str) -> None:
        super().__init__(-_MAX_POINTS, _MAX_POINTS, description)


class PlacementAward(Award):
    """Points that a placement would earn, and the tiles that would earn them."""

    slot = ScoringSlot("The slot of the scoring tile.")


class ScoringTileGain(ResponseObject):
    """The points that a placement would add for a scoring tile."""

    slot = ScoringSlot("The slot of the scoring tile.")
    id = ScoringTileId("The scoring tile.")
    points = Gain("The points.")


class PlacementGains(TerritoryTile):
    """A legal placement and its effect."""

    gains = ListOf(ScoringTileGain, "The added points, in slots A to D.", length=(4, 4))
    scroll_points = Gain("The added points of the scrolls.")
    whisky_income = Gain("The added gold of each income for whisky connected to the castle by road.")
    completed_areas = Gain("The added completed areas.")
    connected_tiles = Gain("The added tiles connected to the castle by road.")
    awards = ListOf(
        PlacementAward,
        "The awards that would earn the points of `gains`: new and changed ones.",
        length=(0, _MAX_REGIONS),
    )


class TerritoryWorth(ResponseObject):
    """The value of the current territory; `most_gold`, which compares gold, counts as 0."""

    scoring_tiles = ListOf(
        ScoringTilePoints, "The points of each scoring tile, in slots A to D.", length=(4, 4)
    )
    scroll_points = Count("The points of the scrolls.")
    whisky_income = Count("The gold of each income for whisky connected to the castle by road.")
    completed_areas = Count("The number of completed areas.")
    connected_tiles = Count("The number of tiles connected to the castle by road.")


class Places(ResponseObject):
    """Every legal placement of some tiles in a territory, and the effect of each alone."""

    version = Version()
    before = NestedObject(TerritoryWorth, "The value of the current territory.")
    places = ListOf(PlacementGains, "The placements, tile by tile.", length=(0, _MAX_PLACES))


class TileScore(ResponseObject):
    """The points of a territory for a scoring tile."""

    id = ScoringTileId("The scoring tile.")
    points = Count("The points.")
    awards = Awards()


class TerritoryScore(ResponseObject):
    """The points of a territory."""

    scoring_tiles = ListOf(
        TileScore, "The scoring tiles, in the order of the request.", length=(0, len(SCORING_TILES))
    )
    scrolls = Scrolls()
    scroll_points = Count("The points of all scrolls.")
    gold_points = Count("1 point for every 5 gold.")
    leftover_gold = Count("The gold left after the points for gold.")
    areas = Areas()


class ScoredTerritories(ResponseObject):
    """The points of territories."""

    territories = ListOf(
        TerritoryScore, "The territories, in the order of the request.", length=(1, PLAYERS[-1])
    )
