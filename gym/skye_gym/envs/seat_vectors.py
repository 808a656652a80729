"""The numbers of a seat and of the game: `seats` and `game` of `skye_gym.envs.observation`."""

from __future__ import annotations

from functools import cache, lru_cache
from struct import Struct
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from skye.rules.state import PRICING, GameState, Phase, Player
from skye.rulesets.ruleset import Ruleset
from skye.tiles.tile_set import Place
from skye_gym.encoding import encoding_of
from skye_gym.envs.tile_features import TILE_FEATURES, features_of

MAX_VALUE: Final = 16.0
"""The maximum of the numbers of `seats` and `game`; the minimum is 0."""

_HEAD: Final = Struct("7f")
_EXTRA: Final = Struct("4f")
_TILE_SIZE: Final = TILE_FEATURES + 4

_GOLD: Final = 64
_POINTS: Final = 128
_PRICE: Final = 16

# The features of tiles as lanes of 16 bits in one integer, so that sums need no loop over features.
_LANES: Final = Struct(f"<{TILE_FEATURES + 1}H")

_MAX_CACHED: Final = 1024

_Flags: TypeAlias = tuple[Phase | None, bool, bool]


class Row(NamedTuple):
    """The row of a seat in `seats`.

    :param player: the state of the seat.
    :param flags: the phase, whether the seat starts the round, and whether the game waits for it.
    :param numbers: the float32 bytes of the row.
    :param lanes: the sum of the features of all tiles that the seat has.
    :param in_territory: the sum of those of the tiles in its territory.
    """

    player: Player
    flags: _Flags
    numbers: bytes
    lanes: int
    in_territory: int


