"""A ruleset: the tiles, scoring tiles, rounds and numbers of one edition of the game."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final

from skye.lookup import named
from skye.rulesets.data import InvalidRulesetData, Rounds, RulesetData, parse_data
from skye.scoring.final import FinalScoring
from skye.scoring.scoring_tiles import ScoringTile
from skye.tiles.geometry import LIMIT
from skye.tiles.tile_set import TILE_SETS, TileSet

MAX_SLOTS: Final = 6
"""The maximum number of slots of a ruleset: A to F."""

MAX_SCORING_TILES: Final = 64
"""The maximum number of scoring tiles of a ruleset."""

MAX_DRAWN: Final = 5
"""The maximum number of tiles that a seat draws in a round."""

_ID: Final = re.compile(r"[a-z][a-z0-9_-]{0,29}(\+[0-9a-f]{8})?", re.ASCII)


@dataclass(frozen=True, eq=False)
class Ruleset:
    """The rules of one edition of the game, as values that never change.

    :param id: the id, which games name; that of corrected data is `base+<hash>`.
    :param data: the tiles, the table of rounds, and notes about what is doubtful.
    :param scoring_tiles: the scoring tiles by id, in the order of the catalogue.
    :param castle_income: the gold that each seat gets at the beginning of a round.
    :param whisky_income: the gold for each tile with whisky that is joined to the castle by road.
    :param catch_up: by round, the gold for each player with a higher score.
    :param tiles_drawn: the number of tiles that a seat draws in a round, of which it discards one.
    :param minimum_price: the minimum price of a tile in gold.
    :param final: the rules of final scoring.
    :raises ValueError: when the values do not fit together.
    """

    id: str
    data: RulesetData
    scoring_tiles: Mapping[str, ScoringTile]
    castle_income: int
    whisky_income: int
    catch_up: tuple[int, ...]
    tiles_drawn: int
    minimum_price: int
    final: FinalScoring

    def __post_init__(self) -> None:
        per_point = MappingProxyType({**self.final.objects_per_point})
        object.__setattr__(self, "scoring_tiles", MappingProxyType({**self.scoring_tiles}))
        object.__setattr__(self, "final", replace(self.final, objects_per_point=per_point))
        for wrong, fault in self._faults():
            if wrong:
                raise ValueError(f"the ruleset {self.id!r} {fault}")

    def __repr__(self) -> str:
        return f"<Ruleset {self.id}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return ruleset_of, (self.id,)

    @cached_property
    def tiles(self) -> TileSet:
        """The tiles in every rotation."""
        return TileSet(self.data.tiles.values())

    @cached_property
    def colors(self) -> tuple[str, ...]:
        """The colours of the castles."""
        return self.tiles.colors

    @cached_property
    def players(self) -> range:
        """The possible numbers of players."""
        return range(min(self.data.rounds), max(self.data.rounds) + 1)

    @cached_property
    def slots(self) -> tuple[str, ...]:
        """The slots of the scoring tiles of a game."""
        return tuple(
            sorted({slot for rounds in self.data.rounds.values() for slots in rounds for slot in slots})
        )

    @cached_property
    def max_rounds(self) -> int:
        """The maximum number of rounds of a game."""
        return max(map(len, self.data.rounds.values()), default=0)

    def rounds(self, players: int) -> Rounds:
        """Return, for each round of a game, the slots that it scores.

        >>> from skye.rulesets import BASE
        >>> BASE.rounds(5)[0]
        ('A', 'B')

        :raises ValueError: when there is no game for this number of players.
        """
        try:
            return self.data.rounds[players]
        except KeyError:
            raise ValueError(f"{self.players[0]} to {self.players[-1]} can play, not {players}") from None

    def scoring_tile(self, tile_id: str) -> ScoringTile:
        """Return the scoring tile with an id.

        :raises ValueError: when there is no such scoring tile.
        """
        return named("scoring tile", tile_id, self.scoring_tiles)

    def note(self, about: str) -> str | None:
        """Return what is doubtful about a tile or a table of rounds (`L06`, `rounds 5`), or None."""
        return self.data.notes.get(about)

    def corrected(self, text: str, source: str) -> Ruleset:
        """Return the ruleset with the corrections of a data file; its id contains a hash of the result.

        >>> from skye.rulesets import BASE
        >>> BASE.corrected("rounds 5 A BD AC BCD ABCD", "corrections.txt")
        <Ruleset base+867ec547>

        :param source: the name of the file, for messages.
        :raises InvalidRulesetData: when a line has a fault, or the result is no ruleset.
        """
        return self._with_data(self.data.corrected(text, source), source)

    def with_data(self, text: str, source: str) -> Ruleset:
        """Return the ruleset with other data, such as `data.text` of an earlier version.

        :param source: the name of the data, for messages.
        :raises InvalidRulesetData: when a line has a fault, or the result is no ruleset.
        """
        return self._with_data(parse_data(text, source), source)

    def _with_data(self, data: RulesetData, source: str) -> Ruleset:
        original_id = self.id.partition("+")[0]
        for known in (self, RULESETS.get(original_id)):
            if known is not None and known.data.hash == data.hash:
                return known
        try:
            return replace(self, id=f"{original_id}+{data.hash}", data=data)
        except ValueError as error:
            raise InvalidRulesetData(f"{source}: {error}.") from None

    def _faults(self) -> list[tuple[bool, str]]:
        rounds = self.data.rounds
        castles = [tile for tile in self.data.tiles.values() if tile.is_castle]
        landscape = len(self.data.tiles) - len(castles)
        scrolls = {tile.scroll for tile in self.data.tiles.values()} - {None}
        return [
            (not _ID.fullmatch(self.id), "has an id of another form than base or base+0a1b2c3d"),
            (
                not rounds or sorted(rounds) != [*self.players],
                "lacks a table of rounds for a number of players",
            ),
            (len(castles) < max(rounds, default=0), "has fewer castles than players"),
            (landscape > LIMIT, f"has more than {LIMIT} landscape tiles"),
            (
                any(
                    players * (len(table) * (self.tiles_drawn - 1) + 1) > landscape
                    for players, table in rounds.items()
                ),
                "has too few landscape tiles for its rounds",
            ),
            (len(self.slots) > len(self.scoring_tiles), "has fewer scoring tiles than slots"),
            (self.max_rounds > len(self.catch_up), "has more rounds than values of catch-up"),
            (len(self.scoring_tiles) > MAX_SCORING_TILES, f"has more than {MAX_SCORING_TILES} scoring tiles"),
            (not 2 <= self.tiles_drawn <= MAX_DRAWN, f"does not draw 2 to {MAX_DRAWN} tiles"),
            (min(self.minimum_price, self.castle_income) < 1, "has prices or income below 1"),
            (
                self.castle_income < self.minimum_price * (self.tiles_drawn - 1),
                "has an income that cannot pay the minimum prices",
            ),
            (not scrolls <= self.final.objects_per_point.keys(), "has a scroll without points"),
        ]


RULESETS: Final[dict[str, Ruleset]] = {}
"""The rulesets that games can name, by id; see `register`."""


def register(ruleset: Ruleset) -> Ruleset:
    """Make a ruleset known to games, positions and records that name it.

    >>> from skye.rulesets import BASE
    >>> register(BASE)
    <Ruleset base>

    :raises ValueError: when another ruleset has the id.
    """
    known = RULESETS.setdefault(ruleset.id, ruleset)
    if known is not ruleset and _content(known) != _content(ruleset):
        raise ValueError(f"there is another ruleset {ruleset.id!r}")
    TILE_SETS.setdefault(ruleset.id, ruleset.tiles)
    return known


def _content(ruleset: Ruleset) -> list[Any]:
    values = [getattr(ruleset, field.name) for field in fields(ruleset) if field.name != "data"]
    return [ruleset.data.hash, *values]


def ruleset_of(ruleset_id: str) -> Ruleset:
    """Return the ruleset with an id.

    >>> ruleset_of("base")
    <Ruleset base>

    :raises ValueError: when there is no such ruleset.
    """
    return named("ruleset", ruleset_id, RULESETS)
