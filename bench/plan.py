"""How much is measured: the forms of the benchmark, from a look that takes seconds to the whole."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plan:
    """How often and how long things are measured.

    `runs` is how often each thing is measured, in turn with what it is compared with; `seconds` how long a
    run against a server takes; `games` how many random games a run of an engine plays; `recorded` how many
    games the positions come from; `copies` how many games there are to act on once; `stored` the numbers of
    stored games, and `streams` of open streams, to try; `reads` how many requests are timed beside an attack.
    """

    runs: int
    seconds: float
    games: int
    recorded: int
    copies: int
    paced_seconds: float
    stored: tuple[int, ...]
    streams: tuple[int, ...]
    starts: int
    reads: int


LEAST = Plan(2, 0.05, 1, 1, 300, 0.2, (300,), (1,), 1, 10)
"""A look at whether the benchmark itself works: its figures mean nothing."""

QUICK = Plan(3, 1, 5, 2, 8_000, 3, (10_000,), (1, 100), 2, 250)
USUAL = Plan(5, 1, 15, 4, 8_000, 3, (10_000,), (1, 10, 100, 1000), 5, 500)
FULL = Plan(7, 1, 15, 4, 8_000, 3, (10_000, 1_000_000), (1, 10, 100, 1000), 7, 1000)
