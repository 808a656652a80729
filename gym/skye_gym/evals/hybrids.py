"""Hybrids: bots that make one kind of decision as they do, and all other decisions as one base bot.

Paired games of two hybrids measure what that kind of decision is worth in play. The judge is compared with
them (`validity`).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from random import Random
from types import MappingProxyType
from typing import Final

from skye.bots import Bot
from skye.bots.registry import choose_move
from skye.rules.moves import Buy, Move, SetOffer
from skye.rules.play import legal_moves, offer_limits, play
from skye.rules.setup import new_game
from skye.rules.state import GameState
from skye_gym.agents import legal_actions
from skye_gym.bots import expert, expert_1
from skye_gym.evals.judged import JUDGED
from skye_gym.evals.scripts import most_listed_gain

BASE_BOT: Final = "strategist"
"""The bot that makes the other decisions of all hybrids."""

_HALF: Final = 0.5


def _cheapest(game: GameState, seat: int, rng: Random) -> Move:
    """Return an offer of random tiles at the minimum price."""
    limits = offer_limits(game, seat)
    assert limits is not None, "the seat can set an offer"
    discard = rng.choice(limits.tiles)
    return SetOffer(discard, tuple((tile, limits.minimum) for tile in limits.tiles if tile != discard))


def _pass(game: GameState, seat: int, rng: Random) -> Move:  # noqa: ARG001 - a bot
    return next(move for move in legal_moves(game, seat) if not isinstance(move, Buy))


def _dearest(game: GameState, seat: int, rng: Random) -> Move:
    """Return the purchase of the dearest tile that the seat can pay, or a pass."""
    prices = {
        tile: price
        for player in game.players
        for tile, price in zip(player.tiles_on_offer, player.prices, strict=True)
    }
    moves = legal_moves(game, seat)
    rng.shuffle(moves)
    return max(moves, key=lambda move: prices[move.tile] if isinstance(move, Buy) else -1)


def _first(game: GameState, seat: int, rng: Random) -> Move:  # noqa: ARG001 - a bot
    return legal_actions(game, seat)[0]


def _listed_gain(game: GameState, seat: int, rng: Random) -> Move:  # noqa: ARG001 - a bot
    return most_listed_gain(game, seat)


def _half_random(game: GameState, seat: int, rng: Random) -> Move:
    """Return a move of the greedy bot, or as often a random one."""
    return choose_move("random" if rng.random() < _HALF else "greedy", game, seat, rng)


HYBRIDS: Final[Mapping[str, Mapping[str, str | Bot]]] = MappingProxyType(
    {
        "offer": {
            "random": "random",
            "cheapest": _cheapest,
            "greedy": "greedy",
            "strategist": "strategist",
            "expert@1": expert_1(),
            "expert": expert,
        },
        "purchase": {
            "pass": _pass,
            "random": "random",
            "dearest": _dearest,
            "greedy": "greedy",
            "strategist": "strategist",
            "expert": expert,
        },
        "placement": {
            "first": _first,
            "random": "random",
            "half_random": _half_random,
            "listed_gain": _listed_gain,
            "greedy": "greedy",
            "expert": expert,
        },
    }
)
"""By kind of judged task: the bots whose decisions of that kind are compared, by name."""


def pairs(kind: str) -> list[tuple[str, str]]:
    """Return the pairs of hybrids of a kind of decision."""
    return list(combinations(HYBRIDS[kind], 2))


def paired_games(kind: str, one: str, other: str, seed: str) -> tuple[list[float], list[float]]:
    """Play two games of two hybrids with the same draws, each hybrid once in each seat.

    :param kind: the kind of decision in which the hybrids differ.
    :returns: the shares of the win of the first hybrid in both games, and its margins.
    """
    wins, margins = [], []
    for seat in range(2):
        names = (one, other) if seat == 0 else (other, one)
        game = _played(kind, names, seed)
        wins.append((seat in game.winners) / len(game.winners))
        margins.append(float(game.players[seat].score - game.players[1 - seat].score))
    return wins, margins


def _played(kind: str, names: tuple[str, str], seed: str) -> GameState:
    game = new_game(2, seed=seed).game
    rngs = [Random(f"{seed}/{seat}") for seat in range(2)]
    while not game.is_over:
        seat = game.waiting_for[0]
        bot = HYBRIDS[kind][names[seat]] if game.phase is JUDGED[kind] else BASE_BOT
        game = play(game, seat, choose_move(bot, game, seat, rngs[seat])).game
    return game
