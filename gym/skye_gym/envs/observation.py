"""The observation of a seat: the visible game as arrays, from the seat's point of view.

Seats are numbered from the observing one: 0 is itself, 1 the seat to its left. There is no hidden
information: offers of other seats are missing while they are secret. The purses of other seats are included,
since they follow from public events (`count_purses`); while offers are secret, gold on tiles counts as in
the purse.

The sizes follow from the ruleset (`shapes`); the numbers here are those of the base game.

| array    | shape                   | type    | contents                                                 |
|----------|-------------------------|---------|----------------------------------------------------------|
| `seats`  | (players, 136)          | float32 | the purse, the tiles drawn or in hand of each seat       |
| `game`   | (152,)                  | float32 | round, phase, scoring tiles, incomplete decision, bag    |
| `own`    | (21, 21, 73)            | uint8   | planes of the own territory (see `skye_gym.envs.planes`) |
| `others` | (players - 1, 21, 21, 41) | uint8 | planes of the other territories, each in its own window  |

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
| - 0 - 38 | the features of the tile (see `skye_gym.envs.tile_features`)                                  |
| - 39, 40 | the tile is drawn or on offer; the tile is in hand (0 or 1)                                   |
| - 41, 42 | the price / 16, 0 while it is not known; the tile is marked to be discarded (0 or 1)          |

| game      | contents                                                                                      |
|-----------|-----------------------------------------------------------------------------------------------|
| 0 - 5     | the round, one-hot                                                                            |
| 6 - 8     | the phase, one-hot: pricing, buying, building; all 0 when the game is over                    |
| 9 - 104   | for each scoring tile in the order of its id, the rounds 1 - 6 in which it is scored (0 or 1) |
| 105 - 108 | an incomplete offer: the tile to discard, one-hot; each price but the last / 16               |
| 109 - 111 | an incomplete factored placement: the chosen tile, one-hot                                    |
| 112 - 150 | the features of the tiles in the bag: their sum, divided by the sum over all 73 tiles         |
| 151       | the number of tiles in the bag / 73                                                           |

Colors, the commitment to the seed, and the sources of the points at the end are left out.

All numbers of `seats` and `game` are from 0 to 16; larger ones, such as more than 1,024 gold, are 16. In the
flat form (`flat`) the arrays follow one another as float32 in the order of the table, each in C order.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skye.rules.state import GameState
from skye.rulesets.ruleset import Ruleset
from skye_gym.encoding import EncodedGame
from skye_gym.envs.planes import OTHER_PLANES, OwnPlanes, TerritoryPlanes, planes_of
from skye_gym.envs.seat_vectors import Row, SeatVectors, vectors_of

DTYPES: Final = {"seats": np.float32, "game": np.float32, "summary": np.float32}
"""The types of the arrays that are not uint8."""


def shapes(ruleset: Ruleset, players: int) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the arrays of an observation, by name.

    >>> from skye.rulesets import BASE
    >>> shapes(BASE, 2)["own"]
    (21, 21, 73)
    """
    vectors, planes = vectors_of(ruleset), planes_of(ruleset)
    return {
        "seats": (players, vectors.seat_size),
        "game": (vectors.game_size,),
        "own": (planes.window, planes.window, planes.own_planes),
        "others": (players - 1, planes.window, planes.window, OTHER_PLANES),
    }


class _Layout:
    """The places of the arrays of an observation, which follow one another in memory.

    :param ruleset: the ruleset of the games.
    :param players: the number of seats.
    """

    def __init__(self, ruleset: Ruleset, players: int) -> None:
        self.size = 0
        self._places = []
        for name, shape in shapes(ruleset, players).items():
            dtype = np.dtype(DTYPES.get(name, np.uint8))
            self._places.append((name, shape, dtype, self.size))
            self.size += dtype.itemsize * prod(shape)

    def arrays_in(self, memory: NDArray[np.uint8]) -> dict[str, NDArray[Any]]:
        """Return the arrays in memory."""
        return {name: np.ndarray(shape, dtype, memory, start) for name, shape, dtype, start in self._places}


