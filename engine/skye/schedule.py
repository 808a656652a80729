"""The rounds: which scoring tiles each round scores, and its income."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from skye.territory_summary import TerritorySummary
from skye.tiles import WHISKY

SLOTS: Final = ("A", "B", "C", "D")
"""The places of a game's four scoring tiles."""

_SIX_ROUNDS: Final = (("A",), ("B",), ("A", "C"), ("B", "D"), ("A", "C", "D"), ("B", "C", "D"))
_FIVE_ROUNDS: Final = (("A", "B"), ("A", "C"), ("B", "D"), ("A", "C", "D"), ("B", "C", "D"))

MAX_ROUNDS: Final = len(_SIX_ROUNDS)
"""How many rounds the longest games have."""

_CATCH_UP: Final = (0, 0, 1, 2, 3, 4)
_CASTLE_INCOME: Final = 5


def schedule(players: int) -> tuple[tuple[str, ...], ...]:
    """Return the slots scored in each round; there are as many rounds as entries.

    >>> schedule(5)[0]
    ('A', 'B')
    """
    return _FIVE_ROUNDS if players == 5 else _SIX_ROUNDS


def catch_up(players: int, round_number: int) -> int:
    """Return the gold that a round, counted from 1, gives for each player who is ahead.

    >>> [catch_up(4, number) for number in range(1, 7)]
    [0, 0, 1, 2, 3, 4]
    """
    return _CATCH_UP[: len(schedule(players))][round_number - 1]


class Income(NamedTuple):
    """The gold one seat receives at the beginning of a round, by source."""

    castle: int
    whisky: int
    catch_up: int

    @property
    def total(self) -> int:
        """All of it."""
        return self.castle + self.whisky + self.catch_up


def incomes(
    scores: Sequence[int], summaries: Sequence[TerritorySummary], round_number: int
) -> tuple[Income, ...]:
    """Return each seat's income: for the castle, the whisky on its roads, and the players ahead.

    `scores` and `summaries`, of the territories, have one entry for each seat.
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
    """Return how many tiles with whisky are joined to the castle by road."""
    cells = summary.cells
    return sum([cells[cell].tile.counts[WHISKY] > 0 for cell in summary.connected])
