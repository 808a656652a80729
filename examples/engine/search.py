"""Flat Monte Carlo search: try moves in random games that are consistent with what the seat may see.

`determinize` samples what is hidden: the offers of other seats and future draws. `play_out` plays each sample
to its end.
"""

import argparse
import random
from collections.abc import Sequence
from statistics import mean

import skye


def margin(game: skye.GameState, seat: int) -> int:
    """Return by how many points a seat is ahead of the best other seat."""
    scores = [player.score for player in game.players]
    return scores[seat] - max(scores[:seat] + scores[seat + 1 :])


class Search:
    """A bot that simulates the rest of the game for some of its moves.

    :param candidates: how many moves it tries, chosen at random.
    :param playouts: how many random games it plays for each.
    """

    def __init__(self, candidates: int, playouts: int) -> None:
        self._candidates = candidates
        self._playouts = playouts

    def __call__(self, game: skye.GameState, seat: int, rng: random.Random) -> skye.Move:
        """Return the move with the highest mean margin."""
        moves = [move for move in skye.legal_moves(game, seat) if not isinstance(move, skye.TakeBack)]
        tried = rng.sample(moves, min(len(moves), self._candidates))
        if len(tried) == 1:
            return tried[0]
        return max(tried, key=lambda move: self._mean_margin(game, seat, move, rng))

    def _mean_margin(self, game: skye.GameState, seat: int, move: skye.Move, rng: random.Random) -> float:
        margins = []
        for _ in range(self._playouts):
            sample = skye.determinize(game, seat, rng)
            after = skye.play(sample, seat, move).game
            margins.append(margin(skye.play_out(after, "random", rng).game, seat))
        return mean(margins)


def count(text: str) -> int:
    """Return a number that is not below 1."""
    if int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is below 1")
    return int(text)


def main(arguments: Sequence[str] | None = None) -> None:
    """Play one game against the random bot, and print the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", type=count, default=12, help="moves to try for each decision")
    parser.add_argument("--playouts", type=count, default=6, help="random games for each of them")
    parser.add_argument("--seed", default="search")
    options = parser.parse_args(arguments)
    bots = [Search(options.candidates, options.playouts), "random"]
    game = skye.new_game(2, seed=options.seed).game
    print(skye.play_out(game, bots, random.Random(options.seed)).game)


if __name__ == "__main__":
    main()
