"""The tiles, in every rotation, and the geometry of the cells they lie on."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from skye.tiles import catalogue
from skye.tiles.catalogue import COLORS, LANDSCAPE, OBJECTS, Region, RotatedTile, Terrain, Tile
from skye.tiles.geometry import LIMIT, OPPOSITE, ROTATIONS, SIDE_NAMES, SIDES, cell_at, coordinates_of

TILES: Final[Mapping[str, Tile]] = MappingProxyType(catalogue.TILES)
"""All tiles by id: the five castles, then L01 to L73."""

ROTATED_TILES: Final[Mapping[tuple[str, int], RotatedTile]] = MappingProxyType(catalogue.ROTATED_TILES)
"""Every tile in every rotation, by (id, clockwise degrees)."""

__all__ = [
    "COLORS",
    "LANDSCAPE",
    "LIMIT",
    "OBJECTS",
    "OPPOSITE",
    "ROTATED_TILES",
    "ROTATIONS",
    "SIDES",
    "SIDE_NAMES",
    "TILES",
    "Region",
    "RotatedTile",
    "Terrain",
    "Tile",
    "cell_at",
    "coordinates_of",
]
