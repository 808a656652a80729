"""The evaluation of the expert bot, with weights that were fitted to whole games.

`evaluation` counts a point of a later round as a point. But much happens until then: a seat that is ahead
gets less income, and others catch up. So the weights below are those by which a linear model predicts the
final margin of a seat over the mean of the others, from the state after each round.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

from skye.bots.cooperative_yield import checkpoint
from skye.bots.evaluation import (
    GOLD_VALUE_IN_MAJORITY,
    Situation,
    SituationEvaluation,
    compares_gold,
    outlook_of,
    rewarding_completion,
    situation_of,
)
from skye.bots.territory_evaluation import Outlook
from skye.rules.state import GameState
from skye.rulesets.ruleset import Ruleset


class Weights(NamedTuple):
    """What one unit is worth after a round, in points of the final margin.

    :param score: a point that has been scored.
    :param later: a point of the evaluation of a territory, which later rounds may score.
    :param gold: one gold.
    """

    score: float
    later: float
    gold: float


_AT_END: Final = Weights(1.0, 1.0, 0.2)
"""The weights after the last round, which follow from the rules."""

WEIGHTS: Final[dict[int, tuple[Weights, ...]]] = {
    2: (
        Weights(0.04, 0.35, 1.31),
        Weights(0.39, 0.64, 0.82),
        Weights(0.72, 0.78, 0.70),
        Weights(0.86, 0.93, 0.48),
        Weights(0.97, 1.06, 0.30),
        _AT_END,
    ),
    3: (
        Weights(0.00, 0.42, 0.74),
        Weights(0.37, 0.60, 0.71),
        Weights(0.54, 0.74, 0.50),
        Weights(0.75, 0.93, 0.35),
        Weights(0.98, 1.05, 0.26),
        _AT_END,
    ),
    4: (
        Weights(0.00, 0.43, 0.21),
        Weights(0.21, 0.57, 0.44),
        Weights(0.45, 0.75, 0.38),
        Weights(0.68, 0.93, 0.30),
        Weights(0.91, 1.09, 0.22),
        _AT_END,
    ),
    5: (
        Weights(0.30, 0.42, 0.24),
        Weights(0.57, 0.63, 0.37),
        Weights(0.68, 0.86, 0.26),
        Weights(0.88, 1.01, 0.20),
        _AT_END,
    ),
}
"""By the number of players: the weights after each round; `bench/trained_weights.py` fits them."""


class TrainedSituationEvaluation:
    """The values of sets of tiles to the seats of a situation, each computed on first use.

    :ivar gold_value: the value of one gold to a seat, in points.
    """

    def __init__(self, situation: Situation) -> None:
        # No base class: a class of another wheel cannot inherit from one that mypyc compiled.
        self._of_tile = SituationEvaluation(situation, trained_outlook)
        self.gold_value = self._of_tile.gold(0)
        if compares_gold(situation.ruleset, outlook_of(situation, 0).times):
            self.gold_value += GOLD_VALUE_IN_MAJORITY
        self._of_pair: dict[tuple[int, str, str], float] = {}
        self._of_set: dict[tuple[int, tuple[str, ...]], float] = {}

    def gain(self, seat: int, tile: str) -> float:
        """Return the value of a tile to a seat."""
        return self._of_tile.gain(seat, tile)

    def gain_of_set(self, seat: int, tiles: tuple[str, ...], *, together: bool) -> float:
        """Return the value of a set of tiles to a seat.

        :param together: whether to place them together; otherwise return the sum of their values alone. The
            value of three or more is derived from those of their pairs.
        """
        alone = sum([self.gain(seat, tile) for tile in tiles])
        if not together or len(tiles) < 2:
            return alone
        if len(tiles) == 2:
            return self._gain_of_pair(seat, tiles[0], tiles[1])
        pairs = sum([self._gain_of_pair(seat, one, other) for one, other in combinations(tiles, 2)])
        return pairs - (len(tiles) - 2) * alone

    def exact_gain_of_set(self, seat: int, tiles: Sequence[str]) -> float:
        """Return the value of a set of tiles to a seat at their best places together, in points.

        The best places are those of the bots (`best_plan`): all orders of the tiles, each at its best place.
        """
        key = seat, tuple(sorted(tiles))
        gain = self._of_set.get(key)
        if gain is None:
            checkpoint()
            if len(key[1]) < 3:
                gain = self.gain_of_set(seat, key[1], together=True)
            else:
                gain = self._of_tile.gain_together(seat, key[1])
            self._of_set[key] = gain
        return gain

    def _gain_of_pair(self, seat: int, one: str, other: str) -> float:
        key = (seat, one, other) if one < other else (seat, other, one)
        gain = self._of_pair.get(key)
        if gain is None:
            checkpoint()
            gain = self._of_pair[key] = self._of_tile.gain_together(seat, key[1:])
        return gain


@lru_cache(maxsize=64)
def trained_evaluation_of(situation: Situation) -> TrainedSituationEvaluation:
    """Return the evaluation of a situation, cached: a seat needs it from pricing to buying."""
    return TrainedSituationEvaluation(situation)


def trained_outlook(situation: Situation, seat: int) -> Outlook:
    """Return the scoring that is still to come for a seat, with the trained weights."""
    outlook = outlook_of(situation, seat)
    return weighted_outlook(
        situation.ruleset,
        situation.scoring_tiles,
        len(situation.territories),
        situation.round,
        tuple(outlook.rivals.items()),
    )


@lru_cache(maxsize=64)
def weighted_outlook(
    ruleset: Ruleset,
    scoring_tiles: tuple[str, ...],
    players: int,
    number: int,
    rivals: tuple[tuple[str, tuple[int, ...]], ...],
) -> Outlook:
    """Return the scoring from a round on, counted from 1, with the weights after that round.

    The weights are those of the base game with as many rounds left.
    """
    rounds = ruleset.rounds(players)[number - 1 :]
    weights = WEIGHTS[players][-min(len(rounds), len(WEIGHTS[players]))]
    rewarding = rewarding_completion(ruleset)
    times: dict[str, float] = {}
    completion: dict[str, float] = {}
    for after, slots in enumerate(rounds):
        weight = weights.later if after else weights.score
        for slot in slots:
            tile = scoring_tiles[ruleset.slots.index(slot)]
            times[tile] = times.get(tile, 0.0) + weight
            if after and tile in rewarding:
                completion[tile] = completion.get(tile, 0.0) + weight
    return Outlook(ruleset, times, completion, dict(rivals), len(rounds) - 1, weights.gold)


def value_of_tiles(game: GameState, seat: int, tiles: Sequence[str]) -> float:
    """Return the value of a set of tiles to a seat, at their best places together.

    It is what the expert expects of them: points of the final margin over the mean of the other seats. It
    depends on what is public only.

    >>> import skye
    >>> game = skye.new_game(2, seed="bots").game
    >>> one, other, _ = game.players[0].tiles_on_offer
    >>> value_of_tiles(game, 0, [one, other]) > value_of_tiles(game, 0, [one])
    True

    :param tiles: landscape tiles that are in no territory, at most three.
    """
    return trained_evaluation_of(situation_of(game)).exact_gain_of_set(seat, tiles)
