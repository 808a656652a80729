"""What each object looks like: SVG of symbols drawn around (0, 0), upright, 400 units to a tile.

Each has an outline of its own, so that it can be recognised in small and without colour.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from zlib import crc32

INK: Final = "#3a302a"

PAINT: Final = {
    "red": "#c93a30",
    "blue": "#2f66bd",
    "yellow": "#f2c230",
    "white": "#fbfaf4",
    "green": "#3a8f4d",
}
"""The paint of castles by their colour; others have a hue that follows from the name."""

_OBJECTS: Final = {
    "whisky": (
        '<path fill="#c98a42" d="M-20,-30h40q14,30 0,60h-40q-14,-30 0,-60z"/>'
        '<path fill="none" stroke-width="2.5" d="M-8,-28q-6,29 0,57M8,-28q6,29 0,57"/>'
        '<path fill="none" stroke="#5d4a3c" stroke-width="6" d="M-25,-14q25,6 50,0M-25,15q25,6 50,0"/>'
        '<ellipse cy="-29" rx="20" ry="6" fill="#e8bb7c"/>'
    ),
    "sheep": (
        '<path stroke-width="7" d="M-12,12v17M-2,14v15M12,14v15M21,12v17"/>'
        '<path fill="#fffdf5" d="M-21,14a12,12 0 0 1-5,-22a13,13 0 0 1 13,-15a15,15 0 0 1 25,0'
        'a14,14 0 0 1 18,14a12,12 0 0 1-4,23a12,12 0 0 1-22,5a13,13 0 0 1-25,-5z"/>'
        '<path fill="#4a403a" d="M-36,-12q12,-12 20,0q2,16 -8,20q-12,0 -12,-20z"/>'
        '<path fill="none" stroke-width="6" d="M-17,-12l7,4"/>'
        '<circle cx="-28" cy="-7" r="2.4" fill="#fff" stroke="none"/>'
    ),
    "cattle": (
        '<path stroke-width="8" d="M-8,16v18M4,18v16M22,18v16M32,16v18"/>'
        '<path fill="#b5612b" d="M-16,-18q24,-6 46,0q10,4 9,18l-1,22l-5,-5l-5,6l-6,-6l-6,6l-6,-6l-6,6l-6,-6'
        'l-6,5q-10,-8 -8,-34z"/>'
        '<path fill="none" stroke-width="4" d="M37,-12q7,10 3,26"/>'
        '<path fill="none" stroke-width="11" stroke-linecap="round" d="M-40,-28q-1,13 10,13h12q11,0 10,-13"/>'
        '<path fill="none" stroke="#f7ecd0" stroke-width="5" stroke-linecap="round" '
        'd="M-40,-28q-1,13 10,13h12q11,0 10,-13"/>'
        '<path fill="#c9763b" d="M-36,-18q12,-8 24,0q2,18 -5,30q-7,5 -14,0q-7,-12 -5,-30z"/>'
        '<path fill="#8d4519" stroke="none" d="M-35,-18q11,-6 22,0l-3,14l-4,-4l-4,6l-4,-6l-4,4z"/>'
        '<ellipse cx="-24" cy="8" rx="7" ry="5" fill="#efc9a0" stroke-width="2.5"/>'
    ),
    "farm": (
        '<path fill="#8a7462" d="M14,-42h14v24h-14z"/>'
        '<path fill="#fff8ea" d="M-35,-6h70v40h-70z"/>'
        '<path fill="#c0502f" d="M-45,-2l17,-32h56l17,32z"/>'
        '<path fill="none" stroke="#8e3519" stroke-width="3" d="M-34,-13h68M-29,-23h58"/>'
        '<path fill="#6d4a2c" d="M-9,34v-23h18v23z"/>'
        '<path fill="#8fc3e0" stroke-width="3" d="M-28,9h12v12h-12zM16,9h12v12h-12z"/>'
    ),
    "broch": (
        '<path fill="#d6cab4" d="M-36,36q9,-40 11,-66h50q2,26 11,66q-36,9 -72,0z"/>'
        '<ellipse cy="-30" rx="25" ry="9" fill="#6f665c"/>'
        '<path fill="none" stroke="#8f8371" stroke-width="3" d="M-26,-12q26,9 52,0M-29,4q29,10 58,0M-32,20'
        'q32,10 64,0M-12,-9v15M12,-9v15M-20,7v15M20,7v15M0,-8v2M-26,24v12M26,24v12"/>'
        '<path fill="#463c35" d="M-10,40v-18a10,10 0 0 1 20,0v18z"/>'
    ),
    "ship": (
        '<path fill="none" stroke-width="6" d="M0,16v-60"/>'
        '<path fill="#c93a30" stroke-width="3" d="M0,-44l20,6l-20,6z"/>'
        '<path fill="#fff6df" d="M-31,-30q31,10 62,0q7,18 0,36q-31,-9 -62,0q7,-18 0,-36z"/>'
        '<path fill="none" stroke="#d8683c" stroke-width="6" d="M-14,-24q4,14 0,26M14,-24q-4,14 0,26"/>'
        '<path fill="#8a5630" d="M-45,8q20,12 45,12t45,-12q-3,32 -26,34h-38q-23,-2 -26,-34z"/>'
        '<path fill="none" stroke="#5f3a1d" stroke-width="3" d="M-35,26q35,9 70,0"/>'
    ),
    "lighthouse": (
        '<path fill="#8c8379" d="M-32,42q2,-16 18,-18h28q16,2 18,18q-32,9 -64,0z"/>'
        '<path fill="#ffe68a" stroke="none" d="M-8,-25l-32,-11v22zM8,-25l32,-11v22z"/>'
        '<path fill="#fffaf0" d="M-16,32l6,-48h20l6,48z"/>'
        '<path fill="#d2453a" stroke="none" d="M-11,-6h22l1.500,12h-25zM-14,16h28l1.500,12h-31z"/>'
        '<path fill="none" d="M-16,32l6,-48h20l6,48z"/>'
        '<path fill="#ffd23d" d="M-9,-34h18v18h-18z"/>'
        '<path fill="#d2453a" d="M-14,-33l14,-14l14,14z"/>'
        '<path fill="none" stroke-width="5" d="M-15,-16h30"/>'
    ),
}

_PEAK: Final = (
    '<g stroke="none"><path fill="#a39382" d="M-28,22l24,-44q4,-5 8,0l24,44q-28,8 -56,0z"/>'
    '<path fill="#85776a" d="M2,-24l26,46q-12,5 -30,4l8,-24l-8,-10z"/>'
    '<path fill="#f6f3ee" d="M-10,-11l6,-11q4,-5 8,0l7,13l-6,-2l-5,6l-4,-7z"/></g>'
)

_SCROLL: Final = (
    '<path fill="#fbf0cd" stroke="#7d5d2c" d="M-38,-38h76v76h-76z"/>'
    '<path fill="#e9cf94" stroke="#7d5d2c" d="M-40,-48h80a8,8 0 0 1 0,16h-80a8,8 0 0 1 0,-16z'
    'M-40,32h80a8,8 0 0 1 0,16h-80a8,8 0 0 1 0,-16z"/>'
)

_CASTLE: Final = (
    '<circle r="104" stroke-width="6"/><circle r="90" fill="#e6dcbf" stroke-width="4"/>'
    '<path fill="#cfc6b8" d="M-44,60v-58h14v10h12v-10h12v10h12v-10h12v10h12v-10h14v58z"/>'
    '<path fill="#e3dccf" d="M-24,60v-104h12v10h8v-10h8v10h8v-10h12v104z"/>'
    '<path fill="#d9d1c3" d="M-70,62v-80h34v80zM36,62v-80h34v80z"/>'
    '<path d="M-78,-18l25,-42l25,42zM28,-18l25,-42l25,42z"/>'
    '<path fill="#463c35" d="M-14,60v-22a14,14 0 0 1 28,0v22zM-57,2h8v16h-8zM49,2h8v16h-8zM-4,-22h8v16h-8z"/>'
    '<path fill="none" d="M0,-44v-42"/><path d="M0,-86l36,11l-36,11z"/>'
)


def definitions(things: Iterable[str], prefix: str) -> str:
    """Return the definitions of the things named, and of all that they use, their ids prefixed."""
    wanted = dict.fromkeys(sorted(things))
    for thing in tuple(wanted):
        kind, _, shown = thing.partition("-")
        if kind == "scroll":
            wanted[shown] = None
    return "".join(
        f'<g id="{prefix}{thing}" stroke="{INK}" stroke-width="4" stroke-linejoin="round">'
        f"{_shape(thing, prefix)}</g>"
        for thing in wanted
    )


def use(thing: str, x: float, y: float, prefix: str) -> str:
    """Return one thing at a place."""
    return f'<use href="#{prefix}{thing}" x="{x}" y="{y}"/>'


def _shape(thing: str, prefix: str) -> str:
    kind, _, which = thing.partition("-")
    if kind == "peak":
        return _PEAK
    if kind == "castle":
        return f'<g fill="{PAINT.get(which) or _hue(which)}">{_CASTLE}</g>'
    if kind == "scroll":
        return f'{_SCROLL}<use href="#{prefix}{which}" transform="scale(.68)"/>'
    return _OBJECTS[thing]


def _hue(color: str) -> str:
    return f"hsl({crc32(color.encode()) % 360},45%,50%)"
