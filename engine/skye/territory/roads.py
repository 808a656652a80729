"""Roads: the tiles connected to the castle by road, updated incrementally as a territory grows.

A road continues across an edge where both tiles have one. A tile with two separate roads is connected if
either is. To add a tile, it is enough to know the open edges that a road from the castle reaches.
"""

from __future__ import annotations

from typing import Final

from skye.tiles.geometry import OPPOSITE, SIDES, STEPS, cell_at
from skye.tiles.tile import RotatedTile

_CASTLE: Final = cell_at(0, 0)

INITIAL_ROAD_ENDS: Final[dict[int, tuple[int, ...]]] = {_CASTLE: SIDES}
"""The road ends of an empty territory: the castle connects all its roads."""


def join_roads(
    connected: set[int],
    road_ends: dict[int, tuple[int, ...]],
    cells: dict[int, RotatedTile],
    cell: int,
    rotated: RotatedTile,
) -> None:
    """Add the cells that a new tile connects to the castle; update `connected` and `road_ends` in place.

    :param connected: the cells connected to the castle, without the castle's own (R9).
    :param road_ends: the empty cells that a road from the castle reaches, each with the sides that it
        reaches.
    :param cells: the tile on each cell, the new one included.
    :param cell: the cell of the new tile.
    """
    arriving = road_ends.pop(cell, None)
    if arriving is None:
        return
    to_visit = [(cell, road) for side in arriving if (road := rotated.road_at[side]) >= 0]
    seen = set(to_visit)
    while to_visit:
        here, road = to_visit.pop()
        if here != _CASTLE:
            connected.add(here)
        for side in cells[here].roads[road]:
            neighbor = here + STEPS[side]
            if neighbor not in cells:
                road_ends[neighbor] = (*road_ends.get(neighbor, ()), OPPOSITE[side])
            elif here != cell or side not in arriving:
                road_across = neighbor, cells[neighbor].road_at[OPPOSITE[side]]
                if road_across[1] >= 0 and road_across not in seen:
                    seen.add(road_across)
                    to_visit.append(road_across)
