"""What placements gain, by the rules alone: the points of each scoring tile, whisky and scrolls.

`TerritoryGains` computes only the difference that a tile makes, as the evaluation of the bots does. A test
compares it with `skye.placement_gains_view`, which computes the points of the whole territory.
"""

from __future__ import annotations

from functools import cache, cached_property
from operator import add, mul
from typing import NamedTuple

from skye.bots.scroll_evaluation import Scrolls, count_scrolls, scroll_points, scrolls_with
from skye.rules.state import GameState
from skye.rulesets.ruleset import RULESETS, Ruleset
from skye.scoring.kinds import AreaRule, MajorityRule, PatternRule, TileRule
from skye.scoring.scoring_tiles import holding
from skye.territory.areas import join_regions
from skye.territory.roads import join_roads
from skye.territory.territory import Territory
from skye.tiles.geometry import SIDES
from skye.tiles.tile import WHISKY, RotatedTile, Tile
from skye.tiles.tile_set import Place


class Gain(NamedTuple):
    """The change that a placement makes.

    :param slots: the change of the points of the scoring tile in each slot. A majority of gold never changes.
    :param whisky: the change of the number of tiles with whisky that are joined to the castle by road.
    :param scrolls: the change of the points of scrolls.
    """

    slots: tuple[int, ...]
    whisky: int
    scrolls: int


class Scorings(NamedTuple):
    """How often the scoring tile of each slot is scored.

    :param now: how often in this round.
    :param later: how often afterwards.
    :param all: the sum.
    """

    now: tuple[int, ...]
    later: tuple[int, ...]
    all: tuple[int, ...]

    def points(self, gain: Gain) -> int:
        """Return the points of a placement, now and to come, without the gold of whisky."""
        of_slots: int = sum(map(mul, self.all, gain.slots))
        return of_slots + gain.scrolls


def scorings_of(game: GameState) -> Scorings:
    """Return how often scoring tiles are scored from this round on."""
    return _scorings(game.ruleset, len(game.players), game.round)


@cache
def _scorings(ruleset: Ruleset, players: int, number: int) -> Scorings:
    this, *rest = ruleset.rounds(players)[number - 1 :] or ((),)
    now = tuple([int(slot in this) for slot in ruleset.slots])
    later = tuple([sum([slot in slots for slots in rest]) for slot in ruleset.slots])
    return Scorings(now, later, tuple(map(add, now, later)))


