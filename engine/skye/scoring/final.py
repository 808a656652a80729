"""Final scoring: scrolls, gold, and the winners."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from skye.lookup import named
from skye.territory.summary import TerritorySummary
from skye.tiles.catalogue import OBJECTS

OBJECTS_PER_POINT: Final = {
    "cattle": 1,
    "broch": 1,
    "farm": 1,
    "lighthouse": 1,
    "sheep": 2,
    "ship": 2,
    "whisky": 2,
}
"""By kind of scroll: the number of objects that give one point."""

_GOLD_PER_POINT: Final = 5

_TIE_BREAKS: Final[dict[str, Callable[[int], int]]] = {
    "leftover_gold": lambda gold: gold % _GOLD_PER_POINT,
    "total_gold": lambda gold: gold,
}

TIE_BREAKS: Final = tuple(_TIE_BREAKS)
"""The ways to break a tie (R11), the default first."""


class ScrollScore(NamedTuple):
    """The score of one scroll.

    :param kind: the kind of object that it counts.
    :param cell: its cell.
    :param number: the number of these objects in the territory.
    :param completed: whether the scroll lies in a completed area, which doubles the points.
    :param points: the points.
    """

    kind: str
    cell: int
    number: int
    completed: bool
    points: int


class FinalScore(NamedTuple):
    """The final score of one seat.

    :param scrolls: the score of each scroll.
    :param gold_points: the points for the gold in the purse.
    :param leftover_gold: the gold that earned no point; it breaks ties (R11).
    """

    scrolls: tuple[ScrollScore, ...]
    gold_points: int
    leftover_gold: int

    @property
    def scroll_points(self) -> int:
        """The points of all scrolls."""
        return sum([scroll.points for scroll in self.scrolls])

    @property
    def total(self) -> int:
        """All points of final scoring."""
        return self.scroll_points + self.gold_points


def final_score(summary: TerritorySummary, gold: int) -> FinalScore:
    """Return the final score of a territory and of the gold in its owner's purse.

    >>> from skye.territory import castle_alone
    >>> final_score(castle_alone("red").summary, 13).total
    2
    """
    kinds = [(kind, cell) for cell, rotated in summary.cells.items() if (kind := rotated.tile.scroll)]
    scrolls: list[ScrollScore] = []
    if kinds:
        doubled = {cell for area in summary.areas if not area.openings for _, cell in area.scrolls}
        scrolls = [_scroll_score(summary, kind, cell, cell in doubled) for kind, cell in kinds]
    return FinalScore(tuple(scrolls), *divmod(gold, _GOLD_PER_POINT))


def _scroll_score(summary: TerritorySummary, kind: str, cell: int, completed: bool) -> ScrollScore:
    thing = OBJECTS.index(kind)
    # Whisky is counted in tiles; no tile shows more than one.
    number = sum([rotated.tile.counts[thing] for rotated in summary.cells.values()])
    points = number // OBJECTS_PER_POINT[kind]  # rounded down first, doubled after
    return ScrollScore(kind, cell, number, completed, 2 * points if completed else points)


def winners(scores: Sequence[int], golds: Sequence[int], tie_break: str = "leftover_gold") -> tuple[int, ...]:
    """Return the winning seats: most points, then most gold by the tie-break (R11); other ties are shared.

    :param scores: by seat, the points including final scoring.
    :param golds: by seat, the gold in the purse before final scoring.
    :param tie_break: one of `TIE_BREAKS`.

    >>> winners([50, 50, 40], [9, 10, 0]), winners([50, 50, 40], [9, 10, 0], "total_gold")
    ((0,), (1,))

    :raises ValueError: when there is no such tie-break.
    """
    rank = named("tie-break", tie_break, _TIE_BREAKS)
    standing = [(score, rank(gold)) for score, gold in zip(scores, golds, strict=True)]
    best = max(standing)
    return tuple([seat for seat, stood in enumerate(standing) if stood == best])
