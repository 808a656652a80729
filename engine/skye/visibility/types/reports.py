"""The types of reports on scores and territories, as JSON data.

A field is None if its value is hidden or not known yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, TypedDict

from skye.fields import (
    MAX_REGIONS,
    MAX_TILES,
    ByScoringTile,
    BySeat,
    BySlot,
    Coordinate,
    Count,
    Gain,
    InTerritory,
    Keywords,
    ObjectKind,
    ProblemCode,
    Round,
    ScoringSlot,
    ScoringTileId,
    Seat,
    Side,
    TerrainName,
    TileId,
    TileIds,
)
from skye.rulesets.data import MAX_PLAYERS, MAX_ROUNDS
from skye.visibility.types.game import TerritoryTileView


class AwardView(TypedDict):
    """Points, and the tiles that earned them."""

    points: Annotated[Count, "The points."]
    tiles: Annotated[TileIds, "The tiles that earned them; none if gold did."]


class SlotScoreView(TypedDict):
    """The points of a seat for a scoring tile in a round."""

    slot: Annotated[ScoringSlot, "The slot."]
    scoring_tile: Annotated[ScoringTileId, "The scoring tile in the slot."]
    points: Annotated[Count, "The points."]
    awards: Annotated[
        Sequence[AwardView], Keywords(maxItems=MAX_REGIONS), "The awards, which add up to the points."
    ]


class RoundScoreView(TypedDict):
    """The points of a seat in a round."""

    round: Round
    scoring_tiles: Annotated[BySlot[SlotScoreView], "The scoring tiles of the round."]


class ScrollView(TypedDict):
    """A scroll in a territory, and its points in final scoring."""

    kind: Annotated[ObjectKind, "The kind of object that the scroll counts."]
    tile: Annotated[TileId, "The tile with the scroll."]
    count: Annotated[Count, "The number of these objects in the territory."]
    completed: Annotated[bool, "Whether the scroll lies in a completed area, which doubles its points."]
    points: Annotated[Count, "The points of the scroll."]


class FinalScoringView(TypedDict):
    """The points of final scoring for the current territory. Values that depend on hidden gold are null."""

    scrolls: Annotated[Sequence[ScrollView], Keywords(maxItems=MAX_TILES), "The scrolls."]
    scroll_points: Annotated[Count, "The points of all scrolls."]
    gold: Annotated[Count | None, "The gold in the purse."]
    gold_points: Annotated[Count | None, "1 point for every 5 gold."]
    leftover_gold: Annotated[Count | None, "The gold left after the points for gold; it breaks ties."]


class SeatScoresView(TypedDict):
    """The points of one seat."""

    seat: Seat
    score: Annotated[Count, "The points so far."]
    rounds: Annotated[Sequence[RoundScoreView], Keywords(maxItems=MAX_ROUNDS), "The rounds scored so far."]
    final: Annotated[FinalScoringView, "The points of final scoring: if the game ended now, or as scored."]
    projected_score: Annotated[Count | None, "The points if the game ended now; null when hidden."]


class ScoresView(TypedDict):
    """The points of each seat, by round and scoring tile, and those of final scoring."""

    players: Annotated[BySeat[SeatScoresView], "The points of each seat, in seat order."]


class TriedPlacementView(TerritoryTileView):
    """A placement, and whether it is legal."""

    legal: Annotated[bool, "Whether the placement is legal."]
    in_hand: Annotated[bool, "Whether the seat has the tile in hand, and could place it now."]
    code: Annotated[ProblemCode | None, "The code of the error if it is illegal; null otherwise."]
    detail: Annotated[
        str | None, Keywords(maxLength=500), "Why it is illegal: a sentence for people; null otherwise."
    ]


class TilePointsChangeView(TypedDict):
    """The points of a scoring tile before and after placements; null if they depend on hidden gold."""

    slot: Annotated[ScoringSlot, "The slot."]
    scoring_tile: Annotated[ScoringTileId, "The scoring tile in the slot."]
    before: Annotated[Count | None, "The points before the placements."]
    after: Annotated[Count | None, "The points after the placements; null also if one is illegal."]


class ScrollPointsChangeView(TypedDict):
    """The points of the scrolls before and after placements."""

    before: Annotated[Count, "The points before the placements."]
    after: Annotated[Count | None, "The points after the placements; null if one is illegal."]


class WhatIfView(TypedDict):
    """The effect of placements on the points of a seat."""

    legal: Annotated[bool, "Whether all placements are legal, in their order."]
    placements: Annotated[
        Sequence[TriedPlacementView], Keywords(maxItems=20), "The placements, up to the first illegal one."
    ]
    scoring_tiles: Annotated[
        BySlot[TilePointsChangeView],
        Keywords(minItems=1),
        "The points of each scoring tile, by slot.",
    ]
    scroll_points: Annotated[ScrollPointsChangeView, "The points of the scrolls."]


class AreaCellView(TypedDict):
    """A region of a tile that belongs to an area."""

    tile: TileId
    region: Annotated[
        Count, Keywords(maximum=4), "The index of the region in `regions` of the tile in the catalogue."
    ]
    x: Annotated[Coordinate, "Cells east of the castle."]
    y: Annotated[Coordinate, "Cells south of the castle."]
    sides: Annotated[Sequence[Side], Keywords(maxItems=4), "The edges of the cell that the region reaches."]
    center: Annotated[bool, "Whether the region covers the middle of the tile."]


class AreaView(TypedDict):
    """An area of a territory: connected tiles, or parts of tiles, of one terrain."""

    terrain: TerrainName
    tiles: Annotated[TileIds, "The tiles, each once."]
    cells: Annotated[
        Sequence[AreaCellView],
        Keywords(minItems=1, maxItems=MAX_REGIONS),
        "The regions of tiles that form the area.",
    ]
    completed: Annotated[bool, "Whether every edge that the area reaches has a tile on its other side."]
    brochs: Annotated[Count, "The brochs in it."]
    ships: Annotated[Count, "The ships in it."]
    lighthouses: Annotated[Count, "The lighthouses adjacent to it."]
    scrolls: Annotated[
        Sequence[Annotated[ObjectKind, "A kind of scroll."]],
        Keywords(maxItems=MAX_TILES),
        "The scrolls in it.",
    ]


class ObjectCountsView(TypedDict):
    """The number of each kind of object; for whisky, the number of tiles."""

    whisky: Annotated[Count, "Tiles with whisky."]
    sheep: Annotated[Count, "Sheep."]
    cattle: Annotated[Count, "Cattle."]
    farm: Annotated[Count, "Farms."]
    broch: Annotated[Count, "Brochs."]
    ship: Annotated[Count, "Ships."]
    lighthouse: Annotated[Count, "Lighthouses."]


class TerritoryView(TypedDict):
    """The territory of a seat, its areas and its objects."""

    tiles: Annotated[InTerritory[TerritoryTileView], "The tiles in placing order, the castle first."]
    areas: Annotated[Sequence[AreaView], Keywords(maxItems=MAX_REGIONS), "The areas."]
    connected_tiles: Annotated[TileIds, "The tiles connected to the castle by road, without the castle."]
    counts: Annotated[
        Mapping[str, int], ObjectCountsView, "The number of each kind of object in the territory."
    ]


class TileScoreView(TypedDict):
    """The points of a territory for a scoring tile."""

    scoring_tile: Annotated[ScoringTileId, "The scoring tile."]
    points: Annotated[Count, "The points."]
    awards: Annotated[
        Sequence[AwardView], Keywords(maxItems=MAX_REGIONS), "The awards, which add up to the points."
    ]


class TerritoryScoreView(TypedDict):
    """The points of a territory."""

    scoring_tiles: Annotated[
        ByScoringTile[TileScoreView],
        "The scoring tiles, in the order of the request.",
    ]
    scrolls: Annotated[Sequence[ScrollView], Keywords(maxItems=MAX_TILES), "The scrolls."]
    scroll_points: Annotated[Count, "The points of all scrolls."]
    gold_points: Annotated[Count, "1 point for every 5 gold."]
    leftover_gold: Annotated[Count, "The gold left after the points for gold."]
    areas: Annotated[Sequence[AreaView], Keywords(maxItems=MAX_REGIONS), "The areas."]


class ScoredTerritoriesView(TypedDict):
    """The points of territories."""

    territories: Annotated[
        Sequence[TerritoryScoreView],
        Keywords(minItems=1, maxItems=MAX_PLAYERS),
        "The territories, in the order of the request.",
    ]


class ScoringTileView(TypedDict):
    """A scoring tile."""

    id: Annotated[ScoringTileId, "The id of the scoring tile."]
    title: Annotated[str, Keywords(maxLength=60), "The title."]
    text: Annotated[str, Keywords(maxLength=500), "What scores points."]
    majority: Annotated[bool, "Whether it compares players: 5 points for the most and 2 for the second."]


class KnownScoringTilePointsView(TypedDict):
    """The points of one seat for a scoring tile, as far as they are public."""

    slot: Annotated[ScoringSlot, "The slot of the scoring tile."]
    scoring_tile: Annotated[ScoringTileId, "The scoring tile."]
    points: Annotated[Count | None, "The points; null if they depend on hidden purses."]


class TerritoryWorthView(TypedDict):
    """The value of the current territory."""

    scoring_tiles: Annotated[
        BySlot[KnownScoringTilePointsView],
        Keywords(minItems=1),
        "The points of each scoring tile, by slot.",
    ]
    scroll_points: Annotated[Count, "The points of the scrolls."]
    whisky_income: Annotated[Count, "The gold of each income for whisky connected to the castle by road."]
    completed_areas: Annotated[Count, "The number of completed areas."]
    connected_tiles: Annotated[Count, "The number of tiles connected to the castle by road."]


class PlacementAwardView(AwardView):
    """Points that a placement would earn, and the tiles that would earn them."""

    slot: Annotated[ScoringSlot, "The slot of the scoring tile."]


class ScoringTileGainView(TypedDict):
    """The points that a placement would add for a scoring tile."""

    slot: Annotated[ScoringSlot, "The slot of the scoring tile."]
    scoring_tile: Annotated[ScoringTileId, "The scoring tile."]
    points: Annotated[Gain | None, "The points; null if they depend on hidden purses."]


class PlacementGainsView(TerritoryTileView):
    """A legal placement and its effect."""

    gains: Annotated[BySlot[ScoringTileGainView], Keywords(minItems=1), "The added points, by slot."]
    scroll_points: Annotated[Gain, "The added points of the scrolls."]
    whisky_income: Annotated[
        Gain, "The added gold of each income for whisky connected to the castle by road."
    ]
    completed_areas: Annotated[Gain, "The added completed areas."]
    connected_tiles: Annotated[Gain, "The added tiles connected to the castle by road."]
    awards: Annotated[
        Sequence[PlacementAwardView],
        Keywords(maxItems=MAX_REGIONS),
        "The awards that would earn the points of `gains`: new and changed ones.",
    ]
