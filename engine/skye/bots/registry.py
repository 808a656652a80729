"""Bots: `random`; `greedy`, which maximizes its expected points; `strategist`, which models all seats.

A bot chooses a move from the observation of its seat: without the seed, and without the prices of other seats
before they are revealed. Bots never take a placement back, so that every game ends.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final, TypeAlias

from skye.bots.evaluation import best_plan, outlook_of, situation_of
from skye.bots.greedy import greedy_offer, greedy_purchase
from skye.bots.joint_offers import best_joint_offer, best_joint_purchase
from skye.rules.moves import FinishBuilding, Move, SetOffer, TakeBack
from skye.rules.play import legal_moves, offer_limits
from skye.rules.state import GameState, Phase
from skye.visibility.observation import observed_game

Bot: TypeAlias = Callable[[GameState, int, Random], Move]
"""A function `(game, seat, rng)` that returns a legal move; the same generator state gives the same move."""

_MAX_RANDOM_PRICE: Final = 10
"""The maximum price of the random bot, in gold."""


def choose_move(bot: Bot, game: GameState, seat: int, rng: Random) -> Move:
    """Return the move of a bot, which receives only the observation of its seat (see `observed_game`).

    Run untrusted code in a separate process, since it could inspect this one: send it
    `position_of(observed_game(game, seat))`.

    :param bot: a bot of `BOTS`, or another function of the same type.
    :param seat: a seat of `game.waiting_for`.
    :param rng: the source of random choices.
    """
    return bot(observed_game(game, seat), seat, rng)


def random_move(game: GameState, seat: int, rng: Random) -> Move:
    """Return a random legal move except `TakeBack`; prices are at most 10 gold."""
    limits = offer_limits(game, seat)
    if limits is None:
        return rng.choice([move for move in legal_moves(game, seat) if not isinstance(move, TakeBack)])
    discard, *kept = rng.sample(limits.tiles, len(limits.tiles))
    highest = min(limits.gold // len(kept), _MAX_RANDOM_PRICE)
    return SetOffer(discard, tuple((tile, rng.randint(limits.minimum, highest)) for tile in kept))


def greedy_move(game: GameState, seat: int, rng: Random) -> Move:
    """Return the move of most expected points, minus the gold it costs and what other seats gain by it.

    The generator chooses between offers or purchases of equal value.
    """
    limits = offer_limits(game, seat)
    if limits is not None:
        return greedy_offer(game, seat, limits, rng)
    if game.phase is Phase.BUYING:
        return greedy_purchase(game, seat, rng)
    return _best_placement(game, seat)


def _best_placement(game: GameState, seat: int) -> Move:
    player = game.players[seat]
    plan = best_plan(outlook_of(situation_of(game), seat), player.territory, player.hand)
    return plan.placements[0] if plan.placements else FinishBuilding()


def strategist_move(game: GameState, seat: int, rng: Random) -> Move:
    """Return an offer or purchase that takes the best responses of all seats into account (`joint_offers`).

    It builds as the greedy bot does. It uses the gold of other seats, which follows from public events.
    """
    if offer_limits(game, seat) is not None:
        return best_joint_offer(game, seat, rng)
    if game.phase is Phase.BUYING:
        return best_joint_purchase(game, seat)
    return _best_placement(game, seat)


BOTS: Final[dict[str, Bot]] = {"random": random_move, "greedy": greedy_move, "strategist": strategist_move}
"""All bots by name."""
