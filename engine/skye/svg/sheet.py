"""The finished pictures: tiles put together, with title, description and coordinates."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2s
from typing import Final, NamedTuple
from xml.sax.saxutils import escape  # nosec B406 # it writes XML and reads none

from skye import Territory
from skye.rulesets import BASE, Ruleset
from skye.svg.art import art_of, draw
from skye.svg.curves import HALF, SIZE
from skye.svg.layers import PlacedArt, picture
from skye.territory import TerritorySummary
from skye.tiles import OBJECTS, RotatedTile, cell_at
from skye.tiles.tile_set import DEFAULT_RULESET

_TILE_PIXELS: Final = 240
_TERRITORY_PIXELS: Final = 120
"""The natural width of a tile, alone and in a territory; a page may scale it."""
_MARGIN: Final = 40
_HEADING: Final = 110
_RULER: Final = 70
_JOINERS = "\u200c\u200d"
_LONGEST_TITLE: Final = 80
_FONT: Final = 'font-family="Georgia,serif" fill="#3a302a"'


class _Frame(NamedTuple):
    """The box of a picture, in units of which a tile has `SIZE`."""

    left: int
    top: int
    width: int
    height: int


def tile_svg(tile_id: str, rotation: int = 0, ruleset: Ruleset = BASE) -> str:
    """Return the picture of one tile of a ruleset, turned clockwise by `rotation` degrees.

    >>> tile_svg("L01", 90).startswith("<svg ")
    True

    :raises ValueError: when there is no such tile or rotation.
    """
    rotated = ruleset.tiles.rotated.get((tile_id, rotation))
    if rotated is None:
        raise ValueError(f"there is no tile {tile_id!r} with the rotation {rotation!r}")
    prefix = _prefix(f"{tile_id}/{rotation}", ruleset.id)
    turned = f", turned clockwise by {rotation} degrees" if rotation else ""
    return _document(
        _Frame(-HALF, -HALF, SIZE, SIZE),
        _TILE_PIXELS,
        prefix,
        (f"Tile {tile_id}", f"Isle of Skye tile {tile_id}{turned}. {_shown([rotated])}"),
        picture([PlacedArt(art_of(rotated.tile, rotation), 0, 0)], prefix),
    )


def territory_svg(territory: Territory, *, title: str | None = None, coordinates: bool = False) -> str:
    """Return the picture of a territory, with gold on its completed areas.

    `title` may be any text: it is escaped, and cut when very long. With `coordinates`, x is written along
    the top and y down the left.

    >>> from skye.territory import castle_alone
    >>> territory_svg(castle_alone("red"), title="Ada").startswith("<svg ")
    True
    """
    heading = _clean(title or "")
    by_id = territory.tiles.by_id
    draw((by_id[tile], rotation) for tile, _, _, rotation in territory.placed)
    completed = _completed_regions(territory.summary)
    tiles = [
        PlacedArt(art_of(by_id[tile], rotation), x * SIZE, y * SIZE, completed[cell_at(x, y)])
        for tile, x, y, rotation in territory.placed
    ]
    prefix = _prefix(f"{territory}|{heading}|{coordinates}", territory.ruleset_id)
    frame = _frame(tiles, bool(heading), coordinates)
    return _document(
        frame,
        _TERRITORY_PIXELS,
        prefix,
        (heading or "A territory on the Isle of Skye", _described(territory.summary)),
        f'<path d="M{frame.left},{frame.top}h{frame.width}v{frame.height}h-{frame.width}z" fill="#f4eddc"/>'
        + _heading(frame, heading)
        + (_rulers(tiles) if coordinates else "")
        + picture(tiles, prefix),
    )


def _completed_regions(summary: TerritorySummary) -> Mapping[int, Sequence[int]]:
    """Return, by cell, the regions (as in `RotatedTile.regions`) that lie in completed areas."""
    completed: dict[int, list[int]] = defaultdict(list)
    for area in summary.areas:
        for cell, region in area.parts if area.completed else ():
            completed[cell].append(summary.cells[cell].regions.index(region))
    return {cell: sorted(completed[cell]) for cell in summary.cells}


def _document(frame: _Frame, pixels: int, prefix: str, words: tuple[str, str], content: str) -> str:
    title, description = words
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" '
        f'viewBox="{frame.left} {frame.top} {frame.width} {frame.height}" '
        f'width="{frame.width * pixels // SIZE}" height="{frame.height * pixels // SIZE}" role="img" '
        f'aria-labelledby="{prefix}title {prefix}desc"><title id="{prefix}title">{escape(title)}</title>'
        f'<desc id="{prefix}desc">{escape(description)}</desc>{content}</svg>\n'
    )


def _prefix(key: str, ruleset_id: str) -> str:
    """Return what ids begin with, so that several pictures can stand in one page."""
    if ruleset_id != DEFAULT_RULESET:
        key = f"{ruleset_id}|{key}"
    return f"s{blake2s(key.encode(), digest_size=5).hexdigest()}-"


def _clean(title: str) -> str:
    """Return a title as one line without control characters, which XML forbids or which play tricks.

    What joins and parts letters stays: some scripts, and signs made of several, cannot be read without.
    """
    line = " ".join(title.split())
    kept = "".join(c for c in line if unicodedata.category(c)[0] != "C" or c in _JOINERS)
    return kept if len(kept) <= _LONGEST_TITLE else kept[: _LONGEST_TITLE - 1] + "…"


def _frame(tiles: list[PlacedArt], heading: bool, coordinates: bool) -> _Frame:
    ruler = _RULER if coordinates else 0
    left = min(tile.x for tile in tiles) - HALF - _MARGIN - ruler
    top = min(tile.y for tile in tiles) - HALF - _MARGIN - ruler - (_HEADING if heading else 0)
    right = max(tile.x for tile in tiles) + HALF + _MARGIN
    bottom = max(tile.y for tile in tiles) + HALF + _MARGIN
    return _Frame(left, top, right - left, bottom - top)


def _heading(frame: _Frame, heading: str) -> str:
    if not heading:
        return ""
    # Wide letters are about as wide as high: a long title is set smaller, so that it fits.
    letters = sum(1.0 if unicodedata.east_asian_width(c) in "WF" else 0.62 for c in heading)
    size = min(84, round((frame.width - 2 * _MARGIN) / letters))
    x, y = frame.left + frame.width // 2, frame.top + _MARGIN + 66
    return f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="middle" {_FONT}>{escape(heading)}</text>'


def _rulers(tiles: list[PlacedArt]) -> str:
    columns, rows = sorted({tile.x for tile in tiles}), sorted({tile.y for tile in tiles})
    left, top = columns[0] - HALF - 40, rows[0] - HALF - 28
    return "".join(
        (
            f'<g font-size="52" text-anchor="middle" {_FONT}>',
            *(f'<text x="{x}" y="{top}">{x // SIZE}</text>' for x in columns),
            *(f'<text x="{left}" y="{y + 18}">{y // SIZE}</text>' for y in rows),
            "</g>",
        )
    )


def _described(summary: TerritorySummary) -> str:
    completed = sum(area.completed for area in summary.areas)
    return (
        f"{len(summary.cells)} tiles, {len(summary.connected)} of them joined to the castle by road. "
        f"{completed} of {len(summary.areas)} areas are completed. {_shown(summary.cells.values())}"
    )


def _shown(rotated_tiles: Iterable[RotatedTile]) -> str:
    """Say what stands on the tiles."""
    tiles = [rotated.tile for rotated in rotated_tiles]
    counts = map(sum, zip(*[tile.counts for tile in tiles], strict=True))
    words = [f"{thing} {count}" for thing, count in zip(OBJECTS, counts, strict=True) if count]
    words += [f"scroll of {tile.scroll}" for tile in tiles if tile.scroll]
    words += [tile.id.replace("-", " ") for tile in tiles if tile.is_castle]
    return f"Shows {', '.join(words)}." if words else "Shows nothing but land."
