"""Parse positions: check types and ranges of fields, and collect faults with JSON pointers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from skye.errors import Fault, InvalidTerritory
from skye.positions.snapshot import FinalPointsView, PlayerPosition, Position, PositionDraw
from skye.rules.moves import MAX_GOLD
from skye.rules.state import FinalPoints, Phase
from skye.rulesets.ruleset import RULESETS, Ruleset
from skye.scoring.final import TieBreak
from skye.territory.territory import Territory
from skye.tiles.geometry import LIMIT, ROTATIONS
from skye.tiles.tile_set import DEFAULT_RULESET, Place
from skye.visibility.types.game import TerritoryTileView

_T = TypeVar("_T")

_AMOUNTS: Final = range(MAX_GOLD + 1)

_MAX_FAULTS_OF_NAMES: Final = 20
"""How many unknown fields of one object are reported."""


@dataclass
class PlayerFields:
    """The fields of a player in a position; None for those that are missing."""

    color: str | None = None
    gold: int | None = None
    score: int | None = None
    territory: Territory | None = None
    tiles_on_offer: list[str] | None = None
    prices: tuple[int, ...] = ()
    offer_set: bool = False
    offer_withheld: bool = False
    tiles_to_build: list[str] | None = None
    placed_this_round: int = 0
    building_finished: bool | None = None
    points: tuple[tuple[int, ...], ...] | None = None
    territory_sizes: tuple[int, ...] | None = None
    final: FinalPoints | None = None


@dataclass
class PositionFields:
    """The fields of a position; None for those that are missing."""

    ruleset: Ruleset
    round: int = 1
    phase: Phase | None = Phase.PRICING
    seed: str | None = None
    explicit_chance: bool = False
    next_draws: tuple[str, ...] = ()
    starting_seat: int | None = None
    buys: int | None = None
    scoring_tiles: tuple[str, ...] | None = None
    tie_break: str = TieBreak.LEFTOVER_GOLD
    open_gold: bool = False
    players: list[PlayerFields] = field(default_factory=list)


class PositionReader:
    """Parses a position field by field, and collects its faults in `faults`."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self._ruleset = RULESETS[DEFAULT_RULESET]

    def fault(self, pointer: str, reason: str) -> None:
        """Add a fault."""
        self.faults.append(Fault(pointer, reason))

    def read(self, position: object) -> PositionFields:
        """Return the fields of a position; those with faults have arbitrary values."""
        data = self._object(position, "", Position)
        self._ruleset = RULESETS[self._choice(data, "ruleset", "", tuple(RULESETS)) or DEFAULT_RULESET]
        given = PositionFields(self._ruleset)
        fewest, most_players = self._ruleset.players[0], self._ruleset.players[-1]
        sent = data.get("players")
        players = sent if isinstance(sent, list) else []
        if len(players) not in self._ruleset.players:
            self.fault("/players", f"a game has a list of {fewest} to {most_players} players")
        number = max(fewest, min(len(players), most_players))
        given.explicit_chance = "seed" in data and data["seed"] is None
        if data.get("round") is not None:
            least, most = 0 if given.explicit_chance else 1, len(self._ruleset.rounds(number))
            why = f", the rounds of {number} players"
            given.round = self._integer(data, "round", "", range(least, most + 1), why)
        self._read_options(data, given)
        if data.get("next_draws") is not None:
            given.next_draws = tuple(self._tiles(data, "next_draws", "", len(self._ruleset.tiles.landscape)))
        if data.get("starting_seat") is not None:
            given.starting_seat = self._integer(data, "starting_seat", "", range(number))
        if data.get("buys") is not None:
            given.buys = self._integer(data, "buys", "", range(number + 1))
        given.players = [
            self._player(player, f"/players/{seat}") for seat, player in enumerate(players[:most_players])
        ]
        return given

    def _read_options(self, data: Mapping[str, Any], given: PositionFields) -> None:
        given.seed = self._of_type(data, "seed", "", str, "a string")
        if "phase" in data:
            phase = self._choice(data, "phase", "", [str(phase) for phase in Phase])
            given.phase = None if phase is None else Phase(phase)
        given.tie_break = self._choice(data, "tie_break", "", tuple(TieBreak)) or TieBreak.LEFTOVER_GOLD
        given.open_gold = bool(self._flag(data, "open_gold", ""))
        tiles = self._list(data, "scoring_tiles", "", len(self._ruleset.slots))
        if tiles is not None:
            given.scoring_tiles = self._scoring_tiles(tiles, partial=given.round == 0)

    def _scoring_tiles(self, tiles: list[Any], *, partial: bool) -> tuple[str, ...]:
        for index, tile in enumerate(tiles):
            if not isinstance(tile, str) or tile not in self._ruleset.scoring_tiles:
                self.fault(f"/scoring_tiles/{index}", "this is not the id of a scoring tile")
            elif tile in tiles[:index]:
                self.fault(f"/scoring_tiles/{index}", f"the scoring tile {tile} is in two slots")
        if len(tiles) < len(self._ruleset.slots) and not partial:
            self.fault(
                "/scoring_tiles", f"a game uses {len(self._ruleset.slots)} scoring tiles, not {len(tiles)}"
            )
        return tuple(tiles)

    def _player(self, player: object, at: str) -> PlayerFields:
        data = self._object(player, at, PlayerPosition)
        given = PlayerFields()
        given.color = self._choice(data, "color", at, self._ruleset.colors)
        for name in ("gold", "score"):
            if data.get(name) is not None:
                setattr(given, name, self._integer(data, name, at, _AMOUNTS))
        if data.get("territory") is not None:
            given.territory, given.color = self._territory(data, at, given.color)
        if data.get("tiles_on_offer") is not None:
            given.tiles_on_offer, given.prices = self._drawn(data, at)
        offer_set = self._flag(data, "offer_set", at)
        given.offer_set, given.offer_withheld = bool(offer_set) or bool(given.prices), offer_set is False
        if data.get("tiles_to_build") is not None:
            given.tiles_to_build = self._tiles(data, "tiles_to_build", at, self._ruleset.tiles_drawn)
        given.building_finished = self._flag(data, "building_finished", at)
        if data.get("placed_this_round") is not None:
            given.placed_this_round = self._integer(
                data, "placed_this_round", at, range(self._ruleset.tiles_drawn + 1)
            )
        self._read_history(data, at, given)
        return given

    def _read_history(self, data: Mapping[str, Any], at: str, given: PlayerFields) -> None:
        if data.get("points") is not None:
            rounds = self._list(data, "points", at, self._ruleset.max_rounds) or []
            given.points = tuple(
                [
                    self._numbers(points, f"{at}/points/{index}", len(self._ruleset.slots), _AMOUNTS)
                    for index, points in enumerate(rounds)
                ]
            )
        if data.get("territory_sizes") is not None:
            given.territory_sizes = self._numbers(
                data["territory_sizes"],
                f"{at}/territory_sizes",
                self._ruleset.max_rounds,
                range(1, len(self._ruleset.tiles.landscape) + 2),
            )
        if data.get("final") is not None:
            final = self._object(data["final"], f"{at}/final", FinalPointsView)
            parts = [self._integer(final, name, f"{at}/final", _AMOUNTS) for name in FinalPoints._fields]
            given.final = FinalPoints(*parts)

    def _territory(
        self, data: Mapping[str, Any], at: str, color: str | None
    ) -> tuple[Territory | None, str | None]:
        """Return the territory, to which the castle is added if missing, and its color."""
        before = len(self.faults)
        tiles = self._list(data, "territory", at, len(self._ruleset.tiles.landscape) + 1) or []
        at += "/territory"
        placed = [self._place(tile, f"{at}/{index}") for index, tile in enumerate(tiles)]
        if len(self.faults) > before:
            return None, color
        castle = next((place.tile for place in placed if place.tile.startswith("castle-")), None)
        if castle is None:
            if not placed:
                return None, color
            placed.insert(0, Place(f"castle-{color or self._ruleset.colors[0]}", 0, 0, 0))
        elif color is not None and castle != f"castle-{color}":
            self.fault(f"{at}/0", f"the castle of {color} is not {castle}")
        try:
            territory = Territory.from_placements(placed, self._ruleset.id)
        except InvalidTerritory as error:
            index = error.facts.get("index")
            shift = 0 if castle else 1
            place = f"{at}/{max(0, index - shift)}" if isinstance(index, int) else at
            self.fault(place, error.detail.removesuffix("."))
            return None, color
        return territory, castle.removeprefix("castle-") if castle else color

    def _place(self, tile: object, at: str) -> Place:
        data = self._object(tile, at, TerritoryTileView)
        name = data.get("tile")
        if not isinstance(name, str) or name not in self._ruleset.tiles.by_id:
            self.fault(f"{at}/tile", "this is missing" if name is None else "this is not the id of a tile")
        x, y = (self._integer(data, axis, at, range(-LIMIT, LIMIT + 1)) for axis in ("x", "y"))
        rotation = data.get("rotation", 0)
        if isinstance(rotation, bool) or rotation not in ROTATIONS:
            self.fault(f"{at}/rotation", f"this is not one of {', '.join(map(str, ROTATIONS))}")
            rotation = 0
        return Place(str(name), x, y, int(rotation))

    def _drawn(self, data: Mapping[str, Any], at: str) -> tuple[list[str], tuple[int, ...]]:
        """Return the tiles drawn and their prices, 0 for the tile to discard; no prices if none is given."""
        tiles, prices = [], []
        entries = self._list(data, "tiles_on_offer", at, self._ruleset.tiles_drawn) or []
        for index, entry in enumerate(entries):
            here = f"{at}/tiles_on_offer/{index}"
            fields = self._object(entry, here, PositionDraw)
            if self._landscape(fields.get("tile"), f"{here}/tile"):
                tiles.append(fields["tile"])
            discard = self._flag(fields, "discard", here)
            if discard:
                if fields.get("price") is not None:
                    self.fault(f"{here}/price", "a tile to discard has no price")
                prices.append(0)
            elif fields.get("price") is not None:
                prices.append(self._integer(fields, "price", here, _AMOUNTS[1:]))
        if prices and len(prices) < len(entries):
            self.fault(f"{at}/tiles_on_offer", "an offer names a price for each tile not discarded")
        return tiles, tuple(prices)

    def _tiles(self, data: Mapping[str, Any], name: str, at: str, most: int) -> list[str]:
        tiles = self._list(data, name, at, most) or []
        return [tile for index, tile in enumerate(tiles) if self._landscape(tile, f"{at}/{name}/{index}")]

    def _landscape(self, tile: object, at: str) -> bool:
        known = isinstance(tile, str) and tile in self._ruleset.tiles.fitting_rotations
        if not known:
            self.fault(at, "this is missing" if tile is None else "this is not the id of a landscape tile")
        return known

    def _numbers(self, numbers: object, at: str, most: int, allowed: range) -> tuple[int, ...]:
        if not isinstance(numbers, list) or len(numbers) > most:
            self.fault(at, f"this is not a list of at most {most} numbers")
            return ()
        by_index = {str(index): number for index, number in enumerate(numbers)}
        return tuple([self._integer(by_index, index, at, allowed) for index in by_index])

    def _object(self, value: object, at: str, known: type[Any]) -> Mapping[str, Any]:
        """Return an object; its fields are those of a TypedDict."""
        if not isinstance(value, Mapping):
            self.fault(at, "this is not an object")
            return {}
        for name in sorted(value.keys() - known.__annotations__)[:_MAX_FAULTS_OF_NAMES]:
            escaped = name.replace("~", "~0").replace("/", "~1")
            self.fault(f"{at}/{escaped}", "there is no such field")
        return value

    def _list(self, data: Mapping[str, Any], name: str, at: str, most: int) -> list[Any] | None:
        value = data.get(name)
        if value is not None and (not isinstance(value, list) or len(value) > most):
            self.fault(f"{at}/{name}", f"this is not a list of at most {most} elements")
            return None
        return value

    def _integer(self, data: Mapping[str, Any], name: str, at: str, allowed: range, why: str = "") -> int:
        value = data.get(name)
        if isinstance(value, float) and value.is_integer():  # JSON does not tell 2.0 from 2
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or value not in allowed:
            expected = f"this is not an integer from {allowed[0]} to {allowed[-1]}{why}"
            self.fault(f"{at}/{name}", expected if name in data else "this is missing")
            return allowed[0]
        return value

    def _choice(self, data: Mapping[str, Any], name: str, at: str, choices: Sequence[str]) -> str | None:
        value = data.get(name)
        if value is not None and value not in choices:
            self.fault(f"{at}/{name}", f"this is not one of {', '.join(choices)}")
            return None
        return value

    def _flag(self, data: Mapping[str, Any], name: str, at: str) -> bool | None:
        return self._of_type(data, name, at, bool, "true or false")

    def _of_type(
        self, data: Mapping[str, Any], name: str, at: str, kind: type[_T], description: str
    ) -> _T | None:
        value = data.get(name)
        if value is not None and not isinstance(value, kind):
            self.fault(f"{at}/{name}", f"this is not {description}")
            return None
        return value
