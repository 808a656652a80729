"""The encodings of actions: each decision of a seat is one number, with a mask of the legal ones.

The sizes follow from the ruleset; the numbers here are those of the base game.

| encoding   | actions | meaning                                                                             |
|------------|---------|-------------------------------------------------------------------------------------|
| `factored` | 511     | the default; a placement is three decisions: tile, cell of the window, rotation     |
| `list`     | 408     | an index into the list of legal actions, whose features are part of the observation |
| `list+gains` | 408   | the same, whose features also say what the tile gains                               |
| `grid`     | 16,491  | the numbers of `skye_gym.encoding`, the same in every position                      |

Factored actions 0 - 62 are those of `skye_gym.encoding`. 63 - 65 choose the tile at this index in hand,
66 - 506 the cell `21 * row + column` of the own window (see `skye_gym.envs.planes`), and 507 - 510 the
rotation 0, 90, 180, 270. Each tile, cell or rotation in the mask leads to a legal placement.

The list has the legal actions of `skye_gym.encoding` in ascending order. There are at most 408: a seat places
its last three tiles next to at most 16 others, which have at most 34 empty neighbours, in 4 rotations. The
features are uint8 numbers of shape (408, 60); the rows after the last legal action are 0.

| columns | features of an action                                                                      |
|---------|--------------------------------------------------------------------------------------------|
| 0 - 5   | its type, one-hot: discard, price, buy, pass, finish building, place                       |
| 6 - 8   | which of its tiles the seat discards, prices or places, one-hot                            |
| 9 - 13  | the seller, one-hot from the seat to the left; whether it is the second tile on offer, ... |
| 14      | the price in gold, which the seat asks or pays                                             |
| 15, 16  | the row and the column of the cell in the window                                           |
| 17 - 20 | the rotation, one-hot                                                                      |
| 21 - 59 | the features of the tile, as it is turned (see `skye_gym.envs.tile_features`)              |

`list+gains` has 12 more columns, of shape (408, 72). They follow from the rules and from what is public.
Each is 128 plus a number, so that a loss is below 128. The columns 60 - 69 of a placement are its own gain;
those of another action of a tile are the gain at its best place in the own territory. Without a tile all
are 128.

| columns | features of an action with `list+gains`                                                    |
|---------|--------------------------------------------------------------------------------------------|
| 60 - 63 | the points in this round by the scoring tiles in the slots A, B, C, D                      |
| 64 - 67 | the points in all later rounds by the same                                                 |
| 68      | tiles with whisky that become joined to the castle by road                                 |
| 69      | the points of scrolls                                                                      |
| 70      | the sum of all these points at the best place of the tile in the own territory             |
| 71      | the same in the territory of the rival who gains most                                      |

The best place is that of most points in the rounds to come and of scrolls. What a majority of gold gives is
left out, since no placement changes it.
"""

from __future__ import annotations

from copy import copy
from functools import cache, lru_cache
from typing import Any, Final, Self, TypeAlias

from skye.errors import RuleError
from skye.rules.moves import Buy
from skye.rules.state import BUILDING, PRICING, GameState, Player
from skye.rulesets.ruleset import Ruleset
from skye.tiles.geometry import ROTATIONS, cell_at, coordinates_of
from skye.tiles.tile_set import Place
from skye_gym.encoding import EncodedGame, encode_move, encoding_of
from skye_gym.envs.gains import Gain, Scorings, TerritoryGains, scorings_of, territory_gains
from skye_gym.envs.planes import planes_of
from skye_gym.envs.tile_features import TILE_FEATURES, features_of

_TYPES: Final = {"discard": 0, "price": 1, "buy": 2, "pass": 3, "finish": 4, "place": 5}


def listed_shape(ruleset: Ruleset) -> tuple[int, int]:
    """Return the maximum number of legal actions, and the number of features of each.

    >>> from skye.rulesets import BASE
    >>> listed_shape(BASE)
    (408, 60)
    """
    drawn, sellers = ruleset.tiles_drawn, ruleset.players[-1] - 1
    encoding = encoding_of(ruleset)
    neighbors = 2 * (1 + encoding.reach - drawn) + 2  # of a territory without the tiles of the last round
    actions = max(
        drawn * neighbors * len(ROTATIONS),
        encoding.max_price - encoding.min_price + 1,
        sellers * (drawn - 1) + 1,
    )
    features = len(_TYPES) + drawn + sellers + (drawn - 2) + 1 + 2 + len(ROTATIONS) + TILE_FEATURES
    return actions, features


