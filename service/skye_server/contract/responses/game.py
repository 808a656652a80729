"""The views of games and seats, with the version of the game."""

from collections.abc import Sequence
from typing import Annotated, TypedDict

import skye.views
from skye.fields import BySeat, Keywords, Seat
from skye.rulesets import MAX_ROUNDS
from skye_server.games.views.fields import Version
from skye_server.games.views.types import OfferView, PlacementsView, PlayerView, PurchaseView


class Versioned(TypedDict):
    """An object with the version of its game."""

    version: Version


class SeatView(PlayerView, Versioned):
    """One seat, as the caller may see it, and the version of the game."""


class PlayerList(Versioned):
    """The seats of a game, as the caller may see them."""

    players: Annotated[BySeat[PlayerView], "The seats that are taken, in seat order."]


class CurrentOffer(Versioned, OfferView):
    """The offer of a seat in this round: the tiles that are still on offer."""


class CurrentPurchase(Versioned, PurchaseView):
    """The purchase or pass of a seat in this round."""


class CurrentPlacements(Versioned, PlacementsView):
    """The tiles that a seat has placed in this round."""


class Scores(Versioned, skye.views.ScoresView):
    """The points of each seat, by round and scoring tile, and those of final scoring."""


class TriedPlacements(Versioned, skye.views.WhatIfView):
    """The effect of placements on the points of a seat."""


class _OfSeat(TypedDict):
    seat: Seat


class TerritoryReport(_OfSeat, Versioned, skye.views.TerritoryView):
    """The territory of a seat, its areas and its objects."""


class Places(Versioned):
    """Every legal placement of some tiles in a territory, and the effect of each alone."""

    before: Annotated[skye.views.TerritoryWorthView, "The value of the current territory."]
    places: Annotated[
        Sequence[skye.views.PlacementGainsView], Keywords(maxItems=4000), "The placements, tile by tile."
    ]
    """The maximum is more than the number of legal placements of the tiles of one request."""


class RoundReport(Versioned, skye.views.RoundView):
    """The report of a round, up to now."""


class ListedRound(skye.views.RoundView):
    """The report of a round in a list of reports."""


class RoundList(Versioned):
    """The reports of the rounds of a game, up to now."""

    rounds: Annotated[
        Sequence[ListedRound], Keywords(maxItems=MAX_ROUNDS), "The reports, the first round first."
    ]
