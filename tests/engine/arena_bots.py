"""Bots that the tests of the arena enter into leagues: a good one, and bad ones."""

import gc
import os
import sys
import time

from skye import BOTS, COLORS, Buy, Game, TakeBack, new_game


def sound(game, seat, rng):
    print("what a bot prints is no reply")
    return BOTS["random"](game, seat, rng)


def crash(game, seat, rng):
    os._exit(3)


def hang(game, seat, rng):
    time.sleep(600)


def cheat(game, seat, rng):
    return Buy("L01")


def endless(game, seat, rng):
    return TakeBack()


def flood(game, seat, rng):
    while True:
        os.write(1, b"x" * 65536)


def spy(game, seat, rng):
    """Fail with a seed if this process has one, and play on otherwise."""
    for found in gc.get_objects():
        if isinstance(found, Game) and found.seed is not None:
            sys.exit(f"found {found.seed}")
    return BOTS["random"](game, seat, rng)


def guess(game, seat, rng):
    """Fail when a seed that is easy to guess explains the scoring tiles, and play on otherwise."""
    for name in ("league", "", "1", "test", "held-out", "skye", "seed"):
        for number in range(50):
            if (
                new_game(COLORS[: len(game.players)], f"{name}/{number}").game.scoring_tiles
                == game.scoring_tiles
            ):
                sys.exit(f"guessed {name}/{number}")
    return BOTS["random"](game, seat, rng)


def peek(game, seat, rng):
    """Fail when an offer of another seat, or a seed, can be reached from the game; play on otherwise."""
    if game.seed is not None or "seed" in vars(sys.modules["__main__"]):
        sys.exit("found a seed")
    for other, player in enumerate(game.players):
        if game.phase == "pricing" and other != seat and player.prices not in ((), (0, 1, 1)):
            sys.exit(f"found an offer: {player.prices}")
    if any(name.startswith("SKYE") for name in os.environ):
        sys.exit("found settings")
    return BOTS["greedy"](game, seat, rng)
