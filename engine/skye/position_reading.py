"""Parse positions: check types and ranges of fields, and collect faults with JSON pointers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from skye.errors import InvalidTerritory
from skye.final_scoring import TIE_BREAKS
from skye.frontier import Place
from skye.game import Phase
from skye.schedule import schedule
from skye.scoring import SCORING_TILES
from skye.territory import Territory
from skye.tiles import COLORS, LANDSCAPE

MAX_PLAYERS: Final = len(COLORS)
MAX_NUMBER: Final = 9_999
"""The maximum gold and score of a position."""

_GAME_FIELDS: Final = frozenset(
    ("seed", "round", "phase", "starting_seat", "buys", "scoring_tiles", "tie_break", "open_gold", "players")
)
_PLAYER_FIELDS: Final = frozenset(
    ("color", "gold", "score", "territory", "tiles_drawn", "offer_set", "tiles_to_build", "placed_this_round",
     "build_finished", "points", "territory_sizes", "final")
)  # fmt: skip
_DRAWN_FIELDS: Final = frozenset(("tile", "price", "discard"))
_PLACED_FIELDS: Final = frozenset(("tile", "x", "y", "rotation"))


class Fault(NamedTuple):
    """An error in a position.

    :param pointer: the JSON pointer of the field; empty for the position itself.
    :param reason: the reason in English.
    """

    pointer: str
    reason: str


class InvalidPosition(ValueError):
    """A position that no game can have.

    :param faults: every fault found; also an attribute, as a tuple.
    """

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(f"{fault.pointer or '/'}: {fault.reason}" for fault in faults))
        self.faults = tuple(faults)


@dataclass
class PlayerFields:
    """The fields of a player in a position; None for those that are missing."""

    color: str | None = None
    gold: int | None = None
    score: int | None = None
    territory: Territory | None = None
    drawn: list[str] | None = None
    prices: tuple[int, ...] = ()
    offer_set: bool = False
    hand: list[str] | None = None
    placed_now: int = 0
    finished: bool | None = None
    points: tuple[tuple[int, ...], ...] | None = None
    sizes: tuple[int, ...] | None = None
    final: tuple[int, int] | None = None


@dataclass
class PositionFields:
    """The fields of a position; None for those that are missing."""

    round: int = 1
    phase: Phase | None = Phase.PRICING
    seed: str | None = None
    explicit_chance: bool = False
    starting_seat: int | None = None
    buys: int | None = None
    scoring_tiles: tuple[str, ...] | None = None
    tie_break: str = TIE_BREAKS[0]
    open_gold: bool = False
    players: list[PlayerFields] = field(default_factory=list)


class PositionReader:
    """Parses a position field by field, and collects its faults in `faults`."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def fault(self, pointer: str, reason: str) -> None:
        """Add a fault."""
        self.faults.append(Fault(pointer, reason))

    def read(self, position: object) -> PositionFields:
        """Return the fields of a position; those with faults have arbitrary values."""
        data = self._object(position, "", _GAME_FIELDS)
        given = PositionFields()
        players = self._list(data, "players", "") or []
        if len(players) not in range(2, MAX_PLAYERS + 1):
            self.fault("/players", f"a game has 2 to {MAX_PLAYERS} players, not {len(players)}")
        number = max(2, min(len(players), MAX_PLAYERS))
        rounds = len(schedule(number))
        given.round = self._integer(data, "round", "", 0, rounds) if data.get("round") is not None else 1
        self._read_options(data, given)
        if data.get("starting_seat") is not None:
            given.starting_seat = self._integer(data, "starting_seat", "", 0, number - 1)
        if data.get("buys") is not None:
            given.buys = self._integer(data, "buys", "", 0, number)
        given.players = [
            self._player(player, f"/players/{seat}") for seat, player in enumerate(players[:MAX_PLAYERS])
        ]
        return given

    def _read_options(self, data: Mapping[str, Any], given: PositionFields) -> None:
        given.explicit_chance = "seed" in data and data["seed"] is None
        given.seed = self._text(data, "seed", "")
        if "phase" in data:
            phase = self._choice(data, "phase", "", [str(phase) for phase in Phase])
            given.phase = None if phase is None else Phase(phase)
        given.tie_break = self._choice(data, "tie_break", "", TIE_BREAKS) or TIE_BREAKS[0]
        given.open_gold = bool(self._flag(data, "open_gold", ""))
        tiles = self._list(data, "scoring_tiles", "")
        if tiles is not None:
            given.scoring_tiles = self._scoring_tiles(tiles, partial=given.round == 0)

    def _scoring_tiles(self, tiles: list[Any], *, partial: bool) -> tuple[str, ...]:
        for index, tile in enumerate(tiles):
            if not isinstance(tile, str) or tile not in SCORING_TILES:
                self.fault(f"/scoring_tiles/{index}", f"there is no scoring tile {tile!r}")
            elif tile in tiles[:index]:
                self.fault(f"/scoring_tiles/{index}", f"{tile} is in two slots")
        if len(tiles) > 4 or (len(tiles) < 4 and not partial):
            self.fault("/scoring_tiles", f"a game uses four scoring tiles, not {len(tiles)}")
        return tuple(tiles)

    def _player(self, player: object, at: str) -> PlayerFields:
        data = self._object(player, at, _PLAYER_FIELDS)
        given = PlayerFields()
        given.color = self._choice(data, "color", at, COLORS)
        for name in ("gold", "score"):
            if data.get(name) is not None:
                setattr(given, name, self._integer(data, name, at, 0, MAX_NUMBER))
        if data.get("territory") is not None:
            given.territory, given.color = self._territory(data, at, given.color)
        if data.get("tiles_drawn") is not None:
            given.drawn, given.prices = self._drawn(data, at)
        given.offer_set = bool(self._flag(data, "offer_set", at)) or bool(given.prices)
        if data.get("tiles_to_build") is not None:
            tiles = self._list(data, "tiles_to_build", at) or []
            given.hand = [
                tile
                for index, tile in enumerate(tiles)
                if self._landscape(tile, f"{at}/tiles_to_build/{index}")
            ]
        given.finished = self._flag(data, "build_finished", at)
        if data.get("placed_this_round") is not None:
            given.placed_now = self._integer(data, "placed_this_round", at, 0, 3)
        self._read_history(data, at, given)
        return given

    def _read_history(self, data: Mapping[str, Any], at: str, given: PlayerFields) -> None:
        if data.get("points") is not None:
            rounds = self._list(data, "points", at) or []
            given.points = tuple(
                [self._numbers(points, f"{at}/points/{index}") for index, points in enumerate(rounds)]
            )
        if data.get("territory_sizes") is not None:
            given.sizes = self._numbers(data["territory_sizes"], f"{at}/territory_sizes")
        if data.get("final") is not None:
            names = ("scroll_points", "gold_points")
            final = self._object(data["final"], f"{at}/final", frozenset(names))
            parts = [self._integer(final, name, f"{at}/final", 0, MAX_NUMBER) for name in names]
            given.final = (parts[0], parts[1])

    def _territory(
        self, data: Mapping[str, Any], at: str, color: str | None
    ) -> tuple[Territory | None, str | None]:
        """Return the territory, to which the castle is added if missing, and its color."""
        at += "/territory"
        tiles = data["territory"]
        before = len(self.faults)
        placed = [
            self._place(tile, f"{at}/{index}")
            for index, tile in enumerate(tiles if isinstance(tiles, list) else [])
        ]
        if not isinstance(tiles, list):
            self.fault(at, "this is not a list")
        if len(self.faults) > before:
            return None, color
        castle = next((place.tile for place in placed if place.tile.startswith("castle-")), None)
        if castle is None:
            if not placed:
                return None, color
            placed.insert(0, Place(f"castle-{color or COLORS[0]}", 0, 0, 0))
        elif color is not None and castle != f"castle-{color}":
            self.fault(f"{at}/0", f"the castle of {color} is not {castle}")
        try:
            territory = Territory.from_placements(placed)
        except InvalidTerritory as error:
            index = error.facts.get("index")
            shift = 0 if castle else 1
            place = f"{at}/{max(0, index - shift)}" if isinstance(index, int) else at
            self.fault(place, error.detail.removesuffix("."))
            return None, color
        return territory, castle.removeprefix("castle-") if castle else color

    def _place(self, tile: object, at: str) -> Place:
        data = self._object(tile, at, _PLACED_FIELDS)
        name = self._text(data, "tile", at)
        if name is None:
            self.fault(f"{at}/tile", "this is missing")
        x, y = (self._integer(data, axis, at, -100, 100) for axis in ("x", "y"))
        rotation = self._integer(data, "rotation", at, 0, 270) if "rotation" in data else 0
        return Place(name or "", x, y, rotation)

    def _drawn(self, data: Mapping[str, Any], at: str) -> tuple[list[str], tuple[int, ...]]:
        """Return the tiles drawn and their prices, 0 for the tile to discard; no prices if none is given."""
        tiles, prices = [], []
        entries = self._list(data, "tiles_drawn", at) or []
        for index, entry in enumerate(entries):
            here = f"{at}/tiles_drawn/{index}"
            fields = self._object(entry, here, _DRAWN_FIELDS)
            if self._landscape(fields.get("tile"), f"{here}/tile"):
                tiles.append(fields["tile"])
            discard = self._flag(fields, "discard", here)
            if discard:
                if fields.get("price") is not None:
                    self.fault(f"{here}/price", "a tile to discard has no price")
                prices.append(0)
            elif fields.get("price") is not None:
                prices.append(self._integer(fields, "price", here, 1, MAX_NUMBER))
        if prices and len(prices) < len(entries):
            self.fault(f"{at}/tiles_drawn", "an offer names a price for each tile that it does not discard")
        return tiles, tuple(prices)

    def _landscape(self, tile: object, at: str) -> bool:
        known = isinstance(tile, str) and tile in LANDSCAPE
        if not known:
            self.fault(at, f"there is no landscape tile {tile!r}")
        return known

    def _numbers(self, numbers: object, at: str) -> tuple[int, ...]:
        if not isinstance(numbers, list) or not all(_is_number(number) for number in numbers):
            self.fault(at, "this is not a list of numbers of at least 0")
            return ()
        return tuple(numbers)

    def _object(self, value: object, at: str, known: frozenset[str]) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            self.fault(at, "this is not an object")
            return {}
        for name in value.keys() - known:
            self.fault(f"{at}/{name}", "there is no such field")
        return value

    def _list(self, data: Mapping[str, Any], name: str, at: str) -> list[Any] | None:
        value = data.get(name)
        if value is not None and not isinstance(value, list):
            self.fault(f"{at}/{name}", "this is not a list")
            return None
        return value

    def _integer(self, data: Mapping[str, Any], name: str, at: str, lowest: int, highest: int) -> int:
        value = data.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or not lowest <= value <= highest:
            self.fault(f"{at}/{name}", f"this is not an integer from {lowest} to {highest}")
            return lowest
        return value

    def _text(self, data: Mapping[str, Any], name: str, at: str) -> str | None:
        value = data.get(name)
        if value is not None and not isinstance(value, str):
            self.fault(f"{at}/{name}", "this is not a string")
            return None
        return value

    def _choice(self, data: Mapping[str, Any], name: str, at: str, choices: Sequence[str]) -> str | None:
        value = data.get(name)
        if value is not None and value not in choices:
            self.fault(f"{at}/{name}", f"this is not one of {', '.join(choices)}")
            return None
        return value

    def _flag(self, data: Mapping[str, Any], name: str, at: str) -> bool | None:
        value = data.get(name)
        if value is not None and not isinstance(value, bool):
            self.fault(f"{at}/{name}", "this is not true or false")
            return None
        return value


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_NUMBER
