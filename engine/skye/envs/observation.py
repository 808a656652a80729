"""The observation of a seat: the visible game as arrays, from the seat's point of view.

Seats are numbered from the observing one: 0 is itself, 1 the seat to its left. There is no hidden
information: offers of other seats are missing while they are secret. The purses of other seats are included,
since they follow from public events (`count_purses`); while offers are secret, gold on tiles counts as in
the purse.

| array    | shape                   | type    | contents                                               |
|----------|-------------------------|---------|--------------------------------------------------------|
| `seats`  | (players, 136)          | float32 | the purse, the tiles drawn or in hand of each seat     |
| `game`   | (152,)                  | float32 | round, phase, scoring tiles, incomplete decision, bag  |
| `own`    | (21, 21, 73)            | uint8   | planes of the own territory (see `skye.envs.planes`)   |
| `others` | (players - 1, 21, 21, 41) | uint8 | planes of the other territories, each in its own window |

| seats    | contents                                                                                      |
|----------|-----------------------------------------------------------------------------------------------|
| 0        | gold / 64                                                                                     |
| 1        | score / 128                                                                                   |
| 2        | tiles in the territory / 19, the castle included                                              |
| 3        | the seat has finished building (0 or 1)                                                       |
| 4        | the seat has set its offer, or the pricing phase is over (0 or 1)                             |
| 5        | the seat starts the round (0 or 1)                                                            |
| 6        | the game waits for the seat (0 or 1)                                                          |
| 7 - 135  | its tiles, at most 3: first those drawn or on offer, then those in hand. For each 43 numbers: |
| - 0 - 38 | the features of the tile (see `skye.envs.tile_features`)                                      |
| - 39, 40 | the tile is drawn or on offer; the tile is in hand (0 or 1)                                   |
| - 41, 42 | the price / 16, 0 while it is not known; the tile is marked to be discarded (0 or 1)          |

| game      | contents                                                                                     |
|-----------|----------------------------------------------------------------------------------------------|
| 0 - 5     | the round, one-hot                                                                           |
| 6 - 8     | the phase, one-hot: pricing, buying, building; all 0 when the game is over                   |
| 9 - 104   | for each scoring tile in the order of its id, the rounds 1 - 6 in which it is scored (0 or 1) |
| 105 - 108 | an incomplete offer: the tile to discard, one-hot; the first price / 16                       |
| 109 - 111 | an incomplete factored placement: the chosen tile, one-hot                                   |
| 112 - 150 | the features of the tiles in the bag: their sum, divided by the sum over all 73 tiles         |
| 151       | the number of tiles in the bag / 73                                                          |

Colors, the commitment to the seed, and the sources of the points at the end are left out.

All numbers of `seats` and `game` are from 0 to 16; larger ones, such as more than 1,024 gold, are 16. In the
flat form (`flat`) the arrays follow one another as float32 in the order of the table, each in C order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from struct import Struct
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from skye.encoding import EncodedGame, price_of
from skye.envs.planes import MAX_TILES, OTHER_PLANES, OWN_PLANES, WINDOW, TerritoryPlanes
from skye.envs.tile_features import FEATURES, TILE_FEATURES
from skye.rules.state import PRICING, TILES_DRAWN, Phase, Player
from skye.scoring.schedule import MAX_ROUNDS, SLOTS, slots_by_round
from skye.scoring.scoring_tiles import SCORING_TILES
from skye.tiles.catalogue import LANDSCAPE

DTYPES: Final = {"seats": np.float32, "game": np.float32}
"""The types of the arrays that are not uint8."""

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

_MAX_CACHED: Final = 256

_Flags: TypeAlias = tuple[Phase | None, bool, bool]


def shapes(players: int) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the arrays of an observation, by name."""
    return {
        "seats": (players, SEAT_SIZE),
        "game": (GAME_SIZE,),
        "own": (WINDOW, WINDOW, OWN_PLANES),
        "others": (players - 1, WINDOW, WINDOW, OTHER_PLANES),
    }


def as_arrays(shapes: Mapping[str, tuple[int, ...]], parts: Sequence[bytearray]) -> dict[str, NDArray[Any]]:
    """Return the arrays of an observation, which share the memory of its parts."""
    return {
        name: np.ndarray(shape, DTYPES.get(name, np.uint8), part)
        for (name, shape), part in zip(shapes.items(), parts, strict=True)
    }


