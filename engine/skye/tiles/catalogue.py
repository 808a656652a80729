"""The catalogue of the 78 tiles: their regions and roads, in every rotation.

The module computes everything once, at import, from the data file `tiles.txt`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import IntEnum
from importlib import resources
from itertools import product
from typing import Any, Final, cast

from skye.lookup import named
from skye.tiles.geometry import OPPOSITE, ROTATIONS, SIDES, turned


class Terrain(IntEnum):
    """The terrain of an edge; 0 means "no neighbour" in edge constraints."""

    PASTURE = 1
    MOUNTAIN = 2
    WATER = 3

    @property
    def label(self) -> str:
        """The name in the interface: `pasture`, `mountain` or `water`."""
        return self.name.lower()


# Ten times as fast as looking up the member of the class.
MOUNTAIN: Final = Terrain.MOUNTAIN
WATER: Final = Terrain.WATER

OBJECTS: Final = ("whisky", "sheep", "cattle", "farm", "broch", "ship", "lighthouse")
WHISKY, SHEEP, CATTLE, FARM, BROCH, SHIP, LIGHTHOUSE = range(len(OBJECTS))
COLORS: Final = ("red", "blue", "yellow", "white", "green")


class _PickledByFields:
    """A data class that is pickled by its fields, also where mypyc has compiled it."""

    __slots__ = ()

    def __reduce__(self) -> tuple[type[_PickledByFields], tuple[Any, ...]]:
        values = [getattr(self, field.name) for field in fields(cast("Any", self))]
        return type(self), tuple(values)


@dataclass(frozen=True, slots=True)
class Tile(_PickledByFields):
    """A tile in reference orientation.

    :param id: the id, such as `L07` or `castle-red`.
    :param edges: the terrains at north, east, south and west.
    :param center: the terrain in the middle.
    :param roads: for each road, the sides that it joins.
    :param counts: the number of each of `OBJECTS` on the tile.
    :param scroll: the kind of its scroll, or None.
    """

    id: str
    edges: tuple[Terrain, Terrain, Terrain, Terrain]
    center: Terrain
    roads: tuple[tuple[int, ...], ...]
    counts: tuple[int, ...]
    scroll: str | None

    def count(self, thing: str) -> int:
        """Return the number of objects of a kind, one of `OBJECTS`, on the tile.

        >>> TILES["L01"].count("sheep")
        0

        :raises ValueError: when there is no such kind.
        """
        return named("object", thing, dict(zip(OBJECTS, self.counts, strict=True)))

    @property
    def is_castle(self) -> bool:
        """Whether this is one of the five castle tiles."""
        return self.id.startswith("castle-")


@dataclass(frozen=True, slots=True)
class Region(_PickledByFields):
    """A connected region of one terrain inside one tile.

    Brochs stand in mountain, ships in water (R1); a lighthouse is adjacent to every water region of its
    tile (R2); a scroll lies in the region of the tile's middle (R3).

    :param terrain: the terrain.
    :param sides: the sides of the tile that the region reaches.
    :param brochs: the number of brochs.
    :param ships: the number of ships.
    :param lighthouses: the number of adjacent lighthouses.
    :param scroll: the kind of the scroll, or None.
    :param center: whether the region includes the middle of the tile.
    """

    terrain: Terrain
    sides: tuple[int, ...]
    brochs: int = 0
    ships: int = 0
    lighthouses: int = 0
    scroll: str | None = None
    center: bool = False


@dataclass(frozen=True, slots=True)
class RotatedTile(_PickledByFields):
    """A tile turned by `rotation`, with its edges, regions and roads in that orientation.

    :param tile: the tile.
    :param rotation: clockwise degrees.
    :param edges: the terrains at north, east, south and west.
    :param regions: the regions, in the same order for every rotation.
    :param region_at: by side, the index in `regions` of the region there.
    :param roads: for each road, the sides that it joins.
    :param road_at: by side, the index in `roads` of the road that leaves there, or -1.
    :param constraints: by side, the edge constraint on an empty neighbour there (see `FITTING_ROTATIONS`).
    """

    tile: Tile
    rotation: int
    edges: tuple[Terrain, ...]
    regions: tuple[Region, ...]
    region_at: tuple[int, ...]
    roads: tuple[tuple[int, ...], ...]
    road_at: tuple[int, ...]
    constraints: tuple[int, ...]

    def __repr__(self) -> str:
        return f"<RotatedTile {self.tile.id}/{self.rotation}>"


def _parse(line: str) -> Tile:
    terrains = {"P": Terrain.PASTURE, "M": Terrain.MOUNTAIN, "W": Terrain.WATER}
    tile_id, ground, roads, *objects = line.split()
    north, east, south, west = (terrains[letter] for letter in ground[:4])
    scroll = None
    counts = dict.fromkeys(OBJECTS, 0)
    for word in objects:
        if word.startswith("scroll:"):
            scroll = word.removeprefix("scroll:")
        else:
            thing, _, number = word.partition("*")
            counts[thing] = int(number or 1)
    return Tile(
        tile_id,
        (north, east, south, west),
        terrains[ground[5]],
        tuple(tuple("NESW".index(side) for side in road) for road in roads.split(",") if road != "-"),
        tuple(counts.values()),
        scroll,
    )


def _read() -> Iterator[Tile]:
    for line in (resources.files("skye.tiles") / "tiles.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield _parse(line)


def _regions(tile: Tile) -> tuple[Region, ...]:
    """Join edges that share a corner, and edges with the middle, where the terrain is the same."""
    terrains = (*tile.edges, tile.center)
    group = [0, 1, 2, 3, 4]
    for a, b in ((0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4), (2, 4), (3, 4)):
        if terrains[a] == terrains[b]:
            group = [group[a] if g == group[b] else g for g in group]
    members = [[part for part in range(5) if group[part] == g] for g in sorted(set(group), key=group.index)]
    water_regions = sum(terrains[parts[0]] is Terrain.WATER for parts in members)
    return tuple(_region(tile, terrains[parts[0]], parts, water_regions) for parts in members)


def _region(tile: Tile, terrain: Terrain, parts: list[int], water_regions: int) -> Region:
    """Return the region that consists of some parts: 0 to 3 are the sides, 4 is the middle."""
    water = terrain is Terrain.WATER
    return Region(
        terrain,
        tuple(part for part in parts if part < 4),
        brochs=tile.count("broch") if terrain is Terrain.MOUNTAIN else 0,
        ships=tile.count("ship") // water_regions if water else 0,
        lighthouses=tile.count("lighthouse") if water else 0,
        scroll=tile.scroll if 4 in parts else None,
        center=4 in parts,
    )


def _rotated_tile(tile: Tile, rotation: int) -> RotatedTile:
    regions = tuple(
        Region(
            region.terrain,
            tuple(turned(side, rotation) for side in region.sides),
            region.brochs,
            region.ships,
            region.lighthouses,
            region.scroll,
            region.center,
        )
        for region in _regions(tile)
    )
    roads = tuple(tuple(turned(side, rotation) for side in road) for road in tile.roads)
    edges = tuple(tile.edges[turned(side, -rotation)] for side in SIDES)
    return RotatedTile(
        tile,
        rotation,
        edges,
        regions,
        tuple(next(i for i, region in enumerate(regions) if side in region.sides) for side in SIDES),
        roads,
        tuple(next((i for i, road in enumerate(roads) if side in road), -1) for side in SIDES),
        tuple(edges[side] << 2 * OPPOSITE[side] for side in SIDES),
    )


def _fitting_rotations(tile_id: str) -> tuple[tuple[int, ...], ...]:
    """Return by constraint the rotations of a tile that satisfy it."""
    fits: list[tuple[int, ...]] = [()] * 256
    for rotation in ROTATIONS:
        edges = ROTATED_TILES[tile_id, rotation].edges
        for has_neighbor in product((False, True), repeat=4):
            constraint = sum(edges[side] << 2 * side for side in SIDES if has_neighbor[side])
            fits[constraint] += (rotation,)
    return tuple(fits)


TILES: Final[dict[str, Tile]] = {tile.id: tile for tile in _read()}
"""All tiles by id: the five castles, then L01 to L73."""

LANDSCAPE: Final = tuple(tile.id for tile in TILES.values() if not tile.is_castle)
"""The ids of the 73 landscape tiles, in order."""

ROTATED_TILES: Final[dict[tuple[str, int], RotatedTile]] = {
    (tile.id, rotation): _rotated_tile(tile, rotation) for tile in TILES.values() for rotation in ROTATIONS
}
"""Every tile in every rotation, by (id, clockwise degrees)."""

FITTING_ROTATIONS: Final[dict[str, tuple[tuple[int, ...], ...]]] = {
    tile_id: _fitting_rotations(tile_id) for tile_id in LANDSCAPE
}
"""By landscape tile and edge constraint: the rotations in which the tile satisfies the constraint.

An edge constraint has two bits for each side of a cell, north lowest: 0 for no neighbour, otherwise the
`Terrain` that the neighbour shows.
"""
