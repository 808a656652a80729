"""The rounds: when which scoring tile is scored, and what income a round brings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.survey import Survey
from engine.tiles import WHISKY

SLOTS: Final = ("A", "B", "C", "D")
"""The places of a game's four scoring tiles."""

_SIX_ROUNDS: Final = (("A",), ("B",), ("A", "C"), ("B", "D"), ("A", "C", "D"), ("B", "C", "D"))
_FIVE_ROUNDS: Final = (("A", "B"), ("A", "C"), ("B", "D"), ("A", "C", "D"), ("B", "C", "D"))
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


def income(scores: Sequence[int], seat: int, survey: Survey, round_number: int) -> Income:
    """Return a seat's income: for the castle, the whisky on its roads, and the players ahead.

    `scores` are those of all seats; `survey` is of the seat's own territory.
    """
    ahead = sum([score > scores[seat] for score in scores])
    whisky = sum([survey.cells[cell].tile.counts[WHISKY] > 0 for cell in survey.connected])
    return Income(_CASTLE_INCOME, whisky, ahead * catch_up(len(scores), round_number))