_NO_GAIN: Final = 128
"""The number that stands for no gain."""


class GridActions:
    """The actions of `skye_gym.encoding`.

    :param encoded: the game.
    """

    def __init__(self, encoded: EncodedGame) -> None:
        self._encoding = encoded.encoding
        self._planes = planes_of(self._encoding.ruleset)
        self.size = self.count(self._encoding.ruleset)
        """The number of actions."""
        self.continue_with(encoded)

    @staticmethod
    def count(ruleset: Ruleset) -> int:
        """Return the number of actions in a ruleset."""
        return encoding_of(ruleset).action_count

    def __deepcopy__(self, _memo: dict[int, object]) -> Self:
        return copy(self)

    def describe(self, action: int) -> str:
        """Return an English description of an action.

        :raises ValueError: when there is no such action.
        """
        return self._encoding.describe_action(action)

    def continue_with(self, encoded: EncodedGame) -> None:
        """Continue with a game."""
        self.encoded = encoded
        self.seat = encoded.seat
        """The seat that decides next."""
        self.tile: int | None = None
        """The index in hand of the tile chosen in an incomplete placement."""
        self.cell: int | None = None
        """The number of the cell chosen for it."""
        self._legal: list[int] | None = None

    @property
    def legal(self) -> list[int]:
        """The legal actions in ascending order; do not change the list."""
        if self._legal is None:
            self._legal = self._find_legal()
        return self._legal

    def _find_legal(self) -> list[int]:
        return self.encoded.legal_actions()

    def mask(self) -> bytearray:
        """Return one byte for each action: 1 where it is legal."""
        mask = bytearray(self.size)
        for action in self.legal:
            mask[action] = 1
        return mask

    def play(self, action: int) -> None:
        """Play an action.

        :raises RuleError: when it is not legal.
        :raises ValueError: when there is no such action.
        """
        self.continue_with(self.encoded.play(action)[0])


