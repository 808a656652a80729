"""The tiles, in every rotation, and the geometry of the cells they lie on."""

from skye.tiles.catalogue import (
    COLORS,
    LANDSCAPE,
    OBJECTS,
    ROTATED_TILES,
    TILES,
    Region,
    RotatedTile,
    Terrain,
    Tile,
)
from skye.tiles.geometry import (
    LIMIT,
    OPPOSITE,
    ROTATIONS,
    SIDE_NAMES,
    SIDES,
    cell_at,
    coordinates_of,
)

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
