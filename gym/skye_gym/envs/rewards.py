"""The reward schemes of the environments.

| scheme       | reward of a seat                                                                           |
|--------------|--------------------------------------------------------------------------------------------|
| `win`        | at the end 1 for winning alone, -1 for losing; a shared win lies in between                |
| `rank`       | at the end from 1 for the first to -1 for the last, in equal steps; equal scores share     |
| `points`     | the points that the seat has gained since its last reward                                  |
| `difference` | the change, since its last reward, of its score minus the best score of another seat       |
| a function   | what `function(before, after, seat)` returns                                               |

`win` and `rank` have a constant sum. The rewards of `points` add up to the score, those of `difference` to
the lead at the end, both counted from the start of the episode. Ties are broken in `win` alone (R11).

A function gets the true game states at the previous decision of the seat and at its next one, or at the end
of the game; hidden information in them may shape the reward, since the agent does not observe it. A decision
of several actions has equal states between them. Gymnasium calls the function for the agent's seat alone,
PettingZoo for every seat; there a seat without a decision in the episode has the start as its `before`. A
function of a module can be pickled with its environment.

An illegal action ends the episode with a reward of its own (`illegal_reward`): -1, with `difference` -100,
because a game of random legal actions ends about 50 points behind, and with a function its attribute
`illegal`, if it has one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from skye.rules.state import GameState

Reward: TypeAlias = str | Callable[[GameState, GameState, int], float]
"""One of `SCHEMES`, or a function `(before, after, seat) -> reward`."""

SCHEMES: Final = ("win", "rank", "points", "difference")
"""The names of the schemes."""


def checked_reward(reward: Reward) -> Reward:
    """Return a reward.

    :raises ValueError: when it is neither a function nor one of `SCHEMES`.
    """
    if not callable(reward) and reward not in SCHEMES:
        raise ValueError(f"reward={reward!r}: there are {', '.join(SCHEMES)}, and functions")
    return reward


def illegal_reward(reward: Reward) -> float:
    """Return the reward of an illegal action.

    >>> illegal_reward("win"), illegal_reward("difference")
    (-1.0, -100.0)
    """
    if callable(reward):
        return float(getattr(reward, "illegal", -1.0))
    return -100.0 if reward == "difference" else -1.0


class Rewards:
    """The rewards of one episode.

    :param reward: one of `SCHEMES`, or a function.
    :param game: the game at the start.
    :param rewarded: the seats for which a function is called; by default all. Without a function all seats
        have their rewards.
    """

    def __init__(self, reward: Reward, game: GameState, rewarded: Sequence[int] | None = None) -> None:
        self.illegal = illegal_reward(reward)
        """The reward of an illegal action."""
        self._function = reward if callable(reward) else None
        self._scheme = "" if callable(reward) else reward
        self._at_end = self._scheme in ("win", "rank")
        self._round, self._values = game.round, self._standing(game)
        self._start = game
        self._rewarded = range(len(game.players)) if rewarded is None else rewarded
        self._decided: dict[int, GameState] = {}

    def begin(self, game: GameState, seat: int) -> None:
        """Note the game at the first decision, and the seat that makes it."""
        self._decided = {seat: game}

    def since_last(self, game: GameState, seat: int) -> list[float] | None:
        """Return the reward of each seat since the last call; None if all are 0.

        :param seat: the seat that decides next.
        """
        if self._function is not None:
            return self._of_function(self._function, game, seat)
        if game.is_over:
            if self._at_end:
                return rewards(game) if self._scheme == "win" else _ranks(game)
        elif self._at_end or game.round == self._round:  # scores change at the end of a round
            return None
        before, self._values, self._round = self._values, self._standing(game), game.round
        return [float(now - then) for now, then in zip(self._values, before, strict=True)]

    def _of_function(
        self, function: Callable[[GameState, GameState, int], float], game: GameState, seat: int
    ) -> list[float] | None:
        values = [0.0] * len(game.players)
        if game.is_over:
            for each in self._rewarded:
                values[each] = float(function(self._decided.get(each, self._start), game, each))
            return values
        before = self._decided.get(seat)
        self._decided[seat] = game
        if before is None:
            return None
        values[seat] = float(function(before, game, seat))
        return values

    def _standing(self, game: GameState) -> list[int]:
        scores = [player.score for player in game.players]
        if self._scheme != "difference":
            return scores
        return [score - max(scores[:seat] + scores[seat + 1 :]) for seat, score in enumerate(scores)]


def rewards(game: GameState) -> list[float]:
    """Return the reward of each seat for winning or losing a game that is over (scheme `win`).

    A shared win lies in between, so that the sum is constant.
    """
    share = 2.0 / len(game.winners) - 1.0
    return [share if seat in game.winners else -1.0 for seat in range(len(game.players))]


def _ranks(game: GameState) -> list[float]:
    scores = [player.score for player in game.players]
    return [
        sum((score > other) - (score < other) for other in scores) / (len(scores) - 1) for score in scores
    ]
