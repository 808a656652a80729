"""The model of rivals of the first expert: the offers of a round as a matrix game.

It is a copy of `skye.bots.joint_offers`, which may change.

The strategies of a seat are its offers. One offer for each seat determines the purchases: in turn, each seat
buys what gains it most. The payoff of a seat is its gain minus the mean gain of the others, so the game is
zero-sum between two seats. The value of an offer is the sum of two payoffs: the payoff against the offers of
greedy rivals, and the mean payoff in fictitious play, where rivals respond with best responses. The first
exploits weak rivals, the second resists strong ones.

Every input is public: territories, scoring tiles, tiles drawn, and the purses, which follow from public
events (see `observation.count_purses`).
"""

from __future__ import annotations

from itertools import permutations
from math import exp
from random import Random
from typing import Final, NamedTuple, TypeAlias

from skye.bots.cooperative_yield import checkpoint
from skye.bots.evaluation import SituationEvaluation, situation_evaluation_of, situation_of
from skye.bots.greedy import greedy_offer
from skye.rules.moves import SetOffer
from skye.rules.play import offer_limits
from skye.rules.state import PRICING, GameState, Player

_ITERATIONS: Final = {2: 16, 3: 5, 4: 3, 5: 2}
"""The iterations of fictitious play by the number of seats: as many as fit in the time budget."""

_OWN_GOLD: Final = 0.7
"""The value of gold to this seat, relative to its value to the other seats."""

_TEMPERATURE: Final = 1.0
"""The difference of payoffs, in points, that makes an offer e times less likely than another."""

_STRATEGIES_PER_CHECKPOINT: Final = 32
"""The number of strategies to evaluate between two checkpoints, which takes less than a millisecond."""

_MAX_PRICE: Final = 10
"""Gold; a tile is rarely worth more to a rival."""

_Strategy: TypeAlias = tuple[int, int]  # the numbers of two lots


class _Lot(NamedTuple):
    """A tile at a price.

    :param seller: the seat that offers the tile.
    :param tile: the tile.
    :param price: the price in gold.
    :param kept: the points that the seller gains if the tile is not sold.
    :param sold: the points that the seller gains if it is sold.
    :param bought: by seat, the points that it would gain by buying the tile.
    :param utility: by seat, the same minus a share of the seller's gain; negative if it would not buy.
    """

    seller: int
    tile: str
    price: int
    kept: float
    sold: float
    bought: tuple[float, ...]
    utility: tuple[float, ...]


def likely_offers(game: GameState, seat: int, rng: Random, number: int) -> list[SetOffer]:
    """Return offers that a strong player of a seat may make.

    The first has the most expected payoff; `rng` samples the others, by the softmax of their payoffs.
    """
    market = _Market(game, seat)
    strategies = market.strategies
    rng.shuffle(strategies[seat])
    iterations = _ITERATIONS[len(game.players)]
    against_greedy = [0.0] * len(strategies[seat])
    market.add_payoffs(against_greedy, market.greedy_offers(game, rng), seat)
    against_responses = market.fictitious_play(iterations)[seat]
    totals = [
        payoff + sum_of_payoffs / iterations
        for payoff, sum_of_payoffs in zip(against_greedy, against_responses, strict=True)
    ]
    best = max(range(len(totals)), key=totals.__getitem__)
    chosen = [best]
    if number > 1:
        weights = [exp((total - totals[best]) / _TEMPERATURE) for total in totals]
        chosen += rng.choices(range(len(totals)), weights, k=number - 1)
    return [_offer(game.players[seat], [market.lots[lot] for lot in strategies[seat][at]]) for at in chosen]


def _offer(player: Player, lots: list[_Lot]) -> SetOffer:
    one, other = lots
    (discard,) = set(player.tiles_on_offer) - {one.tile, other.tile}
    return SetOffer(discard, ((one.tile, one.price), (other.tile, other.price)))


class LotEvaluator:
    """Values lots for one seat.

    Its own gold has a lower value (`_OWN_GOLD`); the other seats are assumed not to know this.
    """

    def __init__(self, game: GameState, seat: int) -> None:
        self._seat = seat
        self._seats = range(len(game.players))
        self._evaluation: SituationEvaluation = situation_evaluation_of(situation_of(game))
        self._assumed_gold = [self._evaluation.gold(other) for other in self._seats]
        self._gold = self._assumed_gold.copy()
        self._gold[seat] *= _OWN_GOLD

    def lot(self, seller: int, tile: str, price: int) -> _Lot:
        """Return a lot with its values to all seats."""
        gain = self._evaluation.gain
        own = gain(seller, tile)
        sale = 2 * price * self._gold[seller] - own
        assumed_sale = 2 * price * self._assumed_gold[seller] - own
        rivals = len(self._seats) - 1
        bought = tuple([gain(seat, tile) - price * self._gold[seat] for seat in self._seats])
        utility = tuple(
            [
                net - (sale if seat == self._seat else assumed_sale) / rivals
                if seat != seller and net > 0
                else -1.0
                for seat, net in enumerate(bought)
            ]
        )
        gold = price * self._gold[seller]
        return _Lot(seller, tile, price, own - gold, gold, bought, utility)

    def utility(self, seller: int, tile: str, price: int) -> float:
        """Return what this seat gains by buying a tile, minus a share of the seller's gain.

        :returns: the points, which are negative if the seat would not buy.
        """
        gain, seat = self._evaluation.gain, self._seat
        net = gain(seat, tile) - price * self._gold[seat]
        if seller == seat or net <= 0:
            return -1.0
        return net - (2 * price * self._gold[seller] - gain(seller, tile)) / (len(self._seats) - 1)


