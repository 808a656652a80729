"""The four kinds of scoring rules: by area, by tile, by pattern, and by majority.

A rule returns what earns points and where. Sums, explanations and the evaluation of placements are all
computed from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from skye.territory.areas import Area
from skye.territory.summary import TerritorySummary
from skye.tiles.tile import PickledByFields, Tile

# Points, and the cells that earned them or an area for its cells. A plain tuple, since bots compute thousands
# and use only their sum.
Earned = tuple[int, tuple[int, ...] | Area]


@dataclass(frozen=True, slots=True)
class AreaRule(PickledByFields):
    """Points for each area.

    :param value: returns the points of an area.
    :param largest_only: whether only the area of most points counts. These areas are completed, so no further
        tile can touch them.
    """

    value: Callable[[Area], int]
    largest_only: bool = False

    def earns(self, summary: TerritorySummary) -> list[Earned]:
        """Return what earns points in a territory."""
        value = self.value
        earned: list[Earned] = [(points, area) for area in summary.areas if (points := value(area))]
        return [max(earned, key=_points)] if self.largest_only and earned else earned

    def points_with(self, now: int, removed: Iterable[Area], added: Iterable[Area]) -> int:
        """Return the points of a territory after some areas were replaced by others.

        :param now: the points before.
        """
        value = self.value
        if self.largest_only:
            return max([now, *map(value, added)])
        return now + sum(map(value, added)) - sum(map(value, removed))


@dataclass(frozen=True, slots=True)
class TileRule(PickledByFields):
    """Points for each tile.

    :param value: returns the points of a tile.
    :param connected_only: whether only tiles joined to the castle by road count.
    """

    value: Callable[[Tile], int]
    connected_only: bool = False

    def earns(self, summary: TerritorySummary) -> list[Earned]:
        """Return what earns points in a territory."""
        value, connected = self.value, summary.connected if self.connected_only else summary.cells
        return [
            (points, (cell,))
            for cell, rotated in summary.cells.items()
            if cell in connected and (points := value(rotated.tile))
        ]


@dataclass(frozen=True, slots=True)
class PatternRule(PickledByFields):
    """Points for patterns of tiles.

    :param earns: returns what earns points in a territory.
    :param adds: returns the points that one more tile adds on a cell; its rotation does not matter.
    """

    earns: Callable[[TerritorySummary], list[Earned]]
    adds: Callable[[TerritorySummary, int, Tile], int]


@dataclass(frozen=True, slots=True)
class MajorityRule(PickledByFields):
    """Points for most and for second most.

    :param value: returns the count of a tile; None compares gold.
    :param most: the points for most.
    :param second: the points for second most.
    """

    value: Callable[[Tile], int] | None
    most: int = 5
    second: int = 2

    def holds(self, summary: TerritorySummary, gold: int) -> tuple[int, tuple[int, ...]]:
        """Return the count of a player, and the cells of the tiles that have it."""
        value = self.value
        if value is None:
            return gold, ()
        counts = {cell: number for cell, rotated in summary.cells.items() if (number := value(rotated.tile))}
        return sum(counts.values()), tuple(counts)

    def points(self, counts: Sequence[int]) -> list[int]:
        """Return the points by seat: none for second most when most is shared, none for a count of 0."""
        first = max(counts)
        shared = counts.count(first) > 1
        second = 0 if shared else max([count for count in counts if count < first], default=0)
        return [
            0 if not count else self.most if count == first else self.second if count == second else 0
            for count in counts
        ]


Rule = AreaRule | TileRule | PatternRule | MajorityRule


def _points(earned: Earned) -> int:
    return earned[0]
