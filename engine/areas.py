"""What a territory amounts to: its areas, and what the roads join to the castle.

An area is a connected stretch of one terrain. It is completed when every tile edge that it reaches has a
tile on its other side; areas wholly inside a tile are completed, and roads play no part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from engine.geometry import OPPOSITE, STEPS, cell_at
from engine.territory import Territory
from engine.tiles import Form, Region, Terrain


class Area(NamedTuple):
    """A connected stretch of one terrain.

    `cells` has each cell once, so `len(cells)` is the area's size in tiles. `lighthouses` counts those
    adjacent to it (R2), each once. `scrolls` are those that lie in it (R3), as (kind, cell).
    """

    terrain: Terrain
    cells: tuple[int, ...]
    completed: bool
    brochs: int
    ships: int
    lighthouses: int
    scrolls: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """All that scoring asks of one territory.

    `connected` are the cells joined to the castle by road, without the castle's own (R9).
    """

    cells: dict[int, Form]
    areas: tuple[Area, ...]
    connected: frozenset[int]


def survey_of(territory: Territory) -> Survey:
    """Work out the areas and the road network of a territory."""
    return Survey(territory.cells, areas_of(territory.cells), connected_cells(territory.cells))


def areas_of(cells: dict[int, Form]) -> tuple[Area, ...]:
    """Return every area, in the order in which its first tile was placed."""
    seen: set[tuple[int, int]] = set()
    areas = []
    for cell, form in cells.items():
        for index in range(len(form.regions)):
            if (cell, index) not in seen:
                areas.append(_area_from(cells, cell, index, seen))
    return tuple(areas)


def _area_from(cells: dict[int, Form], cell: int, index: int, seen: set[tuple[int, int]]) -> Area:
    """Follow one area from a region of it to its borders."""
    seen.add((cell, index))
    border = [(cell, index)]
    members: list[tuple[int, Region]] = []
    completed = True
    while border:
        cell, index = border.pop()
        region = cells[cell].regions[index]
        members.append((cell, region))
        for side in region.sides:
            neighbour = cell + STEPS[side]
            if neighbour not in cells:
                completed = False
                continue
            across = (neighbour, cells[neighbour].region_at[OPPOSITE[side]])
            if across not in seen:
                seen.add(across)
                border.append(across)
    return _area(members, completed)


def _area(members: list[tuple[int, Region]], completed: bool) -> Area:
    # Two regions of one tile can belong to one area: its lighthouse still counts once.
    lighthouses = {cell: region.lighthouses for cell, region in members}
    return Area(
        members[0][1].terrain,
        tuple(dict.fromkeys(cell for cell, _ in members)),
        completed,
        brochs=sum(region.brochs for _, region in members),
        ships=sum(region.ships for _, region in members),
        lighthouses=sum(lighthouses.values()),
        scrolls=tuple((region.scroll, cell) for cell, region in members if region.scroll),
    )


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
    return frozenset(cell for cell, _ in seen if cell != castle)
