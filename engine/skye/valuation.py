"""What a territory, a tile and gold are worth to a seat, in points: the judgement of a bot.

It looks at public things alone: territories, scoring tiles, the round. It adds up what scoring would give
now, as often as it is still to come, and three guesses: that areas which lack one tile will be completed,
that gold buys points, and that room to build is worth having.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from math import sqrt
from typing import Final, NamedTuple

from skye.areas import Area
from skye.final_scoring import ScrollScore, final_score
from skye.frontier import Place
from skye.game import Game
from skye.schedule import SLOTS, schedule, whisky_joined
from skye.scoring import SCORING_TILES, holding, points_beside
from skye.territory import Territory
from skye.territory_summary import EMPTY_SUMMARY, TerritorySummary
from skye.tiles import FITS, LANDSCAPE, Region, Terrain

# The numbers were tried against each other in some hundred games of the bot against itself.
_HOPE: Final = 0.5
"""How likely an area that lacks one tile is completed in time for the next scoring."""

_GOLD: Final = (0.2, 0.4, 0.55, 0.65, 0.7, 0.7)
"""Points that a piece of gold brings, by the number of rounds after this one; 1/5 at the end."""

_GOLD_IN_MAJORITY: Final = 0.1
"""What it brings besides while `most_gold` is still to be scored."""

_ROOM: Final = 0.002
"""Points for each way that a tile could be added, of all tiles there are, for the root of the rounds left."""

_MOST_PLANS: Final = 64
"""How many plans an outlook keeps. A seat makes about ten in a round; many games may share the outlook."""

_EASE: Final = tuple(sum(bool(FITS[tile][demand]) for tile in LANDSCAPE) for demand in range(256))
"""For each demand of a cell's neighbours, how many tiles could go there."""


class Situation(NamedTuple):
    """All that the worth of things hangs on: the territories by seat, the scoring tiles, the round.

    It holds nothing that is hidden from anybody, so a judgement made from it cannot betray anything.
    """

    territories: tuple[Territory, ...]
    scoring_tiles: tuple[str, ...]
    round: int


def situation_of(game: Game) -> Situation:
    """Return the situation that all seats see."""
    return Situation(
        tuple([player.territory for player in game.players]),
        game.scoring_tiles,
        game.round,
    )


class Plan(NamedTuple):
    """Placements one after the other, how many they are, and what the territory is worth then."""

    tiles: int
    value: float
    placements: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Outlook:
    """What the rest of the game holds for one seat.

    `times` says how often each scoring tile is still to be scored, this round's included; `completion`, how
    often after this round, for those that reward completed areas. `rivals` says what the other seats hold of
    the things that majorities among them compare. `rounds` counts the rounds after this one, and a piece
    of gold is worth `gold` points. `plans` are those made so far, by what lies and what is in hand.
    """

    times: dict[str, int]
    completion: dict[str, int]
    rivals: dict[str, tuple[int, ...]]
    rounds: int
    gold: float
    plans: dict[tuple[frozenset[Place], tuple[str, ...]], Plan] = field(default_factory=dict)


def outlook_of(situation: Situation, seat: int) -> Outlook:
    """Return what the rest of the game holds for a seat."""
    territories, scoring_tiles, number = situation
    tile_in = dict(zip(SLOTS, scoring_tiles, strict=True))
    to_score = tuple(
        [tuple([tile_in[slot] for slot in slots]) for slots in schedule(len(territories))[number - 1 :]]
    )
    compared = any(SCORING_TILES[tile].majority for tiles in to_score for tile in tiles)
    return outlook_on(to_score, (*territories[:seat], *territories[seat + 1 :]) if compared else ())


@lru_cache(maxsize=64)
def outlook_on(to_score: tuple[tuple[str, ...], ...], others: tuple[Territory, ...]) -> Outlook:
    """Return an outlook by the scoring tiles of each round to come; it is kept, for the sake of its plans."""
    times = Counter(tile for tiles in to_score for tile in tiles)
    completion = Counter(tile for tiles in to_score[1:] for tile in tiles if tile in _COMPLETION)
    rounds = len(to_score) - 1
    gold = _GOLD[rounds] + (_GOLD_IN_MAJORITY if "most_gold" in times else 0)
    rivals = {
        tile: tuple([holding(tile, territory.summary) for territory in others])
        for tile in times
        if SCORING_TILES[tile].majority
    }
    return Outlook(times, completion, rivals, rounds, gold)


def worth(outlook: Outlook, territory: Territory) -> float:
    """Return the points that a territory promises from now on, its owner's gold left aside.

    What lies how decides, not what was placed first: all that is summed up over a territory is whole.
    """
    summary = territory.summary
    scrolls = final_score(summary, 0).scrolls
    points = {tile: points_beside(tile, summary, outlook.rivals.get(tile, ())) for tile in outlook.times}
    sure = sum([points[tile] * times for tile, times in outlook.times.items()])
    sure += sum([scroll.points for scroll in scrolls])
    if not outlook.rounds:
        return sure
    whisky = whisky_joined(summary)
    room = sum([_EASE[demand] for demand in territory.frontier.values()])
    return (
        sure
        + _HOPE * _hoped_for(outlook, summary, points, scrolls)
        + outlook.gold * outlook.rounds * whisky
        + _ROOM * sqrt(outlook.rounds) * room
    )


