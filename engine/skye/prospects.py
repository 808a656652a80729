"""What a territory promises, in points: as it lies, and with one more tile.

It adds up what scoring would give now, as often as it is still to come, and three guesses: that areas which
lack one tile will be completed, that gold buys points, and that room to build is worth having.

`Prospects` adds it up once for a territory. For one more tile it counts only what that changes: the areas,
roads and empty cells that the tile touches. The sums are the same, to the last bit, as those of the larger
territory.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import Final, NamedTuple

from skye.areas import Area, join_regions
from skye.frontier import OPEN_SIDES, WAYS, Place
from skye.geometry import cell_at
from skye.roads import join_roads
from skye.schedule import whisky_joined
from skye.scoring import SCORING_TILES
from skye.scoring_rules import AreaRule, MajorityRule, PatternRule, TileRule, majority
from skye.scroll_prospects import Scrolls, count_scrolls, scroll_points, scrolls_with
from skye.territory import Territory
from skye.tiles import FITS, FORMS, LANDSCAPE, TILES, WHISKY, Form, Tile

# The numbers were tried against each other in some hundred games of the bot against itself.
_HOPE: Final = 0.5
"""How likely an area that lacks one tile is completed in time for the next scoring."""

_ROOM: Final = 0.002
"""Points for each way that a tile could be added, of all tiles there are, for the root of the rounds left."""

_MAX_PROSPECTS: Final = 64
"""How many territories an outlook keeps sums of. A seat tries about ten in a round."""

_EASE: Final = (0, *[sum(bool(FITS[tile][demand]) for tile in LANDSCAPE) for demand in range(1, 256)])
"""For each demand of a cell's neighbours, how many tiles could go there; none where there is no neighbour."""

