"""Parse territory notation, and check placements given in any order."""

from __future__ import annotations

from collections.abc import Iterable

from skye.errors import InvalidTerritory
from skye.tiles.geometry import LIMIT, OPPOSITE, ROTATIONS, SIDE_NAMES, STEPS, cell_at
from skye.tiles.tile_set import Place, TileSet


def parse_placement(word: str) -> Place:
    """Return the placement in the notation `L44@0,1/180`; position and rotation default to (0, 0) and 0.

    :raises InvalidTerritory: when the word has another format.
    """
    tile, at, rest = word.partition("@")
    position, _, rotation = rest.partition("/")
    x, _, y = position.partition(",") if at else ("0", ",", "0")
    try:
        return Place(tile, int(x), int(y), int(rotation or 0))
    except ValueError:
        raise InvalidTerritory(f"{word!r} is not of the form TILE@x,y/rotation.") from None


def check_placements(tiles: TileSet, placements: Iterable[Place]) -> tuple[Place, ...]:
    """Check all rules of placement; return the placements with the castle first.

    :raises InvalidTerritory: with `facts["index"]`, the position of the first placement at fault.
    """
    placed = tuple(placements)
    castle = _castle_index(placed)
    cells = _cells_checked(tiles, placed)
    _check_edges(tiles, placed, cells)
    _check_connected(placed, cells)
    return (placed[castle], *placed[:castle], *placed[castle + 1 :])


def _castle_index(placed: tuple[Place, ...]) -> int:
    castles = [i for i, p in enumerate(placed) if p.tile.startswith("castle-")]
    if len(castles) != 1:
        raise InvalidTerritory(
            f"A territory has exactly one castle tile; this has {len(castles)}.",
            index=castles[1] if castles else 0,
        )
    if placed[castles[0]][1:] != (0, 0, 0):
        raise InvalidTerritory("The castle lies at (0, 0) with rotation 0.", index=castles[0])
    return castles[0]


def _cells_checked(tiles: TileSet, placed: tuple[Place, ...]) -> dict[int, int]:
    """Return, by cell, the index in `placed` of the tile on it."""
    cells: dict[int, int] = {}
    seen: set[str] = set()
    for index, (tile, x, y, rotation) in enumerate(placed):
        if tile not in tiles.by_id:
            raise InvalidTerritory(f"There is no tile {tile!r}.", index=index)
        if rotation not in ROTATIONS:
            raise InvalidTerritory(f"A rotation is 0, 90, 180 or 270, not {rotation}.", index=index)
        if tile in seen:
            raise InvalidTerritory(f"There is only one tile {tile}.", index=index)
        if abs(x) > LIMIT or abs(y) > LIMIT:
            raise InvalidTerritory(f"({x}, {y}) is out of reach of the castle.", index=index)
        cell = cell_at(x, y)
        if cell in cells:
            raise InvalidTerritory(
                f"{placed[cells[cell]].tile} and {tile} both lie on ({x}, {y}).", index=index
            )
        seen.add(tile)
        cells[cell] = index
    return cells


def _check_edges(tiles: TileSet, placed: tuple[Place, ...], cells: dict[int, int]) -> None:
    for cell, index in cells.items():
        edges = tiles.rotated[placed[index].tile, placed[index].rotation].edges
        for side, step in enumerate(STEPS):
            other = cells.get(cell + step)
            if other is None:
                continue
            facing = tiles.rotated[placed[other].tile, placed[other].rotation].edges[OPPOSITE[side]]
            if facing != edges[side]:
                raise InvalidTerritory(
                    f"{placed[index].tile} shows {edges[side].label} at its {SIDE_NAMES[side]}, "
                    f"{placed[other].tile} beside it {facing.label}.",
                    index=max(index, other),
                )


def _check_connected(placed: tuple[Place, ...], cells: dict[int, int]) -> None:
    reached = {cell_at(0, 0)}
    border = [cell_at(0, 0)]
    while border:
        cell = border.pop()
        for step in STEPS:
            if cell + step in cells and cell + step not in reached:
                reached.add(cell + step)
                border.append(cell + step)
    for cell, index in cells.items():
        if cell not in reached:
            raise InvalidTerritory(f"{placed[index].tile} is not joined to the castle by tiles.", index=index)
