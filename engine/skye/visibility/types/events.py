"""The types of events as a viewer may see them, and of the reports of rounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias, TypedDict

from skye.fields import (
    MAX_TILES,
    BySeat,
    BySlot,
    Coordinate,
    Count,
    EventSeat,
    Keywords,
    LandscapeTileId,
    LandscapeTileIds,
    Price,
    Prices,
    Rotation,
    Round,
    Seat,
)
from skye.rulesets.data import MAX_PLAYERS
from skye.rulesets.ruleset import MAX_DRAWN
from skye.visibility.types.game import GameResultView, ScoringTilePointsView, TerritoryTileView


class IncomeView(TypedDict):
    """The income of a seat in a round, by source."""

    castle: Annotated[Count, "For the castle."]
    whisky: Annotated[Count, "For tiles with whisky that are connected to the castle by road."]
    catch_up: Annotated[Count, "For players who have more points."]
    total: Annotated[Count, "The sum."]


class SeatIncomeView(IncomeView):
    """The income of one seat."""

    seat: Seat
    gold: Annotated[Count | None, "The gold in the purse after the event; null when hidden."]


class SeatDrawView(TypedDict):
    """The tiles that one seat drew."""

    seat: Seat
    tiles: Annotated[LandscapeTileIds, Keywords(maxItems=MAX_DRAWN), "The tiles, in the order drawn."]


class SeatOfferView(TypedDict):
    """The offer of one seat, revealed."""

    seat: Seat
    discard: Annotated[LandscapeTileId, "The tile discarded."]
    prices: Annotated[Prices, "Gold on each of the other two tiles."]
    gold: Annotated[Count | None, "The gold in the purse after the event; null when hidden."]


class SeatGoldView(TypedDict):
    """The purse of one seat."""

    seat: Seat
    gold: Annotated[Count | None, "The gold in the purse after the event; null when hidden."]


class SeatKeptView(TypedDict):
    """The unsold tiles of one seat."""

    seat: Seat
    tiles: Annotated[LandscapeTileIds, Keywords(maxItems=MAX_DRAWN), "The tiles that the seat kept."]
    gold_lost: Annotated[Count, "The gold on these tiles, which went to the bank."]


class SeatRoundPointsView(TypedDict):
    """The points of one seat in a round."""

    seat: Seat
    scoring_tiles: Annotated[BySlot[ScoringTilePointsView], "Points for each scoring tile of the round."]
    score: Annotated[Count, "The total points after the round."]


class SeatEndView(TypedDict):
    """The final state of one seat."""

    seat: Seat
    score: Annotated[Count, "The total points."]
    gold: Annotated[Count, "The gold in the purse."]


class RoundStartedView(TypedDict):
    """A round began."""

    type: Literal["round_started"]
    round: Round
    starting_seat: Annotated[Seat, "The seat that starts the round."]


class IncomePaidView(TypedDict):
    """Each seat received its income."""

    type: Literal["income_paid"]
    players: Annotated[BySeat[SeatIncomeView], "The incomes, in seat order."]


class TilesDrawnView(TypedDict):
    """Each seat drew three tiles. Pricing begins."""

    type: Literal["tiles_drawn"]
    players: Annotated[BySeat[SeatDrawView], "The draws, in seat order."]


class OfferSetView(TypedDict):
    """A seat set or replaced its offer. The offer is null for all other callers."""

    type: Literal["offer_set"]
    seat: EventSeat
    discard: Annotated[LandscapeTileId | None, "The tile to discard; null when hidden."]
    prices: Annotated[Prices | None, "Gold on each of the other two tiles; null when hidden."]
    gold: Annotated[Count | None, "The gold in the purse after the event; null when hidden."]


class OffersRevealedView(TypedDict):
    """All offers were revealed."""

    type: Literal["offers_revealed"]
    players: Annotated[BySeat[SeatOfferView], "The offers, in seat order."]


class TilesDiscardedView(TypedDict):
    """The marked tiles went back into the bag. Buying begins."""

    type: Literal["tiles_discarded"]
    tiles: Annotated[LandscapeTileIds, Keywords(maxItems=MAX_PLAYERS), "The tiles, in seat order."]


class TileBoughtView(TypedDict):
    """A seat bought a tile; the seller received the price and took back the gold that lay on the tile."""

    type: Literal["tile_bought"]
    seat: EventSeat
    seller: Annotated[Seat, "The seat that sold the tile."]
    tile: Annotated[LandscapeTileId, "The tile."]
    price: Annotated[Price, "The price."]
    players: Annotated[
        Sequence[SeatGoldView],
        Keywords(minItems=2, maxItems=2),
        "The purses of the buyer and the seller, in this order.",
    ]


class PurchasePassedView(TypedDict):
    """A seat bought nothing."""

    type: Literal["purchase_passed"]
    seat: EventSeat


class TilesKeptView(TypedDict):
    """Each seat received its unsold tiles. Building begins."""

    type: Literal["tiles_kept"]
    players: Annotated[BySeat[SeatKeptView], "The kept tiles, in seat order."]


class _PlacementView(TypedDict):
    seat: EventSeat
    tile: Annotated[LandscapeTileId, "The tile."]
    x: Annotated[Coordinate, "Cells east of the castle."]
    y: Annotated[Coordinate, "Cells south of the castle."]
    rotation: Rotation


class TilePlacedView(_PlacementView):
    """A seat placed a tile."""

    type: Literal["tile_placed"]


class PlacementTakenBackView(_PlacementView):
    """A seat took its last placement back into hand."""

    type: Literal["placement_taken_back"]


class BuildingFinishedView(TypedDict):
    """A seat declared its build finished."""

    type: Literal["building_finished"]
    seat: EventSeat
    tiles_returned: Annotated[
        LandscapeTileIds, "The tiles that had no legal place and went back into the bag."
    ]


class RoundScoredView(TypedDict):
    """The round's scoring tiles were scored."""

    type: Literal["round_scored"]
    round: Round
    players: Annotated[BySeat[SeatRoundPointsView], "The points, in seat order."]


