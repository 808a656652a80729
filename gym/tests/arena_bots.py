"""Bots that the tests of the arena enter into leagues: a good one, and bad ones.

Those decorated with `from_round_2` play in round 1, so that they pass the check before the first game.
"""

import gc
import json
import os
import sys
import time

from skye import BOTS, Buy, GameState, TakeBack, new_game

GUESSED_NAMES = ("league", "", "1", "test", "held-out", "skye", "seed")


def sound(game, seat, rng):
    print("what a bot prints is no reply")
    return BOTS["random"](game, seat, rng)


def from_round_2(bot):
    """Return a bot that plays at random in round 1."""
    return lambda game, seat, rng: (BOTS["random"] if game.round == 1 else bot)(game, seat, rng)


def floats(turn):
    """Return an action whose numbers are floats, as languages without integers send them."""
    action = turn.rng.choice(turn.actions)
    body = json.loads(json.dumps(action["body"]), parse_int=float)
    return {"type": action["type"], "body": body}


@from_round_2
def crash(game, seat, rng):
    os._exit(3)


@from_round_2
def hang(game, seat, rng):
    time.sleep(600)


@from_round_2
def cheat(game, seat, rng):
    return Buy("L01")


@from_round_2
def endless(game, seat, rng):
    return TakeBack()


@from_round_2
def flood(game, seat, rng):
    while True:
        os.write(1, b"x" * 65536)


@from_round_2
def faulty(game, seat, rng):
    print("my debugging of round", game.round)
    raise LookupError("my strategy")


def spy(game, seat, rng):
    """Fail with a seed if this process has one, and play on otherwise."""
    for found in gc.get_objects():
        if isinstance(found, GameState) and found.seed is not None:
            sys.exit(f"found {found.seed}")
    return BOTS["random"](game, seat, rng)


def guess(game, seat, rng):
    """Fail when a seed that is easy to guess explains the first draws, and play on otherwise."""
    if game.round == 1 and game.phase == "pricing":
        seeds = [f"{name}/{number}" for name in GUESSED_NAMES for number in range(50)]
        for seed in seeds:
            if _draws(new_game(len(game.players), seed=seed).game) == _draws(game):
                sys.exit(f"guessed {seed}")
    return BOTS["random"](game, seat, rng)


def _draws(game):
    return game.scoring_tiles, [player.tiles_on_offer for player in game.players]


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
