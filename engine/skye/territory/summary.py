"""The summary of a territory for scoring: tiles, road connections to the castle, and areas."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice
from types import MappingProxyType
from typing import Any, Final

from skye.territory.areas import NO_AREAS, Area, Areas
from skye.territory.roads import INITIAL_ROAD_ENDS, join_roads
from skye.tiles.geometry import cell_at
from skye.tiles.tile import RotatedTile
from skye.tiles.tile_set import Place, TileSet

_TILES_OF_A_ROUND: Final = 6
"""More tiles than a player usually places in a round."""


class TerritorySummary:
    """The values of one territory that scoring needs.

    Areas, which most scoring tiles do not need, and counts are computed on first use and cached; the areas
    may lack the last tiles until then.

    :param cells: the tile on each cell, in placing order.
    :param connected: the cells joined to the castle by road, without the castle's own (R9).
    :param road_ends: the open road ends (see `skye.territory.roads`).
    :param areas: the areas of the first tiles.
    """

    __slots__ = ("_areas", "_counts", "cells", "connected", "road_ends")

    def __init__(
        self,
        cells: dict[int, RotatedTile],
        connected: Iterable[int],
        road_ends: dict[int, tuple[int, ...]],
        areas: Areas,
    ) -> None:
        self.cells = MappingProxyType(cells)
        self.connected = frozenset(connected)
        self.road_ends = MappingProxyType(road_ends)
        self._areas = areas
        self._counts: tuple[int, ...] | None = None

    def __repr__(self) -> str:
        return f"<TerritorySummary of {len(self.cells)} tiles>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _summary_of, (dict(self.cells), self.connected, dict(self.road_ends))

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of each of `tiles.OBJECTS` in the territory."""
        counts = self._counts
        if counts is None:
            of_tiles = [rotated.tile.counts for rotated in self.cells.values()]
            counts = self._counts = tuple(map(sum, zip(*of_tiles, strict=True)))
        return counts

    @property
    def areas(self) -> Collection[Area]:
        """All areas."""
        return self._joined_areas().by_number.values()

    def _join_recent_areas(self) -> None:
        """Join the areas now if they lack only the tiles of one round.

        This spreads the work over the rounds: otherwise the first round that needs areas would join all.
        """
        if len(self.cells) - self._areas.tiles <= _TILES_OF_A_ROUND:
            self._joined_areas()

    def _joined_areas(self) -> Areas:
        """Return the areas of all tiles."""
        areas = self._areas
        if areas.tiles < len(self.cells):
            areas = self._areas = areas.extended(islice(self.cells.items(), areas.tiles, None))
        return areas

    def _extended(self, tiles: TileSet, placements: Iterable[Place]) -> TerritorySummary:
        """Return the summary after more placements."""
        turned = tiles.rotated
        cells, connected, road_ends = self.cells.copy(), set(self.connected), self.road_ends.copy()
        for tile, x, y, rotation in placements:
            cell, rotated = cell_at(x, y), turned[tile, rotation]
            cells[cell] = rotated
            join_roads(connected, road_ends, cells, cell, rotated)
        return TerritorySummary(cells, connected, road_ends, self._areas)


EMPTY_SUMMARY: Final = TerritorySummary({}, frozenset(), INITIAL_ROAD_ENDS, NO_AREAS)
"""The summary of an empty territory."""


def _summary_of(
    cells: dict[int, RotatedTile], connected: Iterable[int], road_ends: dict[int, tuple[int, ...]]
) -> TerritorySummary:
    return TerritorySummary(cells, connected, road_ends, NO_AREAS)
