"""The numbers of a seat and of the game in observations (`seats` and `game` of `skye.envs.observation`)."""

from __future__ import annotations

from functools import cache, lru_cache
from struct import Struct
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from skye.encoding import price_of
from skye.envs.planes import MAX_TILES
from skye.envs.tile_features import FEATURES, TILE_FEATURES
from skye.rules.state import PRICING, TILES_DRAWN, GameState, Phase, Player
from skye.scoring.schedule import MAX_ROUNDS, SLOTS, slots_by_round
from skye.scoring.scoring_tiles import SCORING_TILES
from skye.territory.frontier import Place
from skye.tiles.catalogue import LANDSCAPE

MAX_VALUE: Final = 16.0
"""The maximum of the numbers of `seats` and `game`; the minimum is 0."""

_HEAD: Final = Struct("7f")
_EXTRA: Final = Struct("4f")
_TILE_SIZE: Final = TILE_FEATURES + 4
SEAT_SIZE: Final = 7 + TILES_DRAWN * _TILE_SIZE
GAME_SIZE: Final = MAX_ROUNDS + len(Phase) + len(SCORING_TILES) * MAX_ROUNDS + 7 + TILE_FEATURES + 1

_GOLD: Final = 64
_POINTS: Final = 128
_PRICE: Final = 16

_SCORING_ROW: Final = {tile: row for row, tile in enumerate(sorted(SCORING_TILES))}
_TILE: Final = {tile: np.array([*FEATURES[tile, 0]], np.float32).tobytes() for tile in LANDSCAPE}
_DRAWN: Final = {tile: features + _EXTRA.pack(1, 0, 0, 0) for tile, features in _TILE.items()}
_IN_HAND: Final = {tile: features + _EXTRA.pack(0, 1, 0, 0) for tile, features in _TILE.items()}

# The features of tiles as lanes of 16 bits in one integer, so that sums need no loop over features.
_LANES: Final = Struct(f"<{TILE_FEATURES + 1}H")
_LANES_OF: Final = {tile: int.from_bytes(_LANES.pack(*FEATURES[tile, 0], 1), "little") for tile in LANDSCAPE}
_ALL_TILES: Final = sum(_LANES_OF.values())
_TOTALS: Final = np.frombuffer(_ALL_TILES.to_bytes(_LANES.size, "little"), "<u2")

_MAX_CACHED: Final = 1024

_Flags: TypeAlias = tuple[Phase | None, bool, bool]


class Row(NamedTuple):
    """The row of a seat in `seats`.

    :param player: the state of the seat.
    :param flags: the phase, whether the seat starts the round, and whether the game waits for it.
    :param numbers: the float32 bytes of the row.
    :param lanes: the sum of the features of all tiles that the seat has.
    """

    player: Player
    flags: _Flags
    numbers: bytes
    lanes: int


class SeatVectors:
    """Makes the vectors of games; it caches what one decision has in common with the next."""

    def __init__(self) -> None:
        self._scored: tuple[tuple[str, ...], bytes] = (), b""
        # By whether a secret offer is shown, and color: the last row of each seat.
        self._rows: tuple[dict[str, Row], dict[str, Row]] = {}, {}

    def rows(self, game: GameState, seat: int, *, private: bool = True) -> list[Row]:
        """Return the rows of `seats`.

        :param private: whether to include the seat's own secret offer.
        """
        players, phase = game.players, game.phase
        starting_seat, waiting_for = game.starting_seat, game.waiting_for
        rows = []
        for number in (*range(seat, len(players)), *range(seat)):
            player = players[number]
            own = private and number == seat and phase is PRICING and bool(player.prices)
            flags = phase, number == starting_seat, number in waiting_for
            row = self._rows[own].get(player.color)
            if row is None or row.player is not player or row.flags != flags:
                row = self._rows[own][player.color] = _row(player, flags, own=own)
            rows.append(row)
        return rows

    def about_game(self, game: GameState, rows: list[Row]) -> bytes:
        """Return the float32 bytes of `game` without an incomplete decision."""
        lanes = _ALL_TILES - sum([row.lanes for row in rows])
        scoring = self._scoring(game.scoring_tiles, len(game.players))
        return _round_bytes(game.round, game.phase) + scoring + NO_DECISION + _bag_bytes(lanes)

    def _scoring(self, scoring_tiles: tuple[str, ...], players: int) -> bytes:
        if self._scored[0] != scoring_tiles or not self._scored[1]:
            self._scored = scoring_tiles, _scoring_bytes(scoring_tiles, players)
        return self._scored[1]


