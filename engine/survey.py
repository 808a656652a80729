"""What a territory amounts to for scoring: its tiles, its areas, and what the roads join to the castle."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from engine.areas import Area, join_areas
from engine.frontier import Place
from engine.geometry import cell_at
from engine.roads import BEGINNINGS, join_roads
from engine.tiles import FORMS, Form


class Survey(NamedTuple):
    """All that scoring asks of one territory.

    `cells` has what lies on each cell, in placing order, and `connected` the cells joined to the castle by
    road, without the castle's own (R9). The areas are by a number that means nothing else; `facing` and
    `road_ends` are what there is to know of the border when a tile is added (see `areas` and `roads`).
    """

    cells: dict[int, Form]
    numbered_areas: dict[int, Area]
    connected: AbstractSet[int]
    facing: dict[int, int]
    road_ends: dict[int, tuple[int, ...]]

    @property
    def areas(self) -> Collection[Area]:
        """All areas."""
        return self.numbered_areas.values()

    def extended(self, placements: Iterable[Place]) -> Survey:
        """Return the survey with more tiles."""
        cells, areas, facing = self.cells.copy(), self.numbered_areas.copy(), self.facing.copy()
        connected, road_ends = set(self.connected), self.road_ends.copy()
        for tile, x, y, rotation in placements:
            cell, form = cell_at(x, y), FORMS[tile, rotation]
            cells[cell] = form
            join_areas(areas, facing, cell, form)
            join_roads(connected, road_ends, cells, cell, form)
        return Survey(cells, areas, connected, facing, road_ends)


NOTHING: Final = Survey({}, {}, frozenset(), {}, BEGINNINGS)
"""The survey of no tile at all."""
