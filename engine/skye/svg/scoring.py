"""Pictures of scoring tiles, in the style of landscape tiles: what counts and its points, or the title."""

from __future__ import annotations

from functools import cache
from textwrap import wrap
from typing import Final, NamedTuple
from xml.sax.saxutils import escape  # nosec B406 # it writes XML and reads none

from skye.rulesets import BASE, Ruleset
from skye.svg.layers import GOLD, MOUNTAIN, PASTURE, ROADS, WATER
from skye.svg.objects import INK, definitions, use

_PIXELS: Final = 240
_PARCHMENT: Final = "#f4eddc"


class _Motif(NamedTuple):
    """The content of a picture: background shapes, objects with their positions, and the points."""

    points: str
    things: tuple[tuple[str, int, int], ...] = ()
    shapes: str = ""


def _square(x: int, y: int, color: str, size: int = 88) -> str:
    """Return a small tile around a point."""
    return (
        f'<path d="M{x - size // 2},{y - size // 2}h{size}v{size}h-{size}z" fill="{color}" '
        f'stroke="{INK}" stroke-width="5" stroke-linejoin="round"/>'
    )


def _area(path: str, color: str, *, completed: bool = False) -> str:
    """Return an area of one terrain; a completed one has a golden border, as in territories."""
    stroke, width = (GOLD, 12) if completed else (INK, 5)
    return (
        f'<path d="{path}" fill="{color}" stroke="{stroke}" stroke-width="{width}" stroke-linejoin="round"/>'
    )


def _road(path: str) -> str:
    """Return a road."""
    return "".join(
        f'<path d="{path}" fill="none" stroke="{color}" stroke-width="{width}" stroke-linecap="round"/>'
        for color, width in ROADS
    )


def _coin(x: int, y: int) -> str:
    """Return a gold coin."""
    return (
        f'<circle cx="{x}" cy="{y}" r="44" fill="{GOLD}" stroke="{INK}" stroke-width="5"/>'
        f'<circle cx="{x}" cy="{y}" r="31" fill="none" stroke="#8a6400" stroke-width="4"/>'
    )


_HILLS: Final = "M-130,60q10,-130 130,-150q120,20 130,150z"
_LAKE: Final = "M-130,0q0,-90 130,-90t130,90q-10,80 -130,80t-130,-80z"
_LAND: Final = "M-130,-90h260v160h-260z"

# Of scoring tiles of the base game; one without a motif shows its title.
_MOTIFS: Final[dict[str, _Motif]] = {
    "squares": _Motif(
        "2",
        shapes=_square(-44, -64, PASTURE)
        + _square(44, -64, WATER)
        + _square(-44, 24, MOUNTAIN)
        + _square(44, 24, PASTURE),
    ),
    "completed_areas": _Motif("1", shapes=_area(_LAKE, PASTURE, completed=True)),
    "sheep": _Motif("1", (("sheep", 0, -20),), _area(_LAND, PASTURE)),
    "large_completed_areas": _Motif(
        "3",
        shapes="".join(_square(x, -10, PASTURE) for x in (-88, 0, 88))
        + _area("M-132,-54h264v88h-264z", "none", completed=True),
    ),
    "brochs_in_mountains": _Motif(
        "1 3 6", (("broch", -72, 10), ("broch", 0, -30), ("broch", 72, 10)), _area(_HILLS, MOUNTAIN)
    ),
    "building_sets": _Motif("5", (("broch", -88, -10), ("farm", 0, -10), ("lighthouse", 88, -10))),
    "most_whisky": _Motif("5 2", (("whisky", -50, 10), ("whisky", 50, 10), ("whisky", 0, -50))),
    "most_ships": _Motif("5 2", (("ship", -60, 10), ("ship", 50, -40)), _area(_LAKE, WATER)),
    "animals_near_farms": _Motif(
        "1", (("farm", 0, -20), ("sheep", -88, 20), ("cattle", 92, 20)), _area(_LAND, PASTURE)
    ),
    "most_gold": _Motif("5 2", shapes=_coin(-50, 10) + _coin(50, 10) + _coin(0, -50)),
    "connected_cattle": _Motif(
        "2", (("cattle", 10, -50),), _area(_LAND, PASTURE) + _road("M-128,30c80,20 160,-20 256,0")
    ),
    "ships_and_lighthouses": _Motif("3", (("ship", -56, 0), ("lighthouse", 62, -20)), _area(_LAKE, WATER)),
    "connected_tiles": _Motif(
        "1", shapes=_square(-60, -20, PASTURE, 116) + _square(60, -20, PASTURE, 116) + _road("M-110,-20h222")
    ),
    "vertical_lines": _Motif("3", shapes="".join(_square(0, y, PASTURE, 76) for y in (-116, -40, 36))),
    "largest_lake": _Motif("2", (("ship", 0, -10),), _area(_LAKE, WATER, completed=True)),
    "completed_mountains": _Motif(
        "2", (("peak", -50, 20), ("peak", 50, 20), ("peak", 0, -20)), _area(_HILLS, MOUNTAIN, completed=True)
    ),
}


@cache
def scoring_tile_svg(scoring_tile: str, ruleset: Ruleset = BASE) -> str:
    """Return the picture of a scoring tile of a ruleset.

    >>> scoring_tile_svg("squares").startswith("<svg ")
    True

    :raises ValueError: when there is no such scoring tile.
    """
    tile = ruleset.scoring_tile(scoring_tile)
    # A tile that differs from the one in the base game may count something else.
    motif = _MOTIFS.get(tile.id) if tile == BASE.scoring_tiles.get(tile.id) else None
    prefix = f"{tile.id}-"
    title = f'<title id="{prefix}title">{escape(tile.text)}</title>'
    things = () if motif is None else motif.things
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-200 -200 400 400" width="{_PIXELS}" '
        f'height="{_PIXELS}" role="img" aria-labelledby="{prefix}title">{title}'
        f"<defs>{definitions({thing for thing, _, _ in things}, prefix)}</defs>"
        f'<rect x="-193" y="-193" width="386" height="386" rx="26" fill="{_PARCHMENT}" stroke="{INK}" '
        f'stroke-width="14"/>{_written(tile.title) if motif is None else _drawn(motif, prefix)}</svg>\n'
    )


def _drawn(motif: _Motif, prefix: str) -> str:
    things = "".join(use(thing, x, y, prefix) for thing, x, y in motif.things)
    return f"{motif.shapes}{things}{_line(motif.points.replace(' ', ' · '), 166, 84)}"


def _written(title: str) -> str:
    """Return a title in lines in the middle."""
    lines = wrap(title, 12) or [""]
    size = min(64, 340 // len(lines), round(340 / (0.62 * max(map(len, lines)))))
    top = (size * (3 - len(lines))) // 2 - size // 2 - size // 4
    return "".join(_line(escape(line), top + size * number, size) for number, line in enumerate(lines))


def _line(text: str, y: int, size: int) -> str:
    return (
        f'<text y="{y}" font-size="{size}" font-weight="700" text-anchor="middle" '
        f'font-family="Georgia,serif" fill="{INK}">{text}</text>'
    )