class VectorLayout:
    """The sizes and the contents of the vectors in a ruleset. It never changes.

    :param ruleset: the ruleset.
    """

    def __init__(self, ruleset: Ruleset) -> None:
        encoding, features, landscape = encoding_of(ruleset), features_of(ruleset), ruleset.tiles.landscape
        drawn, rounds = ruleset.tiles_drawn, ruleset.max_rounds
        self.ruleset = ruleset
        self._encoding = encoding
        self._max_tiles = 1 + encoding.reach
        self._scoring_row = {tile: row for row, tile in enumerate(sorted(ruleset.scoring_tiles))}
        decision = rounds + len(Phase) + len(self._scoring_row) * rounds
        bag = decision + drawn + (drawn - 2) + drawn
        self.decision = slice(4 * decision, 4 * bag)
        """The bytes of an incomplete decision in `game`."""
        self.game_size = bag + TILE_FEATURES + 1
        """The size of `game`."""
        self.seat_size = 7 + drawn * _TILE_SIZE
        """The size of a row of `seats`."""
        self._tile = {tile: np.array([*features[tile, 0]], np.float32).tobytes() for tile in landscape}
        self._drawn = {tile: numbers + _EXTRA.pack(1, 0, 0, 0) for tile, numbers in self._tile.items()}
        self._in_hand = {tile: numbers + _EXTRA.pack(0, 1, 0, 0) for tile, numbers in self._tile.items()}
        self._lanes = {
            tile: int.from_bytes(_LANES.pack(*features[tile, 0], 1), "little") for tile in landscape
        }
        self.all_tiles = sum(self._lanes.values())
        """The sum of the features of all landscape tiles."""
        totals = np.frombuffer(self.all_tiles.to_bytes(_LANES.size, "little"), "<u2")
        self._totals = np.maximum(totals, 1)  # a feature that no tile has is 0
        self.lanes_of = lru_cache(maxsize=_MAX_CACHED)(self._lanes_of)
        self.tiles = lru_cache(maxsize=_MAX_CACHED)(self._tiles)
        self.round_bytes = cache(self._round_bytes)
        self.decision_bytes = lru_cache(maxsize=_MAX_CACHED)(self._decision_bytes)
        self.bag_bytes = lru_cache(maxsize=_MAX_CACHED)(self._bag_bytes)
        self.no_decision = self.decision_bytes((), None)
        """The numbers of no incomplete decision."""

    def __reduce__(self) -> tuple[Any, ...]:
        return vectors_of, (self.ruleset,)

    def row(self, player: Player, flags: _Flags, last: Row | None, *, own: bool) -> Row:
        """Return the row of a seat.

        :param last: the row of the seat at an earlier decision, of which the new row takes what is equal.
        :param own: whether its own secret offer is shown.
        """
        phase, starts, waited_for = flags
        secret = phase is PRICING and not own
        prices = () if secret else player.prices
        head = _HEAD.pack(
            min((player.gold + player.stakes if secret else player.gold) / _GOLD, MAX_VALUE),
            min(player.score / _POINTS, MAX_VALUE),
            len(player.territory.placed) / self._max_tiles,
            player.building_finished,
            phase is not PRICING or bool(player.prices),
            starts,
            waited_for,
        )
        if last is not None and last.player is player and last.flags[0] is phase:
            return Row(player, flags, head + last.numbers[_HEAD.size :], last.lanes, last.in_territory)
        tiles, lanes = self.tiles(player.tiles_on_offer, prices, player.tiles_to_build)
        if last is not None and last.player.territory is player.territory:
            in_territory = last.in_territory
        else:
            in_territory = self.lanes_of(player.territory.placed)
        return Row(player, flags, head + tiles, lanes + in_territory, in_territory)

    def scoring_bytes(self, scoring_tiles: tuple[str, ...], players: int) -> bytes:
        """Return the numbers 9 - 104 of `game`."""
        flags = np.zeros((len(self._scoring_row), self.ruleset.max_rounds), np.float32)
        for tile, slot in zip(scoring_tiles, self.ruleset.slots, strict=False):
            for number, slots in enumerate(self.ruleset.rounds(players)):
                flags[self._scoring_row[tile], number] = slot in slots
        return flags.tobytes()

    def _lanes_of(self, placed: tuple[Place, ...]) -> int:
        """Return the sum of the features of the tiles of a territory."""
        return sum([self._lanes[place.tile] for place in placed[1:]])

    def _tiles(
        self, on_offer: tuple[str, ...], prices: tuple[int, ...], in_hand: tuple[str, ...]
    ) -> tuple[bytes, int]:
        """Return the numbers 7 - 135 of a row of `seats`, and the sum of the features of the tiles.

        :param on_offer: the tiles drawn or on offer.
        :param prices: their prices; empty while they are not known.
        """
        if prices:
            pieces = [
                self._tile[tile] + _EXTRA.pack(1, 0, min(price / _PRICE, MAX_VALUE), not price)
                for tile, price in zip(on_offer, prices, strict=True)
            ]
        else:
            pieces = [self._drawn[tile] for tile in on_offer]
        pieces += [self._in_hand[tile] for tile in in_hand]
        lanes = sum([self._lanes[tile] for tile in on_offer + in_hand])
        return b"".join(pieces).ljust(4 * _TILE_SIZE * self.ruleset.tiles_drawn, b"\0"), lanes

    def _round_bytes(self, number: int, phase: Phase | None) -> bytes:
        """Return the numbers 0 - 8 of `game`."""
        rounds = [number == each for each in range(1, self.ruleset.max_rounds + 1)]
        return np.array([*rounds, *[phase is each for each in Phase]], np.float32).tobytes()

    def _decision_bytes(self, draft: tuple[int, ...], tile: int | None) -> bytes:
        """Return the numbers 105 - 111 of `game`.

        :param draft: the actions of an incomplete offer.
        :param tile: the index of the tile chosen in an incomplete factored placement.
        """
        slots = range(self.ruleset.tiles_drawn)
        discard = [bool(draft) and draft[0] == slot for slot in slots]
        prices = [0.0] * (len(slots) - 2)
        for number, action in enumerate(draft[1:]):
            prices[number] = self._encoding.price_of(action) / _PRICE
        return np.array([*discard, *prices, *[slot == tile for slot in slots]], np.float32).tobytes()

    def _bag_bytes(self, lanes: int) -> bytes:
        """Return the numbers 112 - 151 of `game` for the sum of the features in the bag."""
        left = np.frombuffer(lanes.to_bytes(_LANES.size, "little"), "<u2")
        return (left / self._totals).astype(np.float32).tobytes()


@cache
def vectors_of(ruleset: Ruleset) -> VectorLayout:
    """Return the layout of the vectors of a ruleset, which is computed once.

    >>> from skye.rulesets import BASE
    >>> vectors_of(BASE).seat_size, vectors_of(BASE).game_size
    (136, 152)
    """
    return VectorLayout(ruleset)


class SeatVectors:
    """Makes the vectors of games; it caches what one decision has in common with the next.

    :param layout: the sizes and contents.
    """

    def __init__(self, layout: VectorLayout) -> None:
        self.layout = layout
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
                row = self._rows[own][player.color] = self.layout.row(player, flags, row, own=own)
            rows.append(row)
        return rows

    def about_game(self, game: GameState, rows: list[Row]) -> bytes:
        """Return the float32 bytes of `game` without an incomplete decision."""
        layout = self.layout
        lanes = layout.all_tiles - sum([row.lanes for row in rows])
        scoring = self._scoring(game.scoring_tiles, len(game.players))
        return (
            layout.round_bytes(game.round, game.phase)
            + scoring
            + layout.no_decision
            + layout.bag_bytes(lanes)
        )

    def _scoring(self, scoring_tiles: tuple[str, ...], players: int) -> bytes:
        if self._scored[0] != scoring_tiles or not self._scored[1]:
            self._scored = scoring_tiles, self.layout.scoring_bytes(scoring_tiles, players)
        return self._scored[1]
