"""Judged tasks: the regret of an offer, a purchase or a placement, in points.

The value of a move is the mean margin over the other seat that follows from it, by the judge
(`skye_gym.judge`), whose members each have a value of their own. The positions are of games of two. Only
those that tell moves apart are suitable, by samples that are used for nothing else, and by no bot's opinion.

Purchases and placements are judged by the values of all legal actions. Offers are too many: a list of
`OFFERS` offers is stored with their values, and other offers are judged in the same samples. `judged.json`
has the published tasks with their values; `bench/judged_tasks.py` writes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import islice
from random import Random
from statistics import fmean
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from skye.bots.greedy import random_offer
from skye.rules.moves import Move, OfferLimits, SetOffer
from skye.rules.play import offer_limits
from skye.rules.state import GameState, Phase
from skye.visibility.observation import observed_game
from skye_gym.agents import legal_actions
from skye_gym.evals.positions import Position, of_two_in_random_order
from skye_gym.judge import MEMBERS, VERSION, mean_values, offers_of, samples_of, values_in

JUDGED: Final[Mapping[str, Phase]] = MappingProxyType(
    {"offer": Phase.PRICING, "purchase": Phase.BUYING, "placement": Phase.BUILDING}
)
"""The judged tasks by name, with the phase of their positions."""

PUBLISHED_SEED: Final = "1"
"""The seed whose tasks are in `judged.json`."""

SAMPLES: Final[Mapping[str, int]] = MappingProxyType({"offer": 4, "purchase": 12, "placement": 8})
"""By judged task: the number of samples from which each member computes the value of a move."""

OFFERS: Final = 40
"""The number of offers that are listed for a position, if there are so many."""

_RANDOM_OFFERS: Final = 8
"""The number of random offers among them."""

_ATTEMPTS: Final = 2000
"""The number of variations that are tried for a list of offers."""

_SAMPLES_OF_CHOICE: Final = 4
"""The number of further samples that decide whether a position is suitable."""

_CLEAR: Final = 1.0
"""Points: by how much the best move of a suitable position is better than the mean."""

_ACTIONS: Final = range(2, 25)
"""The numbers of legal actions of the purchases and placements that are judged."""


class JudgedTask(NamedTuple):
    """A judged task.

    :param position: the position.
    :param moves: its legal actions in their order; of an offer, the listed offers.
    :param values: by member of the judge, the values of these moves.
    :param kind: one of `JUDGED`.
    :param seed: the seed of the samples.
    """

    position: Position
    moves: Sequence[Move]
    values: Mapping[str, Sequence[float]]
    kind: str
    seed: str


class Regret(NamedTuple):
    """What a reply loses against the best of the moves, in points.

    :param value: by the members that have no part in the subject.
    :param of_all: by all members.
    """

    value: float
    of_all: float


@lru_cache(maxsize=256)
def judged_task(kind: str, seed: str, number: int) -> JudgedTask:
    """Return a judged task: a published one, or one that is made, which takes some seconds.

    :param kind: one of `JUDGED`.
    :param seed: the seed of the run.
    :param number: the number of the task.
    """
    if seed != PUBLISHED_SEED or number >= len(_stored()[kind]):
        return make_task(kind, seed, number)[1]
    at, offers, values = _stored()[kind][number]
    position = next(islice(of_two_in_random_order(seed, number, kind), at, None))[1]
    moves: Sequence[Move] = [_offer_from(position, each) for each in offers]
    return JudgedTask(
        position,
        moves or legal_actions(position.game, position.seat),
        dict(zip(MEMBERS, values, strict=True)),
        kind,
        _seed(kind, seed, number, at),
    )


def make_task(kind: str, seed: str, number: int) -> tuple[int, JudgedTask]:
    """Return how many positions are not suitable, and the task of the first that is.

    :param kind: one of `JUDGED`.
    """
    for at, (_, position) in enumerate(of_two_in_random_order(seed, number, kind)):
        samples = _seed(kind, seed, number, at)
        if position.game.phase is JUDGED[kind] and _is_suitable(position, f"{samples}/choice"):
            game, seat, _ = position
            limits = offer_limits(game, seat)
            moves: Sequence[Move] = legal_actions(game, seat)
            if limits is not None:
                moves = _listed_offers(game, seat, limits, Random(f"{samples}/offers"))
            values = {
                member: [round(value, 2) for value in _values(position, moves, kind, samples, member)]
                for member in MEMBERS
            }
            return at, JudgedTask(position, moves, values, kind, samples)
    raise AssertionError("of_two_in_random_order raises")


def stored_task(at: int, task: JudgedTask) -> list[Any]:
    """Return a task as `judged.json` has it: the number of its position, its listed offers and values."""
    game, seat, _ = task.position
    tiles = game.players[seat].tiles_on_offer
    offers = [
        [tiles.index(move.discard), *[price for _, price in _sorted_prices(move, tiles)]]
        for move in task.moves
        if isinstance(move, SetOffer)
    ]
    return [at, offers, [task.values[member] for member in MEMBERS]]


def _sorted_prices(offer: SetOffer, tiles: Sequence[str]) -> list[tuple[str, int]]:
    """Return the prices of an offer in the order of some tiles."""
    return sorted(offer.prices, key=lambda priced: tiles.index(priced[0]))


def regret(task: JudgedTask, move: Move, left_out: frozenset[str] = frozenset()) -> Regret:
    """Return how many points a legal move loses against the best of the moves of a task.

    An offer that is better than all that are listed has a regret below zero. None loses more than the worst
    of the list.

    :param left_out: the members that are made of the subject.
    """
    values = _values_of_move(task, move)
    return Regret(*(_lost(task, values, each) for each in (left_out, frozenset[str]())))


def worst_regret(task: JudgedTask, left_out: frozenset[str] = frozenset()) -> Regret:
    """Return what an unusable reply loses: the regret of the worst move of the task."""
    found = []
    for each in (left_out, frozenset[str]()):
        values = mean_by_move(task, each)
        found.append(round(max(values) - min(values), 2))
    return Regret(*found)


def mean_by_move(task: JudgedTask, left_out: frozenset[str] = frozenset()) -> list[float]:
    """Return the values of the moves of a task: the means of the members that are not left out."""
    columns = [values for member, values in task.values.items() if member not in left_out]
    return [fmean(each) for each in zip(*columns, strict=True)]


def best_by_rollouts(position: Position, rng: Random, samples: int) -> Move:
    """Return the move of most value in other samples than those of the judge, by one of its members.

    :param samples: their number.
    """
    game, seat, _ = position
    moves = legal_actions(game, seat)
    if game.phase is Phase.PRICING:  # there are hundreds of offers
        moves = list(dict.fromkeys(offers_of(observed_game(game, seat), seat, rng, samples)))
    values = mean_values(game, seat, moves, f"rollouts/{rng.random()}", samples)
    return moves[max(range(len(moves)), key=values.__getitem__)]


def _lost(task: JudgedTask, values: Mapping[str, float], left_out: frozenset[str]) -> float:
    of_list = mean_by_move(task, left_out)
    value = fmean(value for member, value in values.items() if member not in left_out)
    return round(max(of_list) - max(value, min(of_list)), 2) + 0.0  # not -0.0


def _values_of_move(task: JudgedTask, move: Move) -> Mapping[str, float]:
    """Return by member the value of a move."""
    key = _key(move)
    for at, listed in enumerate(task.moves):
        if _key(listed) == key:
            return {member: values[at] for member, values in task.values.items()}
    return {
        member: round(_values(task.position, [move], task.kind, task.seed, member)[0], 2)
        for member in MEMBERS
    }


def _key(move: Move) -> Any:
    """Return what equal moves have in common; the order of the prices of an offer does not matter."""
    return (move.discard, frozenset(move.prices)) if isinstance(move, SetOffer) else move


def _values(position: Position, moves: Sequence[Move], kind: str, seed: str, member: str) -> list[float]:
    samples = _samples(position.game, position.seat, f"{seed}/{member}", SAMPLES[kind], member)
    by_sample = values_in(samples, position.seat, moves, f"{seed}/{member}", MEMBERS[member])
    return [fmean(each) for each in zip(*by_sample, strict=True)]


@lru_cache(maxsize=64)
def _samples(game: GameState, seat: int, seed: str, number: int, member: str) -> Sequence[GameState]:
    """Return the samples of a member, cached: the offers of some bots take long, and subjects share them."""
    return tuple(samples_of(game, seat, seed, number, MEMBERS[member].offers))


def _listed_offers(game: GameState, seat: int, limits: OfferLimits, rng: Random) -> Sequence[SetOffer]:
    """Return different offers: of the members, of two tiles at the minimum, random ones, and variations."""
    observed = observed_game(game, seat)
    found: dict[Any, SetOffer] = {}

    def add(offer: Move) -> None:
        if isinstance(offer, SetOffer) and len(found) < OFFERS:
            found.setdefault(_key(offer), offer)

    for member in MEMBERS.values():
        for offer in member.offers(observed, seat, rng, 4):
            add(offer)
    for discard in limits.tiles:
        add(_offer_of(limits.tiles, discard, [limits.minimum] * (len(limits.tiles) - 1)))
    for _ in range(_RANDOM_OFFERS):
        add(random_offer(limits, rng))
    for _ in range(_ATTEMPTS):
        one = rng.choice([*found.values()])
        prices = [max(limits.minimum, price + rng.randint(-2, 2)) for _, price in one.prices]
        discard = one.discard if rng.random() < 0.7 else rng.choice(limits.tiles)
        if sum(prices) <= limits.gold:
            add(_offer_of(limits.tiles, discard, prices))
    return [
        _offer_of(limits.tiles, offer.discard, [price for _, price in _sorted_prices(offer, limits.tiles)])
        for offer in found.values()
    ]


def _offer_of(tiles: Sequence[str], discard: str, prices: Sequence[int]) -> SetOffer:
    """Return an offer: the prices of the tiles but the discarded one, in their order."""
    sold = [tile for tile in tiles if tile != discard]
    return SetOffer(discard, tuple(zip(sold, prices, strict=True)))


def _offer_from(position: Position, stored: Sequence[int]) -> SetOffer:
    discard, *prices = stored
    tiles = position.game.players[position.seat].tiles_on_offer
    return _offer_of(tiles, tiles[discard], prices)


def _seed(kind: str, seed: str, number: int, at: int) -> str:
    return f"{seed}/{number}/{kind}/{at}"


@cache
def _stored() -> Mapping[str, Sequence[tuple[int, Sequence[Sequence[int]], Sequence[Sequence[float]]]]]:
    stored: dict[str, Any] = json.loads(files(__package__).joinpath("judged.json").read_text("utf-8"))
    if stored["judge"] != VERSION or stored["members"] != [*MEMBERS]:
        raise ValueError(f"judged.json has the values of {stored['judge']}, not of {VERSION}")
    tasks: Mapping[str, Any] = stored["tasks"]
    return tasks


def _is_suitable(position: Position, seed: str) -> bool:
    """Return whether a position tells moves apart. Any offer does.

    :param seed: the seed of the samples by which the moves are compared.
    """
    game, seat, _ = position
    if game.phase is Phase.PRICING:
        return True
    moves = legal_actions(game, seat)
    if len(moves) not in _ACTIONS:
        return False
    values = mean_values(game, seat, moves, seed, _SAMPLES_OF_CHOICE)
    return max(values) >= fmean(values) + _CLEAR
