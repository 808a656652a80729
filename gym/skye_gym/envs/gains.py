"""What placements gain, by the rules alone: the points of each scoring tile, whisky and scrolls.

`TerritoryGains` computes only the difference that a tile makes, as the evaluation of the bots does. A test
compares it with `skye.placement_gains_view`, which computes the points of the whole territory.
"""

from __future__ import annotations

from functools import cache
from operator import add
from typing import Final, NamedTuple

from skye.bots.scroll_evaluation import Scrolls, count_scrolls, scroll_points, scrolls_with
from skye.rules.state import GameState
from skye.rulesets.ruleset import RULESETS, Ruleset
from skye.scoring.kinds import AreaRule, MajorityRule, PatternRule, TileRule
from skye.scoring.scoring_tiles import holding
from skye.territory.areas import Area, join_regions, with_region
from skye.territory.roads import join_roads
from skye.territory.territory import Territory
from skye.tiles.geometry import SIDES, STEPS
from skye.tiles.tile import OBJECTS, WHISKY, Region, RotatedTile, Terrain, Tile
from skye.tiles.tile_set import Place, TileSet

_MAX_REGIONS: Final = 8
"""More regions than a tile has."""

_NO_AREA: Final = -1
"""A number that no area has."""

_NO_ROAD: Final = -1
"""What `RotatedTile.road_at` has at a side without a road."""


class Gain(NamedTuple):
    """The change that a placement makes.

    :param slots: the change of the points of the scoring tile in each slot. A majority of gold never changes.
    :param whisky: the change of the number of tiles with whisky that are joined to the castle by road.
    :param scrolls: the change of the points of scrolls.
    """

    slots: tuple[int, ...]
    whisky: int
    scrolls: int


def _gain(slots: list[int], whisky: int, scrolls: int) -> Gain:
    return tuple.__new__(Gain, (tuple(slots), whisky, scrolls))


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
        in_slots = [times * points for times, points in zip(self.all, gain.slots, strict=True)]
        return sum(in_slots) + gain.scrolls


def scorings_of(game: GameState) -> Scorings:
    """Return how often scoring tiles are scored from this round on."""
    return _scorings(game.ruleset, len(game.players), game.round)


@cache
def _scorings(ruleset: Ruleset, players: int, number: int) -> Scorings:
    this, *rest = ruleset.rounds(players)[number - 1 :] or ((),)
    now = tuple([int(slot in this) for slot in ruleset.slots])
    later = tuple([sum([slot in slots for slots in rest]) for slot in ruleset.slots])
    return Scorings(now, later, tuple(map(add, now, later)))


class _Change(NamedTuple):
    """What one region of a new tile changes.

    :param before: the area that it joins; None for a new area.
    :param points: by area rule, the change of the points; if only the largest area counts, the points of the
        new one.
    :param scrolls: the changes of the numbers of scrolls by kind, those in completed areas counted twice.
    """

    before: Area | None
    points: list[int]
    scrolls: list[tuple[str, int]]


class _TileScoring(NamedTuple):
    """What placements of a tile have in common.

    :param kinds: by region, its kind.
    :param alone: the gain without patterns and roads if no region joined an area.
    :param changes: by region, the change if it joins no area.
    :param counts: the number of each of `tiles.OBJECTS` after the placement.
    :param points_of: the points of a scroll by kind after the placement.
    """

    kinds: tuple[int, ...]
    alone: Gain
    changes: list[_Change]
    counts: list[int]
    points_of: dict[str, int]


_kinds: dict[tuple[Terrain, int, int, int, int, str | None], int] = {}
"""The kinds of regions by what areas count of them."""


@cache
def _kinds_of(tiles: TileSet, tile: str) -> tuple[int, ...]:
    """Return by region of a tile a number that regions share which change areas in the same way."""
    kinds = []
    for region in tiles.rotated[tile, 0].regions:
        counted = (
            region.terrain,
            len(region.sides),
            region.brochs,
            region.ships,
            region.lighthouses,
            region.scroll,
        )
        kinds.append(_kinds.setdefault(counted, len(_kinds)))
    return tuple(kinds)


