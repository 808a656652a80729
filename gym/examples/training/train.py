"""Train an agent for two players: a network learns to choose what a strong bot chooses (behaviour cloning).

The teacher plays against itself. The network scores each legal action by the features of `features.py`, and
learns to give the action of the teacher the highest score. The curve is measured against the opponent on
seeds that no game of the training has; every second game is played with exchanged seats.
"""

import argparse
import csv
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain
from math import sqrt
from pathlib import Path
from random import Random

import numpy as np
from agent import load_agent
from features import SIZE, action_features
from network import Network

from skye import BOTS, choose_move, new_game, play, play_out
from skye_gym.encoding import EncodedGame, encode_move

LAYERS = (SIZE, 128, 128, 1)
BATCH = 256
"""The number of decisions for each update of the weights."""

PLACEMENTS_KEPT = 1 / 3
"""The share of placements to learn from: there are many, and they are similar."""

Decision = tuple[np.ndarray, int]
"""The features of the legal actions, and the index of the chosen one."""


def teacher_game(teacher: str, seed: str) -> list[Decision]:
    """Return decisions of the teacher, in both seats of a game against itself."""
    decisions: list[Decision] = []
    game, rng, sample = new_game(2, seed=seed).game, Random(seed), Random(seed)
    while not game.is_over:
        seat = game.waiting_for[0]
        move = choose_move(teacher, game, seat, rng)
        encoded = EncodedGame(game, (), seat)
        for action in encode_move(game, seat, move):
            legal = encoded.legal_actions()
            if len(legal) > 1 and (game.phase != "building" or sample.random() < PLACEMENTS_KEPT):
                decisions.append((action_features(encoded), legal.index(action)))
            encoded, _ = encoded.play(action)
        game = play(game, seat, move).game
    return decisions


def held_out_game(weights: Path, opponent: str, number: int) -> tuple[float, int]:
    """Return the share of a checkpoint in the win, and its lead; two games in a row have the same seed."""
    seat, bot = number % 2, load_agent(weights)
    bots = [bot, opponent] if seat == 0 else [opponent, bot]
    game = play_out(new_game(2, seed=f"held-out/{number // 2}").game, bots, Random(number)).game
    lead = game.players[seat].score - game.players[1 - seat].score
    return (seat in game.winners) / len(game.winners), lead


class Training:
    """The training, its checkpoint and its curve.

    :param options: the arguments of the command.
    :param over: applies a function to many arguments, in several processes.
    """

    def __init__(self, options: argparse.Namespace, over: Callable[..., Iterable]):
        self.options = options
        self.over = over
        self.network = Network(LAYERS, options.seed)
        self.begun = time.monotonic()
        self.curve: list[tuple[int, float, int, float, float]] = []
        self.weights = options.out / "weights.npz"

    def run(self) -> None:
        """Let the teacher play, learn from its decisions, and measure at equal intervals and at the end."""
        options = self.options
        seeds = [f"imitation/{options.seed}/{number}" for number in range(options.teacher_games)]
        decisions = list(chain.from_iterable(self.over(partial(teacher_game, options.teacher), seeds)))
        rng = np.random.default_rng(options.seed)
        steps = options.passes * len(decisions) // BATCH + 1
        points = {steps * point // options.points for point in range(options.points)}
        for step in range(steps):
            if step in points:
                self.measure(step, options.games)
            batch = [decisions[index] for index in rng.integers(len(decisions), size=BATCH)]
            self.network.train(batch, 2e-3 * (1 - step / steps) + 1e-4)
        self.measure(steps, options.last)

    def measure(self, step: int, games: int) -> None:
        """Save the weights, and add the win rate against the opponent to the curve."""
        self.options.out.mkdir(parents=True, exist_ok=True)
        self.network.save(self.weights)
        against = self.options.opponent
        results = list(self.over(partial(held_out_game, self.weights, against), range(games)))
        rate, lead = (sum(each) / games for each in zip(*results, strict=True))
        seconds = round(time.monotonic() - self.begun, 1)
        self.curve.append((step, seconds, games, rate, lead))
        low, high = interval(rate, games)
        print(f"{step} updates, {seconds} s: {rate:.1%} ({low:.1%} - {high:.1%}) of {games} games", end=" ")
        print(f"against {against}, mean lead {lead:.1f}", flush=True)
        with (self.options.out / "curve.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("updates", "seconds", "games", "win_rate", "lead"), *self.curve])


def interval(rate: float, games: int) -> tuple[float, float]:
    """Return the Wilson interval of 95 % of a win rate."""
    z = 1.96
    middle = (rate + z * z / (2 * games)) / (1 + z * z / games)
    reach = z * sqrt(rate * (1 - rate) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return middle - reach, middle + reach


def positive(text: str) -> int:
    """Return a positive whole number."""
    if int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not positive")
    return int(text)


def arguments() -> argparse.Namespace:
    """Return the arguments of the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--seed", type=int, default=1)
    add("--teacher", choices=sorted(BOTS), default="strategist", help="the bot to imitate")
    add("--teacher-games", type=positive, default=1500, help="games of the teacher against itself")
    add("--passes", type=positive, default=20, help="how often to go through all decisions")
    add("--opponent", choices=sorted(BOTS), default="greedy", help="the bot to measure against")
    add("--points", type=positive, default=4, help="points of the curve before the end")
    add("--games", type=positive, default=100, help="games for a point of the curve")
    add("--last", type=positive, default=800, help="games of the last measurement")
    add("--workers", type=positive, default=2, help="number of processes")
    add("--out", type=Path, default=Path(__file__).parent / "out")
    return parser.parse_args()


def main() -> None:
    """Train, and write the weights and the curve."""
    options = arguments()
    with ProcessPoolExecutor(options.workers) as pool:
        Training(options, partial(pool.map, chunksize=4)).run()


if __name__ == "__main__":
    main()
