"""The events of a game: one named tuple for each type.

A tuple over the seats has one entry for each seat, in seat order. `gold` is always the content of the purses
after the event. Events contain secrets; `visibility.event_view` hides them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from skye.rules.income import Income

__all__ = [
    "EVENT_TYPES",
    "BuildingFinished",
    "Event",
    "GameFinished",
    "Income",
    "IncomePaid",
    "OfferSet",
    "OffersRevealed",
    "PlacementTakenBack",
    "PurchasePassed",
    "RoundScored",
    "RoundStarted",
    "TileBought",
    "TilePlaced",
    "TilesDiscarded",
    "TilesDrawn",
    "TilesKept",
    "with_rounds",
]


class RoundStarted(NamedTuple):
    """A round begins."""

    round: int
    starting_seat: int


class IncomePaid(NamedTuple):
    """Each seat receives its income."""

    incomes: tuple[Income, ...]
    gold: tuple[int, ...]


class TilesDrawn(NamedTuple):
    """Each seat draws three public tiles. The pricing phase begins."""

    tiles: tuple[tuple[str, ...], ...]


class OfferSet(NamedTuple):
    """A seat sets or replaces its offer; `gold` is the rest in its purse."""

    seat: int
    discard: str
    prices: tuple[tuple[str, int], ...]
    gold: int


class OffersRevealed(NamedTuple):
    """All offers are revealed: by seat, the discarded tile and the prices of its two tiles."""

    discards: tuple[str, ...]
    prices: tuple[tuple[tuple[str, int], ...], ...]
    gold: tuple[int, ...]


class TilesDiscarded(NamedTuple):
    """The discarded tiles return to the bag. The buying phase begins."""

    tiles: tuple[str, ...]


class TileBought(NamedTuple):
    """A seat buys a tile; the seller receives the price and the gold that lay on the tile."""

    seat: int
    seller: int
    tile: str
    price: int
    gold: tuple[int, ...]


class PurchasePassed(NamedTuple):
    """A seat buys nothing."""

    seat: int


class TilesKept(NamedTuple):
    """Each seat keeps its unsold tiles and loses the gold on them. The building phase begins."""

    tiles: tuple[tuple[str, ...], ...]
    gold_lost: tuple[int, ...]


class TilePlaced(NamedTuple):
    """A seat adds a tile to its territory."""

    seat: int
    tile: str
    x: int
    y: int
    rotation: int


class PlacementTakenBack(NamedTuple):
    """A seat takes its last placement back into hand (R6)."""

    seat: int
    tile: str
    x: int
    y: int
    rotation: int


class BuildingFinished(NamedTuple):
    """A seat has finished building; `tiles_returned` had no legal place and return to the bag (R5)."""

    seat: int
    tiles_returned: tuple[str, ...]


class RoundScored(NamedTuple):
    """The round's scoring tiles are scored: points by seat and slot, and the scores afterwards."""

    round: int
    slots: tuple[str, ...]
    points: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...]


class GameFinished(NamedTuple):
    """Final scoring ends the game.

    :param seed: the seed of all draws, or None for a game with chance decisions.
    :param scoring_tiles: the scoring tiles in slots A to D.
    :param tile_points: by seat, the points for slots A to D, all rounds together.
    :param scroll_points: by seat, the points for scrolls.
    :param gold_points: by seat, the points for gold.
    :param scores: by seat, all points.
    :param gold: by seat, the gold in the purse.
    :param winners: the winning seats.
    """

    seed: str | None
    scoring_tiles: tuple[str, ...]
    tile_points: tuple[tuple[int, ...], ...]
    scroll_points: tuple[int, ...]
    gold_points: tuple[int, ...]
    scores: tuple[int, ...]
    gold: tuple[int, ...]
    winners: tuple[int, ...]


Event: TypeAlias = (
    RoundStarted
    | IncomePaid
    | TilesDrawn
    | OfferSet
    | OffersRevealed
    | TilesDiscarded
    | TileBought
    | PurchasePassed
    | TilesKept
    | TilePlaced
    | PlacementTakenBack
    | BuildingFinished
    | RoundScored
    | GameFinished
)

EVENT_TYPES: Final[Mapping[type, str]] = MappingProxyType(
    {
        RoundStarted: "round_started",
        IncomePaid: "income_paid",
        TilesDrawn: "tiles_drawn",
        OfferSet: "offer_set",
        OffersRevealed: "offers_revealed",
        TilesDiscarded: "tiles_discarded",
        TileBought: "tile_bought",
        PurchasePassed: "purchase_passed",
        TilesKept: "tiles_kept",
        TilePlaced: "tile_placed",
        PlacementTakenBack: "placement_taken_back",
        BuildingFinished: "building_finished",
        RoundScored: "round_scored",
        GameFinished: "game_finished",
    }
)
"""The name of each event in the interface, in the order of a round."""


def with_rounds(events: Iterable[Event], first_round: int = 0) -> Iterator[tuple[int, Event]]:
    """Yield each event with the number of its round.

    >>> [number for number, _ in with_rounds([PurchasePassed(0), RoundStarted(3, 1), PurchasePassed(1)], 2)]
    [2, 3, 3]

    :param events: all events of a game, in order.
    :param first_round: the round of the position from which the game began; 0 without one.
    """
    number = first_round
    for event in events:
        if isinstance(event, RoundStarted):
            number = event.round
        yield number, event
