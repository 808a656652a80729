"""The points of the scrolls of a territory, for `skye.bots.territory_evaluation`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from skye.territory.areas import Area
from skye.tiles.tile import OBJECTS

_NUMBER_OF: Final = {thing: number for number, thing in enumerate(OBJECTS)}

Scrolls = dict[int, tuple[int, int]]
"""By kind of object: the number of its scrolls, those in completed areas counted twice, and the number of its
scrolls in areas that lack one tile."""


def scrolls_with(scrolls: Scrolls, removed: list[Area], added: list[Area]) -> Scrolls:
    """Return the scrolls after areas were replaced by others."""
    removed = [area for area in removed if area.scrolls]
    added = [area for area in added if area.scrolls]
    if removed or added:
        scrolls = scrolls.copy()
        count_scrolls(scrolls, removed, -1)
        count_scrolls(scrolls, added, 1)
    return scrolls


def count_scrolls(scrolls: Scrolls, areas: Iterable[Area], step: int) -> None:
    """Add the scrolls in areas to the counts, or subtract them, in place.

    :param step: 1 to add, -1 to subtract.
    """
    for area in areas:
        for kind, _ in area.scrolls:
            thing = _NUMBER_OF[kind]
            counted, nearly_completed = scrolls.get(thing, (0, 0))
            scrolls[thing] = (
                counted + step * (1 if area.openings else 2),
                nearly_completed + step * (area.openings == 1),
            )


def scroll_points(
    objects_per_point: Mapping[str, int], counts: Sequence[int], scrolls: Scrolls
) -> tuple[int, int]:
    """Return the certain points of scrolls, and those that completing areas which lack one tile would add."""
    certain = potential = 0
    for thing, (counted, nearly_completed) in scrolls.items():
        points = counts[thing] // objects_per_point[OBJECTS[thing]]
        certain += counted * points
        potential += nearly_completed * points
    return certain, potential
