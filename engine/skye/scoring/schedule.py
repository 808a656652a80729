"""The schedule of the rounds: the slots that each round scores."""

from __future__ import annotations

from functools import cache
from typing import Final

SLOTS: Final = ("A", "B", "C", "D")
"""The slots of a game's four scoring tiles."""

_SIX_ROUNDS: Final = (("A",), ("B",), ("A", "C"), ("B", "D"), ("A", "C", "D"), ("B", "C", "D"))
_FIVE_ROUNDS: Final = (("A", "B"), ("A", "C"), ("B", "D"), ("A", "C", "D"), ("B", "C", "D"))

MAX_ROUNDS: Final = len(_SIX_ROUNDS)
"""The maximum number of rounds of a game."""


@cache
def slots_by_round(players: int) -> tuple[tuple[str, ...], ...]:
    """Return, for each round of a game, the slots that it scores.

    >>> slots_by_round(5)[0]
    ('A', 'B')

    :raises ValueError: when there is no game for this number of players.
    """
    if players not in range(2, 6):
        raise ValueError(f"2 to 5 can play, not {players}")
    return _FIVE_ROUNDS if players == 5 else _SIX_ROUNDS