class GameFinishedView(TypedDict):
    """The game is over after final scoring; nothing is hidden any more."""

    type: Literal["game_finished"]
    seed: Annotated[str | None, Keywords(maxLength=64), "The seed of all draws; null with chance decisions."]
    players: Annotated[BySeat[SeatEndView], "The final state of each seat, in seat order."]
    result: Annotated[GameResultView, "The result."]


EventView: TypeAlias = (
    RoundStartedView
    | IncomePaidView
    | TilesDrawnView
    | OfferSetView
    | OffersRevealedView
    | TilesDiscardedView
    | TileBoughtView
    | PurchasePassedView
    | TilesKeptView
    | TilePlacedView
    | PlacementTakenBackView
    | BuildingFinishedView
    | RoundScoredView
    | GameFinishedView
)


class RevealedOfferView(TypedDict):
    """An offer that the caller may see."""

    discard: Annotated[LandscapeTileId, "The tile to discard."]
    prices: Annotated[Prices, "Gold on each of the other two tiles."]


class RoundPurchaseView(TypedDict):
    """The purchase or pass of a seat. For a pass, tile, seller and price are null."""

    seat: Seat
    tile: Annotated[LandscapeTileId | None, "The tile bought; null for a pass."]
    seller: Annotated[Seat | None, "The seat that sold the tile."]
    price: Annotated[Price | None, "The price."]


class SeatRoundView(TypedDict):
    """The actions and the income of one seat in a round. What has not happened yet is null or empty."""

    seat: Seat
    income: Annotated[IncomeView | None, "The income."]
    tiles_drawn: Annotated[
        LandscapeTileIds, Keywords(maxItems=MAX_DRAWN), "The tiles drawn, in the order drawn."
    ]
    offer: Annotated[RevealedOfferView | None, "The offer; null while hidden."]
    purchase: Annotated[RoundPurchaseView | None, "The purchase."]
    tiles_kept: Annotated[
        LandscapeTileIds, Keywords(maxItems=MAX_DRAWN), "The unsold tiles, which the seat kept."
    ]
    gold_lost: Annotated[Count | None, "The gold on the unsold tiles, which went to the bank."]
    placements: Annotated[
        list[TerritoryTileView], Keywords(maxItems=MAX_TILES), "The placements, in placing order."
    ]
    tiles_returned: Annotated[
        LandscapeTileIds, "The tiles that had no legal place and went back into the bag."
    ]
    scoring_tiles: Annotated[
        BySlot[ScoringTilePointsView] | None, "Points for each scoring tile of the round."
    ]
    score: Annotated[Count | None, "The total points after the round."]


class RoundView(TypedDict):
    """The report of a round, up to now."""

    round: Round
    starting_seat: Annotated[Seat, "The seat that started the round."]
    tiles_discarded: Annotated[LandscapeTileIds, "The tiles discarded, in seat order."]
    purchases: Annotated[
        list[RoundPurchaseView], Keywords(maxItems=MAX_PLAYERS), "The purchases and passes, in order."
    ]
    players: Annotated[BySeat[SeatRoundView], "The seats, in seat order."]
    complete: Annotated[bool, "Whether the round is over and scored."]
