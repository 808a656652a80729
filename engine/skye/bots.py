"""Bots: `random`; `greedy`, which takes what promises most points; `strategist`, which plans for all seats.

A bot chooses for one seat from what that seat may know. It never reads the seed, other seats' prices before
they are revealed; and it never takes a placement back, so that each of
its moves brings the game nearer to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate, permutations
from random import Random
from typing import Final, NamedTuple, TypeAlias

from skye.game import Game, Phase
from skye.joint_offers import best_joint_offer, best_joint_purchase
from skye.moves import Buy, FinishBuilding, Move, OfferLimits, Pass, SetOffer, TakeBack
from skye.observation import observed_game
from skye.rules import legal_moves, offer_limits
from skye.valuation import Appraisal, appraisal_of, best_plan, outlook_of, situation_of
from skye.visibility import gold_as_seen_by

Bot: TypeAlias = Callable[[Game, int, Random], Move]
"""Chooses a legal move for a seat that the game waits for; the same generator state, the same move."""

_DEAREST_AT_RANDOM: Final = 10
"""Gold; the random bot asks for no more."""

_RESERVE: Final = 4
"""Gold that the greedy bot would rather not lay on tiles, to buy with."""

_INTEREST: Final = 0.6
"""How likely a rival to whom a tile is worth far more than its price buys this one, of all on offer."""

_SPREAD: Final = 4
"""Gold; how far a rival's idea of a tile's price may lie from ours."""


def choose_move(bot: Bot, game: Game, seat: int, rng: Random) -> Move:
    """Ask a bot for its move, giving it only what its seat can know (see `observed_game`).

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
        return _best_offer(game, seat, limits, rng)
    if game.phase is Phase.BUYING:
        return _best_purchase(game, seat, rng)
    return _best_placement(game, seat)


class _Rival(NamedTuple):
    """What a tile would bring another seat, in points, and the highest price it would pay."""

    gain: float
    limit: float


def _best_offer(game: Game, seat: int, limits: OfferLimits, rng: Random) -> SetOffer:
    """Choose the discard and the prices together: what is spent on one tile the other cannot have."""
    appraisal = appraisal_of(situation_of(game))
    budget = max(limits.gold - _RESERVE, limits.gold // 2 + 1)
    prices = range(limits.minimum, budget - limits.minimum + 1)
    prospects: dict[str, list[tuple[float, int]]] = {}
    for tile in limits.tiles:
        rivals = _rivals(game, seat, tile, limits, appraisal)
        gain, gold = appraisal.gain(seat, tile), appraisal.gold(seat)
        prospects[tile] = [(_prospect(price, gain, gold, rivals), price) for price in prices]

    def offers() -> Iterator[tuple[float, SetOffer]]:
        for discard, one, other in permutations(rng.sample(limits.tiles, len(limits.tiles))):
            within = list(accumulate(prospects[other], max))  # the best price up to each
            for (value, price), (value_left, price_left) in zip(
                prospects[one], reversed(within), strict=True
            ):
                yield value + value_left, SetOffer(discard, ((one, price), (other, price_left)))

    return max(offers(), key=lambda offer: offer[0])[1]


def _rivals(game: Game, seat: int, tile: str, limits: OfferLimits, appraisal: Appraisal) -> list[_Rival]:
    """Judge what other seats would pay; a purse that is hidden is taken to be as full as one's own."""
    rivals = []
    for other in range(len(game.players)):
        if other != seat:
            purse = gold_as_seen_by(seat, game, other)
            affordable = (limits.gold if purse is None else purse) - 2 * limits.minimum
            gain = appraisal.gain(other, tile)
            rivals.append(_Rival(gain, min(gain / appraisal.gold(other), affordable)))
    return rivals


def _prospect(price: int, gain: float, gold: float, rivals: list[_Rival]) -> float:
    """Return the points to expect from a tile at a price, whether it is bought or kept.

    `gain` is what it brings if kept, `gold` what a piece of gold is worth. A rival's bargain counts against
    us by its share among all rivals.
    """
    unsold = 1.0
    harm = 0.0
    for rival in rivals:
        bought = unsold * _INTEREST * min(1.0, max(0.0, 0.5 + (rival.limit - price) / _SPREAD))
        harm += bought * max(0.0, rival.gain - price * gold) / len(rivals)
        unsold -= bought
    return (1 - unsold) * price * gold - harm + unsold * (gain - price * gold)


def _best_purchase(game: Game, seat: int, rng: Random) -> Move:
    appraisal = appraisal_of(situation_of(game))
    choices: list[tuple[float, Move]] = [(0.0, Pass())]
    for move in legal_moves(game, seat):
        if isinstance(move, Buy):
            choices.append((_purchase_gain(game, seat, move.tile, appraisal), move))
    return max(rng.sample(choices, len(choices)), key=lambda choice: choice[0])[1]


def _purchase_gain(game: Game, seat: int, tile: str, appraisal: Appraisal) -> float:
    """Return the points to expect from buying a tile; what the seller gains by it counts against us.

    The seller gets the price and the gold that lies on the tile, and loses the tile.
    """
    seller = next(other for other, player in enumerate(game.players) if tile in player.drawn)
    price = game.players[seller].prices[game.players[seller].drawn.index(tile)]
    net = appraisal.gain(seat, tile) - price * appraisal.gold(seat)
    if net <= 0:
        return net
    sale = 2 * price * appraisal.gold(seller) - appraisal.gain(seller, tile)
    return net - sale / (len(game.players) - 1)


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
