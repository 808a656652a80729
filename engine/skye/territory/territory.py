"""The territory of one player: placed tiles, legal places for the next tile, and a summary for scoring.

A `Territory` is an immutable value that consists of its tuple of placements. The frontier and the summary are
derived from that tuple on first use, and updated incrementally by each placement.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Self

from skye.errors import CellOccupied, NotAdjacent, RuleError, TerrainMismatch
from skye.lookup import named
from skye.territory.frontier import first_edge_mismatch, occupy_cell
from skye.territory.notation import check_placements, parse_placement
from skye.territory.summary import EMPTY_SUMMARY, TerritorySummary
from skye.tiles.geometry import LIMIT, ROTATIONS, cell_at
from skye.tiles.tile_set import DEFAULT_RULESET, TILE_SETS, Place, TileSet


class _DerivedValues:
    """The cache of values derived from the placements; unset until first use.

    The summary may lack the last few placements: reading it updates it.
    """

    __slots__ = ("_frontier", "_summary")

    _frontier: dict[int, int]
    _summary: TerritorySummary


_set = object.__setattr__  # sets derived values of a frozen instance


@dataclass(frozen=True, slots=True)
class Territory(_DerivedValues):
    """The tiles of one player in placing order, the castle first.

    :param placed: the placements; they are not checked here (see `from_placements`).
    :param ruleset_id: the ruleset whose tiles they are.

    >>> print(Territory.parse("castle-red L28@0,-1 L44@0,1/180"))
    castle-red L28@0,-1 L44@0,1/180
    """

    placed: tuple[Place, ...]
    ruleset_id: str = DEFAULT_RULESET

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: dict[int, object]) -> Self:
        return self

    def __reduce__(self) -> tuple[type[Territory], tuple[tuple[Place, ...], str]]:
        return Territory, (self.placed, self.ruleset_id)

    @classmethod
    def parse(cls, text: str, ruleset_id: str = DEFAULT_RULESET) -> Territory:
        """Return the territory in the notation `castle-red L28@0,-1 L44@0,1/180` (tile, position, rotation).

        :param ruleset_id: the ruleset whose tiles they are.
        :raises InvalidTerritory: when a word cannot be read or the tiles cannot lie like this.
        :raises ValueError: when there is no such ruleset.
        """
        return cls.from_placements([parse_placement(word) for word in text.split()], ruleset_id)

    @classmethod
    def from_placements(cls, placements: Iterable[Place], ruleset_id: str = DEFAULT_RULESET) -> Territory:
        """Return the territory with these placements, in any order, after checking all rules of placement.

        :param ruleset_id: the ruleset whose tiles they are.
        :raises InvalidTerritory: with `facts["index"]`, the position of the first placement at fault.
        :raises ValueError: when there is no such ruleset.
        """
        return cls(check_placements(named("ruleset", ruleset_id, TILE_SETS), placements), ruleset_id)

    def __repr__(self) -> str:
        ruleset = "" if self.ruleset_id == DEFAULT_RULESET else f", {self.ruleset_id!r}"
        return f"Territory.parse({str(self)!r}{ruleset})"

    def __str__(self) -> str:
        castle, *others = self.placed
        return " ".join([castle.tile, *map(str, others)])

    @property
    def tiles(self) -> TileSet:
        """All tiles of the ruleset."""
        return TILE_SETS[self.ruleset_id]

    @property
    def frontier(self) -> Mapping[int, int]:
        """The empty cells next to a tile, each with its constraint (see `skye.territory.frontier`)."""
        return MappingProxyType(self._open_cells)

    @property
    def _open_cells(self) -> dict[int, int]:
        """The frontier, as the dictionary that no other code may change."""
        try:
            return self._frontier
        except AttributeError:
            frontier: dict[int, int] = {}
            rotated = self.tiles.rotated
            for tile, x, y, rotation in self.placed:
                occupy_cell(frontier, cell_at(x, y), rotated[tile, rotation])
            _set(self, "_frontier", frontier)
            return frontier

    @property
    def summary(self) -> TerritorySummary:
        """The values that scoring needs, derived on first use."""
        summary = self._summarized
        known = len(summary.cells)
        if known < len(self.placed):
            summary = summary._extended(self.tiles, self.placed[known:])
            _set(self, "_summary", summary)
        return summary

    @property
    def _summarized(self) -> TerritorySummary:
        """The cached summary, which may cover only the first placements."""
        try:
            return self._summary
        except AttributeError:
            return EMPTY_SUMMARY

    def legal_places(self, *tiles: str) -> list[Place]:
        """Return every legal placement of each of these landscape tiles, by tile and then by cell.

        >>> castle_alone("red").legal_places("L01")[0]
        Place(tile='L01', x=0, y=-1, rotation=180)

        :raises ValueError: when there is no landscape tile of a name.
        """
        places: list[Place] = []
        constraints = self._open_cells.items()
        by_tile = TILE_SETS[self.ruleset_id].places
        for tile in tiles:
            try:
                by_constraint = by_tile[tile]
            except KeyError:
                by_constraint = named("landscape tile", tile, by_tile)
            for cell, constraint in constraints:
                by_cell = by_constraint[constraint]
                if by_cell is not None:
                    places += by_cell[cell]
        return places

    def has_place(self, tile: str) -> bool:
        """Return whether a landscape tile has any legal place, in any rotation.

        >>> castle_alone("red").has_place("L01")
        True

        :raises ValueError: when there is no such landscape tile.
        """
        fits = named("landscape tile", tile, self.tiles.fitting_rotations)
        return any(fits[constraint] for constraint in self._open_cells.values())

    def place(self, tile: str, x: int, y: int, rotation: int) -> Territory:
        """Return the territory with one more landscape tile.

        :param x: columns east of the castle.
        :param y: rows south of the castle.
        :param rotation: clockwise degrees: 0, 90, 180 or 270.

        >>> print(castle_alone("red").place("L28", 0, -1, 0))
        castle-red L28@0,-1

        :raises CellOccupied: when a tile lies there already.
        :raises NotAdjacent: when the cell shares no edge with a tile of the territory.
        :raises TerrainMismatch: when the terrain on a shared edge differs.
        """
        error = self.placement_error(tile, x, y, rotation)
        if error is not None:
            raise error
        return self._extended(Place(tile, x, y, rotation))

    def _extended(self, place: Place) -> Territory:
        """Return the territory with one more tile, whose placement is not checked; update derived values."""
        tile, x, y, rotation = place
        frontier = self._open_cells.copy()
        ruleset_id = self.ruleset_id
        occupy_cell(frontier, cell_at(x, y), TILE_SETS[ruleset_id].rotated[tile, rotation])
        larger = Territory((*self.placed, place), ruleset_id)
        _set(larger, "_frontier", frontier)
        _set(larger, "_summary", self._summarized)
        return larger

    def placement_error(self, tile: str, x: int, y: int, rotation: int) -> RuleError | None:
        """Return the rule error of a placement, or None when it is legal.

        :param tile: the id of a landscape tile.
        :param x: columns east of the castle.
        :param y: rows south of the castle.
        :param rotation: clockwise degrees.

        >>> castle_alone("red").placement_error("L01", 0, 0, 0)
        CellOccupied('castle-red lies on (0, 0) already.')

        :raises TypeError: when x, y or the rotation is no integer.
        :raises ValueError: when there is no such landscape tile or rotation.
        """
        try:
            cell = cell_at(x, y)
            fits = rotation in TILE_SETS[self.ruleset_id].fitting_rotations[tile][self._open_cells[cell]]
            if fits and cell.__class__ is rotation.__class__ is int:
                return None
        except (KeyError, TypeError, ValueError):
            pass  # there is no such open cell, or an argument is wrong
        _check_placement(self.tiles, tile, x, y, rotation)
        return self._misplaced(tile, x, y, rotation)

    def _misplaced(self, tile: str, x: int, y: int, rotation: int) -> RuleError:
        """Return the rule error of an illegal placement."""
        for there in self.placed:
            if (there.x, there.y) == (x, y):
                return CellOccupied(f"{there.tile} lies on ({x}, {y}) already.", tile=there.tile, x=x, y=y)
        constraint = 0 if max(abs(x), abs(y)) > LIMIT else self._open_cells.get(cell_at(x, y), 0)
        if not constraint:
            return NotAdjacent(
                f"({x}, {y}) shares no edge with a tile of the territory.", tile=tile, x=x, y=y
            )
        found = first_edge_mismatch(self.tiles.rotated[tile, rotation].edges, constraint)
        return TerrainMismatch(
            f"{tile} turned by {rotation} on ({x}, {y}): {found}.",
            tile=tile,
            x=x,
            y=y,
            rotation=rotation,
            **found._asdict(),
        )

    def _repr_svg_(self) -> str:
        """Return the picture that a notebook shows."""
        from skye.svg import territory_svg  # noqa: PLC0415 - pictures are a layer above; only notebooks need them

        return territory_svg(self)

    def _without_last(self) -> Territory:
        """Return the territory as it was before the last placement."""
        return Territory(self.placed[:-1], self.ruleset_id)


def _check_placement(tiles: TileSet, tile: str, x: int, y: int, rotation: int) -> None:
    if not x.__class__ is y.__class__ is rotation.__class__ is int:
        raise TypeError(f"x, y and rotation are ints, not {x!r}, {y!r} and {rotation!r}")
    named("landscape tile", tile, tiles.fitting_rotations)
    if rotation not in ROTATIONS:
        raise ValueError(f"a rotation is one of {ROTATIONS}, not {rotation}")


_castles: dict[tuple[str, str], Territory] = {}
"""The castles that have been used: games share them, so that their derived values are computed once."""


def castle_alone(color: str, ruleset_id: str = DEFAULT_RULESET) -> Territory:
    """Return the territory with which the player of a color begins: the castle at (0, 0).

    >>> print(castle_alone("red"))
    castle-red

    :raises ValueError: when there is no such ruleset or color.
    """
    try:
        return _castles[ruleset_id, color]
    except KeyError:
        colors = named("ruleset", ruleset_id, TILE_SETS).colors
        castle = f"castle-{named('color', color, {color: color for color in colors})}"
        territory = Territory((Place(castle, 0, 0, 0),), ruleset_id)
        return _castles.setdefault((ruleset_id, color), territory)
