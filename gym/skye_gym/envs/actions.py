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
from functools import cache
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

_MAX_CACHED: Final = 4096
"""The maximum number of cached gains of a round."""


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
        self._price = (
            len(_TYPES) + self._encoding.decisions + ruleset.players[-1] - 1 + self._encoding.decisions - 2
        )

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
        game = self.encoded.game
        if game.is_over:
            listed = b""
        elif game.phase is PRICING:
            listed = self._of_prices() if self.encoded.draft else self._of_discards()
        elif game.phase is BUILDING:
            listed = b"".join(self._of_placements(self._places())) or self._row("finish")
        else:
            listed = b"".join([self._of_purchase(action) for action in self.legal])
        return bytearray(listed.ljust(self._rows * self._width, b"\0"))

    def _of_discards(self) -> bytes:
        drawn = self.encoded.game.players[self.seat].tiles_on_offer
        return b"".join([self._row("discard", drawn[slot], slot) for slot in self.legal])

    def _of_prices(self) -> bytes:
        """Return the features of the prices of the next tile, which differ in the price alone."""
        draft, price_of = self.encoded.draft, self._encoding.price_of
        slot = [slot for slot in range(self._encoding.decisions) if slot != draft[0]][len(draft) - 1]
        row = self._row("price", self.encoded.game.players[self.seat].tiles_on_offer[slot], slot)
        rows = bytearray(row * len(self.legal))
        rows[self._price :: self._width] = bytes([min(price_of(action), 255) for action in self.legal])
        return bytes(rows)

    def _of_purchase(self, action: int) -> bytes:
        game, seat = self.encoded.game, self.seat
        match self._encoding.move_of(game, seat, action):
            case Buy(tile):
                seller = next(n for n, player in enumerate(game.players) if tile in player.tiles_on_offer)
                index = game.players[seller].tiles_on_offer.index(tile)
                price = game.players[seller].prices[index]
                left = (seller - seat) % len(game.players)
                return self._row("buy", tile, seller=left, index=index, price=price)
            case _:
                return self._row("pass")

    def _places(self) -> list[Place]:
        """Return the legal placements, in the order of the legal actions."""
        player = self.encoded.game.players[self.seat]
        territory = player.territory
        frontier = sorted(territory._open_cells.items())
        listed: list[Place] = []
        for tile in player.tiles_to_build:
            by_constraint = territory.tiles.places[tile]
            for cell, constraint in frontier:
                places = by_constraint[constraint]
                if places is not None:
                    listed += places[cell]
        return listed

    def _of_placements(self, places: list[Place]) -> list[bytes]:
        player, encoding = self.encoded.game.players[self.seat], self._encoding
        left, top = self._planes.origin(player.territory)
        sizes, turned = (encoding.decisions, encoding.ruleset.players[-1]), _turned_features(encoding.ruleset)
        heads = {
            tile: _flags("place", slot, (0, 0), sizes) + bytes(1)
            for slot, tile in enumerate(player.tiles_to_build)
        }
        return [
            heads[tile] + bytes((y - top, x - left)) + turned[tile, rotation]
            for tile, x, y, rotation in places
        ]

    def _row(  # noqa: PLR0913 - the features of an action
        self,
        kind: str,
        tile: str | None = None,
        slot: int | None = None,
        *,
        seller: int = 0,
        index: int = 0,
        price: int = 0,
    ) -> bytes:
        """Return the features of an action that places no tile."""
        encoding = self._encoding
        sizes = encoding.decisions, encoding.ruleset.players[-1]
        features = _NO_TILE if tile is None else self._tiles[tile, 0]
        return (
            _flags(kind, slot, (seller, index), sizes) + bytes((min(price, 255), 0, 0)) + _UNTURNED + features
        )


_NO_TILE: Final = bytes(TILE_FEATURES)

_UNTURNED: Final = bytes(len(ROTATIONS))
"""The columns 17 - 20 of the features of an action that places no tile."""


@cache
def _turned_features(ruleset: Ruleset) -> dict[tuple[str, int], bytes]:
    """Return by tile and rotation the columns 17 - 59 of the features of a placement."""
    return {
        (tile, rotation): bytes([each == rotation for each in ROTATIONS]) + features
        for (tile, rotation), features in features_of(ruleset).items()
    }


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
        return row.ljust(self._width, bytes([_NO_GAIN])) if tile is None else row + self._best_of(tile)

    def _of_placements(self, places: list[Place]) -> list[bytes]:
        self._update_gains()
        own, numbers = self._gains[self.seat], _numbers_with(self._scorings)
        of_tiles = {
            tile: (own.gains(tile), self._best_of(tile)[-2:])
            for tile in dict.fromkeys([place.tile for place in places])
        }
        rows = []
        for row, place in zip(super()._of_placements(places), places, strict=True):
            gains, best = of_tiles[place.tile]
            rows.append(row + numbers[gains[place]] + best)
        return rows

    def _update_gains(self) -> None:
        game = self.encoded.game
        if self._gains_of is not game:
            last: list[TerritoryGains | None] = [*self._gains] or [None] * len(game.players)
            self._gains = [territory_gains(game, seat, each) for seat, each in enumerate(last)]
            self._gains_of, self._scorings = game, scorings_of(game)

    def _best_of(self, tile: str) -> bytes:
        """Return the numbers of the best place of a tile, own and of the rival who gains most."""
        self._update_gains()
        numbers = self._of_tile.get(tile)
        if numbers is None:
            scorings = self._scorings
            best = self._gains[self.seat].best(tile, scorings)
            of_rivals = [
                scorings.points(gains.best(tile, scorings))
                for seat, gains in enumerate(self._gains)
                if seat != self.seat
            ]
            most = _signed([scorings.points(best), max(of_rivals)])
            numbers = self._of_tile[tile] = _numbers_with(scorings)[best] + most
        return numbers


class _GainNumbers(dict[Gain, bytes]):
    """A cache of the columns 60 - 69 by gain; missing gains are computed.

    :param scorings: how often scoring tiles are scored.
    """

    def __init__(self, scorings: Scorings) -> None:
        super().__init__()
        self._scorings = scorings

    def __missing__(self, gain: Gain) -> bytes:
        if len(self) == _MAX_CACHED:
            self.clear()
        now = [times * points for times, points in zip(self._scorings.now, gain.slots, strict=True)]
        later = [times * points for times, points in zip(self._scorings.later, gain.slots, strict=True)]
        numbers = self[gain] = _signed([*now, *later, gain.whisky, gain.scrolls])
        return numbers


@cache
def _numbers_with(scorings: Scorings) -> _GainNumbers:
    """Return the cache of the numbers of gains; there is one for each round."""
    return _GainNumbers(scorings)


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
