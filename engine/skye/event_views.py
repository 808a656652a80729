"""The types of events as a viewer may see them, and of the reports of rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, TypedDict

from skye.views import PlacedTileView, ResultView, ScoringTilePointsView


class IncomeView(TypedDict):
    """The gold that a seat received, by source."""

    castle: int
    whisky: int
    catch_up: int
    total: int


class SeatIncomeView(IncomeView):
    """The income of one seat."""

    seat: int
    gold: int | None


class SeatTilesView(TypedDict):
    """The tiles that one seat drew."""

    seat: int
    tiles: Sequence[str]


class SeatOfferView(TypedDict):
    """The offer of one seat, revealed."""

    seat: int
    discard: str
    prices: Mapping[str, int]
    gold: int | None


class SeatGoldView(TypedDict):
    """The purse of one seat."""

    seat: int
    gold: int | None


class SeatKeptView(SeatTilesView):
    """The tiles of one seat that were not sold."""

    gold_lost: int


class SeatRoundPointsView(TypedDict):
    """The points of one seat in a round."""

    seat: int
    scoring_tiles: Sequence[ScoringTilePointsView]
    score: int


class SeatEndView(TypedDict):
    """The score and the gold of one seat at the end."""

    seat: int
    score: int
    gold: int


class RoundStartedView(TypedDict):
    """The event `RoundStarted`."""

    type: Literal["round_started"]
    round: int
    starting_seat: int


class IncomePaidView(TypedDict):
    """The event `IncomePaid`."""

    type: Literal["income_paid"]
    players: Sequence[SeatIncomeView]


class TilesDrawnView(TypedDict):
    """The event `TilesDrawn`."""

    type: Literal["tiles_drawn"]
    players: Sequence[SeatTilesView]


class OfferSetView(TypedDict):
    """The event `OfferSet`; only its seat sees the contents."""

    type: Literal["offer_set"]
    seat: int
    discard: str | None
    prices: Mapping[str, int] | None
    gold: int | None


class OffersRevealedView(TypedDict):
    """The event `OffersRevealed`."""

    type: Literal["offers_revealed"]
    players: Sequence[SeatOfferView]


class TilesDiscardedView(TypedDict):
    """The event `TilesDiscarded`."""

    type: Literal["tiles_discarded"]
    tiles: Sequence[str]


class TileBoughtView(TypedDict):
    """The event `TileBought`, with the purses of buyer and seller."""

    type: Literal["tile_bought"]
    seat: int
    seller: int
    tile: str
    price: int
    players: Sequence[SeatGoldView]


class BuyPassedView(TypedDict):
    """The event `BuyPassed`."""

    type: Literal["buy_passed"]
    seat: int


class TilesKeptView(TypedDict):
    """The event `TilesKept`."""

    type: Literal["tiles_kept"]
    players: Sequence[SeatKeptView]


class TilePlacedView(PlacedTileView):
    """The event `TilePlaced`."""

    type: Literal["tile_placed"]
    seat: int


class PlacementTakenBackView(PlacedTileView):
    """The event `PlacementTakenBack`."""

    type: Literal["placement_taken_back"]
    seat: int


class BuildingFinishedView(TypedDict):
    """The event `BuildingFinished`."""

    type: Literal["building_finished"]
    seat: int
    returned: Sequence[str]


class RoundScoredView(TypedDict):
    """The event `RoundScored`."""

    type: Literal["round_scored"]
    round: int
    players: Sequence[SeatRoundPointsView]


class GameFinishedView(TypedDict):
    """The event `GameFinished`."""

    type: Literal["game_finished"]
    seed: str | None
    players: Sequence[SeatEndView]
    result: ResultView


EventView: TypeAlias = (
    RoundStartedView
    | IncomePaidView
    | TilesDrawnView
    | OfferSetView
    | OffersRevealedView
    | TilesDiscardedView
    | TileBoughtView
    | BuyPassedView
    | TilesKeptView
    | TilePlacedView
    | PlacementTakenBackView
    | BuildingFinishedView
    | RoundScoredView
    | GameFinishedView
)


class RevealedOfferView(TypedDict):
    """An offer that the viewer may see."""

    discard: str
    prices: Mapping[str, int]


PurchaseView = TypedDict(
    "PurchaseView", {"seat": int, "tile": str | None, "seller": int | None, "price": int | None, "pass": bool}
)
"""A purchase; a pass has neither tile nor seller nor price."""


class SeatRoundView(TypedDict):
    """The actions and the income of one seat in a round."""

    seat: int
    income: IncomeView | None
    tiles_drawn: Sequence[str]
    offer: RevealedOfferView | None
    purchase: PurchaseView | None
    tiles_kept: Sequence[str]
    gold_lost: int | None
    placements: list[PlacedTileView]
    tiles_returned: Sequence[str]
    scoring_tiles: Sequence[ScoringTilePointsView] | None
    score: int | None


class RoundView(TypedDict):
    """The report of a round so far."""

    round: int
    starting_seat: int
    discards: Sequence[str]
    purchases: list[PurchaseView]
    players: Sequence[SeatRoundView]
    complete: bool