def flat(observation: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
    """Return the flat form of an observation."""
    return np.concatenate(
        [array.ravel() for array in observation.values()], dtype=np.float32, casting="unsafe"
    )


class SeatObservation:
    """Keeps the observation of a seat in memory: it writes what differs from the last observation.

    :param vectors: the vectors, which the observations of several seats share.
    :param arrays: the arrays of the observation, all 0. No one else may change them.
    """

    def __init__(self, vectors: SeatVectors, arrays: Mapping[str, NDArray[Any]]) -> None:
        seats, game, own, others = [memoryview(array.reshape(-1).view(np.uint8)) for array in arrays.values()]
        size = len(others) // len(arrays["others"])
        layout = planes_of(vectors.layout.ruleset)
        self.arrays = arrays
        self._vectors = vectors
        self._layout = vectors.layout
        self._seats, self._game = seats, game
        self._own = OwnPlanes(layout, own)
        self._others = [
            TerritoryPlanes(layout, others[start : start + size]) for start in range(0, len(others), size)
        ]
        self._observed: tuple[GameState | None, int] = None, 0
        self._rows: list[Row | None] = [None] * len(arrays["seats"])

    def show(self, encoded: EncodedGame, seat: int, tile: int | None = None, cell: int | None = None) -> None:
        """Write the observation of a seat.

        :param tile: the index of the tile chosen in an incomplete factored placement.
        :param cell: the number of the cell chosen for it, in the rows of the window.
        """
        game = encoded.game
        if game is not self._observed[0] or seat != self._observed[1]:
            self._observed = game, seat
            self._show_game(game, seat)
        draft = encoded.draft if encoded.draft and encoded.seat == seat else ()
        layout = self._layout
        self._game[layout.decision] = layout.decision_bytes(draft, tile)
        player = game.players[seat]
        self._own.show_own(player.territory, player.tiles_on_offer + player.tiles_to_build, cell)

    def _show_game(self, game: GameState, seat: int) -> None:
        rows, size = self._vectors.rows(game, seat), 4 * self._layout.seat_size
        for number, row in enumerate(rows):
            if row is not self._rows[number]:
                self._seats[size * number : size * (number + 1)] = row.numbers
        self._rows[:] = rows
        self._game[:] = self._vectors.about_game(game, rows)
        players = game.players
        for planes, player in zip(self._others, players[seat + 1 :] + players[:seat], strict=True):
            planes.show(player.territory)


class Observer:
    """Makes the observations of games; it keeps the last one of each seat.

    :param ruleset: the ruleset of the games.
    :param players: the number of seats.
    """

    def __init__(self, ruleset: Ruleset, players: int) -> None:
        self._ruleset = ruleset
        self._players = players
        self._layout = _Layout(ruleset, players)
        self._vectors = SeatVectors(vectors_of(ruleset))
        # By seat: the memory of the arrays, and the observation in it.
        self._seats: dict[int, tuple[NDArray[np.uint8], SeatObservation]] = {}

    def __reduce__(self) -> tuple[type[Observer], tuple[Ruleset, int]]:
        """Copy and pickle without the last observations."""
        return Observer, (self._ruleset, self._players)

    def observe(
        self, encoded: EncodedGame, seat: int, tile: int | None = None, cell: int | None = None
    ) -> dict[str, NDArray[Any]]:
        """Return the observation of a seat, with the arguments of `SeatObservation.show`.

        :returns: the arrays by name, which belong to the caller.
        """
        memory, observation = self._seats.get(seat) or self._add_seat(seat)
        observation.show(encoded, seat, tile, cell)
        return self._layout.arrays_in(memory.copy())

    def show(
        self, encoded: EncodedGame, seat: int, tile: int | None = None, cell: int | None = None
    ) -> Mapping[str, NDArray[Any]]:
        """Return the same in arrays that the next call changes; the caller may not change them."""
        _, observation = self._seats.get(seat) or self._add_seat(seat)
        observation.show(encoded, seat, tile, cell)
        return observation.arrays

    def _add_seat(self, seat: int) -> tuple[NDArray[np.uint8], SeatObservation]:
        memory = np.zeros(self._layout.size, np.uint8)
        added = memory, SeatObservation(self._vectors, self._layout.arrays_in(memory))
        self._seats[seat] = added
        return added
