"""Measure weights on held-out seeds, each with both seats: `python measure.py weights.npz greedy random`."""

import argparse
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from random import Random

from learner import WEIGHTS, load_agent

from skye import BOTS, Bot, new_game, play_out


def held_out_game(bot: Bot, opponent: str, number: int) -> tuple[float, int]:
    """Return the share of a bot in the win, and its lead; two games in a row have the same seed."""
    seat = number % 2
    bots = [bot, opponent] if seat == 0 else [opponent, bot]
    game = play_out(new_game(2, seed=f"held-out/{number // 2}").game, bots, Random(number)).game
    lead = game.players[seat].score - game.players[1 - seat].score
    return (seat in game.winners) / len(game.winners), lead


def measure(bot: Bot, opponent: str, games: int) -> tuple[float, float]:
    """Return the share of wins, a tie counted as half, and the mean lead."""
    results = [held_out_game(bot, opponent, number) for number in range(games)]
    rate, lead = (sum(each) / games for each in zip(*results, strict=True))
    return rate, lead


def interval(rate: float, games: int) -> tuple[float, float]:
    """Return the Wilson interval of 95 % of a win rate."""
    z = 1.96
    middle = (rate + z * z / (2 * games)) / (1 + z * z / games)
    reach = z * sqrt(rate * (1 - rate) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return middle - reach, middle + reach


def result(bot: Bot, opponent: str, games: int) -> str:
    """Return the row of a table."""
    rate, lead = measure(bot, opponent, games)
    low, high = interval(rate, games)
    return f"| {opponent} | {games} | {rate:.1%} | {low:.1%} - {high:.1%} | {lead:.1f} |"


def main(given: Sequence[str] | None = None) -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path, nargs="?", default=WEIGHTS)
    parser.add_argument("opponents", nargs="*", default=["greedy"], choices=sorted(BOTS))
    parser.add_argument("--games", type=int, default=400)
    options = parser.parse_args(given)
    bot = load_agent(options.weights)
    print("| opponent | games | wins | 95 % | mean lead |\n|---|---|---|---|---|")
    for opponent in options.opponents:
        print(result(bot, opponent, options.games), flush=True)


if __name__ == "__main__":
    main()
