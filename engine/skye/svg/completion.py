"""Which parts of which tiles lie in completed areas."""

from __future__ import annotations

from skye import Territory
from skye.tiles import ROTATED_TILES, RotatedTile

_Position = tuple[int, int]


def completed_regions(territory: Territory) -> dict[_Position, list[int]]:
    """Return, for the tile at each position, the regions (as in `RotatedTile.regions`) in completed areas.

    The engine's `Area` has its cells but not which of a tile's regions it takes; so from every edge with
    nothing beyond, follow what is open. All the rest is completed.
    """
    rotated_tiles = {(x, y): ROTATED_TILES[tile, rotation] for tile, x, y, rotation in territory.placed}
    open_ones: set[tuple[_Position, int]] = set()
    for position, rotated in rotated_tiles.items():
        for side, neighbour in enumerate(_beside(position)):
            if neighbour not in rotated_tiles:
                _follow(rotated_tiles, position, rotated.region_at[side], open_ones)
    return {
        position: [i for i in range(len(rotated.regions)) if (position, i) not in open_ones]
        for position, rotated in rotated_tiles.items()
    }


def _follow(
    rotated_tiles: dict[_Position, RotatedTile],
    position: _Position,
    region: int,
    seen: set[tuple[_Position, int]],
) -> None:
    """Add to `seen` everything that one region is joined to."""
    border = [(position, region)]
    while border:
        here = border.pop()
        if here in seen:
            continue
        seen.add(here)
        position, region = here
        neighbours = _beside(position)
        for side in rotated_tiles[position].regions[region].sides:
            neighbour = neighbours[side]
            if neighbour in rotated_tiles:
                border.append((neighbour, rotated_tiles[neighbour].region_at[side - 2]))


def _beside(position: _Position) -> tuple[_Position, ...]:
    """Return the positions north, east, south and west."""
    x, y = position
    return ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y))
