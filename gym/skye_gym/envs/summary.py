"""The summary of what a seat sees: one float32 vector, in the base game of 492 to 999 numbers.

It counts what the planes of `skye_gym.envs.observation` show, so it suits networks without convolutions and
large buffers; where the tiles lie is left out. Seats are numbered from the observing one. In the base game:

| numbers       | contents                                                                                   |
|---------------|--------------------------------------------------------------------------------------------|
| 136 each seat | `seats` of `skye_gym.envs.observation`: the purse, the tiles drawn or in hand              |
| 152           | `game` of `skye_gym.envs.observation`: round, scoring tiles, incomplete decision, bag      |
| 2             | the row and the column of the cell chosen in a factored placement, plus 1, / 21; 0 if none |
| 33 each seat  | its territory, as follows                                                                  |

| territory | contents                                                                                  |
|-----------|-------------------------------------------------------------------------------------------|
| 0 - 6     | the number of whisky, sheep, cattle, farm, broch, ship, lighthouse / 8                    |
| 7 - 13    | the same on tiles that are joined to the castle by road                                   |
| 14 - 16   | completed areas of pasture, mountain, water / 8                                           |
| 17 - 19   | the cells of the largest area of pasture, mountain, water / 8                             |
| 20 - 22   | scrolls in completed areas / 8; other scrolls / 8; the points of all scrolls now / 16     |
| 23        | tiles joined to the castle by road / 8                                                    |
| 24        | empty cells next to a tile / 8                                                            |
| 25, 26    | the width and the height in cells / 8                                                     |
| 27 - 30   | the points that the scoring tiles in the slots A, B, C, D would give now / 16             |
| 31, 32    | the legal placements of the tiles in hand / 64; the points for gold at the end now / 16   |

All numbers are from 0 to 16; larger ones are 16.
"""

from __future__ import annotations

from struct import Struct
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skye.rules.state import PRICING, GameState, Player
from skye.rulesets.ruleset import Ruleset
from skye.scoring.kinds import MajorityRule
from skye.territory.territory import Territory
from skye.tiles.tile import OBJECTS, Terrain
from skye_gym.encoding import EncodedGame
from skye_gym.envs.planes import planes_of
from skye_gym.envs.seat_vectors import MAX_VALUE, SeatVectors, vectors_of

_COUNT: Final = 8
_POINTS: Final = 16
_PLACEMENTS: Final = 64

_CHOSEN: Final = Struct("2f")
_NO_CELL: Final = bytes(_CHOSEN.size)


def _territory_size(ruleset: Ruleset) -> int:
    return 2 * len(OBJECTS) + 2 * len(Terrain) + 3 + 1 + 1 + 2 + len(ruleset.slots) + 2


def summary_size(ruleset: Ruleset, players: int) -> int:
    """Return the number of numbers.

    >>> from skye.rulesets import BASE
    >>> [summary_size(BASE, players) for players in (2, 5)]
    [492, 999]
    """
    layout = vectors_of(ruleset)
    return players * (layout.seat_size + _territory_size(ruleset)) + layout.game_size + 2


