"""What a seat knows of a game as a vector of small numbers, the same length for every number of players.

The vector has, first for the observing seat and then for the seats to its left: gold, score, the size of
the territory, whether the build is finished, the three tiles drawn or in hand, prices, and what objects the
territory holds; then the round, the phase, the scoring tiles and the part of an offer that has been
decided. It holds nothing that the seat cannot know: offers of others are left out while they are secret.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from skye.action_encoding import EncodedGame
from skye.game import BUYING, PRICING, TILES_DRAWN, Game, Phase, Player
from skye.scoring import SCORING_TILES
from skye.tiles import COLORS, LANDSCAPE, TILES

_NUMBER: Final = {tile: number for number, tile in enumerate(LANDSCAPE, 1)}
_SCORING: Final = {tile: number for number, tile in enumerate(sorted(SCORING_TILES))}
_OBJECTS: Final = len(TILES[LANDSCAPE[0]].counts)
_OF_SEAT: Final = 4 + _OBJECTS + 3 * TILES_DRAWN
_PHASES: Final = (*Phase, None)
_SLOTS: Final = 4

SIZE: Final = len(COLORS) * _OF_SEAT + 1 + len(_PHASES) + _SLOTS * len(_SCORING) + TILES_DRAWN
"""The length of the vector."""

HIGHEST: Final = 1000.0
"""No number of the vector is larger."""


def observe(encoded: EncodedGame, seat: int, *, secrets: bool = True) -> NDArray[np.float32]:
    """Return what a seat knows, without its own offer while that is secret unless `secrets` is true."""
    game = encoded.game
    vector: list[float] = []
    count = len(game.players)
    for left in range(len(COLORS)):
        if left < count:
            other = (seat + left) % count
            vector += _of_seat(game, game.players[other], own=secrets and not left)
        else:
            vector += [0.0] * _OF_SEAT
    vector.append(game.round)
    vector += [float(game.phase is phase) for phase in _PHASES]
    chosen = [0.0] * (_SLOTS * len(_SCORING))
    for slot, tile in enumerate(game.scoring_tiles):
        chosen[slot * len(_SCORING) + _SCORING[tile]] = 1.0
    draft = encoded.draft if secrets and encoded.seat == seat else ()
    vector += chosen
    vector += [float(action + 1) for action in draft] + [0.0] * (TILES_DRAWN - len(draft))
    return np.minimum(np.array(vector, np.float32), HIGHEST)


def _of_seat(game: Game, player: Player, *, own: bool) -> list[float]:
    secret = game.phase is PRICING and not own
    gold = player.gold + (player.stakes if secret else 0)
    tiles = player.drawn or player.hand
    prices = () if secret else player.prices
    numbers = [float(_NUMBER[tile]) for tile in tiles[:TILES_DRAWN]]
    in_hand = [float(_NUMBER[tile]) for tile in player.hand[:TILES_DRAWN]] if game.phase is BUYING else []
    values = [
        float(gold),
        float(player.score),
        float(len(player.territory.placed)),
        float(bool(player.finished)),
    ]
    for part in (numbers, [float(price) for price in prices], in_hand):
        values += part + [0.0] * (TILES_DRAWN - len(part))
    return [*values, *map(float, player.territory.summary.counts)]
