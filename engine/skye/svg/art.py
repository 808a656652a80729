"""The art of one tile in one rotation, computed once: path data for each layer of a drawing.

All path data is relative to the middle of the tile. So a drawing of many tiles concatenates the pieces of a
layer to one path, without gaps between tiles.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final

from skye.bots.cooperative_yield import checkpoint
from skye.svg.curves import Curve, joined, path, quarter, turned
from skye.svg.layout import Layout, layout_of
from skye.svg.roads import roads_of
from skye.svg.terrain import Border, Ground, ground_of
from skye.tiles.tile import Terrain, Tile, rotated_tile

_Glyph = tuple[tuple[int, int], str, tuple[int, int]]
"""Where a small glyph begins, its strokes, and where it ends."""

_TUFT: Final[_Glyph] = ((-9, -3), "l5,7l4,-12l4,12l5,-7", (9, -3))
_WAVE: Final[_Glyph] = ((-22, 0), "q11,-10 22,0t22,0", (22, 0))


@dataclass(frozen=True, slots=True)
class Art:
    """The layers of one tile in one rotation.

    `outlines` and `rims` (the borders around them) are in the order of `RotatedTile.regions`. `things` are
    the upright objects and peaks with their positions, the northernmost first.
    """

    pasture: str
    mountain: str
    coast: str
    ridge: str
    roads: str
    tufts: str
    waves: str
    outlines: tuple[str, ...]
    rims: tuple[str, ...]
    things: tuple[tuple[str, int, int], ...]


def draw(tiles: Iterable[tuple[Tile, int]]) -> None:
    """Draw tiles, with a checkpoint after each: `art_of` takes 4 ms for each the first time.

    :param tiles: the tiles with their rotations.
    """
    for tile, rotation in tiles:
        art_of(tile, rotation)
        checkpoint()


@cache
def art_of(tile: Tile, rotation: int) -> Art:
    """Return the art of a tile turned clockwise by `rotation` degrees."""
    ground, roads, layout = plan_of(tile)
    regions = rotated_tile(tile, 0).regions
    outlines = [turned(outline, rotation) for outline in ground.outlines]
    borders = [Border(turned(curve, rotation), sides) for curve, sides in ground.borders]
    shores = [
        border for border in borders if any(regions[i].terrain is Terrain.WATER for i in border.regions)
    ]
    factor = quarter(rotation)

    def land(terrain: Terrain) -> str:
        shapes = zip(regions, outlines, strict=True)
        return path((outline for region, outline in shapes if region.terrain is terrain), closed=True)

    return Art(
        pasture=land(Terrain.PASTURE),
        mountain=land(Terrain.MOUNTAIN),
        coast=path(shore.curve for shore in shores),
        ridge=path(border.curve for border in borders if border not in shores),
        roads=path(turned(road, rotation) for road in roads),
        tufts=_scattered(_TUFT, [point * factor for point in layout.texture[Terrain.PASTURE]]),
        waves=_scattered(_WAVE, [point * factor for point in layout.texture[Terrain.WATER]]),
        outlines=tuple(path([outline], closed=True) for outline in outlines),
        rims=tuple(path(b.curve for b in borders if i in b.regions) for i in range(len(regions))),
        things=_upright(layout, factor),
    )


@cache
def plan_of(tile: Tile) -> tuple[Ground, tuple[Curve, ...], Layout]:
    """Return the ground, roads and layout of a tile in reference orientation."""
    rotated = rotated_tile(tile, 0)
    ground, roads = ground_of(rotated), roads_of(rotated)
    return ground, roads, layout_of(rotated, ground, roads)


def _upright(layout: Layout, factor: complex) -> tuple[tuple[str, int, int], ...]:
    """Return peaks and objects at their positions, from the north edge to the south."""
    peaks = [("peak", point * factor) for point in layout.texture[Terrain.MOUNTAIN]]
    objects = [(thing, point * factor) for thing, point in layout.spots]
    placed = [(thing, round(at.real), round(at.imag)) for thing, at in (*peaks, *objects)]
    return tuple(sorted(placed, key=lambda thing: (thing[2], thing[1])))


def _scattered(glyph: _Glyph, points: Iterable[complex]) -> str:
    """Return path data that draws a small glyph, upright, at each point."""
    (left, top), strokes, (right, bottom) = glyph
    words = []
    here = 0j
    for point in points:
        step = point + complex(left, top) - here
        words.append(f"m{joined([step])}{strokes}")
        here = point + complex(right, bottom)
    return "".join(words)
