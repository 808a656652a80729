"""The catalogue: 78 tiles, their areas and roads, and what each looks like when turned.

The module computes everything once, at import, from the data file `tiles.txt`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from importlib import resources
from itertools import product
from typing import Final

from skye.geometry import OPPOSITE, ROTATIONS, SIDES, turned


class Terrain(IntEnum):
    """The terrain of an edge; 0 is reserved for "no demand" in neighbour codes."""

    PASTURE = 1
    MOUNTAIN = 2
    WATER = 3

    @property
    def label(self) -> str:
        """The name in the interface: `pasture`, `mountain` or `water`."""
        return self.name.lower()


# Looking a member up in its class takes ten times as long as this.
MOUNTAIN: Final = Terrain.MOUNTAIN
WATER: Final = Terrain.WATER

OBJECTS: Final = ("whisky", "sheep", "cattle", "farm", "broch", "ship", "lighthouse")
WHISKY, SHEEP, CATTLE, FARM, BROCH, SHIP, LIGHTHOUSE = range(len(OBJECTS))
COLORS: Final = ("red", "blue", "yellow", "white", "green")


@dataclass(frozen=True, slots=True)
class Tile:
    """One tile in reference orientation.

    `edges` are the terrains at north, east, south, west; `roads` lists for each road the sides it joins;
    `counts` has one number for each of `OBJECTS`; `scroll` is the kind of scroll, if the tile has one.
    """

    id: str
    edges: tuple[Terrain, Terrain, Terrain, Terrain]
    center: Terrain
    roads: tuple[tuple[int, ...], ...]
    counts: tuple[int, ...]
    scroll: str | None

    def count(self, thing: str) -> int:
        """Return how many of one of `OBJECTS` the tile shows."""
        return self.counts[OBJECTS.index(thing)]

    @property
    def is_castle(self) -> bool:
        """Whether this is one of the five castle tiles."""
        return self.id.startswith("castle-")


@dataclass(frozen=True, slots=True)
class Region:
    """One area inside one tile: its terrain, the sides it reaches, and its objects.

    `center` says whether the middle of the tile belongs to it.

    Brochs stand in mountain, ships in water (R1); a lighthouse is adjacent to every water region of its
    tile (R2); a scroll lies in the region of the tile's middle (R3).
    """

    terrain: Terrain
    sides: tuple[int, ...]
    brochs: int = 0
    ships: int = 0
    lighthouses: int = 0
    scroll: str | None = None
    center: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """A tile turned by `rotation`: its edges, regions and roads as they then lie.

    `region_at[side]` is the index in `regions` of the region at that side; `road_at[side]` the index in
    `roads` of the road that leaves there, or -1. `demands[side]` is what the tile demands of an empty
    neighbour on that side (see `FITS`).
    """

    tile: Tile
    rotation: int
    edges: tuple[Terrain, ...]
    regions: tuple[Region, ...]
    region_at: tuple[int, ...]
    roads: tuple[tuple[int, ...], ...]
    road_at: tuple[int, ...]
    demands: tuple[int, ...]


def _parse(line: str) -> Tile:
    terrains = {"P": Terrain.PASTURE, "M": Terrain.MOUNTAIN, "W": Terrain.WATER}
    tile_id, ground, roads, *shows = line.split()
    north, east, south, west = (terrains[letter] for letter in ground[:4])
    scroll = None
    counts = dict.fromkeys(OBJECTS, 0)
    for word in shows:
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
    for line in (resources.files("skye") / "tiles.txt").read_text(encoding="utf-8").splitlines():
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
    waters = sum(terrains[parts[0]] is Terrain.WATER for parts in members)
    return tuple(_region(tile, terrains[parts[0]], parts, waters) for parts in members)


def _region(tile: Tile, terrain: Terrain, parts: list[int], waters: int) -> Region:
    water = terrain is Terrain.WATER
    return Region(
        terrain,
        tuple(part for part in parts if part < 4),
        brochs=tile.count("broch") if terrain is Terrain.MOUNTAIN else 0,
        ships=tile.count("ship") // waters if water else 0,
        lighthouses=tile.count("lighthouse") if water else 0,
        scroll=tile.scroll if 4 in parts else None,
        center=4 in parts,
    )


def _form(tile: Tile, rotation: int) -> Form:
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
    return Form(
        tile,
        rotation,
        edges,
        regions,
        tuple(next(i for i, region in enumerate(regions) if side in region.sides) for side in SIDES),
        roads,
        tuple(next((i for i, road in enumerate(roads) if side in road), -1) for side in SIDES),
        tuple(edges[side] << 2 * OPPOSITE[side] for side in SIDES),
    )


def _fits(tile_id: str) -> tuple[tuple[int, ...], ...]:
    """Return for each demand, one for every choice of sides, the rotations of a tile that satisfy it."""
    fits: list[tuple[int, ...]] = [()] * 256
    for rotation in ROTATIONS:
        edges = FORMS[tile_id, rotation].edges
        for asked in product((False, True), repeat=4):
            demand = sum(edges[side] << 2 * side for side in SIDES if asked[side])
            fits[demand] += (rotation,)
    return tuple(fits)


TILES: Final[dict[str, Tile]] = {tile.id: tile for tile in _read()}
"""All tiles by id: the five castles, then L01 to L73."""

LANDSCAPE: Final = tuple(tile.id for tile in TILES.values() if not tile.is_castle)
"""The ids of the 73 landscape tiles, in order."""

FORMS: Final[dict[tuple[str, int], Form]] = {
    (tile.id, rotation): _form(tile, rotation) for tile in TILES.values() for rotation in ROTATIONS
}
"""Every tile in every rotation, by (id, clockwise degrees)."""

FITS: Final[dict[str, tuple[tuple[int, ...], ...]]] = {tile_id: _fits(tile_id) for tile_id in LANDSCAPE}
"""For each landscape tile and each demand of a cell's neighbours, the rotations that satisfy it.

A demand has two bits for each side, north lowest: 0 for an empty neighbour, else the `Terrain` it shows.
"""
