"""The first version of the expert: a search in which the hidden offers of the other seats are sampled.

Before the offers are revealed, each simulation samples an offer of each other seat (`likely_offers`) and
plays the purchases of the round for each own offer: the others buy as the strategist does, this seat buys
what gains it most. The payoff is the gold and the set of tiles that this seat then has, by the trained
evaluation, minus the mean of the others. The first simulation tries all own offers, the others those that
were best in it.

Purchases are searched in the same way from the offers that were revealed.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import inf
from random import Random
from typing import Final, NamedTuple

from skye.bots.cooperative_yield import checkpoint
from skye.bots.evaluation import best_placement, situation_of
from skye.bots.greedy import PLANNED_OFFER, random_offer
from skye.rules.moves import PASS, Buy, Move, OfferLimits, SetOffer
from skye.rules.play import offer_limits
from skye.rules.state import BUYING, GameState
from skye_gym.bots.expert_1.evaluation import trained_evaluation_of, trained_outlook
from skye_gym.bots.expert_1.rivals import LotEvaluator, likely_offers

DEFAULT_BUDGET_MS: Final = 200.0
"""The default time budget of a decision, in milliseconds."""

_COST_MS: Final = {2: (30.0, 1.5), 3: (45.0, 2.0), 4: (75.0, 3.0), 5: (90.0, 4.0)}
"""By the number of players: the time of an offer with one simulation, and of each further one.