class TerritoryGains:
    """The gains of all placements in a territory, each computed on first use.

    :param territory: the territory.
    :param scoring_tiles: the ids of the scoring tiles by slot.
    :param rivals: by slot, the counts of the other seats, which a majority compares; empty for other tiles,
        and without any majority.
    :param last: the gains in a smaller territory of the same seat: areas that no tile has joined since then
        change as before.
    """

    def __init__(
        self,
        territory: Territory,
        scoring_tiles: tuple[str, ...],
        rivals: tuple[tuple[int, ...], ...],
        last: TerritoryGains | None = None,
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
        # By area, number of common edges, and kind of the region.
        self._changes: dict[tuple[int, int, int], _Change] = {}
        if last is not None and last._scoring_tiles == scoring_tiles:
            self._changes = last._changes
        self._touched: dict[int, list[tuple[int, int]]] | None = None
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
            each_once = dict.fromkeys(self.gains(tile).values())  # most places share few gains
            best = max(each_once, key=scorings.points, default=nothing)
            self._best[tile, scorings] = best
        return best

    def _new_gains(self, tile_id: str) -> dict[Place, Gain]:
        tiles, summary = self._tiles, self._summary
        tile, by_constraint, turned = tiles.by_id[tile_id], tiles.places[tile_id], tiles.rotated
        scoring = self._scoring_of(tile)
        with_areas = bool(self._area_rules or self._scrolls or tile.scroll)
        touched, road_ends = self._areas_at_cells(), summary.road_ends
        # By the regions of the tile with the areas that they join: cells and rotations share them.
        of_joins: dict[tuple[int, ...], Gain] = {}
        gains: dict[Place, Gain] = {}
        for cell, constraint in self._territory._open_cells.items():
            places = by_constraint[constraint]
            if places is None:
                continue
            patterns = [(slot, rule.adds(summary, cell, tile)) for slot, rule in self._pattern_rules]
            at_edges = touched[cell]
            arriving = road_ends.get(cell)
            for place in places[cell]:
                rotated = turned[tile_id, place.rotation]
                gain = scoring.alone
                if with_areas:
                    region_at = rotated.region_at
                    joins = [_MAX_REGIONS * area + region_at[side] for side, area in at_edges]
                    joins.sort()
                    key = tuple(joins)
                    known = of_joins.get(key)
                    if known is None:
                        known = of_joins[key] = self._gain_of_joins(scoring, joins, cell, rotated)
                    gain = known
                connected = () if arriving is None else self._connected_by(cell, rotated, arriving)
                if patterns or connected:
                    slots = list(gain.slots)
                    for slot, points in patterns:
                        slots[slot] += points
                    for slot, road_rule in self._road_rules:
                        slots[slot] += sum([road_rule.value(each) for each in connected])
                    whisky = sum([each.counts[WHISKY] > 0 for each in connected])
                    gain = _gain(slots, whisky, gain.scrolls)
                gains[place] = gain
        return gains

    def _scoring_of(self, tile: Tile) -> _TileScoring:
        slots = self._gains_anywhere(tile)
        summary, per_point = self._summary, self._objects_per_point
        counts = [now + more for now, more in zip(summary.counts, tile.counts, strict=True)]
        points_of = {
            thing: counts[number] // per_point[thing]
            for number, thing in enumerate(OBJECTS)
            if thing in per_point
        }
        regions, kinds = self._tiles.rotated[tile.id, 0].regions, _kinds_of(self._tiles, tile.id)
        alone: list[_Change] = []
        for region, kind in zip(regions, kinds, strict=True):
            key = _NO_AREA, 0, kind
            of_kind = self._changes.get(key)
            if of_kind is None:
                of_kind = self._changes[key] = self._change(None, region, len(region.sides))
            alone.append(of_kind)
        for change in alone:
            self._add_areas(slots, change)
        scrolls = scroll_points(per_point, counts, self._scrolls)[0] - self._scroll_points
        scrolls += sum([points_of[thing] * number for change in alone for thing, number in change.scrolls])
        return _TileScoring(kinds, _gain(slots, 0, scrolls), alone, counts, points_of)

    def _gain_of_joins(
        self, scoring: _TileScoring, joins: list[int], cell: int, rotated: RotatedTile
    ) -> Gain:
        """Return what a placement gains wherever it joins these areas, without patterns and roads.

        :param joins: the regions with the areas that they touch, sorted, one for each edge.
        """
        edges: dict[int, int] = {}  # by region with area
        areas: list[int] = []
        regions: list[int] = []
        for join in joins:
            if join in edges:
                edges[join] += 1
                continue
            edges[join] = 1
            area, region = divmod(join, _MAX_REGIONS)
            if area in areas or region in regions:
                return self._gain_of_merging(scoring, cell, rotated)
            areas.append(area)
            regions.append(region)
        # Each region joins at most one area, and each area at most one region: the changes add up.
        slots, scrolls, points_of = list(scoring.alone.slots), scoring.alone.scrolls, scoring.points_of
        for number, common in enumerate(edges.values()):
            before, joined = self._areas[areas[number]], rotated.regions[regions[number]]
            key = areas[number], common, scoring.kinds[regions[number]]
            change = self._changes.get(key)
            if change is None or change.before is not before:
                change = self._changes[key] = self._change(before, joined, len(joined.sides) - 2 * common)
            alone = scoring.changes[regions[number]]
            self._add_areas(slots, change, alone)
            for thing, more in change.scrolls:
                scrolls += points_of[thing] * more
            for thing, more in alone.scrolls:
                scrolls -= points_of[thing] * more
        return _gain(slots, 0, scrolls)

    def _add_areas(self, slots: list[int], change: _Change, instead_of: _Change | None = None) -> None:
        """Add the points by areas of a change to those by slot, instead of those of another change."""
        for number, (slot, rule, now) in enumerate(self._area_rules):
            points = change.points[number]
            if rule.largest_only:
                slots[slot] = max(slots[slot], points - now)
            else:
                slots[slot] += points - (0 if instead_of is None else instead_of.points[number])

    def _change(self, area: Area | None, region: Region, openings: int) -> _Change:
        """Return what a region changes that joins an area, or with None no area.

        :param openings: the change of the number of openings.
        """
        after = with_region(area, 0, region, openings, counted=False)
        points = [
            rule.value(after) - (0 if area is None or rule.largest_only else rule.value(area))
            for _, rule, _ in self._area_rules
        ]
        scrolls = [(thing, 1 if after.openings else 2) for thing, _ in after.scrolls]
        if area is not None:
            scrolls += [(thing, -1) for thing, _ in area.scrolls]  # it was open
        return tuple.__new__(_Change, (area, points, scrolls))

    def _gain_of_merging(self, scoring: _TileScoring, cell: int, rotated: RotatedTile) -> Gain:
        """Return the same for a placement that joins areas with each other, or several regions with one."""
        joined, new_numbers, _ = join_regions(self._areas, self._area_at_edge, cell, rotated)
        added = list(joined.values())
        removed = [self._areas[number] for number in new_numbers]
        slots = self._gains_anywhere(rotated.tile)
        for slot, rule, now in self._area_rules:
            slots[slot] += rule.points_with(now, removed, added) - now
        scrolls = scrolls_with(self._scrolls, removed, added)
        points = scroll_points(self._objects_per_point, scoring.counts, scrolls)[0]
        return _gain(slots, 0, points - self._scroll_points)

    def _areas_at_cells(self) -> dict[int, list[tuple[int, int]]]:
        """Return by empty cell the areas that touch it, each with the side."""
        touched = self._touched
        if touched is None:
            touched = self._touched = {cell: [] for cell in self._territory._open_cells}
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

    def _connected_by(self, cell: int, rotated: RotatedTile, arriving: tuple[int, ...]) -> tuple[Tile, ...]:
        """Return the tiles that a placement joins to the castle by road.

        :param arriving: the sides of the cell that a road from the castle reaches.
        """
        roads = {rotated.road_at[side] for side in arriving}
        roads.discard(_NO_ROAD)
        if not roads:
            return ()
        summary = self._summary
        leaving = {side for road in roads for side in rotated.roads[road]}.difference(arriving)
        if not any(cell + STEPS[side] in summary.cells for side in leaving):
            return (rotated.tile,)
        joined, cells = set[int](), summary.cells | {cell: rotated}
        join_roads(joined, dict(summary.road_ends), cells, cell, rotated)
        return tuple([cells[each].tile for each in joined - summary.connected])


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
    return TerritoryGains(territory, game.scoring_tiles, rivals, last)
