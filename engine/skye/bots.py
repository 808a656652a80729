"""Bots: `random`; `greedy`, which takes what promises most points; `strategist`, which plans for all seats.

A bot chooses for one seat from what that seat may know. It never reads the seed, other seats' prices before
they are revealed; and it never takes a placement back, so that each of
its moves brings the game nearer to its end.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final, TypeAlias

from skye.game import Game, Phase
from skye.greedy import greedy_offer, greedy_purchase
from skye.joint_offers import best_joint_offer, best_joint_purchase
from skye.moves import FinishBuilding, Move, SetOffer, TakeBack
from skye.observation import observed_game
from skye.rules import legal_moves, offer_limits
from skye.valuation import best_plan, outlook_of, situation_of

Bot: TypeAlias = Callable[[Game, int, Random], Move]
"""Chooses a legal move for a seat that the game waits for; the same generator state, the same move."""

_DEAREST_AT_RANDOM: Final = 10
"""The maximum price of the random bot, in gold."""


def choose_move(bot: Bot, game: Game, seat: int, rng: Random) -> Move:
    """Return the move of a bot, which receives only its seat's observation (see `observed_game`).

    Code of others, which might look around in this process, belongs in a process of its own: give it
    `position_of(observed_game(game, seat))` there.
    """
    return bot(observed_game(game, seat), seat, rng)


def random_move(game: Game, seat: int, rng: Random) -> Move:
    """Choose any legal move but taking back; prices are moderate."""
    limits = offer_limits(game, seat)
    if limits is None:
        return rng.choice([move for move in legal_moves(game, seat) if not isinstance(move, TakeBack)])
    discard, *kept = rng.sample(limits.tiles, len(limits.tiles))
    highest = min(limits.gold // len(kept), _DEAREST_AT_RANDOM)
    return SetOffer(discard, tuple((tile, rng.randint(limits.minimum, highest)) for tile in kept))


def greedy_move(game: Game, seat: int, rng: Random) -> Move:
    """Choose what promises most points, net of the gold it costs and of what it does for others.

    Between offers or purchases that are equal it is the generator that decides.
    """
    limits = offer_limits(game, seat)
    if limits is not None:
        return greedy_offer(game, seat, limits, rng)
    if game.phase is Phase.BUYING:
        return greedy_purchase(game, seat, rng)
    return _best_placement(game, seat)


def _best_placement(game: Game, seat: int) -> Move:
    player = game.players[seat]
    plan = best_plan(outlook_of(situation_of(game), seat), player.territory, player.hand)
    return plan.placements[0] if plan.placements else FinishBuilding()


def strategist_move(game: Game, seat: int, rng: Random) -> Move:
    """Choose offers and purchases by what all seats would then do, and build as the greedy bot does.

    The gold of other seats counts as known, since it follows from public events.
    """
    if offer_limits(game, seat) is not None:
        return best_joint_offer(game, seat, rng)
    if game.phase is Phase.BUYING:
        return best_joint_purchase(game, seat)
    return _best_placement(game, seat)


BOTS: Final[dict[str, Bot]] = {"random": random_move, "greedy": greedy_move, "strategist": strategist_move}
"""All bots by name."""
