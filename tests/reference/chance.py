"""Random territories, to compare two implementations."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from skye.errors import InvalidTerritory
from skye.territory.territory import Territory, castle_alone
from skye.tiles.tile_set import Place
from tests.reference.catalogue import LANDSCAPE
from tests.reference.world import World, neighbours

COLORS = ["red", "blue", "yellow", "white", "green"]


def grown_territory(chance: Random, size: int) -> Territory:
    """Return a territory of up to `size` tiles in random legal places; 70 % are compact."""
    territory = castle_alone(chance.choice(COLORS))
    compact = chance.random() < 0.7
    for tile in chance.sample(LANDSCAPE, size):
        places = territory.legal_places(tile)
        if places:
            place = min(places, key=by_neighbours(territory, chance)) if compact else chance.choice(places)
            territory = territory.place(*place)
    return territory


def by_neighbours(territory: Territory, chance: Random) -> Callable[[Place], tuple[int, int, float]]:
    """Return a sort key of places: those with the most neighbours first, then those near the castle."""
    taken = {(placed.x, placed.y) for placed in territory.placed}

    def order(place: Place) -> tuple[int, int, float]:
        around = neighbours((place.x, place.y))
        return -len(taken.intersection(around)), abs(place.x) + abs(place.y), chance.random()

    return order


def with_holes(chance: Random, territory: Territory, holes: int) -> Territory:
    """Remove tiles with four neighbours, as long as the rest is a legal territory."""
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
