"""Pictures of territories: one panel for each seat, one square of pixels for each tile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skye.rules.state import GameState

_REACH: Final = 9
"""The distance from the castle, in cells, that a panel shows; few territories are larger."""

_CELL: Final = 12
"""The side of a cell in pixels."""

_TERRAINS: Final = {
    "pasture": (124, 166, 72),
    "mountain": (141, 130, 122),
    "water": (76, 130, 176),
}
_CASTLES: Final = {
    "red": (190, 50, 45),
    "blue": (45, 80, 170),
    "yellow": (220, 185, 50),
    "white": (235, 235, 230),
    "green": (40, 120, 60),
}
_OTHER_CASTLES: Final = ((120, 60, 140), (230, 120, 40), (60, 150, 150), (210, 90, 150), (30, 30, 30))
"""The colors of castles that `_CASTLES` does not have, in the order of the ruleset."""

_BACKGROUND: Final = (38, 36, 34)


def draw(game: GameState) -> NDArray[np.uint8]:
    """Return a picture of all territories side by side.

    :returns: RGB bytes of shape (height, width, 3): 228 rows, and 228 columns for each seat.
    """
    return np.concatenate([_panel(game, seat) for seat in range(len(game.players))], axis=1)


def _panel(game: GameState, seat: int) -> NDArray[np.uint8]:
    side = (2 * _REACH + 1) * _CELL
    panel = np.full((side, side, 3), _BACKGROUND, np.uint8)
    player = game.players[seat]
    castle = _castle_color(game.ruleset.colors, player.color)
    for placed in player.territory.placed:
        if max(abs(placed.x), abs(placed.y)) > _REACH:
            continue
        top, left = (placed.y + _REACH) * _CELL, (placed.x + _REACH) * _CELL
        square = panel[top + 1 : top + _CELL, left + 1 : left + _CELL]
        tile = player.territory.tiles.by_id[placed.tile]
        square[:] = castle if tile.is_castle else _TERRAINS[tile.center.label]
    return panel


def _castle_color(colors: Sequence[str], color: str) -> tuple[int, int, int]:
    others = [each for each in colors if each not in _CASTLES]
    known = _CASTLES.get(color)
    return _OTHER_CASTLES[others.index(color) % len(_OTHER_CASTLES)] if known is None else known
