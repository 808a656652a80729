"""The sixteen scoring tiles, the scrolls and final scoring, written from the rulebook."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tests.reference.world import Area, Spot, World, areas_of, connected_spots, tile_at, total


class Side(NamedTuple):
    """The territory and the gold of one player."""

    world: World
    gold: int


def squares(world: World) -> int:
    return 2 * sum({(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)} <= set(world) for x, y in world)


def completed_areas(world: World) -> int:
    return len(completed(world))


def sheep(world: World) -> int:
    return total(world, "sheep")


def large_completed_areas(world: World) -> int:
    return 3 * len([area for area in completed(world) if len(area.spots) >= 3])


def brochs_in_mountains(world: World) -> int:
    points = 0
    for area in areas_of(world):
        if area.brochs >= 3:
            points += 6
        elif area.brochs == 2:
            points += 3
        elif area.brochs == 1:
            points += 1
    return points


def building_sets(world: World) -> int:
    return 5 * min(total(world, "broch"), total(world, "farm"), total(world, "lighthouse"))


def animals_near_farms(world: World) -> int:
    farms = [spot for spot in world if tile_at(world, spot).count("farm")]
    near: set[Spot] = set()
    for x, y in farms:
        near |= {(x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1)} & set(world)
    return sum(tile_at(world, spot).count("sheep") + tile_at(world, spot).count("cattle") for spot in near)


def connected_cattle(world: World) -> int:
    return 2 * sum(tile_at(world, spot).count("cattle") for spot in connected_spots(world))


def ships_and_lighthouses(world: World) -> int:
    return 3 * len([area for area in areas_of(world) if area.ships and area.lighthouses])


def connected_tiles(world: World) -> int:
    return len(connected_spots(world))


def vertical_lines(world: World) -> int:
    lines = 0
    for x, y in world:
        length = 0
        while (x, y + length) in world:
            length += 1
        if (x, y - 1) not in world and length >= 3:
            lines += 1
    return 3 * lines


def largest_lake(world: World) -> int:
    return 2 * max([len(area.spots) for area in completed(world) if area.terrain == "water"], default=0)


def completed_mountains(world: World) -> int:
    return 2 * len([area for area in completed(world) if area.terrain == "mountain"])


def completed(world: World) -> list[Area]:
    return [area for area in areas_of(world) if area.completed]


def whisky_tiles(side: Side) -> int:
    return len([spot for spot in side.world if tile_at(side.world, spot).count("whisky")])


def ships(side: Side) -> int:
    return total(side.world, "ship")


def gold(side: Side) -> int:
    return side.gold


ALONE: dict[str, Callable[[World], int]] = {
    "squares": squares,
    "completed_areas": completed_areas,
    "sheep": sheep,
    "large_completed_areas": large_completed_areas,
    "brochs_in_mountains": brochs_in_mountains,
    "building_sets": building_sets,
    "animals_near_farms": animals_near_farms,
    "connected_cattle": connected_cattle,
    "ships_and_lighthouses": ships_and_lighthouses,
    "connected_tiles": connected_tiles,
    "vertical_lines": vertical_lines,
    "largest_lake": largest_lake,
    "completed_mountains": completed_mountains,
}
MAJORITIES: dict[str, Callable[[Side], int]] = {
    "most_whisky": whisky_tiles,
    "most_ships": ships,
    "most_gold": gold,
}
NAMES = [*ALONE, *MAJORITIES]


def majority(numbers: list[int]) -> list[int]:
    """Return 5 for most and 2 for second most unless most is tied; 0 for a count of 0."""
    points = []
    for number in numbers:
        ahead = len([other for other in numbers if other > number])
        if number == 0:
            points.append(0)
        elif ahead == 0:
            points.append(5)
        elif ahead == 1:
            points.append(2)
        else:
            points.append(0)
    return points


def points_of(name: str, sides: list[Side]) -> list[int]:
    """Return the points of each player for one scoring tile."""
    if name in MAJORITIES:
        return majority([MAJORITIES[name](side) for side in sides])
    return [ALONE[name](side.world) for side in sides]


def scroll_points(world: World) -> list[tuple[str, Spot, int]]:
    """Return kind, place and points of every scroll."""
    result = []
    for area in areas_of(world):
        for kind, spot in area.scrolls:
            points = scroll_count(world, kind) * (2 if area.completed else 1)
            result.append((kind, spot, points))
    return sorted(result)


def scroll_count(world: World, kind: str) -> int:
    if kind in ("cattle", "broch", "farm", "lighthouse"):
        return total(world, kind)
    if kind in ("sheep", "ship"):
        return total(world, kind) // 2
    assert kind == "whisky"
    return whisky_tiles(Side(world, 0)) // 2


def final_scores(scores: list[int], sides: list[Side]) -> list[int]:
    """Add the scrolls, and a point for every 5 gold."""
    return [
        score + sum(points for _, _, points in scroll_points(side.world)) + side.gold // 5
        for score, side in zip(scores, sides, strict=True)
    ]


def winners(scores: list[int], golds: list[int], tie_break: str) -> list[int]:
    """Return the winning seats; `scores` have everything in them (R11)."""
    assert tie_break in ("leftover_gold", "total_gold")
    tied = [seat for seat, score in enumerate(scores) if score == max(scores)]
    left = {seat: golds[seat] if tie_break == "total_gold" else golds[seat] % 5 for seat in tied}
    return [seat for seat in tied if left[seat] == max(left.values())]
