"""The data file of a ruleset: its tiles, its table of rounds, and notes about what is doubtful.

| line                                | meaning                                                          |
|-------------------------------------|------------------------------------------------------------------|
| `L05 PPPM/W NE farm ship`           | a tile: id, edges/center, roads, objects; `castle-COLOR` is one  |
| `rounds 5 AB AC BD ACD BCD`         | for a number of players, the slots that each round scores        |
| `note L06 ...`, `note rounds 5 ...` | what is doubtful about a tile or a table                         |

Empty lines and lines that begin with `#` have no meaning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from skye.tiles.tile import Tile, parse_tile, tile_line

MIN_PLAYERS: Final = 2
"""The minimum number of players of a ruleset."""

MAX_PLAYERS: Final = 5
"""The maximum number of players of a ruleset."""

MAX_ROUNDS: Final = 10
"""The maximum number of rounds of a game."""

MAX_NOTE_LENGTH: Final = 300
"""The maximum length of a note, in characters."""

_TILE_ID: Final = re.compile(r"castle-[a-z]{1,20}|[A-Z][A-Z0-9]{1,7}", re.ASCII)
_SLOTS: Final = re.compile(r"[A-F]{1,6}", re.ASCII)

Rounds: TypeAlias = tuple[tuple[str, ...], ...]
"""For each round, the slots that it scores."""


class InvalidRulesetData(ValueError):
    """A data file of a ruleset has a fault; the message names the file and the line."""


@dataclass(frozen=True)
class RulesetData:
    """What a data file says.

    :param tiles: the tiles by id, the castles first.
    :param rounds: for each number of players, the slots that each round scores.
    :param notes: by tile, or `rounds N`, what is doubtful about it.
    """

    tiles: Mapping[str, Tile]
    rounds: Mapping[int, Rounds]
    notes: Mapping[str, str]

    @cached_property
    def text(self) -> str:
        """The tiles and tables in the format of a data file, one form for each content."""
        tables = [
            f"rounds {players} {' '.join(map(''.join, rounds))}"
            for players, rounds in sorted(self.rounds.items())
        ]
        return "\n".join([*map(tile_line, self.tiles.values()), *tables, ""])

    @cached_property
    def hash(self) -> str:
        """Eight hexadecimal digits that depend on the tiles and tables."""
        return sha256(self.text.encode()).hexdigest()[:8]

    def corrected(self, text: str, source: str) -> RulesetData:
        """Return the data in which the lines of another file replace those about the same tile or table.

        :param source: the name of the file, for messages.
        :raises InvalidRulesetData: when a line has a fault, or its tile or number of players is new.
        """
        changes = parse_data(text, source, self)
        return RulesetData(
            MappingProxyType({**self.tiles, **changes.tiles}),
            MappingProxyType({**self.rounds, **changes.rounds}),
            MappingProxyType({**self.notes, **changes.notes}),
        )

    def has(self, kind: str, key: str | int) -> bool:
        """Return whether there is something that a line could correct or be a note about.

        :param kind: one of the kinds of lines, `tile`, `table of rounds` or `note`.
        """
        if kind == "note":
            return key in self.tiles or key in [f"rounds {players}" for players in self.rounds]
        return key in (self.tiles if kind == "tile" else self.rounds)


def parse_data(text: str, source: str, corrected: RulesetData | None = None) -> RulesetData:
    """Return what a data file says.

    >>> parse_data("L05 PPPM/W NE farm ship", "tiles.txt").tiles["L05"].count("ship")
    1

    :param source: the name of the file, for messages.
    :param corrected: the data that the file corrects; a line about nothing in it is a fault.
    :raises InvalidRulesetData: when a line has a fault.
    """
    found: dict[str, dict[Any, Any]] = {"tile": {}, "table of rounds": {}, "note": {}}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        try:
            kind, key, value = _parsed(line, words)
            if key in found[kind]:
                raise ValueError(f"there is a {kind} for {key} already")
            if corrected is not None and not corrected.has(kind, key):
                raise ValueError(f"there is nothing to correct for the {kind} of {key}")
        except ValueError as error:
            raise InvalidRulesetData(f"{source}, line {number}: {error}.") from None
        found[kind][key] = value
    return RulesetData(*map(MappingProxyType, found.values()))


def _parsed(line: str, words: list[str]) -> tuple[str, str | int, Any]:
    """Return the kind of a line, what it is about, and what it says."""
    match words:
        case ["rounds", players, *table]:
            return "table of rounds", _players(players), _rounds(table)
        case ["note", "rounds", players, _, *_]:
            return "note", f"rounds {_players(players)}", _note(line.split(None, 3)[3])
        case ["note", tile, _, *_]:
            return "note", _tile_id(tile), _note(line.split(None, 2)[2])
    return "tile", _tile_id(words[0]), parse_tile(line)


def _note(text: str) -> str:
    if len(text.strip()) > MAX_NOTE_LENGTH:
        raise ValueError(f"a note has at most {MAX_NOTE_LENGTH} characters")
    return text.strip()


def _tile_id(word: str) -> str:
    if not _TILE_ID.fullmatch(word):
        raise ValueError(f"{word!r} is not the id of a tile, such as L05 or castle-red")
    return word


def _players(word: str) -> int:
    if not (
        word.isascii() and word.isdecimal() and len(word) == 1 and MIN_PLAYERS <= int(word) <= MAX_PLAYERS
    ):
        raise ValueError(f"{word!r} is not a number of players from {MIN_PLAYERS} to {MAX_PLAYERS}")
    return int(word)


def _rounds(table: list[str]) -> Rounds:
    if not 1 <= len(table) <= MAX_ROUNDS:
        raise ValueError(f"a game has 1 to {MAX_ROUNDS} rounds, not {len(table)}")
    for word in table:
        if not _SLOTS.fullmatch(word) or list(word) != sorted({*word}):
            raise ValueError(f"{word!r} is not the slots of a round in order, such as ACD")
    return tuple(map(tuple, table))
