"""The purchases of a round, as the expert expects them.

The others buy as the strategist does, this seat buys what gains it most. The payoff is the gold and the set
of tiles that this seat then has, by the trained evaluation, minus the mean of the others.
"""

from __future__ import annotations

from typing import NamedTuple

from skye.bots.evaluation import situation_of
from skye.bots.joint_offers import LotEvaluator
from skye.rules.moves import PASS, Buy, Move
from skye.rules.state import GameState
from skye_gym.bots.trained_evaluation import trained_evaluation_of


def purchase(game: GameState, seat: int) -> Move:
    """Return the purchase or pass of most payoff."""
    search = Purchases(game, seat)
    lots = [
        search.lot(seller, tile, price)
        for seller, player in enumerate(game.players)
        for tile, price in zip(player.tiles_on_offer, player.prices, strict=True)
    ]
    purses = [player.gold for player in game.players]
    market = Market(lots, purses, [player.tiles_to_build for player in game.players])
    bought, _ = search.best_purchase(market, search.order[game.buys + 1 :])
    return PASS if bought is None else Buy(bought.tile)


class Lot(NamedTuple):
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


class Market:
    """The tiles on offer, the purses, and the tiles that each seat has got; it changes in place."""

    def __init__(self, lots: list[Lot], purses: list[int], hands: list[tuple[str, ...]]) -> None:
        self.lots = lots
        self.purses = purses
        self.hands = hands

    def copy(self) -> Market:
        """Return a copy."""
        return Market(self.lots.copy(), self.purses.copy(), self.hands.copy())

    def buy(self, lot: Lot, buyer: int) -> None:
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


class Purchases:
    """The purchases of a round, as one seat expects them."""

    def __init__(self, game: GameState, seat: int) -> None:
        self._game = game
        self._seat = seat
        self._seats = range(len(game.players))
        self.order = [(game.starting_seat + turn) % len(game.players) for turn in self._seats]
        self._evaluation = trained_evaluation_of(situation_of(game))
        self._evaluators = [LotEvaluator(game, other) for other in self._seats]
        self._lots: dict[tuple[int, str, int], Lot] = {}

    def lot(self, seller: int, tile: str, price: int) -> Lot:
        """Return a tile at a price, with its utility to the other seats."""
        key = seller, tile, price
        lot = self._lots.get(key)
        if lot is None:
            utility = tuple([evaluator.utility(seller, tile, price) for evaluator in self._evaluators])
            lot = self._lots[key] = Lot(seller, tile, price, utility)
        return lot

    def best_purchase(self, market: Market, later: list[int]) -> tuple[Lot | None, float]:
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

    def _payoff_after(self, market: Market, lot: Lot | None, later: list[int]) -> float:
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