class FactoredActions(GridActions):
    """Placements as three decisions: tile, cell, rotation."""

    def __init__(self, encoded: EncodedGame) -> None:
        super().__init__(encoded)
        window = self._planes.window
        self._first_tile = self._encoding.finish + 1
        self._first_cell = self._first_tile + self._encoding.decisions
        self._first_rotation = self._first_cell + window * window

    @staticmethod
    def count(ruleset: Ruleset) -> int:
        """Return the number of actions in a ruleset."""
        encoding, window = encoding_of(ruleset), planes_of(ruleset).window
        return encoding.finish + 1 + encoding.decisions + window * window + len(ROTATIONS)

    def describe(self, action: int) -> str:
        """Return an English description of an action."""
        if not self._first_tile <= action < self.size:
            return super().describe(action)
        if action < self._first_cell:
            return f"place tile {action - self._first_tile + 1}"
        if action < self._first_rotation:
            row, column = divmod(action - self._first_cell, self._planes.window)
            return f"in row {row}, column {column} of the window"
        return f"turned by {ROTATIONS[action - self._first_rotation]}"

    def play(self, action: int) -> None:
        """Play an action."""
        if action not in self.legal:
            raise RuleError(f"Action {action} is not legal now.")
        if action < self._first_tile:
            super().play(action)
        elif action < self._first_cell:
            self.tile = action - self._first_tile
        elif action < self._first_rotation:
            self.cell = action - self._first_cell
        else:
            self._place(ROTATIONS[action - self._first_rotation])
        self._legal = None

    def _place(self, rotation: int) -> None:
        assert self.tile is not None
        assert self.cell is not None
        player = self._player
        left, top = self._planes.origin(player.territory)
        row, column = divmod(self.cell, self._planes.window)
        place = Place(player.tiles_to_build[self.tile], left + column, top + row, rotation)
        [action] = encode_move(self.encoded.game, self.seat, place)
        super().play(action)

    @property
    def _player(self) -> Player:
        return self.encoded.game.players[self.seat]

    def _find_legal(self) -> list[int]:
        if self.encoded.game.phase is not BUILDING:
            return self.encoded.legal_actions()
        player = self._player
        if self.tile is None:
            fitting = [tile for tile in player.tiles_to_build if player.territory.has_place(tile)]
            first = self._first_tile
            return [first + player.tiles_to_build.index(tile) for tile in fitting] or [self._encoding.finish]
        fits = player.territory.tiles.fitting_rotations[player.tiles_to_build[self.tile]]
        frontier, window = player.territory.frontier, self._planes.window
        left, top = self._planes.origin(player.territory)
        if self.cell is None:
            cells = [coordinates_of(cell) for cell, constraint in frontier.items() if fits[constraint]]
            return sorted([self._first_cell + window * (y - top) + x - left for x, y in cells])
        row, column = divmod(self.cell, window)
        rotations = fits[frontier[cell_at(left + column, top + row)]]
        return [self._first_rotation + rotation // 90 for rotation in rotations]


class ListedActions(GridActions):
    """Indexes into the list of legal actions."""

    def __init__(self, encoded: EncodedGame) -> None:
        super().__init__(encoded)
        ruleset = self._encoding.ruleset
        self._rows, self._width = self.features_shape(ruleset)
        self._tiles = features_of(ruleset)

    @staticmethod
    def count(ruleset: Ruleset) -> int:
        """Return the number of actions in a ruleset."""
        return listed_shape(ruleset)[0]

    def mask(self) -> bytearray:
        """Return one byte for each action: 1 where it is legal."""
        legal = len(self.legal)
        return bytearray(b"\1" * legal + bytes(self.size - legal))

    def play(self, action: int) -> None:
        """Play an action."""
        if not 0 <= action < len(self.legal):
            raise RuleError(f"Action {action} is not legal now.")
        super().play(self.legal[action])

    @classmethod
    def features_shape(cls, ruleset: Ruleset) -> tuple[int, int]:
        """Return the maximum number of legal actions, and the number of features of each."""
        return listed_shape(ruleset)

    def features(self) -> bytearray:
        """Return the features of the legal actions, in rows of bytes (see `features_shape`)."""
        game, seat, width = self.encoded.game, self.seat, self._width
        rows = bytearray(self._rows * width)
        if game.is_over:
            return rows
        if game.phase is PRICING:
            listed = [self._of_offer(action) for action in self.legal]
        else:
            origin = self._planes.origin(game.players[seat].territory)
            listed = [self._of_move(action, origin) for action in self.legal]
        rows[: width * len(listed)] = b"".join(listed)
        return rows

    def _of_move(self, action: int, origin: tuple[int, int]) -> bytes:
        game, seat = self.encoded.game, self.seat
        match self._encoding.move_of(game, seat, action):
            case Place() as place:
                return self._of_placement(place, origin)
            case Buy(tile):
                seller = next(n for n, player in enumerate(game.players) if tile in player.tiles_on_offer)
                index = game.players[seller].tiles_on_offer.index(tile)
                price = game.players[seller].prices[index]
                left = (seller - seat) % len(game.players)
                return self._row("buy", tile, seller=left, index=index, price=price)
            case _:
                return self._row("finish" if action == self._encoding.finish else "pass")

    def _of_placement(self, place: Place, origin: tuple[int, int]) -> bytes:
        tile, x, y, rotation = place
        slot = self.encoded.game.players[self.seat].tiles_to_build.index(tile)
        return self._row("place", tile, slot, cell=(y - origin[1], x - origin[0]), rotation=rotation)

    def _of_offer(self, action: int) -> bytes:
        """Return the features of an action that discards or prices a tile."""
        encoded, encoding = self.encoded, self._encoding
        drawn, draft = encoded.game.players[encoded.seat].tiles_on_offer, encoded.draft
        if not draft:
            return self._row("discard", drawn[action], action)
        slot = [slot for slot in range(encoding.decisions) if slot != draft[0]][len(draft) - 1]
        return self._row("price", drawn[slot], slot, price=encoding.price_of(action))

    def _row(  # noqa: PLR0913 - the features of an action
        self,
        kind: str,
        tile: str | None = None,
        slot: int | None = None,
        *,
        seller: int = 0,
        index: int = 0,
        price: int = 0,
        cell: tuple[int, int] = (0, 0),
        rotation: int | None = None,
    ) -> bytes:
        drawn, players = self._encoding.decisions, self._encoding.ruleset.players[-1]
        features = _NO_TILE if tile is None else self._tiles[tile, rotation or 0]
        numbers = bytes((min(price, 255), *cell))
        return _flags(kind, slot, (seller, index), (drawn, players)) + numbers + _TURNED[rotation] + features


_NO_TILE: Final = bytes(TILE_FEATURES)

_TURNED: Final = {
    rotation: bytes([each == rotation for each in ROTATIONS]) for rotation in (None, *ROTATIONS)
}
"""By the rotation of a placement, or None: the columns 17 - 20 of its features."""


@cache
def _flags(kind: str, slot: int | None, offer: tuple[int, int], sizes: tuple[int, int]) -> bytes:
    """Return the columns 0 - 13 of the features of an action.

    :param offer: the seller and the index of a tile to buy.
    :param sizes: the number of tiles drawn, and of the seats at most.
    """
    (seller, index), (drawn, players) = offer, sizes
    types = [number == _TYPES[kind] for number in range(len(_TYPES))]
    slots = [number == slot for number in range(drawn)]
    sellers = [number == seller for number in range(1, players)]
    of_seller = [number == index for number in range(1, drawn - 1)]
    return bytes([*types, *slots, *sellers, *of_seller])


class ListedGains(ListedActions):
    """Indexes into the list of legal actions, whose features also say what tiles gain."""

    @classmethod
    def features_shape(cls, ruleset: Ruleset) -> tuple[int, int]:
        """Return the maximum number of legal actions, and the number of features of each.

        >>> from skye.rulesets import BASE
        >>> ListedGains.features_shape(BASE)
        (408, 72)
        """
        actions, features = listed_shape(ruleset)
        return actions, features + 2 * len(ruleset.slots) + 4

    def __init__(self, encoded: EncodedGame) -> None:
        # By seat: those of the last decision that needed them.
        self._gains: list[TerritoryGains] = []
        super().__init__(encoded)
        self._own_gains = self._width - listed_shape(self._encoding.ruleset)[1]

    def continue_with(self, encoded: EncodedGame) -> None:
        """Continue with a game."""
        super().continue_with(encoded)
        self._gains_of: GameState | None = None
        self._of_tile: dict[str, bytes] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Pickle without the gains, which follow from the game."""
        return {**self.__dict__, "_gains": [], "_gains_of": None, "_of_tile": {}}

    def _row(self, kind: str, tile: str | None = None, slot: int | None = None, **details: Any) -> bytes:
        row = super()._row(kind, tile, slot, **details)
        if tile is None:
            return row.ljust(self._width, bytes([_NO_GAIN]))
        game = self.encoded.game
        if self._gains_of is not game:
            last: list[TerritoryGains | None] = [*self._gains] or [None] * len(game.players)
            self._gains = [territory_gains(game, seat, each) for seat, each in enumerate(last)]
            self._gains_of, self._scorings = game, scorings_of(game)
        best = self._of_tile.get(tile)
        if best is None:
            best = self._of_tile[tile] = self._best_of(tile)
        return row + best

    def _of_placement(self, place: Place, origin: tuple[int, int]) -> bytes:
        row = super()._of_placement(place, origin)
        gain = self._gains[self.seat].gains(place.tile)[place]
        return row[: -self._own_gains] + _gain_numbers(gain, self._scorings) + row[-2:]

    def _best_of(self, tile: str) -> bytes:
        """Return the numbers of the best place of a tile, own and of the rival who gains most."""
        scorings = self._scorings
        best = self._gains[self.seat].best(tile, scorings)
        of_rivals = [
            scorings.points(gains.best(tile, scorings))
            for seat, gains in enumerate(self._gains)
            if seat != self.seat
        ]
        return _gain_numbers(best, scorings) + _signed([scorings.points(best), max(of_rivals)])


@lru_cache(maxsize=4096)
def _gain_numbers(gain: Gain, scorings: Scorings) -> bytes:
    now = [times * points for times, points in zip(scorings.now, gain.slots, strict=True)]
    later = [times * points for times, points in zip(scorings.later, gain.slots, strict=True)]
    return _signed([*now, *later, gain.whisky, gain.scrolls])


def _signed(numbers: list[int]) -> bytes:
    return bytes([min(max(_NO_GAIN + number, 0), 255) for number in numbers])


ActionEncoding: TypeAlias = type[GridActions]

ENCODINGS: Final[dict[str, ActionEncoding]] = {
    "grid": GridActions,
    "factored": FactoredActions,
    "list": ListedActions,
    "list+gains": ListedGains,
}
"""The encodings by name."""
