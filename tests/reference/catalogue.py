"""The tiles as pictures: a second reading of `rulesets/base.txt`, sharing no code with the engine.

A tile is drawn on three by three squares. Ground: the four sides, the middle, and a corner only where the
two sides that meet there have the same terrain (so that they touch through it). Roads: a tile's only road
runs through the middle; where there are two, each turns its own corner and they never meet.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import skye

Picture = tuple[str, str, str]

BLANK = "."
ROAD = "#"
SQUARE = {"N": (1, 0), "E": (2, 1), "S": (1, 2), "W": (0, 1), "center": (1, 1)}
CORNERS = {"NE": (2, 0), "ES": (2, 2), "SW": (0, 2), "NW": (0, 0)}


class Tile(NamedTuple):
    """One tile with north up."""

    id: str
    ground: Picture
    roads: Picture
    counts: dict[str, int]
    scroll: str | None

    def count(self, thing: str) -> int:
        return self.counts.get(thing, 0)


def read_catalogue() -> dict[str, Tile]:
    text = (Path(skye.__file__).parent / "rulesets" / "base.txt").read_text(encoding="utf-8")
    lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return {words[0]: read_tile(words) for words in lines if words[0] not in ("rounds", "note")}


def read_tile(words: list[str]) -> Tile:
    name, ground, roads, *shows = words
    counts: dict[str, int] = {}
    scroll = None
    for word in shows:
        if word.startswith("scroll:"):
            scroll = word[len("scroll:") :]
        elif "*" in word:
            thing, number = word.split("*")
            counts[thing] = int(number)
        else:
            counts[word] = 1
    return Tile(
        name, draw_ground(ground), draw_roads([] if roads == "-" else roads.split(",")), counts, scroll
    )


def draw_ground(letters: str) -> Picture:
    terrain = dict(zip("NESW", letters[:4], strict=True))
    drawn = {SQUARE[side]: terrain[side] for side in "NESW"}
    drawn[SQUARE["center"]] = letters[5]
    for sides, corner in CORNERS.items():
        if terrain[sides[0]] == terrain[sides[1]]:
            drawn[corner] = terrain[sides[0]]
    return as_picture(drawn)


def draw_roads(roads: list[str]) -> Picture:
    drawn = {SQUARE[side]: ROAD for road in roads for side in road}
    if len(roads) == 1:
        drawn[SQUARE["center"]] = ROAD
    elif len(roads) == 2:
        drawn |= {CORNERS[road]: ROAD for road in roads}
    return as_picture(drawn)


def as_picture(drawn: dict[tuple[int, int], str]) -> Picture:
    top, middle, bottom = ("".join(drawn.get((x, y), BLANK) for x in range(3)) for y in range(3))
    return top, middle, bottom


@cache
def turn(picture: Picture, rotation: int) -> Picture:
    """Turn a picture clockwise, a quarter at a time."""
    for _ in range(rotation // 90):
        left, center, right = ("".join(row[x] for row in reversed(picture)) for x in range(3))
        picture = left, center, right
    return picture


CATALOGUE = read_catalogue()
LANDSCAPE = [name for name in CATALOGUE if not name.startswith("castle")]
