"""The moves: one named tuple for each type.

They are named tuples because creating one is fast, and a game lists thousands. They compare by their fields
alone, so distinguish them by class.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from skye.territory.frontier import Place
from skye.tiles.catalogue import LANDSCAPE

MAX_GOLD: Final = 1_000_000
"""The maximum gold, price and score of a position: more than any player can have in one."""


class SetOffer(NamedTuple):
    """Discard one drawn tile and lay gold on each of the other two, in secret.

    :param discard: the tile to discard.
    :param prices: the price of each of the other two tiles in gold, as (tile, price).
    """

    discard: str
    prices: tuple[tuple[str, int], ...]


class Buy(NamedTuple):
    """Buy a tile that another seat offers, at its price."""

    tile: str


class Pass(NamedTuple):
    """Buy nothing this round."""


class TakeBack(NamedTuple):
    """Take the last placement of this round back into hand (R6)."""


class FinishBuilding(NamedTuple):
    """Finish building; tiles in hand that have no legal place return to the bag (R5)."""


class Draw(NamedTuple):
    """Make a pending draw of a game without a seed.

    :param item: the id of a tile or scoring tile, or the number of the starting seat.
    """

    item: str


CHANCE: Final = -1
"""The seat that plays `Draw`."""

# Shared instances, since `legal_moves` returns them in every game.
PURCHASES: Final = {tile: Buy(tile) for tile in LANDSCAPE}
PASS: Final = Pass()
TAKE_BACK: Final = TakeBack()
FINISH_BUILDING: Final = FinishBuilding()

# The move that places a tile is the same type as the placement.
Move: TypeAlias = SetOffer | Buy | Pass | Place | TakeBack | FinishBuilding


class OfferLimits(NamedTuple):
    """The constraints that every legal `SetOffer` satisfies.

    :param tiles: the tiles drawn; an offer discards one and prices the other two.
    :param gold: the maximum sum of the prices.
    :param minimum: the minimum of each price.
    """

    tiles: tuple[str, ...]
    gold: int
    minimum: int
