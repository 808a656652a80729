"""Statistics of a league: win rates with Wilson intervals, ratings with bootstrap intervals, mean scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import log10, sqrt
from random import Random
from statistics import fmean
from typing import Any, Final, NamedTuple

_Z: Final = 1.959964
"""The quantile of the normal distribution for a two-sided interval of 95 %."""

_RESAMPLES: Final = 100
_SWEEPS: Final = 60


class Interval(NamedTuple):
    """A value between the limits of its 95 % interval."""

    value: float
    low: float
    high: float


class Standing(NamedTuple):
    """The standing of one bot in a league.

    :param name: the name of the bot.
    :param games: the number of its games.
    :param wins: its win rate.
    :param rating: its rating on the Elo scale; the mean of all bots is 1,500.
    :param score: its mean score.
    :param failures: the number of games that it lost by a failure.
    :param p99_ms: the 99th percentile of its decision times in milliseconds.
    """

    name: str
    games: int
    wins: Interval
    rating: Interval
    score: float
    failures: int
    p99_ms: float


def wilson(wins: float, games: int) -> Interval:
    """Return a win rate with its Wilson interval.

    :param wins: the number of wins; a shared win counts as a fraction.

    >>> [round(value, 3) for value in wilson(86, 100)]
    [0.86, 0.779, 0.915]
    """
    rate = wins / games
    scale = 1 + _Z * _Z / games
    centre = (rate + _Z * _Z / (2 * games)) / scale
    half = _Z * sqrt(rate * (1 - rate) / games + (_Z / (2 * games)) ** 2) / scale
    return Interval(
        rate, max(0.0, centre - half) if wins else 0.0, min(1.0, centre + half) if wins < games else 1.0
    )


def standings(results: Sequence[dict[str, Any]]) -> list[Standing]:
    """Return the standing of each bot, the highest rating first."""
    names = sorted({name for result in results for name in result["bots"]})
    ratings = _ratings_with_intervals(results, names)
    table = []
    for name in names:
        seats = [(r, seat) for r in results for seat, bot in enumerate(r["bots"]) if bot == name]
        wins = sum((seat in r["winners"]) / len(r["winners"]) for r, seat in seats if r["winners"])
        table.append(
            Standing(
                name,
                len(seats),
                wilson(wins, len(seats)),
                ratings[name],
                fmean([r["scores"][seat] for r, seat in seats]),
                sum(str(seat) in r["failures"] for r, seat in seats),
                _p99([ms for r, seat in seats for ms in r["decisions_ms"][seat]]),
            )
        )
    return sorted(table, key=lambda standing: -standing.rating.value)


def _p99(values: Sequence[float]) -> float:
    return sorted(values)[int(0.99 * len(values))] if values else 0.0


def _ratings_with_intervals(results: Sequence[dict[str, Any]], names: list[str]) -> dict[str, Interval]:
    """Return ratings with bootstrap intervals.

    The bootstrap resamples seeds instead of games, because games on the same seed are not independent.
    """
    by_seed: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for result in results:
        by_seed[result["seed"]].append(result)
    points = {seed: _points(group) for seed, group in by_seed.items()}
    rng = Random(0)
    whole = _ratings(points.values(), names)
    samples = [_ratings(rng.choices([*points.values()], k=len(points)), names) for _ in range(_RESAMPLES)]
    intervals = {}
    for name in names:
        values = sorted(sample[name] for sample in samples)
        intervals[name] = Interval(
            whole[name], values[round(0.025 * (_RESAMPLES - 1))], values[round(0.975 * (_RESAMPLES - 1))]
        )
    return intervals


_Points = dict[tuple[str, str], float]


def _points(results: Iterable[dict[str, Any]]) -> _Points:
    """Return, for each ordered pair of bots, the number of comparisons that the first has won."""
    points: _Points = defaultdict(float)
    for result in results:
        bots, winners, failed = result["bots"], result["winners"], result["failures"]
        standing = [
            (seat in winners, str(seat) not in failed, result["scores"][seat]) for seat in range(len(bots))
        ]
        for one, other in combinations(range(len(bots)), 2):
            if bots[one] != bots[other]:
                share = (standing[one] > standing[other]) + 0.5 * (standing[one] == standing[other])
                points[bots[one], bots[other]] += share
                points[bots[other], bots[one]] += 1 - share
    return points


def _ratings(groups: Iterable[_Points], names: list[str]) -> dict[str, float]:
    """Fit the Bradley-Terry model by minorization-maximization, with one draw of each pair as a prior."""
    won: _Points = {(one, other): 0.5 for one in names for other in names if one != other}
    for group in groups:
        for pair, share in group.items():
            won[pair] += share
    strength = dict.fromkeys(names, 1.0)
    for _ in range(_SWEEPS):
        for name in names:
            wins = games = 0.0
            for other in names:
                if other != name:
                    wins += won[name, other]
                    played = won[name, other] + won[other, name]
                    games += played / (strength[name] + strength[other])
            strength[name] = wins / games if games else 1.0
    logs = {name: 400 * log10(strength[name]) for name in names}
    middle = fmean(logs.values())
    return {name: 1500 + value - middle for name, value in logs.items()}
