"""Parses pictures, and returns the color painted at a point."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache
from xml.etree import ElementTree as ET

from skye import Territory
from skye.svg import territory_svg
from skye.svg.curves import inside, sampled
from skye.svg.layers import MOUNTAIN, PASTURE
from skye.territory import castle_alone
from skye.tiles import Terrain

SVG = "{http://www.w3.org/2000/svg}"
NO_OBJECTS = {"peak"}


SEEDS = {"red": 0, "blue": 1, "yellow": 2, "white": 3, "green": 4}
"""By color of the castle: the seed of its territory."""


@cache
def grown(color: str, tiles: int = 18) -> Territory:
    """Grow a compact territory at random, always the same one for a color."""
    chance = random.Random(SEEDS[color])
    territory = castle_alone(color)
    landscape = territory.tiles.landscape
    for tile in chance.sample(landscape, len(landscape)):
        places = territory.legal_places(tile)
        if places and len(territory.placed) <= tiles:
            nearest = min(places, key=lambda place: (place.x**2 + place.y**2, chance.random()))
            territory = territory.place(*nearest)
    return territory


def drawn(territory: Territory, *, title: str | None = None, coordinates: bool = False) -> str:
    return territory_svg(territory, title=title, coordinates=coordinates)


def things(svg: str) -> list[tuple[str, complex]]:
    """Return the upright objects of a picture with their positions."""
    return [
        (
            use.get("href", "").partition("-")[2],
            complex(float(use.get("x", "nan")), float(use.get("y", "nan"))),
        )
        for use in ET.fromstring(svg).findall(SVG + "use")
        if use.get("x")
    ]


def objects(svg: str) -> list[tuple[str, complex]]:
    return [(thing, place) for thing, place in things(svg) if thing not in NO_OBJECTS]


def shapes(data: str) -> Iterator[list[complex]]:
    """Read path data of filled shapes into outlines of points."""
    here, start = 0j, 0j
    points: list[complex] = []
    for letter, words in _commands(data):
        if letter in "Mm":
            here = start = words[0] + (here if letter == "m" else 0)
            points = [here]
        elif letter == "l":
            here += words[0]
            points.append(here)
        elif letter == "c":
            curve = (here, *(here + word for word in words))
            points += sampled((curve,), 6)[1:]
            here = curve[-1]
            points.append(here)
        else:
            yield points
            here = start


def _commands(data: str) -> Iterator[tuple[str, list[complex]]]:
    for letter in "Mmlcz":
        data = data.replace(letter, f"\n{letter}")
    for word in data.split("\n")[1:]:
        numbers = map(float, re.findall(r"-?[\d.]+", word))
        yield word[0], [complex(x, y) for x, y in zip(numbers, numbers, strict=True)]


@cache
def painted(svg: str) -> list[tuple[Terrain, list[list[complex]]]]:
    """Return the shapes of land, the topmost first; the rest is water."""
    fills = {path.get("fill"): path.get("d", "") for path in ET.fromstring(svg).iter(SVG + "path")}
    colors = {Terrain.MOUNTAIN: MOUNTAIN, Terrain.PASTURE: PASTURE}
    return [(terrain, list(shapes(fills[color]))) for terrain, color in colors.items()]


def terrain_at(svg: str, point: complex) -> Terrain:
    for terrain, outlines in painted(svg):
        if any(inside(outline, point) for outline in outlines):
            return terrain
    return Terrain.WATER
