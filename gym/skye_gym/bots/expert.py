"""The expert bot: offers from an equilibrium, purchases by a search, placements by the best plan.

All values are those of the trained evaluation. Between two seats the offers of a round are a zero-sum game of
hidden offers (`offers_of_two`), and the bot plays a mixed strategy of it: a deterministic offer could be
predicted. Among more seats it responds to sampled offers of the others (`offers_of_many`).
"""

from __future__ import annotations

from random import Random
from typing import Final

from skye.bots.evaluation import best_placement, situation_of
from skye.bots.greedy import PLANNED_OFFER, random_offer
from skye.rules.moves import Move, OfferLimits, SetOffer
from skye.rules.play import offer_limits
from skye.rules.state import BUYING, GameState
from skye_gym.bots.equilibrium import equilibrium
from skye_gym.bots.offers_of_many import best_response
from skye_gym.bots.offers_of_two import OffersOfTwo
from skye_gym.bots.purchases import purchase
from skye_gym.bots.trained_evaluation import trained_evaluation_of, trained_outlook

ITERATIONS: Final = 200
"""The iterations of regret matching."""


def expert(game: GameState, seat: int, rng: Random) -> Move:
    """Return the move of a seat.

    >>> import skye
    >>> skye.choose_move(expert, skye.new_game(2, seed="bots").game, 0, Random(1)).discard
    'L07'
    """
    limits = offer_limits(game, seat)
    if limits is not None:
        if len(limits.tiles) != PLANNED_OFFER:
            return random_offer(limits, rng)
        if len(game.players) == 2:
            return _offer_of_two(game, seat, limits, rng)
        return best_response(game, seat, limits, rng)
    if game.phase is BUYING:
        return purchase(game, seat)
    return best_placement(trained_outlook(situation_of(game), seat), game.players[seat])


def _offer_of_two(game: GameState, seat: int, limits: OfferLimits, rng: Random) -> SetOffer:
    offers = OffersOfTwo(game, seat, limits, trained_evaluation_of(situation_of(game)))
    own, others = offers.strategies()
    payoffs = [[offers.payoff(offer, other) for other in others] for offer in own]
    mixture, _ = equilibrium(payoffs, ITERATIONS)
    [at] = rng.choices(range(len(own)), mixture)
    one, other, price, price_of_other = own[at]
    return SetOffer(
        limits.tiles[3 - one - other],
        ((limits.tiles[one], price), (limits.tiles[other], price_of_other)),
    )
