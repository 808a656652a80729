"""Pictures: SVG of any tile in any rotation, and of any territory, drawn from the catalogue alone."""

from __future__ import annotations

from service.svg.sheet import territory_svg, tile_svg

__all__ = ["territory_svg", "tile_svg"]
