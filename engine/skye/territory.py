"""A territory: the tiles of one player as they lie, where the next one may go, and what they amount to.

A `Territory` is a value: its tuple of placements and nothing else. The frontier and the summary follow from
that tuple alone; they are worked out when first asked for, so that a territory which is only stored or shown
costs nothing, and carried over when a tile is added.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Self

from skye.errors import CellOccupied, NotAdjacent, RuleError, TerrainMismatch
from skye.frontier import WAYS, Place, clash, cover
from skye.geometry import ROTATIONS, cell_at
from skye.territory_parsing import check_placements, parse_placement
from skye.territory_summary import EMPTY_SUMMARY, TerritorySummary
from skye.tiles import COLORS, FITS, FORMS


class _DerivedValues:
    """The cache of values derived from the placements; unset until first use.

    The summary may lack the last few placements: reading it updates it.
    """

    __slots__ = ("_frontier", "_summary")

    _frontier: dict[int, int]
    _summary: TerritorySummary


_set = object.__setattr__  # how a frozen value is filled


@dataclass(frozen=True, slots=True)
class Territory(_DerivedValues):
    """The tiles of one player in placing order, the castle first.

    >>> print(Territory.parse("castle-red L28@0,-1 L44@0,1/180"))
    castle-red L28@0,-1 L44@0,1/180
    """

    placed: tuple[Place, ...]

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: dict[int, object]) -> Self:
        return self

    @classmethod
    def parse(cls, text: str) -> Territory:
        """Read the notation `castle-red L28@0,-1 L44@0,1/180`: tile, position, rotation unless 0.

        :raises InvalidTerritory: when a word cannot be read or the tiles cannot lie like this.
        """
        return cls.from_placements([parse_placement(word) for word in text.split()])

    @classmethod
    def from_placements(cls, placements: Iterable[Place]) -> Territory:
        """Return the territory of placements given in any order, all rules of placing checked.

        :raises InvalidTerritory: with `facts["index"]`, the position of the first placement at fault.
        """
        return cls(check_placements(placements))

    def __str__(self) -> str:
        castle, *others = self.placed
        return " ".join([castle.tile, *map(str, others)])

    @property
    def frontier(self) -> dict[int, int]:
        """The empty cells next to a tile, each with its demand (see `frontier`)."""
        try:
            return self._frontier
        except AttributeError:
            frontier: dict[int, int] = {}
            for tile, x, y, rotation in self.placed:
                cover(frontier, cell_at(x, y), FORMS[tile, rotation])
            _set(self, "_frontier", frontier)
            return frontier

    @property
    def summary(self) -> TerritorySummary:
        """What it amounts to for scoring."""
        summary = self._summarized
        known = len(summary.cells)
        if known < len(self.placed):
            summary = summary.extended(self.placed[known:])
            _set(self, "_summary", summary)
        return summary

    @property
    def _summarized(self) -> TerritorySummary:
        """The summary of its first placements, as many as have been summarized yet."""
        try:
            return self._summary
        except AttributeError:
            return EMPTY_SUMMARY

    def legal_places(self, *tiles: str) -> list[Place]:
        """Return every way to place one of some landscape tiles, tile by tile and cell by cell."""
        places: list[Place] = []
        demands = self.frontier.items()
        for tile in tiles:
            by_demand = WAYS[tile]
            for cell, demand in demands:
                ways = by_demand[demand]
                if ways is not None:
                    places += ways[cell]
        return places

    def has_place(self, tile: str) -> bool:
        """Whether a landscape tile has any legal place, in any rotation."""
        fits = FITS[tile]
        return any(fits[demand] for demand in self.frontier.values())

    def place(self, tile: str, x: int, y: int, rotation: int) -> Territory:
        """Return the territory with one more landscape tile.

        :raises CellOccupied: when a tile lies there already.
        :raises NotAdjacent: when the cell shares no edge with a tile of the territory.
        :raises TerrainMismatch: when the terrain on a shared edge differs.
        """
        error = self.placement_error(tile, x, y, rotation)
        if error is not None:
            raise error
        return self.extended(Place(tile, x, y, rotation))

    def extended(self, place: Place) -> Territory:
        """Return the territory with one more tile, which must be legal; cached values are carried over."""
        tile, x, y, rotation = place
        frontier = self.frontier.copy()
        cover(frontier, cell_at(x, y), FORMS[tile, rotation])
        larger = Territory((*self.placed, place))
        _set(larger, "_frontier", frontier)
        _set(larger, "_summary", self._summarized)
        return larger

    def placement_error(self, tile: str, x: int, y: int, rotation: int) -> RuleError | None:
        """Say why a landscape tile may not be placed so, or None when it may.

        :raises ValueError: when there is no such rotation.
        """
        try:
            demand = self.frontier[cell_at(x, y)]
        except (ValueError, KeyError):
            for there in self.placed:
                if (there.x, there.y) == (x, y):
                    return CellOccupied(
                        f"{there.tile} lies on ({x}, {y}) already.", tile=there.tile, x=x, y=y
                    )
            return NotAdjacent(
                f"({x}, {y}) shares no edge with a tile of the territory.", tile=tile, x=x, y=y
            )
        if rotation in FITS[tile][demand]:
            return None
        if rotation not in ROTATIONS:
            raise ValueError(f"{rotation} is not one of {ROTATIONS}")
        found = clash(tile, rotation, demand)
        return TerrainMismatch(
            f"{tile} turned by {rotation} on ({x}, {y}): {found}.",
            tile=tile,
            x=x,
            y=y,
            rotation=rotation,
            **found._asdict(),
        )

    def without_last(self) -> Territory:
        """Return the territory as it was before the last placement."""
        return Territory(self.placed[:-1])


_CASTLES: Final = {color: Territory((Place(f"castle-{color}", 0, 0, 0),)) for color in COLORS}
"""One for all games, so that what follows from a castle is worked out once."""


def castle_alone(color: str) -> Territory:
    """Return the territory every player begins with: their castle at (0, 0)."""
    return _CASTLES[color]
