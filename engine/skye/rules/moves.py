"""The moves: one class for each type, all immutable and hashable.

Moves are equal if their type and their fields are. `SetOffer` and `Place` are named tuples, because creating
one is fast and a game lists thousands; read their fields by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from skye.tiles.tile_set import Place

MAX_GOLD: Final = 1_000_000
"""The maximum gold, price and score of a position: more than any player can have in one."""


class SetOffer(NamedTuple):
    """Discard one drawn tile and lay gold on each of the others, in secret.

    :param discard: the tile to discard.
    :param prices: the price of each of the other tiles in gold, as (tile, price).
    """

    discard: str
    prices: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, discard: str, prices: Mapping[str, int]) -> SetOffer:
        """Return the offer with these prices by tile.

        >>> SetOffer.of("L01", {"L02": 3, "L03": 1})
        SetOffer(discard='L01', prices=(('L02', 3), ('L03', 1)))

        :raises TypeError: when the prices are not a mapping.
        """
        if not isinstance(prices, Mapping):
            raise TypeError(f"prices are a mapping of tiles to ints, not {type(prices).__name__}")
        return cls(discard, tuple(prices.items()))


class _Value:
    """A move that is equal to those of the same type with the same fields."""

    __slots__ = ()

    def _fields(self) -> tuple[str, ...]:
        return ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Value) and type(other) is type(self) and other._fields() == self._fields()

    def __hash__(self) -> int:
        return hash((type(self).__name__, *self._fields()))

    def __reduce__(self) -> tuple[type[_Value], tuple[str, ...]]:
        return type(self), self._fields()


@dataclass(frozen=True, slots=True, eq=False)
class Buy(_Value):
    """Buy a tile that another seat offers, at its price."""

    tile: str

    def _fields(self) -> tuple[str, ...]:
        return (self.tile,)


@dataclass(frozen=True, slots=True, eq=False)
class Pass(_Value):
    """Buy nothing this round."""


@dataclass(frozen=True, slots=True, eq=False)
class TakeBack(_Value):
    """Take the last placement of this round back into hand (R6)."""


@dataclass(frozen=True, slots=True, eq=False)
class FinishBuilding(_Value):
    """Finish building; tiles in hand that have no legal place return to the bag (R5)."""


@dataclass(frozen=True, slots=True, eq=False)
class Draw(_Value):
    """Make a pending draw of a game without a seed.

    :param item: the id of a tile or scoring tile, or the number of the starting seat.
    """

    item: str

    def _fields(self) -> tuple[str, ...]:
        return (self.item,)


CHANCE: Final = -1
"""The seat that plays `Draw`."""

# Shared instances, since `legal_moves` returns them in every game.
PASS: Final = Pass()
TAKE_BACK: Final = TakeBack()
FINISH_BUILDING: Final = FinishBuilding()

# The move that places a tile is the same type as the placement.
Move: TypeAlias = SetOffer | Buy | Pass | Place | TakeBack | FinishBuilding


class OfferLimits(NamedTuple):
    """The constraints that every legal `SetOffer` satisfies.

    :param tiles: the tiles drawn; an offer discards one and prices the others.
    :param gold: the maximum sum of the prices.
    :param minimum: the minimum of each price.
    """

    tiles: tuple[str, ...]
    gold: int
    minimum: int
