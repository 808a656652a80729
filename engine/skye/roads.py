"""Roads: the tiles connected to the castle by road, updated incrementally as a territory grows.

A road continues across an edge where both tiles have one. A tile with two separate roads is connected if
either is. The state of the border is only the set of open edges that a road from the castle reaches.
"""

from __future__ import annotations

from typing import Final

from skye.geometry import OPPOSITE, SIDES, STEPS, cell_at
from skye.tiles import Form

_CASTLE: Final = cell_at(0, 0)

BEGINNINGS: Final[dict[int, tuple[int, ...]]] = {_CASTLE: SIDES}
"""The road ends before there is any tile: all roads of the castle are joined."""


def join_roads(
    connected: set[int],
    road_ends: dict[int, tuple[int, ...]],
    cells: dict[int, Form],
    cell: int,
    form: Form,
) -> None:
    """Add a tile to the cells that roads join to the castle, and what it joins, in place.

    `road_ends` are the empty cells at which a road from the castle arrives, each with the sides where it
    does. The tile lies in `cells` already. The castle is not joined to itself (R9).
    """
    arriving = road_ends.pop(cell, None)
    if arriving is None:
        return
    border = [(cell, road) for side in arriving if (road := form.road_at[side]) >= 0]
    seen = set(border)
    while border:
        here, road = border.pop()
        if here != _CASTLE:
            connected.add(here)
        for side in cells[here].roads[road]:
            beside = here + STEPS[side]
            if beside not in cells:
                road_ends[beside] = (*road_ends.get(beside, ()), OPPOSITE[side])
            elif here != cell or side not in arriving:
                across = beside, cells[beside].road_at[OPPOSITE[side]]
                if across[1] >= 0 and across not in seen:
                    seen.add(across)
                    border.append(across)
