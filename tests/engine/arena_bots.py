"""Bots that the tests of the arena enter into leagues: a good one, and bad ones."""

import gc
import os
import sys
import time

from skye import BOTS, Buy, Game, TakeBack


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
