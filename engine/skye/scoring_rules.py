"""How scoring tiles count: by area, by tile, by pattern, or by a majority.

A rule says what earns points and where; sums, explanations and what one more tile would add are all made from
it, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from skye.areas import Area
from skye.territory_summary import TerritorySummary
from skye.tiles import Tile

MOST: Final = 5
SECOND: Final = 2

# While counting, an award is a plain tuple, and an area stands for its cells: scoring makes thousands of them
# and mostly wants the sum.
Earned = tuple[int, tuple[int, ...] | Area]


@dataclass(frozen=True, slots=True)
class AreaRule:
    """Each area earns points by itself; with `largest_only`, only the one that earns most.

    What `largest_only` compares are completed areas, which no further tile can touch.
    """

    value: Callable[[Area], int]
    largest_only: bool = False

    def earns(self, summary: TerritorySummary) -> list[Earned]:
        """Return what earns points in a territory."""
        value = self.value
        earned: list[Earned] = [(points, area) for area in summary.areas if (points := value(area))]
        return [max(earned, key=_points)] if self.largest_only and earned else earned

    def points_with(self, now: int, removed: Iterable[Area], added: Iterable[Area]) -> int:
        """Return the points of a territory that has `now` points, when areas become others."""
        value = self.value
        if self.largest_only:
            return max([now, *map(value, added)])
        return now + sum(map(value, added)) - sum(map(value, removed))


@dataclass(frozen=True, slots=True)
class TileRule:
    """Each tile earns points by itself; with `connected_only`, if it is joined to the castle by road."""

    value: Callable[[Tile], int]
    connected_only: bool = False

    def earns(self, summary: TerritorySummary) -> list[Earned]:
        """Return what earns points in a territory."""
        value, connected = self.value, summary.connected if self.connected_only else summary.cells
        return [
            (points, (cell,))
            for cell, form in summary.cells.items()
            if cell in connected and (points := value(form.tile))
        ]


@dataclass(frozen=True, slots=True)
class PatternRule:
    """Points for how tiles lie together; `adds` is what one more tile adds on a cell, however turned."""

    earns: Callable[[TerritorySummary], list[Earned]]
    adds: Callable[[TerritorySummary, int, Tile], int]


@dataclass(frozen=True, slots=True)
class MajorityRule:
    """5 points for most, 2 for second most, of what tiles show or, without `value`, of gold."""

    value: Callable[[Tile], int] | None

    def holds(self, summary: TerritorySummary, gold: int) -> tuple[int, tuple[int, ...]]:
        """Return how much a player has, and on which tiles."""
        value = self.value
        if value is None:
            return gold, ()
        counts = {cell: number for cell, form in summary.cells.items() if (number := value(form.tile))}
        return sum(counts.values()), tuple(counts)


Rule = AreaRule | TileRule | PatternRule | MajorityRule


def majority(counts: Sequence[int]) -> list[int]:
    """Return 5 for each seat with most, 2 for each with second most unless first is shared; none for none."""
    most = max(counts)
    shared = counts.count(most) > 1
    second = 0 if shared else max([count for count in counts if count < most], default=0)
    return [
        0 if not count else MOST if count == most else SECOND if count == second else 0 for count in counts
    ]


def _points(earned: Earned) -> int:
    return earned[0]
