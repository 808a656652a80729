"""The words and the orientation of a text, so that a game can be told in others than those it has in print.

A model may have seen the game. With other names of terrains, tiles and scoring tiles, and with east and west
exchanged, it must read the text instead. All rules are the same in the mirror.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final, NamedTuple

from skye.rulesets import BASE, Ruleset
from skye.tiles import SIDE_NAMES, Terrain

_TERRAINS: Final = tuple(terrain.label for terrain in Terrain)
_NEW_TERRAINS: Final = ("amber", "basalt", "cobalt", "dune", "ember", "flint", "garnet", "heather", "ivory")

_PLACE: Final = re.compile(
    r"(?<=\()(?P<x>-?\d+)(?=, -?\d+\))|(?<=turned by )(?P<rotation>\d+)|\b(east|west)\b"
)
"""What differs in the mirror in the sentence of an error: a column, a rotation, or a side."""


class Wording(NamedTuple):
    """The words and the orientation of a text.

    :param words: the other words, by those of the game; empty for the words of the game.
    :param scoring_tiles: the other names of scoring tiles, by their ids.
    :param mirrored: whether east and west are exchanged.
    """

    words: Mapping[str, str] = {}
    scoring_tiles: Mapping[str, str] = {}
    mirrored: bool = False

    def text(self, text: str) -> str:
        """Return a text with the other words.

        >>> Wording({"water": "cobalt"}).text("2 points for each water area")
        '2 points for each cobalt area'
        """
        return _replaced(text, self.words)

    def game_text(self, text: str) -> str:
        """Return a text with the words of the game, the inverse of `text`.

        >>> Wording({"L07": "T12"}).game_text('{"discard": "T12"}')
        '{"discard": "L07"}'
        """
        return _replaced(text, {new: word for word, new in self.words.items()})

    def scoring_tile(self, scoring_tile: str) -> str:
        """Return the name of a scoring tile.

        >>> Wording().scoring_tile("sheep")
        'sheep'
        """
        return self.scoring_tiles.get(scoring_tile, scoring_tile)

    def x(self, x: int) -> int:
        """Return a column as the text has it, or the column that the text means: the same function.

        >>> Wording(mirrored=True).x(2)
        -2
        """
        return -x if self.mirrored else x

    def rotation(self, rotation: int) -> int:
        """Return a rotation as the text has it, or the rotation that the text means: the same function.

        >>> Wording(mirrored=True).rotation(90)
        270
        """
        return -rotation % 360 if self.mirrored else rotation

    def detail(self, detail: str) -> str:
        """Return the sentence of a `RuleError`, with other words, places, rotations and sides.

        >>> Wording(mirrored=True).detail("L01 turned by 90 on (2, 0): its west is water.")
        'L01 turned by 270 on (-2, 0): its east is water.'
        """
        return self.text(_PLACE.sub(self._mirrored, detail) if self.mirrored else detail)

    def _mirrored(self, found: re.Match[str]) -> str:
        if found["x"]:
            return str(self.x(int(found["x"])))
        if found["rotation"]:
            return str(self.rotation(int(found["rotation"])))
        return self.side(SIDE_NAMES.index(found[0]))

    def sides(self, values: Sequence[Any]) -> Sequence[Any]:
        """Return what is at north, east, south and west, as the text has it.

        >>> Wording(mirrored=True).sides("NESW")
        ('N', 'W', 'S', 'E')
        """
        north, east, south, west = values
        return (north, west, south, east) if self.mirrored else (north, east, south, west)

    def side(self, side: int) -> str:
        """Return the name of a side.

        >>> Wording(mirrored=True).side(1)
        'west'
        """
        name: str = self.sides(SIDE_NAMES)[side]
        return name


PLAIN: Final = Wording()
"""The words and the orientation of the game."""


def other_wording(seed: str, ruleset: Ruleset = BASE) -> Wording:
    """Return a mirrored wording with other names for terrains, and for the tiles of a ruleset.

    >>> other_wording("1").mirrored
    True
    """
    rng = Random(seed)
    terrains = dict(zip(_TERRAINS, rng.sample(_NEW_TERRAINS, len(_TERRAINS)), strict=True))
    landscape, scoring_tiles = ruleset.tiles.landscape, [*ruleset.scoring_tiles]
    numbers = rng.sample(range(len(landscape)), len(landscape))
    tiles = {tile: f"T{number + 1:02}" for tile, number in zip(landscape, numbers, strict=True)}
    names = rng.sample(range(len(scoring_tiles)), len(scoring_tiles))
    rules = {tile: f"rule_{name + 1}" for tile, name in zip(scoring_tiles, names, strict=True)}
    return Wording({**terrains, **tiles}, rules, mirrored=True)


def _replaced(text: str, words: Mapping[str, str]) -> str:
    if not words:
        return text
    return re.sub(rf"\b({'|'.join(words)})(s?)\b", lambda found: words[found[1]] + found[2], text)
