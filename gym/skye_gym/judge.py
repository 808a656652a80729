"""The judge's model: what a move is worth, from games played on in samples of what a seat cannot see.

In a sample all seats play on as the strategist until the round ends, then as the greedy bot for a round. Then
the trained evaluation of the first expert, which never changes, predicts the margins at the end, unless the
game is over: a round has less noise than the rest of a game. All moves of a position have the same samples
and the same generators (common random numbers).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from statistics import fmean
from typing import Final

from skye.bots.evaluation import outlook_of, situation_of
from skye.bots.greedy import PLANNED_OFFER
from skye.bots.registry import choose_move
from skye.bots.territory_evaluation import evaluation_of
from skye.rules.moves import Move
from skye.rules.play import play
from skye.rules.state import GameState, Phase
from skye.visibility.observation import determinize, observed_game
from skye_gym.bots.expert_1.evaluation import WEIGHTS
from skye_gym.bots.expert_1.rivals import likely_offers

VERSION: Final = 1
"""The version of the model: equal versions give a move the same value in the same samples."""


def samples_of(game: GameState, seat: int, seed: str, number: int) -> Iterator[GameState]:
    """Yield games that are consistent with what a seat sees; the others' offers are likely ones.

    :param seed: the seed of the samples.
    :param number: the number of the samples.
    """
    rng = Random(seed)
    others = [other for other in range(len(game.players)) if other != seat]
    offers: list[Sequence[Move]] = []
    if game.phase is Phase.PRICING:
        observed = observed_game(game, seat)
        offers = [offers_of(observed, other, rng, number) for other in others]
    for at in range(number):
        sample = determinize(game, seat, rng)
        for other, likely in zip(others, offers, strict=False):
            sample = play(sample, other, likely[at]).game
        yield sample


def offers_of(observed: GameState, seat: int, rng: Random, number: int) -> Sequence[Move]:
    """Return offers that a strong player of a seat may make, the best one first."""
    if observed.ruleset.tiles_drawn == PLANNED_OFFER:
        return likely_offers(observed, seat, rng, number)
    return [choose_move("strategist", observed, seat, rng) for _ in range(number)]


def margins_after(game: GameState, rng: Random) -> list[float]:
    """Play on to the end of the next round; return by seat the margin over the others that then is predicted.

    :param rng: the generator of the bots.
    """
    following = game.round + 1
    while not game.is_over and game.round <= following:
        mover = game.waiting_for[0]
        bot = "greedy" if game.round == following else "strategist"
        game = play(game, mover, choose_move(bot, game, mover, rng)).game
    return margins(_predicted(game))


def margins(points: Sequence[float]) -> list[float]:
    """Return by seat its points minus the mean of the others.

    >>> margins([9, 4, 2])
    [6.0, -1.5, -4.5]
    """
    total, others = sum(points), len(points) - 1
    return [own - (total - own) / others for own in points]


def values_of(game: GameState, seat: int, moves: Sequence[Move], seed: str, number: int) -> list[list[float]]:
    """Return by sample the margin of a seat after each of some moves.

    :param seed: the seed of the samples.
    :param number: the number of the samples.
    """
    return [
        [
            margins_after(play(sample, seat, move).game, Random(f"{seed}/{at}"))[
                seat
            ]  # the same for all moves
            for move in moves
        ]
        for at, sample in enumerate(samples_of(game, seat, seed, number))
    ]


def mean_values(game: GameState, seat: int, moves: Sequence[Move], seed: str, number: int) -> list[float]:
    """Return the mean margin of a seat after each of some moves, in the same samples."""
    return [fmean(each) for each in zip(*values_of(game, seat, moves, seed, number), strict=True)]


def _predicted(game: GameState) -> list[float]:
    """Return by seat the points that the trained evaluation predicts; differences of them are margins.

    A round has the weights of the base game with as many rounds left.
    """
    if game.is_over:
        return [player.score for player in game.players]
    by_round = WEIGHTS[len(game.players)]
    left = game.rounds - game.round + 1
    weights = by_round[max(0, len(by_round) - 1 - left)]
    situation = situation_of(game)
    return [
        weights.score * player.score
        + weights.later * evaluation_of(outlook_of(situation, seat), player.territory).value
        + weights.gold * player.gold
        for seat, player in enumerate(game.players)
    ]
