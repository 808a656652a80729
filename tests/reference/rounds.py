"""The schedule: the number of rounds, the scoring and catch-up income of each, and all incomes."""

from __future__ import annotations

from tests.reference.world import World, connected_spots, tile_at

SCORED = {
    2: ["A", "B", "AC", "BD", "ACD", "BCD"],
    3: ["A", "B", "AC", "BD", "ACD", "BCD"],
    4: ["A", "B", "AC", "BD", "ACD", "BCD"],
    5: ["AB", "AC", "BD", "ACD", "BCD"],
}
CATCH_UP = {
    2: [0, 0, 1, 2, 3, 4],
    3: [0, 0, 1, 2, 3, 4],
    4: [0, 0, 1, 2, 3, 4],
    5: [0, 0, 1, 2, 3],
}


def income_parts(worlds: list[World], scores: list[int], number: int, seat: int) -> tuple[int, int, int]:
    """Return the income of a seat for castle, whisky and players ahead."""
    joined = connected_spots(worlds[seat])
    whisky = len([spot for spot in joined if tile_at(worlds[seat], spot).count("whisky")])
    ahead = len([score for score in scores if score > scores[seat]])
    return 5, whisky, ahead * CATCH_UP[len(worlds)][number - 1]
