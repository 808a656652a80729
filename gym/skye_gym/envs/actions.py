"""The encodings of actions: each decision of a seat is one number, with a mask of the legal ones.

The sizes follow from the ruleset; the numbers here are those of the base game.

| encoding   | actions | meaning                                                                             |
|------------|---------|-------------------------------------------------------------------------------------|
| `factored` | 511     | the default; a placement is three decisions: tile, cell of the window, rotation     |
| `list`     | 408     | an index into the list of legal actions, whose features are part of the observation |
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
"""

from __future__ import annotations

from copy import copy
from typing import Final, Self, TypeAlias

from skye.errors import RuleError
from skye.rules.moves import Buy
from skye.rules.state import BUILDING, PRICING, Player
from skye.rulesets.ruleset import Ruleset
from skye.tiles.geometry import ROTATIONS, cell_at, coordinates_of
from skye.tiles.tile_set import Place
from skye_gym.encoding import EncodedGame, decode_action, encode_move, encoding_of
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
        self._rows, self._width = listed_shape(ruleset)
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

    def features(self) -> bytearray:
        """Return the features of the legal actions, in rows of bytes (see `listed_shape`)."""
        game, seat, width = self.encoded.game, self.seat, self._width
        rows = bytearray(self._rows * width)
        if game.is_over:
            return rows
        player = game.players[seat]
        origin = self._planes.origin(player.territory)
        for number, action in enumerate(self.legal):
            row = self._of_offer(action) if game.phase is PRICING else self._of_move(action, origin)
            rows[number * width : (number + 1) * width] = row
        return rows

    def _of_move(self, action: int, origin: tuple[int, int]) -> bytes:
        game, seat = self.encoded.game, self.seat
        match decode_action(game, seat, action):
            case Buy(tile):
                seller = next(n for n, player in enumerate(game.players) if tile in player.tiles_on_offer)
                index = game.players[seller].tiles_on_offer.index(tile)
                price = game.players[seller].prices[index]
                left = (seller - seat) % len(game.players)
                return self._row("buy", tile, seller=left, index=index, price=price)
            case Place(tile, x, y, rotation):
                slot = game.players[seat].tiles_to_build.index(tile)
                return self._row("place", tile, slot, cell=(y - origin[1], x - origin[0]), rotation=rotation)
            case _:
                return self._row("finish" if action == self._encoding.finish else "pass")

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
        drawn = self._encoding.decisions
        types = [number == _TYPES[kind] for number in range(len(_TYPES))]
        slots = [number == slot for number in range(drawn)]
        sellers = [number == seller for number in range(1, self._encoding.ruleset.players[-1])]
        of_seller = [number == index for number in range(1, drawn - 1)]
        turned = [each == rotation for each in ROTATIONS]
        features = bytes(TILE_FEATURES) if tile is None else self._tiles[tile, rotation or 0]
        return bytes([*types, *slots, *sellers, *of_seller, min(price, 255), *cell, *turned]) + features


ActionEncoding: TypeAlias = type[GridActions]

ENCODINGS: Final[dict[str, ActionEncoding]] = {
    "grid": GridActions,
    "factored": FactoredActions,
    "list": ListedActions,
}
"""The encodings by name."""