class TerritoryGains:
    """The gains of all placements in a territory, each computed on first use.

    :param territory: the territory.
    :param scoring_tiles: the ids of the scoring tiles by slot.
    :param rivals: by slot, the counts of the other seats, which a majority compares; empty for other tiles,
        and without any majority.
    """

    def __init__(
        self, territory: Territory, scoring_tiles: tuple[str, ...], rivals: tuple[tuple[int, ...], ...]
    ) -> None:
        self._territory = territory
        self._scoring_tiles, self._rivals = scoring_tiles, rivals
        self._tiles = territory.tiles
        self._summary = summary = territory.summary
        areas = summary._joined_areas()
        self._areas, self._area_at_edge = areas.by_number, areas.area_at_edge
        ruleset = RULESETS[territory.ruleset_id]
        self._objects_per_point = ruleset.final.objects_per_point
        self._scrolls: Scrolls = {}
        count_scrolls(self._scrolls, self._areas.values(), 1)
        self._scroll_points, _ = scroll_points(self._objects_per_point, summary.counts, self._scrolls)
        self._slots = len(scoring_tiles)
        self._area_rules: list[tuple[int, AreaRule, int]] = []
        self._tile_rules: list[tuple[int, TileRule]] = []
        self._road_rules: list[tuple[int, TileRule]] = []
        self._pattern_rules: list[tuple[int, PatternRule]] = []
        self._majorities: list[tuple[int, MajorityRule, int, int, tuple[int, ...]]] = []
        for slot, tile in enumerate(scoring_tiles):
            rule = ruleset.scoring_tiles[tile].rule
            if isinstance(rule, MajorityRule):
                if rule.value is not None:
                    held = rule.holds(summary, 0)[0]
                    now = rule.points([held, *rivals[slot]])[0]
                    self._majorities.append((slot, rule, held, now, rivals[slot]))
            elif isinstance(rule, AreaRule):
                self._area_rules.append((slot, rule, sum([points for points, _ in rule.earns(summary)])))
            elif isinstance(rule, PatternRule):
                self._pattern_rules.append((slot, rule))
            elif rule.connected_only:
                self._road_rules.append((slot, rule))
            else:
                self._tile_rules.append((slot, rule))
        self._gains: dict[str, dict[Place, Gain]] = {}
        self._best: dict[tuple[str, Scorings], Gain] = {}

    def are_of(
        self, territory: Territory, scoring_tiles: tuple[str, ...], rivals: tuple[tuple[int, ...], ...]
    ) -> bool:
        """Return whether they are the gains with these arguments."""
        return (
            territory is self._territory and scoring_tiles == self._scoring_tiles and rivals == self._rivals
        )

    def gains(self, tile: str) -> dict[Place, Gain]:
        """Return every legal placement of a tile with its gain."""
        gains = self._gains.get(tile)
        if gains is None:
            gains = self._gains[tile] = self._new_gains(tile)
        return gains

    def best(self, tile: str, scorings: Scorings) -> Gain:
        """Return the gain of a tile at its best place, in points now and to come; 0 without a legal place."""
        best = self._best.get((tile, scorings))
        if best is None:
            nothing = Gain((0,) * self._slots, 0, 0)
            best = max(self.gains(tile).values(), key=scorings.points, default=nothing)
            self._best[tile, scorings] = best
        return best

    def _new_gains(self, tile_id: str) -> dict[Place, Gain]:
        tiles, summary = self._tiles, self._summary
        tile, by_constraint, turned = tiles.by_id[tile_id], tiles.places[tile_id], tiles.rotated
        counts = [now + more for now, more in zip(summary.counts, tile.counts, strict=True)]
        anywhere = self._gains_anywhere(tile)
        scrolls_anywhere = scroll_points(self._objects_per_point, counts, self._scrolls)[0]
        with_areas = bool(self._area_rules or self._scrolls or tile.scroll)
        touched = self._touched
        of_areas: dict[tuple[tuple[int, int], ...], tuple[list[int], int]] = {}
        gains: dict[Place, Gain] = {}
        for cell, constraint in self._territory._open_cells.items():
            places = by_constraint[constraint]
            if places is None:
                continue
            at_cell = anywhere
            if self._pattern_rules:
                at_cell = anywhere.copy()
                for slot, rule in self._pattern_rules:
                    at_cell[slot] += rule.adds(summary, cell, tile)
            is_at_road = cell in summary.road_ends
            for place in places[cell]:
                rotated = turned[tile_id, place.rotation]
                slots, whisky, scrolls = at_cell, 0, scrolls_anywhere
                if with_areas:
                    region_at = rotated.region_at
                    joins = tuple(sorted([(region_at[side], area) for side, area in touched[cell]]))
                    added = of_areas.get(joins)
                    if added is None:
                        added = of_areas[joins] = self._gains_of_areas(cell, rotated, counts)
                    by_area, scrolls = added
                    slots = list(map(add, at_cell, by_area))
                if is_at_road:
                    slots = slots.copy()
                    whisky = self._add_roads(slots, cell, rotated)
                gains[place] = Gain(tuple(slots), whisky, scrolls - self._scroll_points)
        return gains

    @cached_property
    def _touched(self) -> dict[int, list[tuple[int, int]]]:
        """By empty cell: the areas that touch it, each with the side."""
        touched: dict[int, list[tuple[int, int]]] = {cell: [] for cell in self._territory._open_cells}
        for edge, area in self._area_at_edge.items():
            cell, side = divmod(edge, len(SIDES))
            touched[cell].append((side, area))
        return touched

    def _gains_anywhere(self, tile: Tile) -> list[int]:
        """Return by slot what a tile gains wherever it lies."""
        gains = [0] * self._slots
        for slot, rule in self._tile_rules:
            gains[slot] = rule.value(tile)
        for slot, majority, held, now, rivals in self._majorities:
            assert majority.value is not None, "majorities of gold are left out"
            gains[slot] = majority.points([held + majority.value(tile), *rivals])[0] - now
        return gains

    def _gains_of_areas(self, cell: int, rotated: RotatedTile, counts: list[int]) -> tuple[list[int], int]:
        """Return what a placement adds by areas in each slot, and the points of all scrolls after it.

        They depend only on which region of the tile joins which area, so cells and rotations share them.
        """
        joined, new_numbers, _ = join_regions(self._areas, self._area_at_edge, cell, rotated)
        added = list(joined.values())
        removed = [self._areas[number] for number in new_numbers]
        by_area = [0] * self._slots
        for slot, rule, now in self._area_rules:
            by_area[slot] = rule.points_with(now, removed, added) - now
        scrolls = scrolls_with(self._scrolls, removed, added)
        return by_area, scroll_points(self._objects_per_point, counts, scrolls)[0]

    def _add_roads(self, slots: list[int], cell: int, rotated: RotatedTile) -> int:
        """Add the points of tiles that become connected to `slots`; return the number with whisky."""
        summary, joined = self._summary, set[int]()
        cells = summary.cells | {cell: rotated}
        join_roads(joined, summary.road_ends.copy(), cells, cell, rotated)
        connected = [cells[each].tile for each in joined - summary.connected]
        for slot, rule in self._road_rules:
            slots[slot] += sum(map(rule.value, connected))
        return sum([tile.counts[WHISKY] > 0 for tile in connected])


def territory_gains(game: GameState, seat: int, last: TerritoryGains | None = None) -> TerritoryGains:
    """Return the gains in the territory of a seat.

    :param last: the gains at an earlier decision, which are returned if they still hold: most decisions
        change none.
    """
    tiles = [game.ruleset.scoring_tiles[tile] for tile in game.scoring_tiles]
    rivals: tuple[tuple[int, ...], ...] = ()
    if any(tile.majority for tile in tiles):
        others = [player.territory for number, player in enumerate(game.players) if number != seat]
        rivals = tuple(
            tuple([holding(tile, other.summary) for other in others]) if tile.majority else ()
            for tile in tiles
        )
    territory = game.players[seat].territory
    if last is not None and last.are_of(territory, game.scoring_tiles, rivals):
        return last
    return TerritoryGains(territory, game.scoring_tiles, rivals)
