"""The heuristic evaluation of a territory, in points: as it is, and after one more placement.

It adds the points that each scoring tile would give now, times how often it is still to be scored, and three
estimates: areas that lack one tile may be completed, gold buys points, and mobility (the number of tiles that
fit somewhere) is worth something.

`TerritoryEvaluation` computes the sums once for a territory. For one more placement it computes only the
difference: the areas, roads and empty cells that the tile touches. The result is the same, to the last bit,
as the evaluation of the larger territory.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from math import sqrt
from typing import Final, NamedTuple

from skye.bots.scroll_evaluation import Scrolls, count_scrolls, scroll_points, scrolls_with
from skye.rules.income import whisky_joined
from skye.rulesets.ruleset import Ruleset
from skye.scoring.kinds import AreaRule, MajorityRule, PatternRule, TileRule
from skye.territory.areas import Area, join_regions
from skye.territory.frontier import OPEN_SIDES
from skye.territory.roads import join_roads
from skye.territory.territory import Territory
from skye.tiles.geometry import cell_at
from skye.tiles.tile import WHISKY, RotatedTile, Tile
from skye.tiles.tile_set import Place, TileSet

# These parameters were tuned in some hundred games of the bot against itself.
_COMPLETION_PROBABILITY: Final = 0.5
"""The estimated probability that an area which lacks one tile is completed before the next scoring."""

_MOBILITY: Final = 0.002
"""Points for each landscape tile that fits a cell, times the square root of the rounds left."""

_MAX_EVALUATIONS: Final = 64
"""The maximum number of evaluations that an outlook caches. A seat needs about ten in a round."""


class _Fits(NamedTuple):
    """Which landscape tiles of a ruleset fit where.

    :param of_tile: by landscape tile and edge constraint, whether the tile fits in some rotation, never
        without a neighbour.
    :param tiles: by edge constraint, the number of landscape tiles that fit.
    """

    of_tile: dict[str, tuple[bool, ...]]
    tiles: tuple[int, ...]


@cache
def _fits_of(tiles: TileSet) -> _Fits:
    of_tile = {
        tile: (False, *[bool(rotations) for rotations in by_constraint[1:]])
        for tile, by_constraint in tiles.fitting_rotations.items()
    }
    return _Fits(of_tile, tuple([sum(fits) for fits in zip(*of_tile.values(), strict=True)]))


class Plan(NamedTuple):
    """A sequence of placements.

    :param tiles: the number of placements.
    :param value: the evaluation of the territory after them, in points.
    :param placements: the placements in order.
    """

    tiles: int
    value: float
    placements: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Outlook:
    """The scoring that is still to come for one seat.

    :param ruleset: the rules of the game.
    :param times: how often each scoring tile is still to be scored, including this round.
    :param completion: how often each scoring tile that rewards completed areas is scored after this round.
    :param rivals: by majority, the counts of the other seats.
    :param rounds: the number of rounds after this one.
    :param gold: the value of one gold in points.
    :param plans: a cache of plans.
    :param evaluations: a cache of evaluations by territory.
    """

    ruleset: Ruleset
    times: dict[str, float]
    completion: dict[str, float]
    rivals: dict[str, tuple[int, ...]]
    rounds: int
    gold: float
    plans: dict[tuple[frozenset[Place], tuple[str, ...]], Plan] = field(default_factory=dict)
    evaluations: dict[Territory, TerritoryEvaluation] = field(default_factory=dict)


def evaluation_of(outlook: Outlook, territory: Territory) -> TerritoryEvaluation:
    """Return the evaluation of a territory, cached in the outlook."""
    evaluation = outlook.evaluations.get(territory)
    if evaluation is None:
        if len(outlook.evaluations) >= _MAX_EVALUATIONS:
            outlook.evaluations.clear()
        evaluation = outlook.evaluations[territory] = TerritoryEvaluation(outlook, territory)
    return evaluation


class _AreaScoring(NamedTuple):
    """A scoring tile that counts areas.

    :param rule: its rule.
    :param times: how often it is still to be scored.
    :param now: its points for the territory as it is.
    :param completion: how often completed areas are still to be scored after this round.
    :param potential: by area that lacks one tile, the points that it would give if it were completed.
    """

    rule: AreaRule
    times: float
    now: int
    completion: float
    potential: dict[int, int]

    def added_by_completion(self, points: int, potentials: list[int]) -> float:
        """Return the points that completing areas would add to `points`.

        :param potentials: the points of each area that lacks one tile, if it were completed.
        """
        if self.rule.largest_only:
            return self.completion * max(0, max(potentials, default=0) - points)
        return self.completion * sum(potentials)


class TerritoryEvaluation:
    """The evaluation of a territory as it is, and after one more placement."""

    def __init__(self, outlook: Outlook, territory: Territory) -> None:
        self._outlook = outlook
        self._rounds = outlook.rounds
        self._whisky_value = outlook.gold * outlook.rounds
        self._mobility_value = _MOBILITY * sqrt(outlook.rounds)
        self._territory = territory
        self._tiles = outlook.ruleset.tiles
        self._fits = _fits_of(self._tiles)
        self._objects_per_point = outlook.ruleset.final.objects_per_point
        self._summary = summary = territory.summary
        areas = summary._joined_areas()
        self._areas, self._area_at_edge = areas.by_number, areas.area_at_edge
        self._scrolls: Scrolls = {}
        count_scrolls(self._scrolls, self._areas.values(), 1)
        self._whisky = whisky_joined(summary)
        self._mobility = sum([self._fits.tiles[constraint] for constraint in territory._open_cells.values()])
        self._certain = 0.0  # of all rules but majorities
        self._area_rules: list[_AreaScoring] = []
        self._tile_rules: list[tuple[TileRule, float]] = []
        self._road_rules: list[tuple[TileRule, float]] = []
        self._pattern_rules: list[tuple[PatternRule, float]] = []
        self._majorities: list[tuple[MajorityRule, float, int, tuple[int, ...]]] = []
        for tile, times in outlook.times.items():
            self._add_rule(tile, times)
        self._place_counts: dict[str, int] = {}
        self._values: dict[str, dict[Place, float]] = {}

    def _add_rule(self, tile: str, times: float) -> None:
        rule, summary = self._outlook.ruleset.scoring_tiles[tile].rule, self._summary
        if isinstance(rule, MajorityRule):
            self._majorities.append((rule, times, rule.holds(summary, 0)[0], self._outlook.rivals[tile]))
            return
        now = sum([points for points, _ in rule.earns(summary)])
        self._certain += times * now
        if isinstance(rule, AreaRule):
            completion = self._outlook.completion.get(tile, 0)
            potential = {
                number: rule.value(_as_completed(area))
                for number, area in self._areas.items()
                if completion and area.openings == 1
            }
            self._area_rules.append(_AreaScoring(rule, times, now, completion, potential))
        elif isinstance(rule, PatternRule):
            self._pattern_rules.append((rule, times))
        elif rule.connected_only:
            self._road_rules.append((rule, times))
        else:
            self._tile_rules.append((rule, times))

    @property
    def value(self) -> float:
        """The evaluation of the territory as it is, without its owner's gold."""
        in_scrolls, in_potential = scroll_points(self._objects_per_point, self._summary.counts, self._scrolls)
        certain, potential = self._certain + in_scrolls, float(in_potential)
        for rule, times, held, rivals in self._majorities:
            certain += times * rule.points([held, *rivals])[0]
        for scoring in self._area_rules:
            potential += scoring.added_by_completion(scoring.now, list(scoring.potential.values()))
        return self._total(certain, potential, self._whisky, self._mobility)

    def values(self, tile: str) -> dict[Place, float]:
        """Return every legal placement of a tile, with the evaluation of the territory after it."""
        values = self._values.get(tile)
        if values is None:
            values = self._values[tile] = self._new_values(tile)
        return values

    def _new_values(self, tile_id: str) -> dict[Place, float]:
        values: dict[Place, float] = {}  # a list of pairs would make the garbage collector run often
        tile, by_constraint, turned = (
            self._tiles.by_id[tile_id],
            self._tiles.places[tile_id],
            self._tiles.rotated,
        )
        counts = [now + more for now, more in zip(self._summary.counts, tile.counts, strict=True)]
        with_tile = self._certain_with(tile)
        for cell, constraint in self._territory._open_cells.items():
            places = by_constraint[constraint]
            if places is None:
                continue
            certain = with_tile
            for rule, times in self._pattern_rules:
                certain += times * rule.adds(self._summary, cell, tile)
            for place in places[cell]:
                rotated = turned[tile_id, place.rotation]
                values[place] = self._value_with(cell, constraint, rotated, certain, counts)
        return values

    def _certain_with(self, tile: Tile) -> float:
        """Return the certain points after one more tile, without those that depend on its position."""
        certain = self._certain
        for rule, times in self._tile_rules:
            certain += times * rule.value(tile)
        for majority_rule, times, held, rivals in self._majorities:
            more = majority_rule.value(tile) if majority_rule.value else 0
            certain += times * majority_rule.points([held + more, *rivals])[0]
        return certain

    def _value_with(
        self, cell: int, constraint: int, rotated: RotatedTile, certain: float, counts: list[int]
    ) -> float:
        """Return the evaluation of the territory after one more placement.

        :param certain: the certain points of scoring tiles that do not count areas or roads.
        :param counts: the number of each of `tiles.OBJECTS` after the placement.
        """
        potential = 0.0
        if self._area_rules or self._scrolls or rotated.tile.scroll:
            in_areas, potential = self._areas_with(cell, rotated, counts)
            certain += in_areas
        whisky = self._whisky
        if cell in self._summary.road_ends and (self._rounds or self._road_rules):
            connected = self._connected_by(cell, rotated)
            whisky += sum([tile.counts[WHISKY] > 0 for tile in connected])
            for rule, times in self._road_rules:
                certain += times * sum(map(rule.value, connected))
        if not self._rounds:
            return certain
        return self._total(certain, potential, whisky, self._mobility_with(cell, constraint, rotated))

    def _areas_with(self, cell: int, rotated: RotatedTile, counts: list[int]) -> tuple[float, float]:
        """Return the certain points of scrolls and areas after one more tile, and the potential points."""
        certain = potential = 0.0
        joined, new_numbers, _ = join_regions(self._areas, self._area_at_edge, cell, rotated)
        added = list(joined.values())
        removed = [self._areas[number] for number in new_numbers]
        if self._scrolls or rotated.tile.scroll:
            scrolls = scrolls_with(self._scrolls, removed, added)
            in_scrolls, in_potential = scroll_points(self._objects_per_point, counts, scrolls)
            certain, potential = float(in_scrolls), float(in_potential)
        for scoring in self._area_rules:
            rule, times, now, completion, potential_before = scoring
            points = rule.points_with(now, removed, added)
            certain += times * (points - now)
            if completion:
                potentials = [gain for number, gain in potential_before.items() if number not in new_numbers]
                potentials += [rule.value(_as_completed(area)) for area in added if area.openings == 1]
                potential += scoring.added_by_completion(points, potentials)
        return certain, potential

    def has_place_with(self, place: Place, tile: str) -> bool:
        """Return whether another tile would have a legal place after a placement."""
        fits = self._fits.of_tile[tile]
        frontier = self._territory._open_cells
        places = self._place_counts.get(tile)
        if places is None:
            places = self._place_counts[tile] = sum([fits[constraint] for constraint in frontier.values()])
        cell = cell_at(place.x, place.y)
        constraints = self._tiles.rotated[place.tile, place.rotation].constraints
        constraint = frontier[cell]
        places -= fits[constraint]
        for side, step in OPEN_SIDES[constraint]:
            before = frontier.get(cell + step, 0)
            places += fits[before | constraints[side]] - fits[before]
        return places > 0

    def _total(self, certain: float, potential: float, whisky: int, mobility: int) -> float:
        if not self._rounds:
            return certain
        return (
            certain
            + _COMPLETION_PROBABILITY * potential
            + self._whisky_value * whisky
            + self._mobility_value * mobility
        )

    def _connected_by(self, cell: int, rotated: RotatedTile) -> list[Tile]:
        """Return the tiles that a tile on a cell would connect to the castle, itself included."""
        summary = self._summary
        joined: set[int] = set()
        cells = summary.cells | {cell: rotated}
        join_roads(joined, summary.road_ends.copy(), cells, cell, rotated)
        return [cells[each].tile for each in joined - summary.connected]

    def _mobility_with(self, cell: int, constraint: int, rotated: RotatedTile) -> int:
        frontier, constraints = self._territory._open_cells, rotated.constraints
        fitting = self._fits.tiles
        mobility = self._mobility - fitting[constraint]
        for side, step in OPEN_SIDES[constraint]:
            before = frontier.get(cell + step, 0)
            mobility += fitting[before | constraints[side]] - fitting[before]
        return mobility


def _as_completed(area: Area) -> Area:
    """Return an area as if it were completed."""
    terrain, _, parts, size, brochs, ships, lighthouses, scrolls = area
    return tuple.__new__(Area, (terrain, 0, parts, size, brochs, ships, lighthouses, scrolls))
