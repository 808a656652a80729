"""The offers of two seats as a zero-sum game, for the expert.

A strategy of a seat is an offer: two of its tiles with their prices. The payoff of two offers is the margin
of this seat, by the trained evaluation of its gold and of the set of tiles that each seat then has, after the
purchases of the round: this seat buys what gains it most, the rival buys by the softmax of what it gains
minus what it gives. Both seats have hundreds of offers. Those of most mean payoff against a panel of the
other's offers stay: for each two tiles, at the prices at which the other is indifferent, and at lower ones.
"""

from __future__ import annotations

from itertools import combinations
from math import exp
from typing import Final, NamedTuple, TypeAlias

from skye.bots.cooperative_yield import checkpoint
from skye.rules.moves import OfferLimits
from skye.rules.state import GameState
from skye_gym.bots.trained_evaluation import TrainedSituationEvaluation

MAX_OFFERS: Final = 40
"""The number of offers of a seat that stay."""

_TEMPERATURE: Final = 1.0
"""The difference, in points, that makes a purchase of the rival e times less likely than another."""

_PANEL: Final = (1.0, 0.75)
"""The prices of the panel, relative to those at which the other seat is indifferent."""

_MAX_PRICE: Final = 12
"""Gold; a tile is rarely worth more to the other seat."""

_NEVER: Final = -1e9

_Outcomes: TypeAlias = tuple[tuple[float, float, float], ...]


class Priced(NamedTuple):
    """An offer: the indexes of two of the tiles drawn, and their prices."""

    one: int
    other: int
    price: int
    price_of_other: int


