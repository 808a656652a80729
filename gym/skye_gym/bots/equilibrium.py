"""Mixed strategies of a zero-sum game by regret matching."""

from __future__ import annotations

from collections.abc import Sequence


def equilibrium(payoffs: Sequence[Sequence[float]], iterations: int) -> tuple[list[float], list[float]]:
    """Return mixed strategies of both players that approximate an equilibrium.

    Regret matching+ with alternating updates and linear averaging (Tammelin 2014).

    >>> rows, columns = equilibrium([[1.0, -1.0], [-1.0, 1.0]], 200)
    >>> [round(each, 2) for each in (*rows, *columns)]
    [0.5, 0.5, 0.5, 0.5]

    :param payoffs: by strategy of the first player, those against each strategy of the second.
    :returns: the probabilities of the strategies of the first player, and of the second.
    """
    of_first = _Regrets(len(payoffs))
    of_second = _Regrets(len(payoffs[0]))
    rows = [list(row) for row in payoffs]
    columns = [[-value for value in column] for column in zip(*payoffs, strict=True)]
    for iteration in range(1, iterations + 1):
        of_first.update(_mixed(columns, of_second.strategy, -1.0), iteration)
        of_second.update(_mixed(rows, of_first.strategy, -1.0), iteration)
    return of_first.average(), of_second.average()


class _Regrets:
    """The regrets of one player, its strategy, and the sum of its strategies."""

    def __init__(self, size: int) -> None:
        self._regrets = [0.0] * size
        self._sum = [0.0] * size
        self.strategy = [1.0 / size] * size

    def update(self, values: list[float], weight: int) -> None:
        """Add the regrets for the values of the strategies; choose the next strategy by them."""
        strategy = self.strategy
        expected = sum([share * value for share, value in zip(strategy, values, strict=True)])
        regrets = [
            max(0.0, regret + value - expected) for regret, value in zip(self._regrets, values, strict=True)
        ]
        total = sum(regrets)
        if total > 0:
            strategy = [regret / total for regret in regrets]
        else:
            strategy = [1.0 / len(regrets)] * len(regrets)
        self._regrets, self.strategy = regrets, strategy
        self._sum = [so_far + weight * share for so_far, share in zip(self._sum, strategy, strict=True)]

    def average(self) -> list[float]:
        """Return the mean strategy."""
        total = sum(self._sum)
        return [each / total for each in self._sum]


def _mixed(vectors: list[list[float]], shares: list[float], sign: float) -> list[float]:
    """Return the weighted sum of vectors, times a sign."""
    total = [0.0] * len(vectors[0])
    for vector, share in zip(vectors, shares, strict=True):
        if share > 0:
            factor = sign * share
            total = [so_far + factor * value for so_far, value in zip(total, vector, strict=True)]
    return total
