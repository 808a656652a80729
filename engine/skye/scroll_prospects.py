"""What the scrolls of a territory promise, for `skye.prospects`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from skye.areas import Area
from skye.final_scoring import THINGS_FOR_A_POINT
from skye.tiles import OBJECTS

_NUMBER_OF: Final = {thing: number for number, thing in enumerate(OBJECTS)}
_DIVISORS: Final = tuple(THINGS_FOR_A_POINT[thing] for thing in OBJECTS)

Scrolls = dict[int, tuple[int, int]]
"""For each kind of thing how many scrolls count it, those in completed areas twice, and how many of them lie
in areas that lack one tile."""


def scrolls_with(scrolls: Scrolls, removed: list[Area], added: list[Area]) -> Scrolls:
    """Return the scrolls when areas become others."""
    gone = [area for area in removed if area.scrolls]
    come = [area for area in added if area.scrolls]
    if gone or come:
        scrolls = scrolls.copy()
        count_scrolls(scrolls, gone, -1)
        count_scrolls(scrolls, come, 1)
    return scrolls


def count_scrolls(scrolls: Scrolls, areas: Iterable[Area], step: int) -> None:
    """Add the scrolls in areas to the counts, or subtract them.

    :param step: 1 or -1.
    """
    for area in areas:
        for kind, _ in area.scrolls:
            thing = _NUMBER_OF[kind]
            counted, nearly = scrolls.get(thing, (0, 0))
            scrolls[thing] = (
                counted + step * (1 if area.openings else 2),
                nearly + step * (area.openings == 1),
            )


def scroll_points(counts: Sequence[int], scrolls: Scrolls) -> tuple[int, int]:
    """Return the points that scrolls give, and those that completing areas which lack one tile would add."""
    sure = hoped = 0
    for thing, (counted, nearly) in scrolls.items():
        points = counts[thing] // _DIVISORS[thing]
        sure += counted * points
        hoped += nearly * points
    return sure, hoped
