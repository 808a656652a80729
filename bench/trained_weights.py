"""Fit the weights of the expert bot's evaluation to games of the strategist against itself; print them.

    .venv/bin/python -m bench.trained_weights --games 2:1500 3:600 4:600 5:400

The games have seeds of their own, which the leagues of `make league` do not use.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import numpy as np

from skye import BOTS, GameState, choose_move, new_game, play
from skye.bots.evaluation import evaluation_of, outlook_of, situation_of
from skye.rulesets import BASE
from skye_gym.bots.trained_evaluation import Weights


class State(NamedTuple):
    """A seat at the start of a round: its score, the evaluation of its territory, and its gold."""

    score: float
    later: float
    gold: float


def states_of(game: GameState) -> list[State]:
    """Return the state of each seat."""
    situation = situation_of(game)
    return [
        State(player.score, evaluation_of(outlook_of(situation, seat), player.territory).value, player.gold)
        for seat, player in enumerate(game.players)
    ]


def rounds_of_a_game(players: int, seed: str) -> Iterator[GameState]:
    """Play a game; yield it at the start of each round, and at its end."""
    game, number, decision = new_game(BASE.colors[:players], seed=seed).game, 0, 0
    while not game.is_over:
        if game.round > number:
            number = game.round
            yield game
        seat = game.waiting_for[0]
        move = choose_move(BOTS["strategist"], game, seat, Random(f"{seed}/{decision}"))
        game, decision = play(game, seat, move).game, decision + 1
    yield game


def fitted(players: int, games: int) -> list[Weights]:
    """Return the weights after each round, by least squares; those after the last follow from the rules.

    A weight that noise makes negative is 0.
    """
    states, margins = defaultdict(list), defaultdict(list)
    for number in range(games):
        *rounds, end = rounds_of_a_game(players, f"train/{number}")
        scores = np.array([player.score for player in end.players])
        for game in rounds[1:]:
            at_start = np.array(states_of(game))
            states[game.round - 1] += list(over_others(at_start))
            margins[game.round - 1] += list(over_others(scores))
    by_round = [
        np.linalg.lstsq(np.array(states[n]), np.array(margins[n]), rcond=None)[0] for n in sorted(states)
    ]
    return [Weights(*[max(0.0, round(float(weight), 2)) for weight in weights]) for weights in by_round] + [
        Weights(1.0, 1.0, 0.2)
    ]


def over_others(values: np.ndarray) -> np.ndarray:
    """Return the difference of each seat's values to the means of the other seats."""
    return (values - values.mean(axis=0)) * len(values) / (len(values) - 1)


def main() -> None:
    """Print the weights for each number of players."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--games", nargs="+", default=["2:1500", "3:600", "4:600", "5:400"], metavar="PLAYERS:GAMES"
    )
    for argument in parser.parse_args().games:
        players, games = map(int, argument.split(":"))
        print(f"{players}: (")
        for weights in fitted(players, games):
            print(f"    {weights},")
        print("),")


if __name__ == "__main__":
    main()
