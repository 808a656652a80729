"""The income of each seat at the beginning of a round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from skye.scoring.schedule import slots_by_round
from skye.territory.summary import TerritorySummary
from skye.tiles.catalogue import WHISKY

_CATCH_UP: Final = (0, 0, 1, 2, 3, 4)
_CASTLE_INCOME: Final = 5


def catch_up(players: int, round_number: int) -> int:
    """Return the gold of the income in a round, counted from 1, for each player with a higher score.

    >>> [catch_up(4, number) for number in range(1, 7)]
    [0, 0, 1, 2, 3, 4]
    """
    return _CATCH_UP[: len(slots_by_round(players))][round_number - 1]


class Income(NamedTuple):
    """The gold one seat receives at the beginning of a round, by source."""

    castle: int
    whisky: int
    catch_up: int

    @property
    def total(self) -> int:
        """The sum."""
        return self.castle + self.whisky + self.catch_up


def incomes(
    scores: Sequence[int], summaries: Sequence[TerritorySummary], round_number: int
) -> tuple[Income, ...]:
    """Return the income of each seat: for its castle, connected whisky, and each player with a higher score.

    :param scores: the score of each seat.
    :param summaries: the summary of each seat's territory.
    :param round_number: the number of the round, from 1.
    """
    for_each_ahead = catch_up(len(scores), round_number)
    return tuple(
        [
            Income(
                _CASTLE_INCOME,
                whisky_joined(summary),
                for_each_ahead * sum([other > score for other in scores]),
            )
            for score, summary in zip(scores, summaries, strict=True)
        ]
    )


def whisky_joined(summary: TerritorySummary) -> int:
    """Return the number of tiles with whisky that are joined to the castle by road."""
    cells = summary.cells
    return sum([cells[cell].tile.counts[WHISKY] > 0 for cell in summary.connected])
