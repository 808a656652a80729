"""A territory: placed tiles, the areas and roads that they form, and the places for further tiles."""

from skye.territory.areas import Area
from skye.territory.summary import TerritorySummary
from skye.territory.territory import Territory, castle_alone
from skye.tiles.tile_set import Place

__all__ = ["Area", "Place", "Territory", "TerritorySummary", "castle_alone"]
