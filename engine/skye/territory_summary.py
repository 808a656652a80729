"""What a territory amounts to for scoring: its tiles, what the roads join to the castle, and its areas."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Final

from skye.areas import NO_AREAS, Area, Areas
from skye.frontier import Place
from skye.geometry import cell_at
from skye.roads import BEGINNINGS, join_roads
from skye.tiles import FORMS, Form

_A_ROUND: Final = 6
"""A player rarely places more tiles in a round."""


class TerritorySummary:
    """The values of one territory that scoring needs.

    `cells` has what lies on each cell, in placing order, and `connected` the cells joined to the castle by
    road, without the castle's own (R9). `road_ends` is the state of the border (see `roads`).

    The areas, which most scoring tiles do not need, may lack the last few tiles until they are read. Only
    the areas and the counts ever change.
    """

    __slots__ = ("_areas", "_counts", "cells", "connected", "road_ends")

    def __init__(
        self,
        cells: dict[int, Form],
        connected: AbstractSet[int],
        road_ends: dict[int, tuple[int, ...]],
        areas: Areas,
    ) -> None:
        self.cells = cells
        self.connected = connected
        self.road_ends = road_ends
        self._areas = areas
        self._counts: tuple[int, ...] | None = None

    @property
    def counts(self) -> tuple[int, ...]:
        """How many of each of `tiles.OBJECTS` its tiles show."""
        counts = self._counts
        if counts is None:
            of_tiles = [form.tile.counts for form in self.cells.values()]
            counts = self._counts = tuple(map(sum, zip(*of_tiles, strict=True)))
        return counts

    @property
    def areas(self) -> Collection[Area]:
        """All areas."""
        return self.joined_areas().by_number.values()

    def keep_up(self) -> None:
        """Join the areas now if only the tiles of a round are missing, lest the last round pay for all."""
        if len(self.cells) - self._areas.tiles <= _A_ROUND:
            self.joined_areas()

    def joined_areas(self) -> Areas:
        """Return the areas of all tiles, by number."""
        areas = self._areas
        if areas.tiles < len(self.cells):
            areas = self._areas = areas.extended(islice(self.cells.items(), areas.tiles, None))
        return areas

    def extended(self, placements: Iterable[Place]) -> TerritorySummary:
        """Return the summary with more tiles."""
        cells, connected, road_ends = self.cells.copy(), set(self.connected), self.road_ends.copy()
        for tile, x, y, rotation in placements:
            cell, form = cell_at(x, y), FORMS[tile, rotation]
            cells[cell] = form
            join_roads(connected, road_ends, cells, cell, form)
        return TerritorySummary(cells, connected, road_ends, self._areas)


EMPTY_SUMMARY: Final = TerritorySummary({}, frozenset(), BEGINNINGS, NO_AREAS)
"""The summary of no tile at all."""
