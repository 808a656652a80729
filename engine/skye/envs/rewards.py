"""The rewards at the end of a game, the same in all environments."""

from __future__ import annotations

from skye.rules.state import GameState


def rewards(game: GameState) -> list[float]:
    """Return the reward of each seat in a game that is over: from 1 for winning alone to -1 for losing.

    A shared win lies in between, so that the sum is constant.
    """
    share = 2.0 / len(game.winners) - 1.0
    return [share if seat in game.winners else -1.0 for seat in range(len(game.players))]
