"""Measure how well `skye-review` finds planted blunders, and how often it lists decisions of the expert.

    .venv/bin/python -m bench.review --blunders 100 --players 2

A few decisions of each game of the expert are reviewed, so that no single game decides the result. A blunder
is a legal move, the worst of some random ones, that loses at least 8 points against the expert's in samples
that the review does not have.
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from random import Random

from skye import GameState, Move, Phase, choose_move, new_game, play
from skye_gym.arena.ratings import wilson
from skye_gym.bots import expert
from skye_gym.judge import mean_values
from skye_gym.review import review_move
from skye_gym.review.moves import has_choice

LEAST = 8.0
RANDOM_MOVES, FEW, MANY = 4, 4, 32
OWN_SHARE, BLUNDER_SHARE = 0.15, 0.4
"""The shares of the decisions of a game that are reviewed, and that a blunder is sought for."""


def decisions(players: int, seed: str) -> Iterator[tuple[GameState, int, Move, Random]]:
    """Yield the decisions of a game of the expert in which it has a choice."""
    game, number = new_game(players, seed=seed).game, 0
    while not game.is_over:
        seat, rng = game.waiting_for[0], Random(f"{seed}/{number}")
        move = choose_move(expert, game, seat, rng)
        if has_choice(game, seat):
            yield game, seat, move, rng
        game, number = play(game, seat, move).game, number + 1


def blunder(game: GameState, seat: int, best: Move, rng: Random) -> Move | None:
    """Return the worst of some random moves, or None if it does not lose enough."""
    moves = [best, *[choose_move("random", game, seat, rng) for _ in range(RANDOM_MOVES)]]
    values = mean_values(game, seat, moves, "planting", FEW)
    if min(values) > values[0] - LEAST:
        return None
    worst = moves[values.index(min(values))]
    one, other = mean_values(game, seat, [best, worst], "planted", MANY)
    return worst if other <= one - LEAST else None


def main() -> None:
    """Print the shares of the blunders found and of the expert's decisions listed, by phase."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--blunders", type=int, default=100)
    parser.add_argument("--own", type=int, default=200, help="decisions of the expert to review")
    parser.add_argument("--samples", type=int, default=48)
    parser.add_argument("--seed", default="planted")
    options = parser.parse_args()
    planted, found, own, listed = Counter[Phase](), Counter[Phase](), Counter[Phase](), Counter[Phase]()
    number = 0
    while planted.total() < options.blunders or own.total() < options.own:
        for game, seat, best, rng in decisions(options.players, f"{options.seed}/{number}"):
            phase = game.phase
            assert phase is not None, "the game goes on"
            if own.total() < options.own and rng.random() < OWN_SHARE:
                own[phase] += 1
                listed[phase] += review_move(game, seat, best, seed="own", samples=options.samples).is_loss
            if planted.total() < options.blunders and rng.random() < BLUNDER_SHARE:
                other = blunder(game, seat, best, rng)
                if other is not None:
                    planted[phase] += 1
                    verdict = review_move(game, seat, other, seed="blunder", samples=options.samples)
                    found[phase] += verdict.is_loss
        number += 1
        seconds = time.process_time()
        print(f"{number} games, {seconds:.0f} s of CPU", flush=True)
        for name, hits, tries in (("blunders found", found, planted), ("expert listed", listed, own)):
            share, low, high = wilson(hits.total(), max(1, tries.total()))
            print(
                f"  {name}: {hits.total()} of {tries.total()}, {share:.1%} [{low:.1%}, {high:.1%}]",
                flush=True,
            )
            print("   ", {str(phase): f"{hits[phase]} of {tries[phase]}" for phase in tries}, flush=True)


if __name__ == "__main__":
    main()
