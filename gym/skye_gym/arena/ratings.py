"""Statistics of a league: win rates, ratings, scores, failures and times."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations, permutations
from math import log10, sqrt
from random import Random
from statistics import fmean
from typing import Any, Final, NamedTuple

_Z: Final = 1.959964
"""The quantile of the normal distribution for a two-sided interval of 95 %."""

_RESAMPLES: Final = 400
_SWEEPS: Final = 60

_MAX_REASON: Final = 100
"""The maximum length of a reason of failures in a table, in characters."""


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
    :param reason: the commonest reason of failures, shortened; empty without failures.
    :param p99_ms: the 99th percentile of its decision times in milliseconds.
    :param start_ms: the longest time of a decision that started its process; None if it has no process.
    """

    name: str
    games: int
    wins: Interval
    rating: Interval
    score: float
    failures: int
    reason: str
    p99_ms: float
    start_ms: float | None


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


def standings(results: Sequence[dict[str, Any]], unit: str = "seed") -> list[Standing]:
    """Return the standing of each bot, the highest rating first.

    :param unit: what the bootstrap of the ratings weights: each `seed`, or each `game`.
    """
    names = sorted({name for result in results for name in result["bots"]})
    ratings = _ratings_with_intervals(results, names, unit)
    table = []
    for name in names:
        seats = [(r, seat) for r in results for seat, bot in enumerate(r["bots"]) if bot == name]
        failures = [r["failures"][str(seat)] for r, seat in seats if str(seat) in r["failures"]]
        wins = sum((seat in r["winners"]) / len(r["winners"]) for r, seat in seats if r["winners"])
        table.append(
            Standing(
                name,
                len(seats),
                wilson(wins, len(seats)),
                ratings[name],
                fmean([r["scores"][seat] for r, seat in seats]),
                len(failures),
                _commonest(failures),
                _p99([ms for r, seat in seats for ms in r["decisions_ms"][seat]]),
                max([ms for r, seat in seats for ms in r["starts_ms"][seat]], default=None),
            )
        )
    return sorted(table, key=lambda standing: -standing.rating.value)


def _commonest(failures: Sequence[str]) -> str:
    """Return the commonest failure on one line, without the middle if it is long."""
    if not failures:
        return ""
    [(failure, _)] = Counter(" ".join(failure.split()) for failure in failures).most_common(1)
    if len(failure) <= _MAX_REASON:
        return failure
    half = _MAX_REASON // 2
    return f"{failure[:half]} ... {failure[-half:]}"


def _p99(values: Sequence[float]) -> float:
    return sorted(values)[int(0.99 * len(values))] if values else 0.0


def _ratings_with_intervals(
    results: Sequence[dict[str, Any]], names: list[str], unit: str
) -> dict[str, Interval]:
    """Return ratings with intervals of the Bayesian bootstrap (Rubin 1981).

    Each sample weights seeds or games. Leagues weight seeds, because games on the same seed are not
    independent. A prior for each pair, of half a win and half a loss, has random weights too. So the interval
    of a bot that has won every game has a width: for one game of two bots on each seed it is the Jeffreys
    interval of its win rate.
    """
    groups: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for result in results:
        groups[result["seed"], result["game"] if unit == "game" else None].append(result)
    points = [_points(group) for group in groups.values()]
    priors = _priors(points, names)
    rng = Random(0)
    halves = {pair: games / 2 for pair, games in priors.items()}
    whole = _ratings(_weighted(points, [1.0] * len(points), halves), names)
    samples = [
        _ratings(
            _weighted(
                points,
                [rng.expovariate(1) for _ in points],
                {pair: games * rng.gammavariate(0.5, 1) for pair, games in priors.items()},
            ),
            names,
        )
        for _ in range(_RESAMPLES)
    ]
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


def _priors(groups: Sequence[_Points], names: list[str]) -> _Points:
    """Return, for each ordered pair of bots, its largest number of comparisons on one seed, or 1.

    That is the weight of the prior, since all comparisons on a seed may depend on its draws alone.
    """
    return {
        (one, other): max([1.0, *[group[one, other] + group[other, one] for group in groups]])
        for one, other in permutations(names, 2)
    }


def _weighted(groups: Sequence[_Points], weights: Sequence[float], priors: _Points) -> _Points:
    """Return the weighted sum of the points of all seeds and the priors."""
    won = priors.copy()
    for group, weight in zip(groups, weights, strict=True):
        for pair, share in group.items():
            won[pair] += weight * share
    return won


def _ratings(won: _Points, names: list[str]) -> dict[str, float]:
    """Fit the Bradley-Terry model by minorization-maximization to the points of each ordered pair."""
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