def _rewards_completion(scoring_tile: str) -> bool:
    """Whether completing areas can change what a scoring tile gives a territory."""

    def points(openings: int) -> int:
        regions = [Region(terrain, (), 1, 1, 1) for terrain in Terrain]
        areas = [
            Area(region.terrain, openings, tuple([(cell, region) for cell in range(3)])) for region in regions
        ]
        return points_beside(scoring_tile, EMPTY_SUMMARY.with_areas(areas), ())

    return points(0) != points(1)


_COMPLETION: Final = frozenset(filter(_rewards_completion, SCORING_TILES))


def _hoped_for(
    outlook: Outlook,
    summary: TerritorySummary,
    points: dict[str, int],
    scrolls: tuple[ScrollScore, ...],
) -> int:
    """Return what would be won if every area with a single open edge were completed."""
    nearly = [area for area in summary.areas if area.openings == 1]
    if not nearly:
        return 0
    doubled = [cell for area in nearly for cell, region in area.parts if region.scroll]
    hoped = sum([scroll.points for scroll in scrolls if scroll.cell in doubled])
    if outlook.completion:
        # Areas that stay open earn nothing from scoring tiles that reward completion.
        completed = [area for area in summary.areas if not area.openings]
        completed += [Area(area.terrain, 0, area.parts) for area in nearly]
        hopeful = summary.with_areas(completed)
        for tile, times in outlook.completion.items():
            hoped += times * (points_beside(tile, hopeful, ()) - points[tile])
    return hoped


class Growth(NamedTuple):
    """A way to add a tile, and what the territory is worth then."""

    value: float
    placed: Place
    territory: Territory


def best_growth(
    outlook: Outlook, territory: Territory, tile: str, rest: tuple[str, ...] = ()
) -> Growth | None:
    """Return the best way to add a tile, or None when it has no place.

    The best is one that leaves a place to as many tiles of `rest` as can be, then that of most worth, then
    the last by position.
    """

    def merit(growth: Growth) -> tuple[int, float, Place]:
        return (
            sum([growth.territory.has_place(other) for other in rest]),
            growth.value,
            growth.placed,
        )

    return max(_growths(outlook, territory, tile), key=merit, default=None)


def _growths(outlook: Outlook, territory: Territory, tile: str) -> Iterator[Growth]:
    _ = territory.summary.areas  # worked out here, once, and not again for each way
    for placed in territory.legal_places(tile):
        grown = territory.extended(placed)
        yield Growth(worth(outlook, grown), placed, grown)


def best_plan(outlook: Outlook, territory: Territory, hand: tuple[str, ...]) -> Plan:
    """Return the best way to add the tiles in hand: as many as can be, then for most points.

    All orders are tried, with the best place for each tile as it comes. Different orders often lead to the
    same, and what follows a placement is asked for again when it has been made: so plans are kept.
    """
    key = frozenset(territory.placed), hand
    plan = outlook.plans.get(key)
    if plan is None:
        plans = _plans(outlook, territory, hand)
        plan = max(plans, key=lambda plan: (plan.tiles, plan.value), default=Plan(0, 0.0, ()))
        if len(outlook.plans) >= _MOST_PLANS:
            outlook.plans.clear()
        outlook.plans[key] = plan
    return plan


def _plans(outlook: Outlook, territory: Territory, hand: tuple[str, ...]) -> Iterator[Plan]:
    for tile in hand:
        rest = tuple([other for other in hand if other != tile])
        growth = best_growth(outlook, territory, tile, rest)
        if growth is not None:
            then = best_plan(outlook, growth.territory, rest)
            value = then.value if then.tiles else growth.value
            yield Plan(then.tiles + 1, value, (growth.placed, *then.placements))


class Appraisal:
    """What tiles are worth to the seats, each worked out when first asked for."""

    def __init__(self, situation: Situation) -> None:
        self._territories = situation.territories
        self._outlooks = [outlook_of(situation, seat) for seat in range(len(situation.territories))]
        self._before = list(map(worth, self._outlooks, self._territories))
        self._gains: dict[tuple[int, str], float] = {}

    def gold(self, seat: int) -> float:
        """Return the points that a piece of gold is worth to a seat."""
        return self._outlooks[seat].gold

    def gain(self, seat: int, tile: str) -> float:
        """Return the points that a tile would bring a seat at its best place; 0 when it has none."""
        if (seat, tile) not in self._gains:
            growth = best_growth(self._outlooks[seat], self._territories[seat], tile)
            self._gains[seat, tile] = growth.value - self._before[seat] if growth else 0.0
        return self._gains[seat, tile]


@lru_cache(maxsize=64)
def appraisal_of(situation: Situation) -> Appraisal:
    """Return the appraisal of a situation; it is kept, for it serves all seats from pricing to buying."""
    return Appraisal(situation)
