"""The ladders. Each has one set of options, so that its players meet one another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from skye.words import Word

LIVE_MS: Final = 120_000
SLOW_MS: Final = 86_400_000
"""The time for each decision of a live and of a slow ladder, in milliseconds."""


class LadderId(Word):
    """The name of a ladder."""

    LIVE_2 = "live_2", "two players, two minutes for each decision."
    LIVE_4 = "live_4", "four players, two minutes for each decision."
    SLOW_2 = "slow_2", "two players, a day for each decision."
    SLOW_4 = "slow_4", "four players, a day for each decision."


class Ladder(NamedTuple):
    """A ladder: the options of its games.

    :param turn_ms: the time for each decision, in milliseconds.
    """

    id: LadderId
    seats: int
    turn_ms: int


LADDERS: Final[Mapping[str, Ladder]] = {
    ladder.id: ladder
    for ladder in (
        Ladder(LadderId.LIVE_2, 2, LIVE_MS),
        Ladder(LadderId.LIVE_4, 4, LIVE_MS),
        Ladder(LadderId.SLOW_2, 2, SLOW_MS),
        Ladder(LadderId.SLOW_4, 4, SLOW_MS),
    )
}
"""All ladders by their ids."""


def ladder_with(seats: int, turn_ms: int) -> Ladder | None:
    """Return the ladder with a number of seats and a time for each decision; None if there is none."""
    return next((each for each in LADDERS.values() if (each.seats, each.turn_ms) == (seats, turn_ms)), None)
