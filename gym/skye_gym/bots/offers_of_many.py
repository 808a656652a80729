"""The offers of three and more seats, for the expert: the best response to sampled offers of the others.

Each sample has an offer of each other seat: mostly one that a strong player may make (`likely_offers`),
otherwise a random one, so that the response does not depend on one model of rivals. In a sample, each own
offer is followed through the purchases of the round: in turn, a seat buys what gains it most minus what that
gives the seller, by the trained evaluation. The choices of the other seats have noise, the same for all own
offers. The payoff is the gold and the set of tiles that this seat then has, minus the mean of the others.
"""

from __future__ import annotations

from itertools import combinations
from math import log
from random import Random
from typing import Final, NamedTuple, TypeAlias

from skye.bots.cooperative_yield import checkpoint
from skye.bots.evaluation import situation_of
from skye.bots.joint_offers import likely_offers
from skye.rules.moves import OfferLimits, SetOffer
from skye.rules.state import GameState
from skye_gym.bots.trained_evaluation import trained_evaluation_of

_SAMPLES: Final = {3: 80, 4: 80, 5: 60}
"""By the number of seats: the number of samples, which take less CPU time than `expert@1` does."""

_FIRST_SAMPLES: Final = 3
"""The number of samples that all own offers are tried in."""

_CANDIDATES: Final = 48
"""The number of own offers that the other samples are for: those that were best in the first."""

_RANDOM_SHARE: Final = 0.3
"""The share of random offers."""

_TEMPERATURE: Final = 0.7
"""The scale of the noise of a purchase, in points: the choice is a softmax with this temperature."""

_MAX_PRICE: Final = 12
"""Gold; a tile is rarely worth more to another seat."""

_Offer: TypeAlias = tuple[int, int, int, int]
"""The indexes of two of the tiles drawn, in ascending order, and their prices."""


class Lot(NamedTuple):
    """A tile at a price.

    :param seller: the seat that offers the tile.
    :param tile: its index among the tiles that the seller has drawn.
    :param price: the price in gold.
    :param utility: by seat, what the seat gains by buying the tile, with the noise of the seat.
    """

    seller: int
    tile: int
    price: int
    utility: list[float]


class Sample(NamedTuple):
    """The offers of the other seats, and the noise of their choices.

    :param lots: the tiles of the other seats.
    :param noise: by seat, the noise of each of the two own tiles.
    :param passing: by seat, the noise of a pass.
    """

    lots: list[Lot]
    noise: list[tuple[float, float]]
    passing: list[float]


def best_response(game: GameState, seat: int, limits: OfferLimits, rng: Random) -> SetOffer:
    """Return the offer of most mean payoff.

    >>> import skye
    >>> game = skye.new_game(3, seed="bots").game
    >>> best_response(game, 0, skye.offer_limits(game, 0), Random(1)).discard
    'L49'
    """
    market = OffersOfMany(game, seat, limits.minimum)
    offers = market.offers_of(seat)
    rng.shuffle(offers)
    samples = market.samples(game, rng)
    totals = [0.0] * len(offers)
    for number, sample in enumerate(samples):
        checkpoint()
        for at, offer in enumerate(offers):
            totals[at] += market.payoff(offer, sample)
        if number + 1 == _FIRST_SAMPLES:
            best = sorted(range(len(offers)), key=totals.__getitem__, reverse=True)[:_CANDIDATES]
            offers, totals = [offers[at] for at in best], [totals[at] for at in best]
    one, other, price, price_of_other = offers[max(range(len(totals)), key=totals.__getitem__)]
    tiles = limits.tiles
    return SetOffer(tiles[3 - one - other], ((tiles[one], price), (tiles[other], price_of_other)))


