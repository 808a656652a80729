"""Offers and purchases of the greedy bot, which assumes that other seats value tiles as it does."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, permutations
from random import Random
from typing import Final, NamedTuple

from skye.bots.evaluation import SituationEvaluation, situation_evaluation_of, situation_of
from skye.rules.moves import Buy, Move, OfferLimits, Pass, SetOffer
from skye.rules.play import legal_moves
from skye.rules.state import GameState
from skye.visibility.game_views import visible_gold

_RESERVE: Final = 4
"""Gold that the greedy bot keeps for its own purchase, if it can."""

_PURCHASE_PROBABILITY: Final = 0.6
"""The probability that a rival buys this tile, of all on offer, if its value far exceeds its price."""

_PRICE_UNCERTAINTY: Final = 4
"""Gold: the uncertainty of a rival's evaluation."""


_MAX_RANDOM_PRICE: Final = 10
"""The maximum price of a random offer, in gold."""


class _Rival(NamedTuple):
    """The value of a tile to another seat, in points, and the highest price that the seat would pay."""

    gain: float
    limit: float


PLANNED_OFFER: Final = 3
"""The number of tiles drawn for which the bots plan offers; they set random ones for another number."""


def random_offer(limits: OfferLimits, rng: Random) -> SetOffer:
    """Return a random offer; prices are at most 10 gold."""
    discard, *kept = rng.sample(limits.tiles, len(limits.tiles))
    highest = max(limits.minimum, min(limits.gold // len(kept), _MAX_RANDOM_PRICE))
    return SetOffer(discard, tuple((tile, rng.randint(limits.minimum, highest)) for tile in kept))


def greedy_offer(game: GameState, seat: int, limits: OfferLimits, rng: Random) -> SetOffer:
    """Return the offer of most expected points; it chooses the discard and both prices together."""
    if len(limits.tiles) != PLANNED_OFFER:
        return random_offer(limits, rng)
    evaluation = situation_evaluation_of(situation_of(game))
    budget = max(limits.gold - _RESERVE, limits.gold // 2 + 1)
    prices = range(limits.minimum, budget - limits.minimum + 1)
    expected: dict[str, list[tuple[float, int]]] = {}  # by tile: for each price, the points and the price
    for tile in limits.tiles:
        rivals = _rivals(game, seat, tile, limits, evaluation)
        gain, gold = evaluation.gain(seat, tile), evaluation.gold(seat)
        expected[tile] = [(_expected_points(price, gain, gold, rivals), price) for price in prices]

    def offers() -> Iterator[tuple[float, SetOffer]]:
        for discard, one, other in permutations(rng.sample(limits.tiles, len(limits.tiles))):
            best_up_to = dict(zip(prices, accumulate(expected[other], max), strict=True))
            for value, price in expected[one]:
                value_left, price_left = best_up_to[budget - price]  # the best price that the rest affords
                yield value + value_left, SetOffer(discard, ((one, price), (other, price_left)))

    return max(offers(), key=lambda offer: offer[0])[1]


def _rivals(
    game: GameState, seat: int, tile: str, limits: OfferLimits, evaluation: SituationEvaluation
) -> list[_Rival]:
    """Estimate what other seats would pay; a hidden purse is assumed to equal the own one."""
    rivals = []
    for other in range(len(game.players)):
        if other != seat:
            purse = visible_gold(game, seat, other)
            affordable = (limits.gold if purse is None else purse) - 2 * limits.minimum
            gain = evaluation.gain(other, tile)
            rivals.append(_Rival(gain, min(gain / evaluation.gold(other), affordable)))
    return rivals


def _expected_points(price: int, gain: float, gold: float, rivals: list[_Rival]) -> float:
    """Return the expected points from a tile at a price, whether a rival buys it or not.

    :param gain: the points from keeping the tile.
    :param gold: the value of one gold in points.
    :param rivals: the other seats; what a buyer gains counts against this seat, divided by their number.
    """
    unsold = 1.0
    gain_of_rivals = 0.0
    for rival in rivals:
        bought = (
            unsold
            * _PURCHASE_PROBABILITY
            * min(1.0, max(0.0, 0.5 + (rival.limit - price) / _PRICE_UNCERTAINTY))
        )
        gain_of_rivals += bought * max(0.0, rival.gain - price * gold) / len(rivals)
        unsold -= bought
    return (1 - unsold) * price * gold - gain_of_rivals + unsold * (gain - price * gold)


def greedy_purchase(game: GameState, seat: int, rng: Random) -> Move:
    """Return the purchase of most expected points, or a pass; the generator chooses between equal ones."""
    evaluation = situation_evaluation_of(situation_of(game))
    choices: list[tuple[float, Move]] = [(0.0, Pass())]
    for move in legal_moves(game, seat):
        if isinstance(move, Buy):
            choices.append((_purchase_gain(game, seat, move.tile, evaluation), move))
    return max(rng.sample(choices, len(choices)), key=lambda choice: choice[0])[1]


def _purchase_gain(game: GameState, seat: int, tile: str, evaluation: SituationEvaluation) -> float:
    """Return the expected points from buying a tile, minus a share of what the seller gains.

    The seller gets the price and the gold that lies on the tile, and loses the tile.
    """
    seller = next(other for other, player in enumerate(game.players) if tile in player.tiles_on_offer)
    price = game.players[seller].prices[game.players[seller].tiles_on_offer.index(tile)]
    net = evaluation.gain(seat, tile) - price * evaluation.gold(seat)
    if net <= 0:
        return net
    sale = 2 * price * evaluation.gold(seller) - evaluation.gain(seller, tile)
    return net - sale / (len(game.players) - 1)
