"""Play a whole game in this process: a random player against a bot, with the events of each move."""

import argparse
import random
from collections.abc import Sequence

import skye
from skye.views import event_view


def main(arguments: Sequence[str] | None = None) -> None:
    """Play one game, and print its events and its result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", help="the seed of all draws; random by default")
    parser.add_argument("--against", choices=sorted(skye.BOTS), default="greedy", help="the bot of seat 1")
    options = parser.parse_args(arguments)
    game, events = skye.new_game(2, seed=options.seed)
    rng = random.Random(options.seed)
    while not game.is_over:
        seat = game.waiting_for[0]
        if seat == 0:
            moves = [move for move in skye.legal_moves(game, seat) if not isinstance(move, skye.TakeBack)]
            move = rng.choice(moves)
        else:
            move = skye.choose_move(options.against, game, seat, rng)
        game, events = skye.play(game, seat, move)
        for event in events:
            print(event_view(game, 0, event))
    print(game)


if __name__ == "__main__":
    main()