def flat(observation: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
    """Return the flat form of an observation."""
    return np.concatenate(
        [array.ravel() for array in observation.values()], dtype=np.float32, casting="unsafe"
    )


class _Row(NamedTuple):
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


class Observer:
    """Makes the observations of games; it caches what one observation has in common with the next.

    :param players: the number of seats.
    """

    def __init__(self, players: int) -> None:
        self._shapes = shapes(players)
        self._scored: tuple[tuple[str, ...], bytes] = (), b""
        # By color: the last territory, own planes and rows (with and without a secret offer).
        self._planes: dict[str, TerritoryPlanes] = {}
        self._own: dict[str, tuple[TerritoryPlanes, tuple[str, ...], bytearray]] = {}
        self._rows: dict[tuple[str, bool], _Row] = {}

    def observe(
        self, encoded: EncodedGame, seat: int, *, tile: int | None = None, cell: int | None = None
    ) -> dict[str, NDArray[Any]]:
        """Return the observation of a seat; its arrays belong to the caller.

        :param tile: the index of the tile chosen in an incomplete factored placement.
        :param cell: the number of the cell chosen for it: 21 * row + column of the window.
        """
        return as_arrays(self._shapes, self.parts(encoded, seat, tile=tile, cell=cell))

    def parts(
        self, encoded: EncodedGame, seat: int, *, tile: int | None = None, cell: int | None = None
    ) -> list[bytearray]:
        """Return the bytes of the arrays of an observation, in their order; they belong to the caller."""
        players = encoded.game.players
        others = [self._planes_of(player).other for player in players[seat + 1 :] + players[:seat]]
        return [
            *self.vectors(encoded, seat, tile=tile),
            self._own_planes(players[seat], cell),
            bytearray().join(others),
        ]

    def vectors(
        self, encoded: EncodedGame, seat: int, *, tile: int | None = None, private: bool = True
    ) -> tuple[bytearray, bytearray]:
        """Return the float32 bytes of `seats` and `game`.

        :param private: whether to include the seat's own secret or incomplete offer.
        """
        game = encoded.game
        players, phase = game.players, game.phase
        starting_seat, waiting_for = game.starting_seat, game.waiting_for
        lanes, rows = _ALL_TILES, []
        secret, cache = phase is PRICING, self._rows
        for number in (*range(seat, len(players)), *range(seat)):
            player = players[number]
            own = secret and private and number == seat and bool(player.prices)
            flags = phase, number == starting_seat, number in waiting_for
            row = cache.get((player.color, own))
            if row is None or row.player is not player or row.flags != flags:
                row = cache[player.color, own] = _row(player, flags, own=own)
            rows.append(row.numbers)
            lanes -= row.lanes
        draft = encoded.draft if private and encoded.draft and encoded.seat == seat else ()
        about_game = (
            _round_bytes(game.round, game.phase),
            self._scoring(game.scoring_tiles, len(players)),
            _draft_bytes(draft, tile),
            _bag_bytes(lanes),
        )
        return bytearray().join(rows), bytearray().join(about_game)

    def _scoring(self, scoring_tiles: tuple[str, ...], players: int) -> bytes:
        if self._scored[0] != scoring_tiles or not self._scored[1]:
            self._scored = scoring_tiles, _scoring_bytes(scoring_tiles, players)
        return self._scored[1]

    def _planes_of(self, player: Player) -> TerritoryPlanes:
        planes = self._planes.get(player.color)
        if planes is None or planes.territory is not player.territory:
            planes = self._planes[player.color] = TerritoryPlanes(player.territory)
        return planes

    def _own_planes(self, player: Player, chosen: int | None) -> bytearray:
        planes, tiles = self._planes_of(player), player.tiles_on_offer + player.tiles_to_build
        if chosen is not None:
            return planes.own_with(tiles, chosen)
        cached = self._own.get(player.color)
        if cached is None or cached[0] is not planes or cached[1] != tiles:
            cached = self._own[player.color] = planes, tiles, planes.own_with(tiles)
        return bytearray(cached[2])


def _row(player: Player, flags: _Flags, *, own: bool) -> _Row:
    phase, starts, waited_for = flags
    secret = phase is PRICING and not own
    gold = player.gold + player.stakes if secret else player.gold
    head = _HEAD.pack(
        min(gold / _GOLD, MAX_VALUE),
        min(player.score / _POINTS, MAX_VALUE),
        len(player.territory.placed) / MAX_TILES,
        player.building_finished,
        phase is not PRICING or bool(player.prices),
        starts,
        waited_for,
    )
    tiles = player.tiles_on_offer + player.tiles_to_build
    lanes = sum([_LANES_OF[place.tile] for place in player.territory.placed[1:]])
    lanes += sum([_LANES_OF[tile] for tile in tiles])
    return _Row(player, flags, head + _tiles_bytes(player, () if secret else player.prices), lanes)


def _tiles_bytes(player: Player, prices: tuple[int, ...]) -> bytes:
    """Return the numbers 7 - 135 of a row of `seats`.

    :param prices: the prices of the tiles drawn; empty while they are not known.
    """
    if prices:
        pieces = [
            _TILE[tile] + _EXTRA.pack(1, 0, min(price / _PRICE, MAX_VALUE), not price)
            for tile, price in zip(player.tiles_on_offer, prices, strict=True)
        ]
    else:
        pieces = [_DRAWN[tile] for tile in player.tiles_on_offer]
    pieces += [_IN_HAND[tile] for tile in player.tiles_to_build]
    return b"".join(pieces).ljust(4 * _TILE_SIZE * TILES_DRAWN, b"\0")


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
def _draft_bytes(draft: tuple[int, ...], tile: int | None) -> bytes:
    """Return the numbers 105 - 111 of `game`."""
    slots = range(TILES_DRAWN)
    discard = [bool(draft) and draft[0] == slot for slot in slots]
    price = price_of(draft[1]) / _PRICE if len(draft) > 1 else 0.0
    return np.array([*discard, price, *[slot == tile for slot in slots]], np.float32).tobytes()


@lru_cache(maxsize=_MAX_CACHED)
def _bag_bytes(lanes: int) -> bytes:
    """Return the numbers 112 - 151 of `game` for the sum of the features in the bag."""
    left = np.frombuffer(lanes.to_bytes(_LANES.size, "little"), "<u2")
    return (left / _TOTALS).astype(np.float32).tobytes()