_CAN_LIE: Final = {tile: (False, *[bool(ways) for ways in FITS[tile][1:]]) for tile in LANDSCAPE}
"""For each tile whether it could go where there is a demand."""


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
    of gold is worth `gold` points. `plans` and `prospects` are those made so far.
    """

    times: dict[str, int]
    completion: dict[str, int]
    rivals: dict[str, tuple[int, ...]]
    rounds: int
    gold: float
    plans: dict[tuple[frozenset[Place], tuple[str, ...]], Plan] = field(default_factory=dict)
    prospects: dict[Territory, Prospects] = field(default_factory=dict)


def prospects_of(outlook: Outlook, territory: Territory) -> Prospects:
    """Return the prospects of a territory, which the outlook keeps."""
    prospects = outlook.prospects.get(territory)
    if prospects is None:
        if len(outlook.prospects) >= _MAX_PROSPECTS:
            outlook.prospects.clear()
        prospects = outlook.prospects[territory] = Prospects(outlook, territory)
    return prospects


class _OfAreas(NamedTuple):
    """A scoring tile that counts areas: how often it is still to be scored, and the points `now`.

    `hoped` are the points that each area which lacks one tile would give if it were completed, by number, and
    `completion` is how often this is still to be scored.
    """

    rule: AreaRule
    times: int
    now: int
    completion: int
    hoped: dict[int, int]

    def promise(self, points: int, hopes: list[int]) -> int:
        """Return what areas would add to these points if they were completed."""
        if self.rule.largest_only:
            return self.completion * max(0, max(hopes, default=0) - points)
        return self.completion * sum(hopes)


class Prospects:
    """What a territory promises, and what it would promise with one more tile."""

    def __init__(self, outlook: Outlook, territory: Territory) -> None:
        self._outlook = outlook
        self._rounds = outlook.rounds
        self._worth_of_whisky = outlook.gold * outlook.rounds
        self._worth_of_room = _ROOM * sqrt(outlook.rounds)
        self._territory = territory
        self._summary = summary = territory.summary
        areas = summary.joined_areas()
        self._areas, self._facing = areas.by_number, areas.facing
        self._scrolls: Scrolls = {}
        count_scrolls(self._scrolls, self._areas.values(), 1)
        self._whisky = whisky_joined(summary)
        self._room = sum([_EASE[demand] for demand in territory.frontier.values()])
        self._sure = 0  # of all rules but majorities
        self._of_areas: list[_OfAreas] = []
        self._of_tiles: list[tuple[TileRule, int]] = []
        self._of_connected: list[tuple[TileRule, int]] = []
        self._of_patterns: list[tuple[PatternRule, int]] = []
        self._majorities: list[tuple[MajorityRule, int, int, tuple[int, ...]]] = []
        for tile, times in outlook.times.items():
            self._add_rule(tile, times)
        self._fitting: dict[str, int] = {}
        self._values: dict[str, list[tuple[float, Place]]] = {}

    def _add_rule(self, tile: str, times: int) -> None:
        rule, summary = SCORING_TILES[tile].rule, self._summary
        if isinstance(rule, MajorityRule):
            self._majorities.append((rule, times, rule.holds(summary, 0)[0], self._outlook.rivals[tile]))
            return
        now = sum([points for points, _ in rule.earns(summary)])
        self._sure += times * now
        if isinstance(rule, AreaRule):
            completion = self._outlook.completion.get(tile, 0)
            nearly = [
                (number, area) for number, area in self._areas.items() if completion and area.openings == 1
            ]
            hoped = {number: rule.value(_closed(area)) for number, area in nearly}
            self._of_areas.append(_OfAreas(rule, times, now, completion, hoped))
        elif isinstance(rule, PatternRule):
            self._of_patterns.append((rule, times))
        elif rule.connected_only:
            self._of_connected.append((rule, times))
        else:
            self._of_tiles.append((rule, times))

    @property
    def value(self) -> float:
        """The points that the territory promises as it lies, its owner's gold left aside."""
        sure, hoped = scroll_points(self._summary.counts, self._scrolls)
        sure += self._sure
        for _, times, held, rivals in self._majorities:
            sure += times * majority([held, *rivals])[0]
        for of_areas in self._of_areas:
            hoped += of_areas.promise(of_areas.now, list(of_areas.hoped.values()))
        return self._total(sure, hoped, self._whisky, self._room)

    def values(self, tile: str) -> list[tuple[float, Place]]:
        """Return every way to place a tile, with the points that the territory promises then."""
        values = self._values.get(tile)
        if values is None:
            values = self._values[tile] = self._new_values(tile)
        return values

    def _new_values(self, tile_id: str) -> list[tuple[float, Place]]:
        values: list[tuple[float, Place]] = []
        tile, by_demand = TILES[tile_id], WAYS[tile_id]
        counts = [now + more for now, more in zip(self._summary.counts, tile.counts, strict=True)]
        of_tile = self._sure_with(tile)
        for cell, demand in self._territory.frontier.items():
            ways = by_demand[demand]
            if ways is None:
                continue
            sure = of_tile
            for rule, times in self._of_patterns:
                sure += times * rule.adds(self._summary, cell, tile)
            for place in ways[cell]:
                form = FORMS[tile_id, place.rotation]
                values.append((self._value_with(cell, demand, form, sure, counts), place))
        return values

    def _sure_with(self, tile: Tile) -> int:
        """Return the points with one more tile, but for what depends on where it lies."""
        sure = self._sure
        for rule, times in self._of_tiles:
            sure += times * rule.value(tile)
        for of_majority, times, held, rivals in self._majorities:
            more = of_majority.value(tile) if of_majority.value else 0
            sure += times * majority([held + more, *rivals])[0]
        return sure

    def _value_with(self, cell: int, demand: int, form: Form, sure: int, counts: list[int]) -> float:
        """Return the points that the territory would promise with one more tile.

        :param sure: the points of scoring tiles that do not count areas or roads.
        :param counts: how many of each kind of thing there would be.
        """
        hoped = 0
        if self._of_areas or self._scrolls or form.tile.scroll:
            of_areas, hoped = self._areas_with(cell, form, counts)
            sure += of_areas
        whisky = self._whisky
        if cell in self._summary.road_ends and (self._rounds or self._of_connected):
            connected = self._connected_by(cell, form)
            whisky += sum([tile.counts[WHISKY] > 0 for tile in connected])
            for rule, times in self._of_connected:
                sure += times * sum(map(rule.value, connected))
        if not self._rounds:
            return sure
        return self._total(sure, hoped, whisky, self._room_with(cell, demand, form))

    def _areas_with(self, cell: int, form: Form, counts: list[int]) -> tuple[int, int]:
        """Return what scrolls give and areas add with one more tile, and what is hoped for."""
        joined, became, _ = join_regions(self._areas, self._facing, cell, form)
        added = list(joined.values())
        removed = [self._areas[number] for number in became]
        if self._scrolls or form.tile.scroll:
            sure, hoped = scroll_points(counts, scrolls_with(self._scrolls, removed, added))
        else:
            sure = hoped = 0
        for of_areas in self._of_areas:
            rule, times, now, completion, nearly = of_areas
            points = rule.points_with(now, removed, added)
            sure += times * (points - now)
            if completion:
                hopes = [worth for number, worth in nearly.items() if number not in became]
                hopes += [rule.value(_closed(area)) for area in added if area.openings == 1]
                hoped += of_areas.promise(points, hopes)
        return sure, hoped

    def has_place_with(self, place: Place, tile: str) -> bool:
        """Whether another tile would have a legal place if one were placed so."""
        can_lie = _CAN_LIE[tile]
        frontier = self._territory.frontier
        places = self._fitting.get(tile)
        if places is None:
            places = self._fitting[tile] = sum([can_lie[demand] for demand in frontier.values()])
        cell, demands = cell_at(place.x, place.y), FORMS[place.tile, place.rotation].demands
        demand = frontier[cell]
        places -= can_lie[demand]
        for side, step in OPEN_SIDES[demand]:
            before = frontier.get(cell + step, 0)
            places += can_lie[before | demands[side]] - can_lie[before]
        return places > 0

    def _total(self, sure: int, hoped: int, whisky: int, room: int) -> float:
        if not self._rounds:
            return sure
        return sure + _HOPE * hoped + self._worth_of_whisky * whisky + self._worth_of_room * room

    def _connected_by(self, cell: int, form: Form) -> list[Tile]:
        """Return the tiles that a tile on a cell joins to the castle, itself among them."""
        summary = self._summary
        joined: set[int] = set()
        cells = summary.cells | {cell: form}
        join_roads(joined, summary.road_ends.copy(), cells, cell, form)
        return [cells[each].tile for each in joined - summary.connected]

    def _room_with(self, cell: int, demand: int, form: Form) -> int:
        frontier, demands = self._territory.frontier, form.demands
        room = self._room - _EASE[demand]
        for side, step in OPEN_SIDES[demand]:
            before = frontier.get(cell + step, 0)
            room += _EASE[before | demands[side]] - _EASE[before]
        return room


def _closed(area: Area) -> Area:
    """Return an area as if it were completed."""
    terrain, _, parts, size, brochs, ships, lighthouses, scrolls = area
    return Area(terrain, 0, parts, size, brochs, ships, lighthouses, scrolls)
