"""A tile: its regions and roads, in every rotation, and the line of a data file that describes it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any, Final, cast

from skye.lookup import named
from skye.tiles.geometry import OPPOSITE, SIDES, turned


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


class PickledByFields:
    """A data class that is pickled by its fields, also where mypyc has compiled it."""

    __slots__ = ()

    def __reduce__(self) -> tuple[type[PickledByFields], tuple[Any, ...]]:
        values = [getattr(self, field.name) for field in fields(cast("Any", self))]
        return type(self), tuple(values)


@dataclass(frozen=True, slots=True)
class Tile(PickledByFields):
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

        >>> parse_tile("L05 PPPM/W NE farm ship").count("sheep")
        0

        :raises ValueError: when there is no such kind.
        """
        return named("object", thing, dict(zip(OBJECTS, self.counts, strict=True)))

    @property
    def is_castle(self) -> bool:
        """Whether this is a castle tile."""
        return self.id.startswith("castle-")


@dataclass(frozen=True, slots=True)
class Region(PickledByFields):
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
class RotatedTile(PickledByFields):
    """A tile turned by `rotation`, with its edges, regions and roads in that orientation.

    :param tile: the tile.
    :param rotation: clockwise degrees.
    :param edges: the terrains at north, east, south and west.
    :param regions: the regions, in the same order for every rotation.
    :param region_at: by side, the index in `regions` of the region there.
    :param roads: for each road, the sides that it joins.
    :param road_at: by side, the index in `roads` of the road that leaves there, or -1.
    :param constraints: by side, the edge constraint on an empty neighbour there (see `TileSet`).
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


_LETTERS: Final = {"P": Terrain.PASTURE, "M": Terrain.MOUNTAIN, "W": Terrain.WATER}


def parse_tile(line: str) -> Tile:
    """Return the tile that a line of a data file describes: `L05 PPPM/W NE farm ship`.

    :raises ValueError: when the line has another format, or the tile breaks a ruling (R1, R2).
    """
    words = line.split()
    if len(words) < 3:
        raise ValueError("a tile is its id, its terrains such as PPPM/W, its roads or '-', and what it shows")
    tile_id, ground, roads, *things = words
    edges, slash, center = ground.partition("/")
    if len(edges) != 4 or slash != "/" or len(center) != 1 or not {*edges, *center} <= _LETTERS.keys():
        raise ValueError(f"{ground!r} is not of the form NESW/C with the letters P, M and W")
    scroll = None
    counts = dict.fromkeys(OBJECTS, 0)
    for word in things:
        if word.startswith("scroll:") and scroll is None:
            scroll = word.removeprefix("scroll:")
            named("object", scroll, counts)
        else:
            thing, times, number = word.partition("*")
            if named("object", thing, counts):
                raise ValueError(f"{thing} is given twice")
            if times and number not in {*"123456789"}:
                raise ValueError(f"{word!r} is not of the form {thing}*2")
            counts[thing] = int(number or 1)
    tile = Tile(
        tile_id,
        (_LETTERS[edges[0]], _LETTERS[edges[1]], _LETTERS[edges[2]], _LETTERS[edges[3]]),
        _LETTERS[center],
        _parse_roads(roads),
        tuple(counts.values()),
        scroll,
    )
    _check(tile)
    return tile


def tile_line(tile: Tile) -> str:
    """Return the line of a data file that describes a tile.

    >>> tile_line(parse_tile("L05  PPPM/W  NE  farm*1 ship"))
    'L05 PPPM/W NE farm ship'
    """
    edges, center = "".join([edge.name[0] for edge in tile.edges]), tile.center.name[0]
    roads = ",".join(["".join(["NESW"[side] for side in road]) for road in tile.roads])
    things = [
        thing if number == 1 else f"{thing}*{number}"
        for thing, number in zip(OBJECTS, tile.counts, strict=True)
        if number
    ]
    scroll = [f"scroll:{tile.scroll}"] if tile.scroll else []
    return " ".join([tile.id, f"{edges}/{center}", roads or "-", *things, *scroll])


def _parse_roads(text: str) -> tuple[tuple[int, ...], ...]:
    sides = [side for road in text.split(",") for side in road]
    if text == "-":
        return ()
    if not text or not {*sides} <= {*"NESW"} or len({*sides}) < len(sides) or "" in text.split(","):
        raise ValueError(f"{text!r} is neither '-' nor roads such as NW,ES, with each side once")
    return tuple(tuple("NESW".index(side) for side in road) for road in text.split(","))


def _check(tile: Tile) -> None:
    """Check that the objects of a tile lie in a region of their terrain (R1, R2)."""
    terrains = [region.terrain for region in _regions(tile)]
    if tile.count("broch") and terrains.count(Terrain.MOUNTAIN) != 1:
        raise ValueError("a broch stands in the only mountain region of its tile")
    lakes = terrains.count(Terrain.WATER)
    if tile.count("ship") and (not lakes or tile.count("ship") % lakes):
        raise ValueError("ships lie in water, the same number in each water region of their tile")
    if tile.count("lighthouse") and not lakes:
        raise ValueError("a lighthouse stands at the water of its tile")


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


def rotated_tile(tile: Tile, rotation: int) -> RotatedTile:
    """Return a tile turned clockwise by some degrees."""
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