class OffersOfTwo:
    """The purchases of a round of two seats, before the offers are revealed.

    :param game: the game.
    :param seat: the seat that chooses.
    :param limits: its limits.
    :param evaluation: the values of sets of tiles.
    """

    def __init__(
        self, game: GameState, seat: int, limits: OfferLimits, evaluation: TrainedSituationEvaluation
    ) -> None:
        rival = 1 - seat
        self._evaluation = evaluation
        self._seat, self._rival = seat, rival
        self._minimum = limits.minimum
        self._gold = evaluation.gold_value
        self._tiles = [player.tiles_on_offer for player in game.players]
        self._purses = [max(player.gold + player.stakes, 2 * limits.minimum) for player in game.players]
        self._buys_first = game.starting_seat == seat
        self._outcomes = {
            (*own, *others): self._outcomes_of(own, others)
            for own in combinations(range(3), 2)
            for others in combinations(range(3), 2)
        }

    def _outcomes_of(self, own: tuple[int, ...], others: tuple[int, ...]) -> _Outcomes:
        """Return the margin in tiles of two pairs on offer.

        :returns: by what this seat buys (nothing, or one of the pair), and then by what the rival buys.
        """
        values = self._evaluation.exact_gain_of_set
        mine, theirs = self._tiles[self._seat], self._tiles[self._rival]
        rows = []
        for bought in (None, *others):
            row = []
            for sold in (None, *own):
                hand = [mine[each] for each in own if each != sold]
                hand_of_rival = [theirs[each] for each in others if each != bought]
                if bought is not None:
                    hand.append(theirs[bought])
                if sold is not None:
                    hand_of_rival.append(mine[sold])
                row.append(values(self._seat, hand) - values(self._rival, hand_of_rival))
            rows.append((row[0], row[1], row[2]))
        return tuple(rows)

    def strategies(self) -> tuple[list[Priced], list[Priced]]:
        """Return the offers of this seat and those of the rival that stay."""
        own, others = self._offers_of(self._seat), self._offers_of(self._rival)
        panel, panel_of_rival = self._panel_of(self._seat), self._panel_of(self._rival)
        gains, gains_of_rival = [], []
        for offer in own:
            checkpoint()
            gains.append(sum([self.payoff(offer, other) for other in panel_of_rival]))
        for offer in others:
            checkpoint()
            gains_of_rival.append(-sum([self.payoff(each, offer) for each in panel]))
        return _best(own, gains), _best(others, gains_of_rival)

    def _offers_of(self, seat: int) -> list[Priced]:
        purse, minimum = self._purses[seat], self._minimum
        prices = range(minimum, min(purse - minimum, max(_MAX_PRICE, minimum)) + 1)
        return [
            Priced(one, other, price, price_of_other)
            for one, other in combinations(range(3), 2)
            for price in prices
            for price_of_other in prices
            if price + price_of_other <= purse
        ]

    def _panel_of(self, seat: int) -> list[Priced]:
        """Return offers of a seat at about the prices at which the other seat is indifferent."""
        # A purchase costs the buyer the price, and gives the seller the price and the gold on the tile.
        gain, purse, minimum = self._evaluation.gain, self._purses[seat], self._minimum
        indifferent = [
            (gain(seat, tile) + gain(1 - seat, tile)) / (3 * self._gold) for tile in self._tiles[seat]
        ]
        panel = []
        for one, other in combinations(range(3), 2):
            for share in _PANEL:
                price = max(minimum, round(share * indifferent[one]))
                price_of_other = max(minimum, round(share * indifferent[other]))
                while price + price_of_other > purse:
                    if price >= price_of_other:
                        price -= 1
                    else:
                        price_of_other -= 1
                panel.append(Priced(one, other, price, price_of_other))
        return panel

    def payoff(self, own: Priced, others: Priced) -> float:
        """Return the margin that this seat expects of an own offer and one of the rival, in points."""
        one, other, price, price_of_other = own
        first, second, price_of_first, price_of_second = others
        gold, outcomes = self._gold, self._outcomes[one, other, first, second]
        # Gold on tiles that nobody buys is lost. A sale at a price p changes the margin by three times p:
        # the seller gets p and its own p, the buyer gives p.
        lost = gold * (price_of_first + price_of_second - price - price_of_other)
        purse = self._purses[self._seat] - price - price_of_other
        purse_of_rival = self._purses[self._rival] - price_of_first - price_of_second
        if self._buys_first:
            best = _NEVER
            for row, paid in (
                (outcomes[0], 0),
                (outcomes[1], price_of_first),
                (outcomes[2], price_of_second),
            ):
                if paid <= purse:
                    left = purse_of_rival + 2 * paid
                    value = -3 * gold * paid + _softmin(
                        row[0],
                        row[1] + 3 * gold * price if price <= left else _NEVER,
                        row[2] + 3 * gold * price_of_other if price_of_other <= left else _NEVER,
                    )
                    best = max(best, value)
            return best + lost
        replies = []
        for sold, got in ((0, 0), (1, price), (2, price_of_other)):
            if got > purse_of_rival:
                replies.append(_NEVER)
                continue
            left, value = purse + 2 * got, outcomes[0][sold]
            if price_of_first <= left:
                value = max(value, outcomes[1][sold] - 3 * gold * price_of_first)
            if price_of_second <= left:
                value = max(value, outcomes[2][sold] - 3 * gold * price_of_second)
            replies.append(value + 3 * gold * got)
        return lost + _softmin(replies[0], replies[1], replies[2])


def _softmin(none: float, one: float, other: float) -> float:
    """Return the mean of this seat's margins of three purchases of the rival, which prefers low ones.

    :param none: the margin if the rival passes.
    :param one: the margin of a purchase; `_NEVER` if it cannot be paid.
    :param other: the margin of the other purchase.
    """
    weight, total = 1.0, none
    for value in (one, other):
        if value != _NEVER:
            share = exp(min((none - value) / _TEMPERATURE, 50.0))
            weight += share
            total += share * value
    return total / weight


def _best(offers: list[Priced], gains: list[float]) -> list[Priced]:
    order = sorted(range(len(offers)), key=gains.__getitem__, reverse=True)
    return [offers[at] for at in order[:MAX_OFFERS]]
