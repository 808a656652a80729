"""What a player can do: one named tuple for each move.

Named tuples, because a game makes hundreds and lists thousands of them. They compare by their fields
alone: distinguish them by class.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from skye.frontier import Place
from skye.tiles import LANDSCAPE


class SetOffer(NamedTuple):
    """Mark one drawn tile for discarding and lay gold on each of the other two, in secret."""

    discard: str
    prices: tuple[tuple[str, int], ...]


class Buy(NamedTuple):
    """Buy a tile that another player offers, at its price."""

    tile: str


class Pass(NamedTuple):
    """Buy nothing this round."""


class TakeBack(NamedTuple):
    """Take the last placement of this round back into hand (R6)."""


class FinishBuilding(NamedTuple):
    """Declare the build finished; tiles that have no place go back into the bag (R5)."""


class Draw(NamedTuple):
    """Make a pending draw of a game without a seed: a tile, a scoring tile, or the starting seat's number."""

    item: str


CHANCE: Final = -1
"""The seat that plays `Draw`."""

# Those that are listed again and again.
PURCHASES: Final = {tile: Buy(tile) for tile in LANDSCAPE}
PASS: Final = Pass()
TAKE_BACK: Final = TakeBack()
FINISH_BUILDING: Final = FinishBuilding()

# A placement as a move is the same value as the placement that it leads to.
Move: TypeAlias = SetOffer | Buy | Pass | Place | TakeBack | FinishBuilding


class OfferLimits(NamedTuple):
    """Every legal `SetOffer` in brief.

    Discard any one of `tiles`, and give each of the other two a price of at least `minimum`, together at
    most `gold`.
    """

    tiles: tuple[str, ...]
    gold: int
    minimum: int