class OffersOfMany:
    """The purchases of a round, before the offers are revealed.

    :param game: the game.
    :param seat: the seat that chooses.
    :param minimum: the minimum price.
    """

    def __init__(self, game: GameState, seat: int, minimum: int) -> None:
        self._seat, self._minimum = seat, minimum
        self._seats = seats = range(len(game.players))
        self._order = [(game.starting_seat + turn) % len(seats) for turn in seats]
        self._tiles = tiles = [player.tiles_on_offer for player in game.players]
        self._purses = [max(player.gold + player.stakes, 2 * minimum) for player in game.players]
        self._evaluation = evaluation = trained_evaluation_of(situation_of(game))
        self._gold = evaluation.gold_value
        # A purchase at a price p costs the buyer p, and gives the seller p and its own p.
        rivals = len(seats) - 1
        self._gold_of_price = self._gold * (1 + 2 / rivals)
        self._gains = [
            [[evaluation.gain(buyer, tile) for tile in tiles[seller]] for seller in seats] for buyer in seats
        ]
        self._utilities = [
            [
                [
                    gain + kept / rivals
                    for gain, kept in zip(
                        self._gains[buyer][seller], self._gains[seller][seller], strict=True
                    )
                ]
                for seller in seats
            ]
            for buyer in seats
        ]
        self._synergies: dict[tuple[int, int, int], float] = {}

    def offers_of(self, seat: int) -> list[_Offer]:
        """Return the offers of a seat at prices that another seat may pay, or just above."""
        minimum, purse, per_gold = self._minimum, self._purses[seat], self._gold_of_price
        prices = []
        for tile in range(len(self._tiles[seat])):
            most = max([self._utilities[buyer][seat][tile] for buyer in self._seats if buyer != seat])
            highest = min(int(most / per_gold) + 1, _MAX_PRICE, purse - minimum)
            prices.append(range(minimum, max(minimum, highest) + 1))
        return [
            (one, other, price, price_of_other)
            for one, other in combinations(range(len(prices)), 2)
            for price in prices[one]
            for price_of_other in prices[other]
            if price + price_of_other <= purse
        ]

    def samples(self, game: GameState, rng: Random) -> list[Sample]:
        """Return samples of what the other seats offer."""
        number = _SAMPLES[len(self._seats)]
        offers: list[list[tuple[int, _Offer]]] = [[] for _ in range(number)]
        for rival in self._seats:
            if rival != self._seat:
                of_rival, tiles = self.offers_of(rival), self._tiles[rival]
                for sample, likely in zip(offers, likely_offers(game, rival, rng, number), strict=True):
                    if rng.random() < _RANDOM_SHARE:
                        sample.append((rival, rng.choice(of_rival)))
                    else:
                        (one, price), (other, price_of_other) = likely.prices
                        sample.append((rival, (tiles.index(one), tiles.index(other), price, price_of_other)))
        return [self._sample(each, rng) for each in offers]

    def _sample(self, offers: list[tuple[int, _Offer]], rng: Random) -> Sample:
        lots = []
        for seller, (one, other, price, price_of_other) in offers:
            for tile, asked in ((one, price), (other, price_of_other)):
                utility = [
                    self._utilities[buyer][seller][tile] - asked * self._gold_of_price
                    for buyer in self._seats
                ]
                for buyer in self._seats:
                    if buyer != self._seat:
                        utility[buyer] += _noise(rng)
                lots.append(Lot(seller, tile, asked, utility))
        noise = [(_noise(rng), _noise(rng)) for _ in self._seats]
        return Sample(lots, noise, [_noise(rng) for _ in self._seats])

    def payoff(self, offer: _Offer, sample: Sample) -> float:
        """Return the payoff of an own offer in a sample, in points."""
        seat, gold, gains = self._seat, self._gold, self._gains
        one, other, price, price_of_other = offer
        lots, purses = sample.lots.copy(), self._purses.copy()
        for number, (tile, asked) in enumerate(((one, price), (other, price_of_other))):
            utility = [
                self._utilities[buyer][seat][tile] - asked * self._gold_of_price + sample.noise[buyer][number]
                for buyer in self._seats
            ]
            lots.append(Lot(seat, tile, asked, utility))
        values = [0.0] * len(purses)
        for each in lots:
            purses[each.seller] -= each.price
            values[each.seller] += gains[each.seller][each.seller][each.tile]
        kept: list[int] = [one, other]
        bought: Lot | None = None
        for buyer in self._order:
            lot = self._purchase(buyer, lots, purses[buyer], kept, sample)
            if lot is not None:
                lots.remove(lot)
                purses[buyer] -= lot.price
                purses[lot.seller] += 2 * lot.price
                values[buyer] += gains[buyer][lot.seller][lot.tile]
                values[lot.seller] -= gains[lot.seller][lot.seller][lot.tile]
                if buyer == seat:
                    bought = lot
                elif lot.seller == seat:
                    kept.remove(lot.tile)
        if len(kept) == 2:
            values[seat] += self._synergy(one, seat, other)
        if bought is not None:
            values[seat] += sum([self._synergy(tile, bought.seller, bought.tile) for tile in kept])
        totals = [value + gold * purse for value, purse in zip(values, purses, strict=True)]
        own = totals[seat]
        return own - (sum(totals) - own) / (len(totals) - 1)

    def _purchase(
        self, buyer: int, lots: list[Lot], purse: int, kept: list[int], sample: Sample
    ) -> Lot | None:
        """Return what a seat buys, or None if it passes.

        :param kept: the own tiles that nobody has bought yet.
        """
        own = buyer == self._seat
        bought, most = None, 0.0 if own else sample.passing[buyer]
        for lot in lots:
            if lot.seller != buyer and lot.price <= purse:
                utility = lot.utility[buyer]
                if own:
                    utility += sum([self._synergy(tile, lot.seller, lot.tile) for tile in kept])
                if utility > most:
                    bought, most = lot, utility
        return bought

    def _synergy(self, tile: int, seller: int, other: int) -> float:
        """Return what an own tile and another one are worth together to this seat beyond their own values."""
        key = tile, seller, other
        synergy = self._synergies.get(key)
        if synergy is None:
            seat, evaluation = self._seat, self._evaluation
            pair = self._tiles[seat][tile], self._tiles[seller][other]
            alone = evaluation.gain_of_set(seat, pair, together=False)
            synergy = self._synergies[key] = evaluation.gain_of_set(seat, pair, together=True) - alone
        return synergy


def _noise(rng: Random) -> float:
    """Return noise of the Gumbel distribution: the most of values with it is a sample of their softmax."""
    return -_TEMPERATURE * log(rng.expovariate(1.0) or 1.0)
