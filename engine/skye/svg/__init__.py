"""Pictures: SVG of any tile in any rotation, and of any territory, drawn from the data of the tiles alone."""

from __future__ import annotations

from skye.svg.scoring import scoring_tile_svg
from skye.svg.sheet import territory_svg, tile_svg
from skye.svg.tile_sheet import tile_sheet_svg

__all__ = ["scoring_tile_svg", "territory_svg", "tile_sheet_svg", "tile_svg"]