class SummaryObserver:
    """Makes the summaries of games.

    :param ruleset: the ruleset of the games.
    :param players: the number of seats.
    """

    def __init__(self, ruleset: Ruleset, players: int) -> None:
        self._ruleset = ruleset
        self._players = players
        self._vectors = SeatVectors(vectors_of(ruleset))
        self._window = planes_of(ruleset).window
        seats = players * self._vectors.layout.seat_size
        of_decision = self._vectors.layout.decision
        self._decision = slice(4 * seats + of_decision.start, 4 * seats + of_decision.stop)
        """The bytes of an incomplete decision."""
        self._chosen = 4 * (seats + self._vectors.layout.game_size)
        """The first byte of the chosen cell."""
        self._changing = Struct(f"{len(ruleset.slots) + 2}f")
        # The numbers of the last game and seat: an offer and a factored placement are several decisions.
        self._observed: tuple[GameState | None, int] = None, 0
        self._numbers = b""
        # By color, the last of each, since most decisions change none: a territory with its numbers 0 - 26; a
        # territory with the points by slot, of a majority the count; a territory and a hand with the number
        # of legal placements.
        self._territories: dict[str, tuple[Territory, bytes]] = {}
        self._earned: dict[str, tuple[Territory, tuple[str, ...], list[int]]] = {}
        self._places: dict[str, tuple[Territory, tuple[str, ...], int]] = {}

    def __reduce__(self) -> tuple[type[SummaryObserver], tuple[Ruleset, int]]:
        """Copy and pickle without the last territories."""
        return SummaryObserver, (self._ruleset, self._players)

    def observe(
        self, encoded: EncodedGame, seat: int, tile: int | None = None, cell: int | None = None
    ) -> NDArray[np.float32]:
        """Return the summary of a seat, with the arguments of `SeatObservation.show`."""
        game, layout = encoded.game, self._vectors.layout
        if game is not self._observed[0] or seat != self._observed[1]:
            self._observed = game, seat
            self._numbers = self._about(game, seat)
        numbers = bytearray(self._numbers)
        draft = encoded.draft if encoded.draft and encoded.seat == seat else ()
        if draft or tile is not None:
            numbers[self._decision] = layout.decision_bytes(draft, tile)
        if cell is not None:
            row, column = divmod(cell, self._window)
            _CHOSEN.pack_into(numbers, self._chosen, (row + 1) / self._window, (column + 1) / self._window)
        return np.frombuffer(numbers, np.float32)

    def _about(self, game: GameState, seat: int) -> bytes:
        """Return the summary of a seat without an incomplete decision."""
        rows = self._vectors.rows(game, seat)
        about_game = self._vectors.about_game(game, rows)
        return b"".join(
            [*[row.numbers for row in rows], about_game, _NO_CELL, *self._about_territories(game, seat)]
        )

    def _about_territories(self, game: GameState, seat: int) -> list[bytes]:
        players, gold_per_point = game.players, self._ruleset.final.gold_per_point
        golds = [  # as in `seats`: gold on tiles counts as in the purse while an offer is secret
            player.gold + (player.stakes if game.phase is PRICING and number != seat else 0)
            for number, player in enumerate(players)
        ]
        points = self._points(game, golds)
        numbers: list[bytes] = []
        for number in (*range(seat, len(players)), *range(seat)):
            player = players[number]
            numbers.append(self._counts(player.color, player.territory))
            changing = [each / _POINTS for each in points[number]]
            changing += self._legal_places(player) / _PLACEMENTS, golds[number] // gold_per_point / _POINTS
            numbers.append(self._changing.pack(*[min(each, MAX_VALUE) for each in changing]))
        return numbers

    def _points(self, game: GameState, golds: list[int]) -> list[list[int]]:
        """Return by seat the points by slot."""
        players, tiles = game.players, game.scoring_tiles
        if not tiles:
            return [[0] * len(self._ruleset.slots)] * len(players)
        points = [self._points_of(player, tiles) for player in players]
        for slot, tile in enumerate(tiles):
            rule = self._ruleset.scoring_tiles[tile].rule
            if isinstance(rule, MajorityRule):
                counts = golds if rule.value is None else [each[slot] for each in points]
                earned = rule.points(counts)
                points = [
                    [*each[:slot], won, *each[slot + 1 :]] for each, won in zip(points, earned, strict=True)
                ]
        return points

    def _points_of(self, player: Player, scoring_tiles: tuple[str, ...]) -> list[int]:
        """Return the points by slot of a seat; for a majority the count that it compares, without gold."""
        territory = player.territory
        last, of_tiles, points = self._earned.get(player.color, (None, (), []))
        if last is not territory or of_tiles != scoring_tiles:
            summary = territory.summary
            points = []
            for tile in scoring_tiles:
                rule = self._ruleset.scoring_tiles[tile].rule
                if isinstance(rule, MajorityRule):
                    points.append(rule.holds(summary, 0)[0])
                else:
                    points.append(sum([each for each, _ in rule.earns(summary)]))
            self._earned[player.color] = territory, scoring_tiles, points
        return points

    def _legal_places(self, player: Player) -> int:
        """Return the number of legal placements of the tiles in hand."""
        territory, hand = player.territory, player.tiles_to_build
        if not hand:
            return 0
        last, of_hand, number = self._places.get(player.color, (None, (), 0))
        if last is not territory or of_hand != hand:
            constraints = territory._open_cells.values()
            fitting = [territory.tiles.fitting_rotations[tile] for tile in hand]
            number = sum([len(fits[constraint]) for fits in fitting for constraint in constraints])
            self._places[player.color] = territory, hand, number
        return number

    def _counts(self, color: str, territory: Territory) -> bytes:
        """Return the numbers 0 - 26 of a territory."""
        last, numbers = self._territories.get(color, (None, b""))
        if last is not territory:
            numbers = _count(territory, self._ruleset)
            self._territories[color] = territory, numbers
        return numbers


def _count(territory: Territory, ruleset: Ruleset) -> bytes:
    summary = territory.summary
    cells = summary.cells
    joined = [cells[cell].tile.counts for cell in summary.connected]
    completed, largest = [0] * len(Terrain), [0] * len(Terrain)
    for area in summary.areas:
        terrain = area.terrain - 1
        if not area.openings:
            completed[terrain] += 1
        largest[terrain] = max(largest[terrain], area.size)
    scrolls = ruleset.final.score(summary, 0).scrolls
    completed_scrolls = sum([scroll.completed for scroll in scrolls])
    _, xs, ys, _ = zip(*territory.placed, strict=True)
    counts = [
        *summary.counts,
        *map(sum, zip([0] * len(OBJECTS), *joined, strict=True)),
        *completed,
        *largest,
        completed_scrolls,
        len(scrolls) - completed_scrolls,
        sum([scroll.points for scroll in scrolls]) * _COUNT / _POINTS,
        len(joined),
        len(territory._open_cells),
        max(xs) - min(xs) + 1,
        max(ys) - min(ys) + 1,
    ]
    return Struct(f"{len(counts)}f").pack(*[min(count / _COUNT, MAX_VALUE) for count in counts])
