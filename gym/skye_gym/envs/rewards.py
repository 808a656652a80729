"""The reward schemes of the environments.

| scheme       | reward of a seat                                                                           |
|--------------|--------------------------------------------------------------------------------------------|
| `win`        | at the end 1 for winning alone, -1 for losing; a shared win lies in between                |
| `rank`       | at the end from 1 for the first to -1 for the last, in equal steps; equal scores share     |
| `points`     | the points that the seat has gained since its last reward                                  |
| `difference` | the change, since its last reward, of its score minus the best score of another seat       |

`win` and `rank` have a constant sum. The rewards of `points` add up to the score, those of `difference` to
the lead at the end, both counted from the start of the episode. Ties are broken in `win` alone (R11).
"""

from __future__ import annotations

from typing import Final

from skye.rules.state import GameState

SCHEMES: Final = ("win", "rank", "points", "difference")
"""The names of the schemes."""


class Rewards:
    """The rewards of one episode.

    :param scheme: one of `SCHEMES`.
    :param game: the game at the start.
    """

    def __init__(self, scheme: str, game: GameState) -> None:
        self._scheme = scheme
        self._at_end = scheme in ("win", "rank")
        self._round, self._values = game.round, self._standing(game)

    def since_last(self, game: GameState) -> list[float] | None:
        """Return the reward of each seat since the last call; None if all are 0."""
        if game.is_over:
            if self._at_end:
                return rewards(game) if self._scheme == "win" else _ranks(game)
        elif self._at_end or game.round == self._round:  # scores change at the end of a round
            return None
        before, self._values, self._round = self._values, self._standing(game), game.round
        return [float(now - then) for now, then in zip(self._values, before, strict=True)]

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
