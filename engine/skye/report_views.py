"""The types of reports on scores and territories, as JSON data.

A field is None if its value is hidden or not known yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from skye.views import PlacedTileView, ScoringTilePointsView


class AwardView(TypedDict):
    """Points, and the tiles that earned them."""

    points: int
    tiles: Sequence[str]


class SlotScoreView(TypedDict):
    """The points of a seat for a scoring tile in a round."""

    slot: str
    id: str
    points: int
    awards: Sequence[AwardView]


class RoundScoreView(TypedDict):
    """The points of a seat in a round."""

    round: int
    scoring_tiles: Sequence[SlotScoreView]


class ScrollView(TypedDict):
    """A scroll, and its points in final scoring."""

    kind: str
    tile: str
    count: int
    completed: bool
    points: int


class FinalScoringView(TypedDict):
    """The points of final scoring for the current territory."""

    scrolls: Sequence[ScrollView]
    scroll_points: int
    gold: int | None
    gold_points: int | None
    leftover_gold: int | None


class SeatScoresView(TypedDict):
    """The points of one seat."""

    seat: int
    score: int
    rounds: Sequence[RoundScoreView]
    final: FinalScoringView
    projected_score: int | None


class ScoresView(TypedDict):
    """The points of all seats."""

    players: Sequence[SeatScoresView]


class TriedPlacementView(PlacedTileView):
    """A placement that was tried, and the rule that refuses it."""

    legal: bool
    in_hand: bool
    code: str | None
    detail: str | None


class TilePointsChangeView(TypedDict):
    """The points for a scoring tile before and after placements."""

    slot: str
    id: str
    before: int | None
    after: int | None


class ScrollPointsChangeView(TypedDict):
    """The points for scrolls before and after placements."""

    before: int
    after: int | None


class WhatIfView(TypedDict):
    """The effect of placements."""

    legal: bool
    placements: Sequence[TriedPlacementView]
    scoring_tiles: Sequence[TilePointsChangeView]
    scroll_points: ScrollPointsChangeView


class AreaCellView(TypedDict):
    """The part of an area that lies on one tile."""

    tile: str
    region: int
    x: int
    y: int
    sides: Sequence[str]
    center: bool


class AreaView(TypedDict):
    """An area of a territory."""

    terrain: str
    tiles: Sequence[str]
    cells: Sequence[AreaCellView]
    completed: bool
    brochs: int
    ships: int
    lighthouses: int
    scrolls: Sequence[str]


class TerritoryView(TypedDict):
    """A territory with its areas, connected tiles and objects."""

    tiles: Sequence[PlacedTileView]
    areas: Sequence[AreaView]
    connected_tiles: Sequence[str]
    counts: Mapping[str, int]


class TileScoreView(TypedDict):
    """The points of a territory for a scoring tile."""

    id: str
    points: int
    awards: Sequence[AwardView]


class TerritoryScoreView(TypedDict):
    """The points of a territory, independent of any game."""

    scoring_tiles: Sequence[TileScoreView]
    scrolls: Sequence[ScrollView]
    scroll_points: int
    gold_points: int
    leftover_gold: int
    areas: Sequence[AreaView]


class ScoredTerritoriesView(TypedDict):
    """The points of territories, independent of any game."""

    territories: Sequence[TerritoryScoreView]


class ScoringTileView(TypedDict):
    """A scoring tile of the catalogue."""

    id: str
    title: str
    text: str
    majority: bool


class TerritoryWorthView(TypedDict):
    """The points, income and connections of a territory."""

    scoring_tiles: Sequence[ScoringTilePointsView]
    scroll_points: int
    whisky_income: int
    completed_areas: int
    connected_tiles: int


class PlacementAwardView(AwardView):
    """Points that a placement would earn, and the tiles that would earn them."""

    slot: str


class PlacementGainsView(PlacedTileView):
    """A legal placement, and the change that it would make."""

    gains: Sequence[ScoringTilePointsView]
    scroll_points: int
    whisky_income: int
    completed_areas: int
    connected_tiles: int
    awards: Sequence[PlacementAwardView]
