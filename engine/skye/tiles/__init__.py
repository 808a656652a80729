"""Tiles in every rotation, and the geometry of the cells they lie on."""

from skye.tiles.geometry import LIMIT, OPPOSITE, ROTATIONS, SIDE_NAMES, SIDES, cell_at, coordinates_of
from skye.tiles.tile import OBJECTS, Region, RotatedTile, Terrain, Tile
from skye.tiles.tile_set import TileSet

__all__ = [
    "LIMIT",
    "OBJECTS",
    "OPPOSITE",
    "ROTATIONS",
    "SIDES",
    "SIDE_NAMES",
    "Region",
    "RotatedTile",
    "Terrain",
    "Tile",
    "TileSet",
    "cell_at",
    "coordinates_of",
]
