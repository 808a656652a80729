"""The value function of the bots: the value of a territory, a tile and gold to a seat, in points.

It uses only public information: territories, scoring tiles, the round (see `territory_evaluation`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from itertools import chain
from typing import Final, NamedTuple

from skye.bots.cooperative_yield import checkpoint
from skye.bots.territory_evaluation import Outlook, Plan, evaluation_of
from skye.rules.moves import FINISH_BUILDING, Move
from skye.rules.state import GameState, Player
from skye.rulesets.ruleset import RULESETS, Ruleset
from skye.scoring.kinds import AreaRule, MajorityRule, Rule
from skye.scoring.scoring_tiles import holding
from skye.territory.areas import Area
from skye.territory.territory import Territory
from skye.tiles.tile import Terrain
from skye.tiles.tile_set import Place

_GOLD_VALUE: Final = (0.2, 0.4, 0.55, 0.65, 0.7, 0.7)
"""The value of one gold in points, by the number of rounds after this one; 1/5 at the end."""

GOLD_VALUE_IN_MAJORITY: Final = 0.1
"""What `most_gold` adds to the value of one gold while it is still to be scored, in points."""

_MAX_PLANS: Final = 64
"""The maximum number of plans that an outlook caches. A seat needs about ten in a round."""


class Situation(NamedTuple):
    """The state on which all evaluations depend; it contains only public information.

    :param territories: the territories by seat.
    :param scoring_tiles: the scoring tiles by slot.
    :param round: the number of the round, from 1.
    """

    territories: tuple[Territory, ...]
    scoring_tiles: tuple[str, ...]
    round: int

    @property
    def ruleset(self) -> Ruleset:
        """The rules of the game."""
        return RULESETS[self.territories[0].ruleset_id]


def situation_of(game: GameState) -> Situation:
    """Return the public situation of a game."""
    return Situation(
        tuple([player.territory for player in game.players]),
        game.scoring_tiles,
        game.round,
    )


def outlook_of(situation: Situation, seat: int) -> Outlook:
    """Return the scoring that is still to come for a seat."""
    territories, scoring_tiles, number = situation
    ruleset = situation.ruleset
    tile_in = dict(zip(ruleset.slots, scoring_tiles, strict=True))
    rounds = ruleset.rounds(len(territories))[number - 1 :]
    to_score = tuple([tuple([tile_in[slot] for slot in slots]) for slots in rounds])
    tiles = [ruleset.scoring_tiles[tile] for tile in dict.fromkeys(chain(*to_score))]
    others = (*territories[:seat], *territories[seat + 1 :])
    rivals = [
        (tile.id, tuple([holding(tile, other.summary) for other in others]))
        for tile in tiles
        if tile.majority
    ]
    return cached_outlook(ruleset, to_score, tuple(rivals))


@lru_cache(maxsize=64)
def cached_outlook(
    ruleset: Ruleset,
    to_score: tuple[tuple[str, ...], ...],
    rivals: tuple[tuple[str, tuple[int, ...]], ...],
) -> Outlook:
    """Return the outlook for the scoring tiles of each remaining round; cached, since it holds caches.

    :param ruleset: the rules of the game.
    :param to_score: the ids of the scoring tiles of each round, from this one.
    :param rivals: for each majority still to be scored, the counts of the other seats.
    """
    times = Counter(chain(*to_score))
    rewarding = rewarding_completion(ruleset)
    completion = Counter(tile for tile in chain(*to_score[1:]) if tile in rewarding)
    rounds = len(to_score) - 1
    gold = _GOLD_VALUE[min(rounds, len(_GOLD_VALUE) - 1)]
    if compares_gold(ruleset, times):
        gold += GOLD_VALUE_IN_MAJORITY
    return Outlook(ruleset, dict[str, float](times), dict[str, float](completion), dict(rivals), rounds, gold)


def compares_gold(ruleset: Ruleset, scoring_tiles: Iterable[str]) -> bool:
    """Return whether one of some scoring tiles is a majority of gold."""
    rules = [ruleset.scoring_tiles[tile].rule for tile in scoring_tiles]
    return any(isinstance(rule, MajorityRule) and rule.value is None for rule in rules)


@cache
def rewarding_completion(ruleset: Ruleset) -> frozenset[str]:
    """Return the scoring tiles whose points can change by completing areas."""
    return frozenset([tile.id for tile in ruleset.scoring_tiles.values() if _rewards_completion(tile.rule)])


def _rewards_completion(rule: Rule) -> bool:
    if not isinstance(rule, AreaRule):
        return False
    areas = [Area(terrain, 0, (), 3, 1, 1, 1) for terrain in Terrain]
    return any(rule.value(area) != rule.value(area._replace(openings=1)) for area in areas)


class EvaluatedPlace(NamedTuple):
    """A placement, and the evaluation of the territory after it, in points."""

    value: float
    place: Place


def best_place(
    outlook: Outlook, territory: Territory, tile: str, rest: tuple[str, ...] = ()
) -> EvaluatedPlace | None:
    """Return the best placement of a tile, or None when it has no legal place.

    :param rest: the other tiles in hand. The best placement leaves a legal place for as many of them as
        possible; then it has the highest value; then it is the last by position.
    """
    evaluation = evaluation_of(outlook, territory)
    values = evaluation.values(tile)
    if not values:
        return None
    if not rest:
        most = max(values.values())
        return EvaluatedPlace(most, max([place for place, value in values.items() if value == most]))

    def rank(place: Place) -> tuple[int, float, Place]:
        return sum([evaluation.has_place_with(place, other) for other in rest]), values[place], place

    best = max(values, key=rank)
    return EvaluatedPlace(values[best], best)


def best_plan(outlook: Outlook, territory: Territory, hand: tuple[str, ...]) -> Plan:
    """Return the best plan for the tiles in hand: as many placements as possible, then most points.

    It tries all orders of the tiles, with the best placement of each. Plans are cached, because different
    orders often lead to the same territory, and the rest of a plan is needed again after its first move.
    """
    key = frozenset(territory.placed), hand
    plan = outlook.plans.get(key)
    if plan is None:
        plans = _plans(outlook, territory, hand)
        plan = max(plans, key=lambda plan: (plan.tiles, plan.value), default=Plan(0, 0.0, ()))
        if len(outlook.plans) >= _MAX_PLANS:
            outlook.plans.clear()
        outlook.plans[key] = plan
    return plan


def _plans(outlook: Outlook, territory: Territory, hand: tuple[str, ...]) -> Iterator[Plan]:
    for tile in hand:
        rest = tuple([other for other in hand if other != tile])
        best = best_place(outlook, territory, tile, rest)
        if best is not None:
            later = best_plan(outlook, territory._extended(best.place), rest)
            value = later.value if later.tiles else best.value
            yield Plan(later.tiles + 1, value, (best.place, *later.placements))


def best_placement(outlook: Outlook, player: Player) -> Move:
    """Return the first move of the best plan for the tiles in hand."""
    plan = best_plan(outlook, player.territory, player.tiles_to_build)
    return plan.placements[0] if plan.placements else FINISH_BUILDING


class SituationEvaluation:
    """The values of tiles to the seats, each computed on first use.

    :param outlook: returns the outlook of a seat.
    """

    def __init__(
        self, situation: Situation, outlook: Callable[[Situation, int], Outlook] = outlook_of
    ) -> None:
        self._territories = situation.territories
        self._outlooks = [outlook(situation, seat) for seat in range(len(situation.territories))]
        self._before = [
            evaluation_of(outlook, territory).value
            for outlook, territory in zip(self._outlooks, self._territories, strict=True)
        ]
        self._gains: dict[tuple[int, str], float] = {}

    def gold(self, seat: int) -> float:
        """Return the value of one gold to a seat, in points."""
        return self._outlooks[seat].gold

    def gain(self, seat: int, tile: str) -> float:
        """Return the value of a tile to a seat at its best place, in points; 0 without a legal place."""
        gain = self._gains.get((seat, tile))
        if gain is None:
            checkpoint()
            best = best_place(self._outlooks[seat], self._territories[seat], tile)
            gain = self._gains[seat, tile] = best.value - self._before[seat] if best else 0.0
        return gain

    def gain_together(self, seat: int, tiles: tuple[str, ...]) -> float:
        """Return the value of tiles to a seat at their best places together, in points; not cached."""
        plan = best_plan(self._outlooks[seat], self._territories[seat], tiles)
        return plan.value - self._before[seat] if plan.tiles else 0.0


@lru_cache(maxsize=64)
def situation_evaluation_of(situation: Situation) -> SituationEvaluation:
    """Return the evaluation of a situation, cached: all seats need it, from pricing to buying."""
    return SituationEvaluation(situation)
