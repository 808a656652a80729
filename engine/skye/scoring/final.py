"""Final scoring: scrolls, gold, and the winners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from skye.lookup import named
from skye.territory.summary import TerritorySummary
from skye.tiles.tile import OBJECTS
from skye.words import Word


class TieBreak(Word):
    """The way to break a tie for the win (R11)."""

    LEFTOVER_GOLD = "leftover_gold", "the gold left after every 5 gold have become a point."
    TOTAL_GOLD = "total_gold", "all the gold. Players who are still tied share the win."


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


@dataclass(frozen=True, slots=True)
class FinalScoring:
    """The rules of final scoring.

    :param objects_per_point: by kind of scroll, the number of objects that give one point.
    :param gold_per_point: the gold that gives one point.
    """

    objects_per_point: Mapping[str, int]
    gold_per_point: int

    def score(self, summary: TerritorySummary, gold: int) -> FinalScore:
        """Return the final score of a territory and of the gold in its owner's purse.

        >>> from skye.rulesets import BASE
        >>> from skye.territory import castle_alone
        >>> BASE.final.score(castle_alone("red").summary, 13).total
        2
        """
        kinds = [(kind, cell) for cell, rotated in summary.cells.items() if (kind := rotated.tile.scroll)]
        scrolls: list[ScrollScore] = []
        if kinds:
            doubled = {cell for area in summary.areas if not area.openings for _, cell in area.scrolls}
            scrolls = [self._scroll(summary, kind, cell, cell in doubled) for kind, cell in kinds]
        return FinalScore(tuple(scrolls), *divmod(gold, self.gold_per_point))

    def _scroll(self, summary: TerritorySummary, kind: str, cell: int, completed: bool) -> ScrollScore:
        thing = OBJECTS.index(kind)
        # Whisky is counted in tiles; no tile shows more than one.
        number = sum([rotated.tile.counts[thing] for rotated in summary.cells.values()])
        points = number // self.objects_per_point[kind]  # rounded down first, doubled after
        return ScrollScore(kind, cell, number, completed, 2 * points if completed else points)

    def winners(
        self,
        scores: Sequence[int],
        golds: Sequence[int],
        tie_break: str = "leftover_gold",
        gave_up: Sequence[Sequence[int]] = (),
    ) -> tuple[int, ...]:
        """Return the winning seats: most points, then most gold by the tie-break (R11); other ties share.

        :param scores: by seat, the points including final scoring.
        :param golds: by seat, the gold in the purse before final scoring.
        :param tie_break: one of `TieBreak`.
        :param gave_up: the seats that their players gave up, those of one date together, the earliest date
            first: they cannot win. Nobody wins if these are all.

        >>> from skye.rulesets import BASE
        >>> BASE.final.winners([50, 50, 40], [9, 10, 0]), BASE.final.winners([50, 50], [9, 10], "total_gold")
        ((0,), (1,))

        :raises ValueError: when there is no such tie-break.
        """
        named("tie-break", tie_break, dict.fromkeys(TieBreak))
        groups = self._ranked(scores, golds, tie_break, gave_up)
        return groups[0] if groups else ()

    def placing(
        self,
        scores: Sequence[int],
        golds: Sequence[int],
        tie_break: str = "leftover_gold",
        gave_up: Sequence[Sequence[int]] = (),
    ) -> tuple[tuple[int, ...], ...]:
        """Return all seats from the first place to the last; those that share a place stand together.

        The seats that their players gave up come last, those of the earliest date at the very end. Seats of
        one date share a place.

        >>> from skye.rulesets import BASE
        >>> BASE.final.placing([40, 50, 50, 90, 70], [0, 9, 9, 0, 0], gave_up=[[3], [0, 4]])
        ((1, 2), (0, 4), (3,))

        :param gave_up: the seats that their players gave up, those of one date together, the earliest date
            first.
        :raises ValueError: when there is no such tie-break.
        """
        named("tie-break", tie_break, dict.fromkeys(TieBreak))
        groups = self._ranked(scores, golds, tie_break, gave_up)
        return (*groups, *map(tuple, reversed(gave_up)))

    def _ranked(
        self, scores: Sequence[int], golds: Sequence[int], tie_break: str, gave_up: Sequence[Sequence[int]]
    ) -> list[tuple[int, ...]]:
        """Return the seats that were not given up by their place, those of the same place together."""
        ranks = golds if tie_break == TieBreak.TOTAL_GOLD else [gold % self.gold_per_point for gold in golds]
        left = {seat for group in gave_up for seat in group}
        groups: dict[tuple[int, int], list[int]] = {}
        for seat, stood in enumerate(zip(scores, ranks, strict=True)):
            if seat not in left:
                groups.setdefault(stood, []).append(seat)
        return [tuple(groups[stood]) for stood in sorted(groups, reverse=True)]
