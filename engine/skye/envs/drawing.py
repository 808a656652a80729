"""Territories as a picture: one panel for each seat, one square of pixels for each tile."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from skye.game import Game
from skye.tiles import TILES

_REACH: Final = 9
"""Cells from the castle that a panel shows; few territories reach farther."""

_CELL: Final = 12
"""Pixels."""

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
_TABLE: Final = (38, 36, 34)


def draw(game: Game) -> NDArray[np.uint8]:
    """Return the territories side by side as red, green and blue bytes."""
    return np.concatenate([_panel(game, seat) for seat in range(len(game.players))], axis=1)


def _panel(game: Game, seat: int) -> NDArray[np.uint8]:
    side = (2 * _REACH + 1) * _CELL
    panel = np.full((side, side, 3), _TABLE, np.uint8)
    player = game.players[seat]
    for placed in player.territory.placed:
        if max(abs(placed.x), abs(placed.y)) > _REACH:
            continue
        top, left = (placed.y + _REACH) * _CELL, (placed.x + _REACH) * _CELL
        square = panel[top + 1 : top + _CELL, left + 1 : left + _CELL]
        tile = TILES[placed.tile]
        square[:] = _CASTLES[player.color] if tile.is_castle else _TERRAINS[tile.center.label]
    return panel