def _row(player: Player, flags: _Flags, *, own: bool) -> Row:
    phase, starts, waited_for = flags
    secret = phase is PRICING and not own
    prices = () if secret else player.prices
    head = _HEAD.pack(
        min((player.gold + player.stakes if secret else player.gold) / _GOLD, MAX_VALUE),
        min(player.score / _POINTS, MAX_VALUE),
        len(player.territory.placed) / MAX_TILES,
        player.building_finished,
        phase is not PRICING or bool(player.prices),
        starts,
        waited_for,
    )
    tiles, lanes = _tiles(player.tiles_on_offer, prices, player.tiles_to_build)
    return Row(player, flags, head + tiles, lanes + _lanes_of(player.territory.placed))


@lru_cache(maxsize=_MAX_CACHED)
def _lanes_of(placed: tuple[Place, ...]) -> int:
    """Return the sum of the features of the tiles of a territory."""
    return sum([_LANES_OF[place.tile] for place in placed[1:]])


@lru_cache(maxsize=_MAX_CACHED)
def _tiles(on_offer: tuple[str, ...], prices: tuple[int, ...], in_hand: tuple[str, ...]) -> tuple[bytes, int]:
    """Return the numbers 7 - 135 of a row of `seats`, and the sum of the features of the tiles.

    :param on_offer: the tiles drawn or on offer.
    :param prices: their prices; empty while they are not known.
    """
    if prices:
        pieces = [
            _TILE[tile] + _EXTRA.pack(1, 0, min(price / _PRICE, MAX_VALUE), not price)
            for tile, price in zip(on_offer, prices, strict=True)
        ]
    else:
        pieces = [_DRAWN[tile] for tile in on_offer]
    pieces += [_IN_HAND[tile] for tile in in_hand]
    lanes = sum([_LANES_OF[tile] for tile in on_offer + in_hand])
    return b"".join(pieces).ljust(4 * _TILE_SIZE * TILES_DRAWN, b"\0"), lanes


@cache
def _round_bytes(number: int, phase: Phase | None) -> bytes:
    """Return the numbers 0 - 8 of `game`."""
    rounds = [number == each for each in range(1, MAX_ROUNDS + 1)]
    return np.array([*rounds, *[phase is each for each in Phase]], np.float32).tobytes()


def _scoring_bytes(scoring_tiles: tuple[str, ...], players: int) -> bytes:
    """Return the numbers 9 - 104 of `game`."""
    flags = np.zeros((len(SCORING_TILES), MAX_ROUNDS), np.float32)
    for tile, slot in zip(scoring_tiles, SLOTS, strict=False):
        for number, slots in enumerate(slots_by_round(players)):
            flags[_SCORING_ROW[tile], number] = slot in slots
    return flags.tobytes()


@lru_cache(maxsize=_MAX_CACHED)
def decision_bytes(draft: tuple[int, ...], tile: int | None) -> bytes:
    """Return the numbers 105 - 111 of `game`.

    :param draft: the actions of an incomplete offer.
    :param tile: the index of the tile chosen in an incomplete factored placement.
    """
    slots = range(TILES_DRAWN)
    discard = [bool(draft) and draft[0] == slot for slot in slots]
    price = price_of(draft[1]) / _PRICE if len(draft) > 1 else 0.0
    return np.array([*discard, price, *[slot == tile for slot in slots]], np.float32).tobytes()


@lru_cache(maxsize=_MAX_CACHED)
def _bag_bytes(lanes: int) -> bytes:
    """Return the numbers 112 - 151 of `game` for the sum of the features in the bag."""
    left = np.frombuffer(lanes.to_bytes(_LANES.size, "little"), "<u2")
    return (left / _TOTALS).astype(np.float32).tobytes()


NO_DECISION: Final = decision_bytes((), None)
DECISION: Final = slice(4 * 105, 4 * 112)
"""The bytes of an incomplete decision in `game`."""
