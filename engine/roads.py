"""Roads: which tiles they join to the castle, kept as a territory grows.

A road goes on across an edge where both tiles have one. A tile with two separate roads is joined when either
is. All there is to remember of a territory's border is at which open edges a road from the castle arrives.
"""

from __future__ import annotations

from typing import Final

from engine.geometry import OPPOSITE, SIDES, STEPS, cell_at
from engine.tiles import Form

_CASTLE: Final = cell_at(0, 0)

BEGINNINGS: Final = frozenset([4 * _CASTLE + side for side in SIDES])
"""The road ends before there is any tile: all roads of the castle are joined."""


def join_roads(
    connected: set[int], road_ends: set[int], cells: dict[int, Form], cell: int, form: Form
) -> None:
    """Add a tile to the cells that roads join to the castle, and what it joins, in place.

    `road_ends` are the open edges at which a road from the castle arrives, each as in `areas.join_areas`. The
    tile lies in `cells` already. The castle is not joined to itself (R9).
    """
    arriving = road_ends.intersection(range(4 * cell, 4 * cell + 4))
    if not arriving:
        return
    road_ends -= arriving
    border = [(cell, road) for edge in arriving if (road := form.road_at[edge % 4]) >= 0]
    seen = set(border)
    while border:
        here, road = border.pop()
        if here != _CASTLE:
            connected.add(here)
        for side in cells[here].roads[road]:
            beside = here + STEPS[side]
            if beside not in cells:
                road_ends.add(4 * beside + OPPOSITE[side])
            elif 4 * here + side not in arriving:
                across = beside, cells[beside].road_at[OPPOSITE[side]]
                if across[1] >= 0 and across not in seen:
                    seen.add(across)
                    border.append(across)
