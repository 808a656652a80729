"""The tiles of one ruleset in every rotation, and the placements in which they fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from types import MappingProxyType
from typing import Final, NamedTuple

from skye.lookup import named
from skye.tiles.geometry import ROTATIONS, SIDES, coordinates_of
from skye.tiles.tile import RotatedTile, Tile, rotated_tile

_CASTLE: Final = "castle-"
_MAX_CELLS: Final = 512
"""The maximum number of cached cells for a tile; the cache is cleared when it is full."""


class Place(NamedTuple):
    """A placement of a tile: also the move that places it.

    :param tile: the id of the tile.
    :param x: columns east of the castle.
    :param y: rows south of the castle.
    :param rotation: clockwise degrees: 0, 90, 180 or 270.
    """

    tile: str
    x: int
    y: int
    rotation: int

    def __str__(self) -> str:
        return f"{self.tile}@{self.x},{self.y}" + (f"/{self.rotation}" if self.rotation else "")


class PlacesByCell(dict[int, tuple[Place, ...]]):
    """A cache of the placements of one tile in some rotations, by cell; missing cells are computed."""

    def __init__(self, tile: str, rotations: tuple[int, ...]) -> None:
        super().__init__()
        self._tile = tile
        self._rotations = rotations

    def __missing__(self, cell: int) -> tuple[Place, ...]:
        if len(self) == _MAX_CELLS:
            self.clear()
        x, y = coordinates_of(cell)
        places = tuple([Place(self._tile, x, y, rotation) for rotation in self._rotations])
        self[cell] = places
        return places


class TileSet:
    """The tiles of a ruleset. It never changes.

    An edge constraint has two bits for each side of a cell, north lowest: 0 for no neighbour, otherwise the
    `Terrain` that the neighbour shows.

    :param tiles: the castles, then the landscape tiles.
    """

    __slots__ = ("_full_bag", "by_id", "colors", "fitting_rotations", "landscape", "places", "rotated")

    by_id: Mapping[str, Tile]
    """All tiles by id."""

    colors: tuple[str, ...]
    """The colours of the castles."""

    landscape: tuple[str, ...]
    """The ids of the landscape tiles, sorted."""

    rotated: Mapping[tuple[str, int], RotatedTile]
    """Every tile in every rotation, by (id, clockwise degrees)."""

    fitting_rotations: Mapping[str, tuple[tuple[int, ...], ...]]
    """By landscape tile and edge constraint: the rotations in which the tile satisfies the constraint."""

    places: Mapping[str, tuple[PlacesByCell | None, ...]]
    """By landscape tile and edge constraint: the legal placements by cell; None where no rotation fits."""

    _full_bag: dict[str, None]
    """The landscape tiles as keys: copying a dictionary takes a third of the time of creating it."""

    def __init__(self, tiles: Iterable[Tile]) -> None:
        self.by_id = MappingProxyType({tile.id: tile for tile in tiles})
        castles = [tile.id for tile in self.by_id.values() if tile.is_castle]
        self.colors = tuple([castle.removeprefix(_CASTLE) for castle in castles])
        self.landscape = tuple(sorted(self.by_id.keys() - {*castles}))
        self._full_bag = dict.fromkeys(self.landscape)
        rotated = {
            (tile.id, rotation): rotated_tile(tile, rotation)
            for tile in self.by_id.values()
            for rotation in ROTATIONS
        }
        self.rotated = MappingProxyType(rotated)
        fitting = {tile: self._fitting_rotations(tile) for tile in self.landscape}
        self.fitting_rotations = MappingProxyType(fitting)
        self.places = MappingProxyType({tile: self._places(tile) for tile in self.landscape})

    def __copy__(self) -> TileSet:
        return self

    def __deepcopy__(self, _memo: dict[int, object]) -> TileSet:
        return self

    def __reduce__(self) -> tuple[type[TileSet], tuple[tuple[Tile, ...]]]:
        return TileSet, (tuple(self.by_id.values()),)

    def tile(self, tile_id: str) -> Tile:
        """Return the tile with an id.

        :raises ValueError: when there is no such tile.
        """
        return named("tile", tile_id, self.by_id)

    def _fitting_rotations(self, tile: str) -> tuple[tuple[int, ...], ...]:
        fits: list[tuple[int, ...]] = [()] * 256
        for rotation in ROTATIONS:
            edges = self.rotated[tile, rotation].edges
            for has_neighbor in product((False, True), repeat=4):
                constraint = sum(edges[side] << 2 * side for side in SIDES if has_neighbor[side])
                fits[constraint] += (rotation,)
        return tuple(fits)

    def _places(self, tile: str) -> tuple[PlacesByCell | None, ...]:
        fits = self.fitting_rotations[tile]
        by_rotations = {rotations: PlacesByCell(tile, rotations) for rotations in fits if rotations}
        return tuple([by_rotations.get(rotations) for rotations in fits])


DEFAULT_RULESET: Final = "base"
"""The id of the ruleset of a game or territory that names none."""

TILE_SETS: Final[dict[str, TileSet]] = {}
"""The tiles of each ruleset, by its id; `skye.rulesets.register` adds them."""
