"""Judged tasks: the regret of an offer, a purchase or a placement, in points.

The value of a move is the mean margin over the other seats that follows from it, by the judge's model
(`skye_gym.judge`).

Purchases and placements are judged by the values of all legal actions. Only positions that tell moves apart
are suitable; the samples that choose them are used for nothing else. Offers are too many: each is compared
with that of the expert. `judged.json` has the published tasks with their values; `bench/judged_tasks.py`
writes it.
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

from skye.bots.registry import choose_move
from skye.rules.moves import Move, SetOffer
from skye.rules.play import offer_limits
from skye.rules.state import Phase
from skye.visibility.observation import observed_game
from skye_gym.agents import legal_actions
from skye_gym.bots.expert_1 import expert_1
from skye_gym.evals.positions import Position, in_random_order
from skye_gym.judge import mean_values, offers_of

JUDGED: Final[Mapping[str, Phase]] = MappingProxyType(
    {"offer": Phase.PRICING, "purchase": Phase.BUYING, "placement": Phase.BUILDING}
)
"""The judged tasks by name, with the phase of their positions."""

PUBLISHED_SEED: Final = "1"
"""The seed whose tasks are in `judged.json`."""

SAMPLES: Final = 12
"""The number of samples from which the value of a move is computed."""

_SAMPLES_OF_CHOICE: Final = 4
"""The number of further samples that decide whether a position is suitable."""

_CLEAR: Final = 1.0
"""Points: what is a clear difference of two values."""

_ACTIONS: Final = range(3, 13)
"""The numbers of legal actions of the purchases and placements that are judged."""

_EXPERT: Final = expert_1()


class JudgedTask(NamedTuple):
    """A judged task.

    :param position: the position.
    :param values: the values of its legal actions, in their order; for an offer, that of the expert's offer.
    :param seed: the seed of the samples.
    """

    position: Position
    values: Sequence[float]
    seed: str


@lru_cache(maxsize=256)
def judged_task(kind: str, seed: str, number: int) -> JudgedTask:
    """Return a judged task: a published one, or one that is made, which takes some seconds.

    :param kind: one of `JUDGED`.
    :param seed: the seed of the run.
    :param number: the number of the task.
    """
    if seed != PUBLISHED_SEED or number >= len(_stored()[kind]):
        return make_task(kind, seed, number)[1]
    at, values = _stored()[kind][number]
    position = next(islice(in_random_order(seed, number, kind), at, None))[1]
    return JudgedTask(position, values, _seed(kind, seed, number, at))


def make_task(kind: str, seed: str, number: int) -> tuple[int, JudgedTask]:
    """Return how many positions are not suitable, and the task of the first that is.

    :param kind: one of `JUDGED`.
    """
    for at, (_, position) in enumerate(in_random_order(seed, number, kind)):
        samples = _seed(kind, seed, number, at)
        if position.game.phase is JUDGED[kind] and _is_suitable(
            position, f"{samples}/choice", greedy_is_good=number % 2 == 0
        ):
            game, seat, _ = position
            values = mean_values(game, seat, _compared(position), samples, SAMPLES)
            return at, JudgedTask(position, [round(value, 2) for value in values], samples)
    raise AssertionError("in_random_order raises")


def regret(task: JudgedTask, move: Move) -> float:
    """Return how many points a legal move loses against the best legal action.

    For an offer, against the offer of the expert: a better one has a regret below zero.
    """
    game, seat, _ = task.position
    if game.phase is Phase.PRICING:
        [value] = mean_values(game, seat, [move], task.seed, SAMPLES)
    else:
        value = task.values[legal_actions(game, seat).index(move)]
    return round(max(task.values) - value, 2) + 0.0  # not -0.0


def worst_regret(task: JudgedTask) -> float:
    """Return what an unusable reply loses: the regret of the worst legal action.

    There are hundreds of offers: for one it is the worst of those that price two tiles at the minimum.
    """
    game, seat, _ = task.position
    limits = offer_limits(game, seat)
    if limits is None:
        return round(max(task.values) - min(task.values), 2)
    cheapest: list[Move] = []
    for discard in limits.tiles:
        prices = tuple((tile, limits.minimum) for tile in limits.tiles if tile != discard)
        cheapest.append(SetOffer(discard, prices))
    return max(regret(task, offer) for offer in cheapest)


def best_by_rollouts(position: Position, rng: Random, samples: int) -> Move:
    """Return the move of most value in other samples than those of the judge.

    :param samples: their number.
    """
    game, seat, _ = position
    moves = legal_actions(game, seat)
    if game.phase is Phase.PRICING:  # there are hundreds of offers
        moves = list(dict.fromkeys(offers_of(observed_game(game, seat), seat, rng, samples)))
    values = mean_values(game, seat, moves, f"rollouts/{rng.random()}", samples)
    return moves[max(range(len(moves)), key=values.__getitem__)]


def _seed(kind: str, seed: str, number: int, at: int) -> str:
    return f"{seed}/{number}/{kind}/{at}"


@cache
def _stored() -> Mapping[str, Sequence[tuple[int, Sequence[float]]]]:
    stored: dict[str, Any] = json.loads(files(__package__).joinpath("judged.json").read_text("utf-8"))
    return stored


def _compared(position: Position) -> Sequence[Move]:
    game, seat, _ = position
    if game.phase is Phase.PRICING:
        return [choose_move(_EXPERT, game, seat, Random(0))]
    return legal_actions(game, seat)


def _is_suitable(position: Position, seed: str, *, greedy_is_good: bool) -> bool:
    """Return whether a position tells moves apart. Any offer does.

    :param seed: the seed of the samples by which the moves are compared.
    :param greedy_is_good: whether the greedy bot's move must be clearly better than the mean. Otherwise it
        must be clearly worse than the best move, though not worse than the mean, and the expert must choose
        another purchase. (Their placements hardly ever differ.)
    """
    game, seat, _ = position
    if game.phase is Phase.PRICING:
        return True
    moves = legal_actions(game, seat)
    if len(moves) not in _ACTIONS:
        return False
    greedy = choose_move("greedy", game, seat, Random(0))
    same = game.phase is Phase.BUYING and greedy == choose_move(_EXPERT, game, seat, Random(0))
    if same and not greedy_is_good:
        return False
    values = mean_values(game, seat, moves, seed, _SAMPLES_OF_CHOICE)
    value = values[moves.index(greedy)]
    if greedy_is_good:
        return value >= fmean(values) + _CLEAR
    return fmean(values) <= value <= max(values) - _CLEAR
