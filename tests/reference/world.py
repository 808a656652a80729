"""A territory as one grid of squares, 3 by 3 for each tile; a flood fill finds its areas and roads."""

from __future__ import annotations

from typing import NamedTuple

from tests.reference.catalogue import BLANK, CATALOGUE, ROAD, Picture, Tile, turn

Spot = tuple[int, int]
World = dict[Spot, tuple[str, int]]
"""The position and rotation of each tile."""

TERRAINS = {"P": "pasture", "M": "mountain", "W": "water"}


class Area(NamedTuple):
    """One connected area of one terrain in a territory."""

    terrain: str
    spots: frozenset[Spot]
    completed: bool
    brochs: int
    ships: int
    lighthouses: int
    scrolls: tuple[tuple[str, Spot], ...]


def tile_at(world: World, spot: Spot) -> Tile:
    return CATALOGUE[world[spot][0]]


def neighbours(spot: Spot) -> list[Spot]:
    x, y = spot
    return [(x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)]


def flood_fill(squares: dict[Spot, str], start: Spot) -> set[Spot]:
    """Return the squares of the same colour that are connected with a square (flood fill)."""
    filled: set[Spot] = set()
    pending = [start]
    while pending:
        square = pending.pop()
        if square in filled:
            continue
        filled.add(square)
        pending += [near for near in neighbours(square) if squares.get(near) == squares[start]]
    return filled


def components(squares: dict[Spot, str]) -> list[set[Spot]]:
    """Return the connected components of the squares, without the blank ones."""
    found: list[set[Spot]] = []
    for square, colour in squares.items():
        if colour != BLANK and not any(square in component for component in found):
            found.append(flood_fill(squares, square))
    return found


def squares_of(picture: Picture, spot: Spot) -> dict[Spot, str]:
    x, y = spot
    return {(3 * x + i, 3 * y + j): picture[j][i] for j in range(3) for i in range(3)}


def ground_of(world: World) -> dict[Spot, str]:
    squares: dict[Spot, str] = {}
    for spot, (name, rotation) in world.items():
        squares |= squares_of(turn(CATALOGUE[name].ground, rotation), spot)
    return squares


def roads_of(world: World) -> dict[Spot, str]:
    squares: dict[Spot, str] = {}
    for spot, (name, rotation) in world.items():
        squares |= squares_of(turn(CATALOGUE[name].roads, rotation), spot)
    return squares


def spot_of(square: Spot) -> Spot:
    return square[0] // 3, square[1] // 3


def areas_of(world: World) -> list[Area]:
    ground = ground_of(world)
    return [area_of(world, ground, component) for component in components(ground)]


def area_of(world: World, ground: dict[Spot, str], component: set[Spot]) -> Area:
    terrain = ground[next(iter(component))]
    spots = frozenset(spot_of(square) for square in component)
    brochs = ships = lighthouses = 0
    scrolls: list[tuple[str, Spot]] = []
    for spot in spots:
        tile = tile_at(world, spot)
        if terrain == "M":
            brochs += tile.count("broch")
        if terrain == "W":
            ships += ships_in(world, spot, component)
            lighthouses += tile.count("lighthouse")
        middle = (3 * spot[0] + 1, 3 * spot[1] + 1)
        if tile.scroll and middle in component:
            scrolls.append((tile.scroll, spot))
    completed = all(near in ground for square in component for near in neighbours(square))
    return Area(TERRAINS[terrain], spots, completed, brochs, ships, lighthouses, tuple(sorted(scrolls)))


def ships_in(world: World, spot: Spot, component: set[Spot]) -> int:
    """Count the ships of one tile in a component: the waters of a tile share its ships equally (R1)."""
    name, rotation = world[spot]
    picture = squares_of(turn(CATALOGUE[name].ground, rotation), spot)
    waters = [water for water in components(picture) if picture[next(iter(water))] == "W"]
    return CATALOGUE[name].count("ship") // len(waters) * sum(water <= component for water in waters)


def connected_spots(world: World) -> set[Spot]:
    """Find the tiles joined to the castle at (0, 0) by road, the castle itself left out (R9)."""
    roads = roads_of(world)
    castle_roads = [
        square for square, colour in roads.items() if colour == ROAD and spot_of(square) == (0, 0)
    ]
    joined = set().union(*(flood_fill(roads, square) for square in castle_roads))
    return {spot_of(square) for square in joined} - {(0, 0)}


def fits(world: World, name: str, spot: Spot, rotation: int) -> bool:
    """Return whether a tile may be placed: on a free cell beside a tile, with matching edges."""
    if spot in world:
        return False
    around = [near for near in neighbours(spot) if near in world]
    if not around:
        return False
    ground = ground_of({near: world[near] for near in around})
    x, y = 3 * spot[0] + 1, 3 * spot[1] + 1
    own = squares_of(turn(CATALOGUE[name].ground, rotation), spot)
    edges = [
        ((x, y - 1), (x, y - 2)),
        ((x + 1, y), (x + 2, y)),
        ((x, y + 1), (x, y + 2)),
        ((x - 1, y), (x - 2, y)),
    ]
    return all(ground.get(theirs, own[ours]) == own[ours] for ours, theirs in edges)


def legal_places(world: World, name: str) -> set[tuple[int, int, int]]:
    """Try every cell in and around the territory, in every rotation."""
    xs = [x for x, _ in world]
    ys = [y for _, y in world]
    return {
        (x, y, rotation)
        for x in range(min(xs) - 1, max(xs) + 2)
        for y in range(min(ys) - 1, max(ys) + 2)
        for rotation in (0, 90, 180, 270)
        if fits(world, name, (x, y), rotation)
    }


def is_possible(tiles: list[tuple[str, int, int, int]]) -> bool:
    """Return whether a territory is legal; its tiles are given in any order as (tile, x, y, rotation)."""
    world = {(x, y): (name, rotation) for name, x, y, rotation in tiles}
    names = [name for name, _, _, _ in tiles]
    castles = [tile for tile in tiles if tile[0].startswith("castle")]
    if len(world) < len(tiles) or len(set(names)) < len(names):
        return False
    if len(castles) != 1 or castles[0][1:] != (0, 0, 0):
        return False
    if flood_fill(dict.fromkeys(world, "tile"), (0, 0)) != set(world):
        return False
    return all(
        len(world) == 1
        or fits({other: world[other] for other in world if other != spot}, name, spot, rotation)
        for spot, (name, rotation) in world.items()
    )


def total(world: World, thing: str) -> int:
    return sum(tile_at(world, spot).count(thing) for spot in world)
