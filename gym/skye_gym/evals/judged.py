"""Judged tasks: the regret of an offer, a purchase or a placement against the move of `expert`, in points."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from random import Random
from statistics import fmean
from types import MappingProxyType
from typing import Final

from skye.bots.registry import choose_move, play_out
from skye.rules.moves import Move
from skye.rules.play import play
from skye.rules.state import GameState, Phase
from skye.visibility.observation import determinize
from skye_gym.agents import legal_actions
from skye_gym.bots.expert import expert
from skye_gym.evals.positions import Position, in_random_order

JUDGED: Final[Mapping[str, Phase]] = MappingProxyType(
    {"offer": Phase.PRICING, "purchase": Phase.BUYING, "placement": Phase.BUILDING}
)
"""The judged tasks by name, with the phase of their positions."""

SAMPLES: Final = 8
"""The number of samples of what the seat cannot see, from which both moves are played out."""

_EXPERT: Final = expert()


@lru_cache(maxsize=256)
def judged_position(kind: str, seed: str, number: int) -> Position:
    """Return the position of a judged task: one with a choice.

    :param kind: one of `JUDGED`.
    """
    phase = JUDGED[kind]
    return next(
        position
        for _, position in in_random_order(seed, number, kind)
        for game, seat, _ in [position]
        if game.phase is phase and (phase is Phase.PRICING or len(legal_actions(game, seat)) > 2)
    )


def regret(position: Position, move: Move, seed: str) -> float:
    """Return how many points a move loses against that of the expert; below zero if it is better.

    The points are those of the seat minus the best of the others at the end. Both moves are played out by the
    greedy bot in the same samples, so that draws and hidden offers are the same.

    :param seed: the seed of the samples.
    """
    game, seat, _ = position
    best = choose_move(_EXPERT, game, seat, Random(seed))
    if move == best:
        return 0.0
    return fmean(_lost(game, seat, move, best, f"{seed}/{number}") for number in range(SAMPLES))


def _lost(game: GameState, seat: int, move: Move, best: Move, seed: str) -> int:
    sample = determinize(game, seat, Random(seed))
    margins = []
    for tried in (best, move):
        over = play_out(play(sample, seat, tried).game, "greedy", Random(seed)).game
        scores = [player.score for player in over.players]
        margins.append(scores.pop(seat) - max(scores))
    return margins[0] - margins[1]