They are the longest of some games in pure Python, on a core that plays 16 two-player games of the strategist
in a second. All other decisions take less than 20 ms.
"""

_CANDIDATES: Final = 48
"""The number of own offers that all simulations try."""

_MAX_PRICE: Final = 12
"""Gold; a tile is rarely worth more to another seat."""


def expert_1(budget_ms: float = DEFAULT_BUDGET_MS) -> Callable[[GameState, int, Random], Move]:
    """Return the first version of the expert, with a time budget.

    The budget determines a number of simulations, so that moves do not depend on the speed of the machine.

    >>> import skye
    >>> skye.choose_move(expert_1(1), skye.new_game(2, seed="bots").game, 0, Random(1)).discard
    'L07'

    :param budget_ms: the time for 99 % of the decisions on the core on which the costs were measured. Every
        offer makes at least one simulation.
    :raises ValueError: when the budget is not above zero.
    """
    if not 0 < budget_ms < inf:
        raise ValueError(f"the budget is above 0 ms, not {budget_ms:g}")

    def move(game: GameState, seat: int, rng: Random) -> Move:
        limits = offer_limits(game, seat)
        if limits is not None:
            if len(limits.tiles) != PLANNED_OFFER:
                return random_offer(limits, rng)
            first, further = _COST_MS[len(game.players)]
            return expert_offer(game, seat, limits, rng, 1 + max(0, int((budget_ms - first) / further)))
        if game.phase is BUYING:
            return _purchase(game, seat)
        return best_placement(trained_outlook(situation_of(game), seat), game.players[seat])

    return move


def expert_offer(game: GameState, seat: int, limits: OfferLimits, rng: Random, simulations: int) -> SetOffer:
    """Return the offer with the highest mean payoff.

    :param simulations: the number of samples of the other seats' offers.
    """
    search = _Search(game, seat)
    samples = search.sampled_offers(rng, simulations)
    candidates = search.own_offers(limits)
    rng.shuffle(candidates)
    totals = [search.payoff_of_offer(offer, samples[0]) for offer in candidates]
    if simulations > 1:
        order = sorted(range(len(candidates)), key=totals.__getitem__)[-_CANDIDATES:]
        candidates = [candidates[at] for at in order]
        totals = [totals[at] for at in order]
        for sample in samples[1:]:
            for at, offer in enumerate(candidates):
                totals[at] += search.payoff_of_offer(offer, sample)
    one, other = candidates[max(range(len(totals)), key=totals.__getitem__)]
    (discard,) = set(limits.tiles) - {one.tile, other.tile}
    return SetOffer(discard, ((one.tile, one.price), (other.tile, other.price)))


def _purchase(game: GameState, seat: int) -> Move:
    search = _Search(game, seat)
    lots = [
        search.lot(seller, tile, price)
        for seller, player in enumerate(game.players)
        for tile, price in zip(player.tiles_on_offer, player.prices, strict=True)
    ]
    purses = [player.gold for player in game.players]
    market = _Market(lots, purses, [player.tiles_to_build for player in game.players])
    bought, _ = search.best_purchase(market, search.order[game.buys + 1 :])
    return PASS if bought is None else Buy(bought.tile)


class _Lot(NamedTuple):
    """A tile at a price.

    :param seller: the seat that offers the tile.
    :param tile: the tile.
    :param price: the price in gold.
    :param utility: by seat, what the strategist would gain by buying the tile; negative if it would not.
    """

    seller: int
    tile: str
    price: int
    utility: tuple[float, ...]


class _Market:
    """The tiles on offer, the purses, and the tiles that each seat has got; it changes in place."""

    def __init__(self, lots: list[_Lot], purses: list[int], hands: list[tuple[str, ...]]) -> None:
        self.lots = lots
        self.purses = purses
        self.hands = hands

    def copy(self) -> _Market:
        """Return a copy."""
        return _Market(self.lots.copy(), self.purses.copy(), self.hands.copy())

    def buy(self, lot: _Lot, buyer: int) -> None:
        """Make a purchase; the seller gets the price and its own gold that lies on the tile."""
        self.lots.remove(lot)
        self.purses[buyer] -= lot.price
        self.purses[lot.seller] += 2 * lot.price
        self.hands[buyer] = (*self.hands[buyer], lot.tile)

    def buy_as_strategist(self, buyer: int) -> None:
        """Buy the tile of most utility, if any."""
        purse, most, bought = self.purses[buyer], 0.0, None
        for lot in self.lots:
            if lot.utility[buyer] > most and lot.price <= purse:
                most, bought = lot.utility[buyer], lot
        if bought is not None:
            self.buy(bought, buyer)


class _Search:
    """The purchases of a round, as one seat expects them."""

    def __init__(self, game: GameState, seat: int) -> None:
        self._game = game
        self._seat = seat
        self._seats = range(len(game.players))
        self.order = [(game.starting_seat + turn) % len(game.players) for turn in self._seats]
        self._evaluation = trained_evaluation_of(situation_of(game))
        self._evaluators = [LotEvaluator(game, other) for other in self._seats]
        self._lots: dict[tuple[int, str, int], _Lot] = {}

    def lot(self, seller: int, tile: str, price: int) -> _Lot:
        """Return a tile at a price, with its utility to the other seats."""
        key = seller, tile, price
        lot = self._lots.get(key)
        if lot is None:
            utility = tuple([evaluator.utility(seller, tile, price) for evaluator in self._evaluators])
            lot = self._lots[key] = _Lot(seller, tile, price, utility)
        return lot

    def own_offers(self, limits: OfferLimits) -> list[tuple[_Lot, _Lot]]:
        """Return the offers of this seat with prices that another seat may pay."""
        highest = min(limits.gold - limits.minimum, max(_MAX_PRICE, limits.minimum))
        prices = range(limits.minimum, highest + 1)
        return [
            (self.lot(self._seat, one, price), self.lot(self._seat, other, price_of_other))
            for one, other in combinations(limits.tiles, 2)
            for price in prices
            for price_of_other in prices
            if price + price_of_other <= limits.gold
        ]

    def sampled_offers(self, rng: Random, number: int) -> list[list[_Lot]]:
        """Return samples of what the other seats offer."""
        samples: list[list[_Lot]] = [[] for _ in range(number)]
        for other in self._seats:
            if other != self._seat:
                for sample, offer in zip(samples, likely_offers(self._game, other, rng, number), strict=True):
                    sample += [self.lot(other, tile, price) for tile, price in offer.prices]
        return samples

    def payoff_of_offer(self, offer: tuple[_Lot, _Lot], others: list[_Lot]) -> float:
        """Return the payoff of an own offer against offers of the other seats."""
        checkpoint()
        lots = [*others, *offer]
        purses = [player.gold + player.stakes for player in self._game.players]
        for lot in lots:
            purses[lot.seller] -= lot.price
        market = _Market(lots, purses, [()] * len(purses))
        turn = self.order.index(self._seat)
        for buyer in self.order[:turn]:
            market.buy_as_strategist(buyer)
        return self.best_purchase(market, self.order[turn + 1 :])[1]

    def best_purchase(self, market: _Market, later: list[int]) -> tuple[_Lot | None, float]:
        """Return the purchase of most payoff, or None to pass, and its payoff.

        :param later: the seats that buy after this one.
        """
        seat, purse = self._seat, market.purses[self._seat]
        best, most = None, self._payoff_after(market, None, later)
        for lot in market.lots:
            if lot.seller != seat and lot.price <= purse:
                payoff = self._payoff_after(market, lot, later)
                if payoff > most:
                    best, most = lot, payoff
        return best, most

    def _payoff_after(self, market: _Market, lot: _Lot | None, later: list[int]) -> float:
        market = market.copy()
        if lot is not None:
            market.buy(lot, self._seat)
        for buyer in later:
            market.buy_as_strategist(buyer)
        hands = market.hands
        for unsold in market.lots:
            hands[unsold.seller] = (*hands[unsold.seller], unsold.tile)
        gold, evaluation = self._evaluation.gold_value, self._evaluation
        gains = [
            evaluation.gain_of_set(seat, hand, together=seat == self._seat or len(hands) == 2) + gold * purse
            for seat, (hand, purse) in enumerate(zip(hands, market.purses, strict=True))
        ]
        own = gains[self._seat]
        return own - (sum(gains) - own) / (len(gains) - 1)
