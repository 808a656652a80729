"""What a territory amounts to for scoring: its tiles, its areas, and what the roads join to the castle."""

from __future__ import annotations

from dataclasses import dataclass

from engine.areas import Area
from engine.geometry import OPPOSITE, STEPS, cell_at
from engine.territory import Territory
from engine.tiles import Form


@dataclass(frozen=True, slots=True)
class Survey:
    """All that scoring asks of one territory.

    `connected` are the cells joined to the castle by road, without the castle's own (R9).
    """

    cells: dict[int, Form]
    areas: tuple[Area, ...]
    connected: frozenset[int]


def survey_of(territory: Territory) -> Survey:
    """Return the survey of a territory."""
    return Survey(territory.cells, tuple(territory.areas.values()), connected_cells(territory.cells))


def connected_cells(cells: dict[int, Form]) -> frozenset[int]:
    """Return the cells joined to the castle by road, the castle's own left out (R9).

    A road goes on across an edge where both tiles have one. A tile with two separate roads is joined
    when either is.
    """
    castle = cell_at(0, 0)
    seen = {(castle, 0)}
    border = [(castle, 0)]
    while border:
        cell, road = border.pop()
        for side in cells[cell].roads[road]:
            neighbour = cell + STEPS[side]
            if neighbour not in cells:
                continue
            across = (neighbour, cells[neighbour].road_at[OPPOSITE[side]])
            if across[1] >= 0 and across not in seen:
                seen.add(across)
                border.append(across)
    return frozenset([cell for cell, _ in seen if cell != castle])
