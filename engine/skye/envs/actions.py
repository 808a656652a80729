"""The encodings of actions: each decision of a seat is one number, with a mask of the legal ones.

| encoding   | actions | meaning                                                                             |
|------------|---------|-------------------------------------------------------------------------------------|
| `grid`     | 16,491  | the numbers of `skye.encoding`, the same in every position                          |
| `factored` | 511     | a placement is three decisions: the tile, its cell in the window, its rotation      |
| `list`     | 408     | an index into the list of legal actions, whose features are part of the observation |

Factored actions 0 - 62 are those of `skye.encoding`. 63 - 65 choose the tile at this index in hand, 66 - 506
the cell `21 * row + column` of the own window (see `skye.envs.planes`), and 507 - 510 the rotation 0, 90,
180, 270. Each tile, cell or rotation in the mask leads to a legal placement.

The list has the legal actions of `skye.encoding` in ascending order. There are at most 408: a seat places
its last three tiles next to at most 16 others, which have at most 34 empty neighbours, in 4 rotations. The
features are uint8 numbers of shape (408, 60); the rows after the last legal action are 0.

| columns | features of an action                                                                       |
|---------|---------------------------------------------------------------------------------------------|
| 0 - 5   | its type, one-hot: discard, price, buy, pass, finish building, place                        |
| 6 - 8   | which of its tiles the seat discards, prices or places, one-hot                             |
| 9 - 13  | the seller, one-hot from the seat to the left, and whether it is the second tile on offer   |
| 14      | the price in gold, which the seat asks or pays                                              |
| 15, 16  | the row and the column of the cell in the window                                            |
| 17 - 20 | the rotation, one-hot                                                                       |
| 21 - 59 | the features of the tile, as it is turned (see `skye.envs.tile_features`)                   |
"""

from __future__ import annotations

from typing import Final, TypeAlias

from skye.encoding import ACTION_COUNT, EncodedGame, decode_action, encode_move, price_of
from skye.envs.planes import WINDOW, window_origin
from skye.envs.tile_features import FEATURES, TILE_FEATURES
from skye.errors import RuleError
from skye.rules.moves import Buy
from skye.rules.state import BUILDING, PRICING, TILES_DRAWN, Player
from skye.territory.frontier import Place
from skye.tiles.catalogue import FITTING_ROTATIONS
from skye.tiles.geometry import ROTATIONS, cell_at, coordinates_of

MAX_LISTED: Final = 408
"""The maximum number of legal actions."""

LISTED_FEATURES: Final = 21 + TILE_FEATURES
"""The number of features of a listed action."""

_FINISH: Final = 62
_TILE: Final = _FINISH + 1
_CELL: Final = _TILE + TILES_DRAWN
_ROTATION: Final = _CELL + WINDOW * WINDOW
_FACTORED: Final = _ROTATION + len(ROTATIONS)

_TYPES: Final = {"discard": 0, "price": 1, "buy": 2, "pass": 3, "finish": 4, "place": 5}


class GridActions:
    """The actions of `skye.encoding`.

    :param encoded: the game.
    """

    size = ACTION_COUNT

    def __init__(self, encoded: EncodedGame) -> None:
        self.continue_with(encoded)

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

    size = _FACTORED

    def play(self, action: int) -> None:
        """Play an action."""
        if action not in self.legal:
            raise RuleError(f"Action {action} is not legal now.")
        if action < _TILE:
            super().play(action)
        elif action < _CELL:
            self.tile = action - _TILE
        elif action < _ROTATION:
            self.cell = action - _CELL
        else:
            self._place(ROTATIONS[action - _ROTATION])
        self._legal = None

    def _place(self, rotation: int) -> None:
        assert self.tile is not None
        assert self.cell is not None
        player = self._player
        left, top = window_origin(player.territory)
        row, column = divmod(self.cell, WINDOW)
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
            return [_TILE + player.tiles_to_build.index(tile) for tile in fitting] or [_FINISH]
        fits, frontier = FITTING_ROTATIONS[player.tiles_to_build[self.tile]], player.territory.frontier
        left, top = window_origin(player.territory)
        if self.cell is None:
            cells = [coordinates_of(cell) for cell, constraint in frontier.items() if fits[constraint]]
            return [_CELL + WINDOW * (y - top) + x - left for x, y in cells]
        row, column = divmod(self.cell, WINDOW)
        return [_ROTATION + rotation // 90 for rotation in fits[frontier[cell_at(left + column, top + row)]]]


class ListedActions(GridActions):
    """Indexes into the list of legal actions."""

    size = MAX_LISTED

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
        """Return the features of the legal actions: `MAX_LISTED` rows of `LISTED_FEATURES` bytes."""
        encoded = self.encoded
        game, seat = encoded.game, self.seat
        rows = bytearray(self.size * LISTED_FEATURES)
        if game.is_over:
            return rows
        player = game.players[seat]
        origin = window_origin(player.territory)
        for number, action in enumerate(self.legal):
            start = number * LISTED_FEATURES
            row = _of_offer(encoded, action) if game.phase is PRICING else self._of_move(action, origin)
            rows[start : start + LISTED_FEATURES] = row
        return rows

    def _of_move(self, action: int, origin: tuple[int, int]) -> bytes:
        game, seat = self.encoded.game, self.seat
        match decode_action(game, seat, action):
            case Buy(tile):
                seller = next(n for n, player in enumerate(game.players) if tile in player.tiles_on_offer)
                index = game.players[seller].tiles_on_offer.index(tile)
                price = game.players[seller].prices[index]
                left = (seller - seat) % len(game.players)
                return _row("buy", tile, seller=left, second=bool(index), price=price)
            case Place(tile, x, y, rotation):
                slot = game.players[seat].tiles_to_build.index(tile)
                return _row("place", tile, slot, cell=(y - origin[1], x - origin[0]), rotation=rotation)
            case _:
                return _row("finish" if action == _FINISH else "pass")


def _of_offer(encoded: EncodedGame, action: int) -> bytes:
    """Return the features of an action that discards or prices a tile."""
    drawn, draft = encoded.game.players[encoded.seat].tiles_on_offer, encoded.draft
    if not draft:
        return _row("discard", drawn[action], action)
    slot = [slot for slot in range(TILES_DRAWN) if slot != draft[0]][len(draft) - 1]
    return _row("price", drawn[slot], slot, price=price_of(action))


def _row(  # noqa: PLR0913 - the features of an action
    kind: str,
    tile: str | None = None,
    slot: int | None = None,
    *,
    seller: int = 0,
    second: bool = False,
    price: int = 0,
    cell: tuple[int, int] = (0, 0),
    rotation: int | None = None,
) -> bytes:
    types = [number == _TYPES[kind] for number in range(len(_TYPES))]
    slots = [number == slot for number in range(TILES_DRAWN)]
    sellers = [number == seller for number in range(1, 5)]
    turned = [each == rotation for each in ROTATIONS]
    features = bytes(TILE_FEATURES) if tile is None else FEATURES[tile, rotation or 0]
    return bytes([*types, *slots, *sellers, second, min(price, 255), *cell, *turned]) + features


ActionEncoding: TypeAlias = type[GridActions]

ENCODINGS: Final[dict[str, ActionEncoding]] = {
    "grid": GridActions,
    "factored": FactoredActions,
    "list": ListedActions,
}
"""The encodings by name."""
