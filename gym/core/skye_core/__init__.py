"""All legal placements of a tile with their gains, for arrays of positions in one call: a prototype.

A `Core` has the tables of one ruleset. `Core.batch` makes arrays of games, and `Core.answer` answers for all
of them in native code, without the interpreter lock.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import NamedTuple

from skye import GameState, Place
from skye.rulesets import Ruleset
from skye_core._placements import answer, load, pack
from skye_core.tables import UnsupportedScoring, tables_of, tiles_of

__all__ = ["Answers", "Batch", "Core", "UnsupportedScoring"]


class Batch(NamedTuple):
    """Territories, and what is asked about them.

    :param starts: by territory, the index of its first placement, and last the number of placements: 32 bits.
    :param placed: by placement, the number of the tile, x, y, and the quarter turns clockwise: 16 bits. The
        castle comes first.
    :param golds: by territory, the purse of its owner: 32 bits.
    :param queries: by query, the territory, the number of the tile in hand, the territories of the rivals (-1
        for none), and the number of the scoring tile in each slot: 32 bits.
    """

    starts: bytes | array[int]
    placed: bytes | array[int]
    golds: bytes | array[int]
    queries: bytes | array[int]


class Answers(NamedTuple):
    """The answers to the queries of a batch.

    :param offsets: by query, the index of its first placement, and last the number of placements: 32 bits.
    :param now: by query, the points in each slot, the number of tiles with whisky that are joined to the
        castle, and the points of all scrolls: 16 bits.
    :param placements: by placement, in the order of `Territory.legal_places`: x, y, quarter turns, and the
        change of each of the numbers in `now`: 16 bits. That of a majority of gold is 0.
    """

    offsets: bytes
    now: bytes
    placements: bytes


class Core:
    """The legality and the scoring of placements under one ruleset.

    :raises UnsupportedScoring: when it lacks the way in which a scoring tile of the ruleset scores.
    """

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.tiles = {tile: number for number, tile in enumerate(tiles_of(ruleset))}
        self.scoring_tiles = {tile: number for number, tile in enumerate(ruleset.scoring_tiles)}
        self._slots = len(ruleset.slots)
        self._rivals = ruleset.players[-1] - 1
        self._tables = load(*tables_of(ruleset))

    def batch(self, asked: Iterable[tuple[GameState, int, str]]) -> Batch:
        """Return the arrays of queries, each a game, a seat and a landscape tile that is in no territory.

        Queries in a row about the same game share the arrays of its territories.

        :raises ValueError: when a game has another ruleset, or lacks scoring tiles.
        """
        last: GameState | None = None
        first, golds = 0, array("i")
        territories: list[tuple[Place, ...]] = []
        numbers, slots = self.tiles, self.scoring_tiles
        queries = array("i")
        scoring: list[int] = []
        for game, seat, tile in asked:
            if game is not last:
                if game.ruleset_id != self.ruleset.id or len(game.scoring_tiles) != self._slots:
                    raise ValueError(f"the game is not one of {self.ruleset!r} with its scoring tiles")
                last, first = game, len(territories)
                scoring = [slots[each] for each in game.scoring_tiles]
                for player in game.players:
                    territories.append(player.territory.placed)
                    golds.append(player.gold)
            rivals = [first + other for other in range(len(game.players)) if other != seat]
            rivals += [-1] * (self._rivals - len(rivals))
            queries.extend((first + seat, numbers[tile], *rivals, *scoring))
        starts, placed = pack(territories, numbers)
        return Batch(starts, placed, golds, queries)

    def answer(self, batch: Batch) -> Answers:
        """Return all legal placements of the tile of each query, with what they change.

        :raises ValueError: when the arrays do not fit together, or a territory breaks a rule of placement.
        """
        return Answers(*answer(self._tables, *batch, self._rivals, self._slots))
