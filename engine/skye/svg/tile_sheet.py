"""One picture of all tiles in all rotations, from which a page makes the picture of any tile."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from skye.rulesets import BASE, Ruleset
from skye.svg.art import Art, art_of, draw
from skye.svg.curves import HALF, SIZE
from skye.svg.layers import ground, texture
from skye.svg.objects import definitions, use
from skye.tiles import ROTATIONS


@cache
def tile_sheet_svg(ruleset: Ruleset = BASE) -> str:
    """Return one SVG with a `<view>` for each tile of a ruleset and rotation, such as `#L35-90`.

    The tiles are rows, the rotations columns. The ground of a tile is drawn once and turned; what stands on
    it stays upright, as in `tile_svg`. Each definition and each tile is a line that begins with its id, so
    that a program can take lines out without parsing XML.

    >>> tile_sheet_svg().count("<view ")
    312
    """
    tiles = ruleset.tiles.by_id
    turned = [(tile, rotation) for tile in tiles.values() for rotation in ROTATIONS]
    draw(turned)
    arts = {(tile.id, rotation): art_of(tile, rotation) for tile, rotation in turned}
    things = sorted({thing for art in arts.values() for thing, _, _ in art.things})
    width, height = SIZE * len(ROTATIONS), SIZE * len(tiles)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}"><title>All tiles of Isle of Skye</title><defs>'
    )
    grounds = (f'<g id="{tile}-ground">{ground(arts[tile, 0])}</g>' for tile in tiles)
    cells = (
        _cell(arts[tile, rotation], tile, row, rotation)
        for row, tile in enumerate(tiles)
        for rotation in ROTATIONS
    )
    lines = [head, *_definition_lines(things), *grounds, "</defs>", *cells, "</svg>"]
    return "\n".join(lines) + "\n"


def _cell(art: Art, tile: str, row: int, rotation: int) -> str:
    """Return one rotated tile, clipped at its edges, and the view that shows it alone."""
    x, y = rotation // 90 * SIZE, row * SIZE
    turn = f' transform="rotate({rotation})"' if rotation else ""
    return (
        f'<view id="{tile}-{rotation}" viewBox="{x} {y} {SIZE} {SIZE}"/>'
        f'<svg x="{x}" y="{y}" width="{SIZE}" height="{SIZE}" viewBox="-{HALF} -{HALF} {SIZE} {SIZE}">'
        f'<use href="#{tile}-ground"{turn}/>{texture(art)}'
        f"{''.join(use(thing, x, y, '') for thing, x, y in art.things)}</svg>"
    )


def _definition_lines(things: Iterable[str]) -> list[str]:
    """Return the definitions of things, one a line, each once."""
    text = "\n".join(definitions([thing], "").replace("><g id=", ">\n<g id=") for thing in things)
    return list(dict.fromkeys(text.split("\n")))
