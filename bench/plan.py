"""The sizes of the benchmark, from a test of seconds to the complete measurement."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plan:
    """The number and the duration of measurements.

    :param runs: the number of runs of each measurement, in turn with those that it is compared with.
    :param seconds: the duration of a run at full speed.
    :param games: the number of random games in a run of an engine.
    :param recorded: the number of games from which positions are taken.
    :param copies: the number of games for actions that each game allows once.
    :param paced_seconds: the duration of a run at a rate.
    :param stored: the numbers of stored games to compare.
    :param streams: the numbers of open streams to compare.
    :param reads: the number of reads during each attack.
    :param profiles: the number of profiles on a ladder.
    """

    runs: int
    seconds: int
    games: int
    recorded: int
    copies: int
    paced_seconds: float
    stored: tuple[int, ...]
    streams: tuple[int, ...]
    reads: int
    profiles: int


LEAST = Plan(1, 1, 1, 1, 8_000, 0.2, (300,), (1,), 10, 300)
"""A test of the benchmark itself; its figures are meaningless."""

QUICK = Plan(3, 1, 5, 2, 8_000, 3, (10_000,), (100,), 250, 100_000)
USUAL = Plan(5, 1, 15, 4, 8_000, 3, (10_000,), (100, 1000), 500, 100_000)
FULL = Plan(7, 1, 15, 4, 8_000, 3, (10_000, 1_000_000), (1, 100, 1000), 1000, 100_000)