class _Market:
    """The lots and strategies of all seats before the offers are revealed."""

    def __init__(self, game: GameState, seat: int) -> None:
        self._order = [(game.starting_seat + turn) % len(game.players) for turn in range(len(game.players))]
        self._purses = [_purse(game, player) for player in game.players]
        self._minimum = game.ruleset.minimum_price
        self._evaluator = LotEvaluator(game, seat)
        self.lots: list[_Lot] = []
        self.strategies = [self._strategies_of(seat, player) for seat, player in enumerate(game.players)]

    def _strategies_of(self, seat: int, player: Player) -> list[_Strategy]:
        """Return all offers of a seat with prices that a rival might pay."""
        numbers = {tile: self._add_lots(seat, tile) for tile in player.tiles_on_offer}
        purse, lots = self._purses[seat], self.lots
        return [
            (one, other)
            for first, second in permutations(player.tiles_on_offer, 2)
            if first < second
            for one in numbers[first]
            for other in numbers[second]
            if lots[one].price + lots[other].price <= purse
        ]

    def _add_lots(self, seat: int, tile: str) -> range:
        """Add a lot for each price of a tile that a rival might pay, and one for the lowest price above."""
        first = len(self.lots)
        highest = min(self._purses[seat] - self._minimum, max(_MAX_PRICE, self._minimum))
        for price in range(self._minimum, highest + 1):
            lot = self._evaluator.lot(seat, tile, price)
            self.lots.append(lot)
            if max(lot.utility) <= 0:
                break
        return range(first, len(self.lots))

    def fictitious_play(self, iterations: int) -> list[list[float]]:
        """Let each seat play the best response to the others' strategies so far, repeatedly.

        :returns: by seat and strategy, the sum of the payoffs of all iterations.
        """
        seats = range(len(self._purses))
        totals = [[0.0] * len(strategies) for strategies in self.strategies]
        played = [self._first_strategy(seat) for seat in seats]
        for _ in range(iterations):
            for seat in seats:
                self.add_payoffs(totals[seat], played, seat)
            for seat in seats:
                best = max(range(len(totals[seat])), key=totals[seat].__getitem__)
                played[seat] = self.strategies[seat][best]
        return totals

    def _first_strategy(self, seat: int) -> _Strategy:
        lots = self.lots
        return max(
            self.strategies[seat],
            key=lambda strategy: sum([lots[lot].kept + lots[lot].price for lot in strategy]),
        )

    def greedy_offers(self, game: GameState, rng: Random) -> list[_Strategy]:
        """Return the offers that the greedy bot would make for all seats."""
        return [self._greedy_offer(game, seat, rng) for seat in range(len(self._purses))]

    def _greedy_offer(self, game: GameState, seat: int, rng: Random) -> _Strategy:
        limits = offer_limits(game, seat)
        assert limits is not None, "all seats can set offers"
        (one, price), (other, price_of_other) = greedy_offer(game, seat, limits, rng).prices
        self.lots.append(self._evaluator.lot(seat, one, price))
        self.lots.append(self._evaluator.lot(seat, other, price_of_other))
        return len(self.lots) - 2, len(self.lots) - 1

    def add_payoffs(self, totals: list[float], played: list[_Strategy], seat: int) -> None:
        """Add to `totals`, by strategy of a seat, its payoff against the strategies of the other seats."""
        offers = played.copy()
        rivals = len(played) - 1
        for number, strategy in enumerate(self.strategies[seat]):
            if not number % _STRATEGIES_PER_CHECKPOINT:
                checkpoint()
            offers[seat] = strategy
            gains = self._gains(offers)
            own = gains[seat]
            totals[number] += own - (sum(gains) - own) / rivals

    def _gains(self, offers: list[_Strategy]) -> list[float]:
        """Return the gain of each seat in a round with these offers."""
        lots = self.lots
        purses = self._purses.copy()
        gains = [0.0] * len(purses)
        on_offer = []
        for seat, (one, other) in enumerate(offers):
            first, second = lots[one], lots[other]
            on_offer.append(first)
            on_offer.append(second)
            purses[seat] -= first.price + second.price
            gains[seat] = first.kept + second.kept
        _simulate_purchases(self._order, on_offer, purses, gains)
        return gains


def _simulate_purchases(
    order: list[int], on_offer: list[_Lot], purses: list[int], gains: list[float]
) -> None:
    """Let each seat, in order, buy what gains it most; update all arguments but the order in place."""
    for buyer in order:
        purse, max_utility, bought = purses[buyer], 0.0, None
        for lot in on_offer:
            utility = lot.utility[buyer]
            if utility > max_utility and lot.price <= purse:
                max_utility, bought = utility, lot
        if bought is not None:
            _apply_purchase(bought, buyer, on_offer, purses, gains)


def _apply_purchase(
    lot: _Lot, buyer: int, on_offer: list[_Lot], purses: list[int], gains: list[float]
) -> None:
    """Update lots, purses and gains in place for a purchase; the seller gets the price and its own gold."""
    on_offer.remove(lot)
    purses[buyer] -= lot.price
    purses[lot.seller] += 2 * lot.price
    gains[buyer] += lot.bought[buyer]
    gains[lot.seller] += lot.sold - lot.kept


def _purse(game: GameState, player: Player) -> int:
    return player.gold + (player.stakes if game.phase is PRICING else 0)
