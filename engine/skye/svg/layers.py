"""The layers of a picture, from the water upward: one path for each, across all its tiles."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Final, NamedTuple

from skye.svg.art import Art
from skye.svg.curves import HALF, SIZE
from skye.svg.objects import INK, definitions, use

PASTURE: Final = "#b4d67a"
_TUFT: Final = "#86b04f"
MOUNTAIN: Final = "#bfb1a0"
_RIDGE: Final = "#7b6c55"
WATER: Final = "#6fb3dc"
_SHALLOW: Final = "#9fd2ec"
_WAVE: Final = "#b5dff2"
GOLD: Final = "#f5b700"

# Lines on lines: the color and the width of each.
ROADS: Final = (("#8f734f", 28), ("#f8ecd2", 19))
_COAST: Final = ((_RIDGE, 12), ("#f3e6b8", 8))
_RIMS: Final = ((_RIDGE, 14), (GOLD, 9))


class PlacedArt(NamedTuple):
    """The art of a tile, the position of its middle, and its completed regions."""

    art: Art
    x: int
    y: int
    completed: Collection[int] = ()


def picture(tiles: Sequence[PlacedArt], prefix: str) -> str:
    """Return the SVG of tiles that lie side by side; `prefix` begins every id."""
    things = [(thing, t.x + x, t.y + y) for t in tiles for thing, x, y in t.art.things]
    return "".join(
        (
            "<defs>",
            definitions({thing for thing, _, _ in things}, prefix),
            *_shared(tiles, prefix),
            "</defs>",
            f'<use href="#{prefix}tiles" stroke="{INK}" stroke-width="14" stroke-linejoin="round"/>',
            f'<g clip-path="url(#{prefix}clip)" fill="none" stroke-linecap="round" stroke-linejoin="round">',
            *_ground(tiles, prefix),
            *_lines(prefix, "rims", _RIMS),
            f'<use href="#{prefix}tiles" stroke="{INK}" stroke-width="3" stroke-opacity=".3"/>',
            '<g stroke-linecap="butt">',
            *_lines(prefix, "roads", ROADS),
            "</g></g>",
            *(use(thing, x, y, prefix) for thing, x, y in things),
        )
    )


def ground(art: Art) -> str:
    """Return the ground and roads of one tile around (0, 0), without texture."""
    return "".join(
        (
            f'<path d="M-{HALF},-{HALF}h{SIZE}v{SIZE}h-{SIZE}z" fill="{WATER}"/>',
            f'<g fill="none" stroke-linecap="round" stroke-linejoin="round"><path d="M0,0{art.coast}" ',
            f'stroke="{_SHALLOW}" stroke-width="46"/></g>',
            f'<path d="M0,0{art.pasture}" fill="{PASTURE}"/><path d="M0,0{art.mountain}" fill="{MOUNTAIN}"/>',
            '<g fill="none" stroke-linecap="round" stroke-linejoin="round">',
            f'<path d="M0,0{art.ridge}" stroke="{_RIDGE}" stroke-width="5"/>',
            *(
                f'<path d="M0,0{art.coast}" stroke="{color}" stroke-width="{width}"/>'
                for color, width in _COAST
            ),
            "</g>",
            *(
                f'<path d="M0,0{art.roads}" fill="none" stroke="{color}" stroke-width="{width}"/>'
                for color, width in ROADS
            ),
        )
    )


def texture(art: Art) -> str:
    """Return the waves and tufts of one tile around (0, 0)."""
    lines = ((art.waves, _WAVE, 5), (art.tufts, _TUFT, 4))
    return "".join(
        f'<path d="M0,0{path}" fill="none" stroke="{color}" stroke-width="{width}" stroke-linecap="round"/>'
        for path, color, width in lines
        if path
    )


def _shared(tiles: Sequence[PlacedArt], prefix: str) -> Iterator[str]:
    """Define the shapes that are drawn more than once."""
    squares = "".join(f"M{t.x - HALF},{t.y - HALF}h{SIZE}v{SIZE}h-{SIZE}z" for t in tiles)
    rims = _pieces((t, t.art.rims[region]) for t in tiles for region in t.completed)
    yield f'<path id="{prefix}tiles" d="{squares}"/>'
    yield f'<path id="{prefix}coast" d="{_layer(tiles, "coast")}"/>'
    yield f'<path id="{prefix}roads" d="{_layer(tiles, "roads")}"/>'
    yield f'<path id="{prefix}rims" d="{rims}"/>'
    yield f'<clipPath id="{prefix}clip"><use href="#{prefix}tiles"/></clipPath>'
    yield f'<pattern id="{prefix}gold" width="50" height="50" patternUnits="userSpaceOnUse">'
    yield f'<path d="M0,0h50v50h-50z" fill="{GOLD}" fill-opacity=".1"/>'
    yield f'<path d="M12,6l3,6l-3,6l-3,-6zM37,31l3,6l-3,6l-3,-6z" fill="{GOLD}"/></pattern>'


def _ground(tiles: Sequence[PlacedArt], prefix: str) -> Iterator[str]:
    """Draw the terrain. Land covers the landward half of the shallows, which are drawn before it."""
    completed = _pieces((t, t.art.outlines[region]) for t in tiles for region in t.completed)
    yield f'<use href="#{prefix}tiles" fill="{WATER}"/>'
    yield from _lines(prefix, "coast", [(_SHALLOW, 46)])
    yield f'<path d="{_layer(tiles, "pasture")}" fill="{PASTURE}"/>'
    yield f'<path d="{_layer(tiles, "mountain")}" fill="{MOUNTAIN}"/>'
    yield f'<path d="{completed}" fill="url(#{prefix}gold)"/>'
    yield f'<path d="{_layer(tiles, "waves")}" stroke="{_WAVE}" stroke-width="5"/>'
    yield f'<path d="{_layer(tiles, "tufts")}" stroke="{_TUFT}" stroke-width="4"/>'
    yield f'<path d="{_layer(tiles, "ridge")}" stroke="{_RIDGE}" stroke-width="5"/>'
    yield from _lines(prefix, "coast", _COAST)


def _lines(prefix: str, layer: str, lines: Iterable[tuple[str, int]]) -> Iterator[str]:
    for color, width in lines:
        yield f'<use href="#{prefix}{layer}" stroke="{color}" stroke-width="{width}"/>'


def _layer(tiles: Sequence[PlacedArt], layer: str) -> str:
    piece = attrgetter(layer)
    return _pieces((t, piece(t.art)) for t in tiles)


def _pieces(pieces: Iterable[tuple[PlacedArt, str]]) -> str:
    return "".join(f"M{tile.x},{tile.y}{piece}" for tile, piece in pieces if piece)
