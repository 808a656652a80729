"""Random territories, to compare two implementations."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from skye.errors import InvalidTerritory
from skye.frontier import Place
from skye.territory import Territory, castle_alone
from tests.reference.catalogue import LANDSCAPE
from tests.reference.world import World, neighbours

COLORS = ["red", "blue", "yellow", "white", "green"]


def grown_territory(chance: Random, size: int) -> Territory:
    """Add up to `size` tiles wherever the engine lets them go; some territories sprawl, some huddle."""
    territory = castle_alone(chance.choice(COLORS))
    huddles = chance.random() < 0.7
    for tile in chance.sample(LANDSCAPE, size):
        places = territory.legal_places(tile)
        if places:
            place = min(places, key=crowding(territory, chance)) if huddles else chance.choice(places)
            territory = territory.place(*place)
    return territory


def crowding(territory: Territory, chance: Random) -> Callable[[Place], tuple[int, int, float]]:
    """Return an order of places: those with the most neighbours first, then those near the castle."""
    taken = {(placed.x, placed.y) for placed in territory.placed}

    def order(place: Place) -> tuple[int, int, float]:
        around = neighbours((place.x, place.y))
        return -len(taken.intersection(around)), abs(place.x) + abs(place.y), chance.random()

    return order


def with_holes(chance: Random, territory: Territory, holes: int) -> Territory:
    """Take tiles out of the middle, as long as the rest still hangs together."""
    for _ in range(holes):
        taken = {(placed.x, placed.y) for placed in territory.placed}
        inner = [
            placed for placed in territory.placed[1:] if taken.issuperset(neighbours((placed.x, placed.y)))
        ]
        if not inner:
            break
        out = chance.choice(inner)
        rest = [placed for placed in territory.placed if placed != out]
        try:
            territory = Territory.from_placements(chance.sample(rest, len(rest)))
        except InvalidTerritory:
            break
    return territory


def as_world(territory: Territory) -> World:
    """Return the territory in the format of the reference implementation."""
    return {(placed.x, placed.y): (placed.tile, placed.rotation) for placed in territory.placed}
