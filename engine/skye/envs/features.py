"""The observation of a seat as a vector, of the same length for every number of players.

For the observing seat, and then for each seat to its left, the vector has gold, score, the size of the
territory, whether the seat has finished building, the three tiles drawn or in hand, prices, and the counts of
objects in the territory. Then follow the round, the phase, the scoring tiles, and the incomplete offer. It
contains no hidden information: offers of other seats are 0 while they are secret.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skye.encoding import EncodedGame
from skye.rules.state import BUYING, PRICING, TILES_DRAWN, Phase, Player
from skye.scoring.scoring_tiles import SCORING_TILES
from skye.tiles.catalogue import COLORS, LANDSCAPE, TILES

_NUMBER: Final = {tile: number for number, tile in enumerate(LANDSCAPE, 1)}
_SCORING: Final = {tile: number for number, tile in enumerate(sorted(SCORING_TILES))}
_OBJECTS: Final = len(TILES[LANDSCAPE[0]].counts)
_SEAT_SIZE: Final = 4 + _OBJECTS + 3 * TILES_DRAWN
_PHASES: Final = (*Phase, None)
_SLOTS: Final = 4

SIZE: Final = len(COLORS) * _SEAT_SIZE + 1 + len(_PHASES) + _SLOTS * len(_SCORING) + TILES_DRAWN
"""The length of the vector: observations have shape (`SIZE`,)."""

MAX_VALUE: Final = 1000.0
"""The upper bound of every number in the vector; the lower bound is 0."""


_NO_SEAT: Final = np.zeros(_SEAT_SIZE, np.float32)

_MAX_CACHED: Final = 64

_vector_cache: dict[tuple[int, Phase | None, bool], tuple[Player, NDArray[np.float32]]] = {}
"""A cache of the numbers of players by identity, since most players are unchanged at the next decision."""


def observe(encoded: EncodedGame, seat: int, *, secrets: bool = True) -> NDArray[np.float32]:
    """Return the observation of a seat.

    :param secrets: whether to include the seat's own secret offer.
    :returns: float32 numbers of shape (`SIZE`,).
    """
    game = encoded.game
    count = len(game.players)
    pieces = [
        _of_seat(game.players[(seat + left) % count], game.phase, own=secrets and not left)
        for left in range(count)
    ]
    pieces += [_NO_SEAT] * (len(COLORS) - count)
    pieces.append(_of_game(game.round, game.phase, game.scoring_tiles))
    draft = encoded.draft if secrets and encoded.seat == seat else ()
    pieces.append(_of_draft(draft))
    return np.concatenate(pieces)


@lru_cache(maxsize=256)
def _of_game(number: int, phase: Phase | None, scoring_tiles: tuple[str, ...]) -> NDArray[np.float32]:
    chosen = [0.0] * (_SLOTS * len(_SCORING))
    for slot, tile in enumerate(scoring_tiles):
        chosen[slot * len(_SCORING) + _SCORING[tile]] = 1.0
    return np.array([number, *[float(phase is each) for each in _PHASES], *chosen], np.float32)


@lru_cache(maxsize=256)
def _of_draft(draft: tuple[int, ...]) -> NDArray[np.float32]:
    return np.array([*[action + 1 for action in draft], *[0] * (TILES_DRAWN - len(draft))], np.float32)


def _of_seat(player: Player, phase: Phase | None, *, own: bool) -> NDArray[np.float32]:
    key = id(player), phase, own
    cached, numbers = _vector_cache.get(key, (None, _NO_SEAT))
    if cached is not player:
        if len(_vector_cache) >= _MAX_CACHED:
            _vector_cache.clear()
        numbers = np.minimum(np.array(_numbers(player, phase, own=own), np.float32), MAX_VALUE)
        _vector_cache[key] = player, numbers
    return numbers


def _numbers(player: Player, phase: Phase | None, *, own: bool) -> list[float]:
    secret = phase is PRICING and not own
    gold = player.gold + (player.stakes if secret else 0)
    tiles = [_NUMBER[tile] for tile in (player.tiles_drawn or player.tiles_to_build)[:TILES_DRAWN]]
    prices = () if secret else player.prices
    in_hand = [_NUMBER[tile] for tile in player.tiles_to_build[:TILES_DRAWN]] if phase is BUYING else []
    values: list[float] = [gold, player.score, len(player.territory.placed), player.build_finished]
    for part in (tiles, prices, in_hand):
        values += [*part, *[0] * (TILES_DRAWN - len(part))]
    return [*values, *player.territory.summary.counts]
