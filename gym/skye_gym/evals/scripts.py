"""Simple rules by which scripts and hybrids choose moves: the baselines of the tasks."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence

from skye.rules.moves import Move
from skye.rules.state import GameState
from skye.tiles.tile_set import Place
from skye.views import placement_gains_view
from skye_gym.agents import legal_actions


def most_listed_gain(game: GameState, seat: int) -> Move:
    """Return the placement of most listed gain in this round; otherwise the first legal action."""
    slots = game.slots_scored_in(game.round)
    gains = {
        Place(place["tile"], place["x"], place["y"], place["rotation"]): sum(
            [gain["points"] or 0 for gain in place["gains"] if gain["slot"] in slots]
        )
        for tile in dict.fromkeys(game.players[seat].tiles_to_build)
        for place in placement_gains_view(game, seat, tile)
    }
    moves = legal_actions(game, seat)
    return max(moves, key=lambda move: gains.get(move, 0) if isinstance(move, Place) else 0)


def most_neighbours(game: GameState, seat: int) -> Move:
    """Return the first placement on the cell with most neighbours; otherwise the first legal action."""
    taken = {(placed.x, placed.y) for placed in game.players[seat].territory.placed}
    moves = legal_actions(game, seat)
    return max(moves, key=lambda move: neighbours(move.x, move.y, taken) if isinstance(move, Place) else 0)


def neighbours(x: int, y: int, taken: Collection[tuple[int, int]]) -> int:
    """Return how many of some cells share an edge with a cell.

    >>> neighbours(0, 0, [(0, 1), (5, 5)])
    1
    """
    return sum(each in taken for each in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)))


def legality_by_coordinates(messages: Sequence[Mapping[str, str]]) -> str:
    """Return the answer to a task `legality` by the number of neighbours of the cell: legal if it is one."""
    text = messages[-1]["content"]
    taken = {(int(x), int(y)) for x, y in re.findall(r"(?m)^  \((-?\d+), (-?\d+)\) r", text)}
    asked = re.search(r"Is this legal: .* at \((-?\d+), (-?\d+)\)", text)
    assert asked is not None, "the question names a cell"
    legal = neighbours(int(asked[1]), int(asked[2]), taken) == 1
    return json.dumps({"answer": "legal" if legal else "terrain_mismatch"})
