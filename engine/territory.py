"""A territory: the tiles of one player as they lie, and where the next one may go.

A `Territory` is a value: its tuple of placements and nothing else. What lies on which cell, and which
empty cells are open, follow from that tuple alone; they are worked out when first asked for, so that a
territory which is only stored or shown costs nothing, and carried over when a tile is added.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from engine.areas import Area, join_areas
from engine.errors import CellOccupied, InvalidTerritory, NotAdjacent, RuleError, TerrainMismatch
from engine.geometry import LIMIT, OPPOSITE, ROTATIONS, SIDE_NAMES, SIDES, STEPS, cell_at, position_of
from engine.tiles import FITS, FORMS, LANDSCAPE, TILES, Form, Terrain


class Place(NamedTuple):
    """A tile as it lies, or as it would: id, position, clockwise rotation in degrees."""

    tile: str
    x: int
    y: int
    rotation: int

    def __str__(self) -> str:
        return f"{self.tile}@{self.x},{self.y}" + (f"/{self.rotation}" if self.rotation else "")


class _Indexes:
    """Room for what the placements imply; unset until asked for."""

    __slots__ = ("_areas", "_cells", "_facing", "_frontier")

    _cells: dict[int, Form]
    _frontier: dict[int, int]
    _areas: dict[int, Area]
    _facing: dict[int, int]


_set = object.__setattr__  # how a frozen value is filled


@dataclass(frozen=True, slots=True)
class Territory(_Indexes):
    """The tiles of one player in placing order, the castle first.

    >>> print(Territory.parse("castle-red L28@0,-1 L44@0,1/180"))
    castle-red L28@0,-1 L44@0,1/180
    """

    placed: tuple[Place, ...]

    @classmethod
    def parse(cls, text: str) -> Territory:
        """Read the notation `castle-red L28@0,-1 L44@0,1/180`: tile, position, rotation unless 0.

        :raises InvalidTerritory: when a word cannot be read or the tiles cannot lie like this.
        """
        return cls.assembled([_parse_placed(word) for word in text.split()])

    @classmethod
    def assembled(cls, placements: Iterable[Place]) -> Territory:
        """Return the territory of placements given in any order, all rules of placing checked.

        :raises InvalidTerritory: with `facts["index"]`, the position of the first placement at fault.
        """
        placed = tuple(placements)
        castle = _castle_index(placed)
        territory = cls((placed[castle], *placed[:castle], *placed[castle + 1 :]))
        cells = _cells_checked(placed)
        _check_edges(placed, cells)
        _check_connected(placed, cells)
        return territory

    def __str__(self) -> str:
        castle, *others = self.placed
        return " ".join([castle.tile, *map(str, others)])

    @property
    def cells(self) -> dict[int, Form]:
        """What lies on each cell, in placing order."""
        try:
            return self._cells
        except AttributeError:
            self._lay_out()
            return self._cells

    @property
    def frontier(self) -> dict[int, int]:
        """The empty cells next to a tile, each with its opening: cell * 256 + demand (see `tiles.FITS`)."""
        try:
            return self._frontier
        except AttributeError:
            self._lay_out()
            return self._frontier

    @property
    def areas(self) -> dict[int, Area]:
        """Its areas, each by a number that means nothing else."""
        try:
            return self._areas
        except AttributeError:
            self._join_areas()
            return self._areas

    @property
    def facing(self) -> dict[int, int]:
        """The number of the area behind each open edge (see `areas.join_areas`)."""
        try:
            return self._facing
        except AttributeError:
            self._join_areas()
            return self._facing

    def legal_places(self, tile: str) -> list[Place]:
        """Return every way to place a landscape tile, cell by cell."""
        return list(chain.from_iterable(map(_WAYS[tile].__getitem__, self.frontier.values())))

    def has_place(self, tile: str) -> bool:
        """Whether a landscape tile has any legal place, in any rotation."""
        fits = FITS[tile]
        return any(fits[opening % 256] for opening in self.frontier.values())

    def place(self, tile: str, x: int, y: int, rotation: int) -> Territory:
        """Return the territory with one more landscape tile.

        :raises CellOccupied: when a tile lies there already.
        :raises NotAdjacent: when the cell shares no edge with a tile of the territory.
        :raises TerrainMismatch: when the terrain on a shared edge differs.
        """
        error = self.refusal(tile, x, y, rotation)
        if error is not None:
            raise error
        return self.extended(Place(tile, x, y, rotation))

    def extended(self, place: Place) -> Territory:
        """Return the territory with one more tile, known to be legal; what is worked out is carried over."""
        cell, form = cell_at(place.x, place.y), FORMS[place.tile, place.rotation]
        larger = Territory((*self.placed, place))
        cells, frontier = self.cells.copy(), self.frontier.copy()
        areas, facing = self.areas.copy(), self.facing.copy()
        _occupy(cells, frontier, cell, form)
        join_areas(areas, facing, cells, cell, form)
        _keep_layout(larger, cells, frontier)
        _keep_areas(larger, areas, facing)
        return larger

    def refusal(self, tile: str, x: int, y: int, rotation: int) -> RuleError | None:
        """Say why a landscape tile may not be placed so, or None when it may.

        :raises ValueError: when there is no such rotation.
        """
        cell = cell_at(x, y) if abs(x) <= LIMIT and abs(y) <= LIMIT else -1
        opening = self.frontier.get(cell)
        if opening is None:
            if cell in self.cells:
                return CellOccupied(f"{self.cells[cell].tile.id} lies on ({x}, {y}) already.")
            return NotAdjacent(f"({x}, {y}) shares no edge with a tile of the territory.")
        demand = opening % 256
        if rotation in FITS[tile][demand]:
            return None
        if rotation not in ROTATIONS:
            raise ValueError(f"{rotation} is not one of {ROTATIONS}")
        return TerrainMismatch(
            f"{tile} turned by {rotation} on ({x}, {y}): {_clash(tile, rotation, demand)}."
        )

    def without_last(self) -> Territory:
        """Return the territory as it was before the last placement."""
        return Territory(self.placed[:-1])

    def _lay_out(self) -> None:
        cells: dict[int, Form] = {}
        frontier: dict[int, int] = {}
        for tile, x, y, rotation in self.placed:
            _occupy(cells, frontier, cell_at(x, y), FORMS[tile, rotation])
        _keep_layout(self, cells, frontier)

    def _join_areas(self) -> None:
        areas: dict[int, Area] = {}
        facing: dict[int, int] = {}
        for cell, form in self.cells.items():
            join_areas(areas, facing, self.cells, cell, form)
        _keep_areas(self, areas, facing)


def _keep_layout(territory: Territory, cells: dict[int, Form], frontier: dict[int, int]) -> None:
    _set(territory, "_cells", cells)
    _set(territory, "_frontier", frontier)


def _keep_areas(territory: Territory, areas: dict[int, Area], facing: dict[int, int]) -> None:
    _set(territory, "_areas", areas)
    _set(territory, "_facing", facing)


class _Ways(dict[int, tuple[Place, ...]]):
    """Every way to lay one tile on an open cell, by the cell's opening, kept as they come up.

    The same few thousand come up again and again; whoever plays on and on far from home starts afresh.
    """

    _MOST = 4096

    def __init__(self, tile: str) -> None:
        super().__init__()
        self._tile = tile

    def __missing__(self, opening: int) -> tuple[Place, ...]:
        if len(self) == self._MOST:
            self.clear()
        cell, demand = divmod(opening, 256)
        x, y = position_of(cell)
        ways = tuple(Place(self._tile, x, y, rotation) for rotation in FITS[self._tile][demand])
        self[opening] = ways
        return ways


_WAYS = {tile: _Ways(tile) for tile in LANDSCAPE}


def castle_alone(color: str) -> Territory:
    """Return the territory every player begins with: their castle at (0, 0)."""
    return Territory((Place(f"castle-{color}", 0, 0, 0),))


def _occupy(cells: dict[int, Form], frontier: dict[int, int], cell: int, form: Form) -> None:
    cells[cell] = form
    frontier.pop(cell, None)
    for step, demand in zip(STEPS, form.demands, strict=True):
        neighbour = cell + step
        if neighbour not in cells:
            frontier[neighbour] = frontier.get(neighbour, 256 * neighbour) | demand


def _clash(tile: str, rotation: int, demand: int) -> str:
    """Name the first edge on which a tile meets another terrain."""
    edges = FORMS[tile, rotation].edges
    for side in SIDES:
        wanted = demand >> 2 * side & 3
        if wanted and wanted != edges[side]:
            name, here, there = SIDE_NAMES[side], edges[side].label, Terrain(wanted).label
            return f"its {name} is {here}, its neighbour there shows {there}"
    raise AssertionError("the tile fits")


def _parse_placed(word: str) -> Place:
    tile, at, rest = word.partition("@")
    position, _, rotation = rest.partition("/")
    x, _, y = position.partition(",") if at else ("0", ",", "0")
    try:
        return Place(tile, int(x), int(y), int(rotation or 0))
    except ValueError:
        raise InvalidTerritory(f"{word!r} is not of the form TILE@x,y/rotation.") from None


def _castle_index(placed: tuple[Place, ...]) -> int:
    castles = [i for i, p in enumerate(placed) if p.tile.startswith("castle-")]
    if len(castles) != 1:
        raise InvalidTerritory(
            f"A territory has exactly one castle tile; this has {len(castles)}.",
            index=castles[1] if castles else 0,
        )
    if placed[castles[0]][1:] != (0, 0, 0):
        raise InvalidTerritory("The castle lies at (0, 0) with rotation 0.", index=castles[0])
    return castles[0]


def _cells_checked(placed: tuple[Place, ...]) -> dict[int, int]:
    """Return the index in `placed` of what lies on each cell."""
    cells: dict[int, int] = {}
    seen: set[str] = set()
    for index, (tile, x, y, rotation) in enumerate(placed):
        if tile not in TILES:
            raise InvalidTerritory(f"There is no tile {tile!r}.", index=index)
        if rotation not in ROTATIONS:
            raise InvalidTerritory(f"A rotation is 0, 90, 180 or 270, not {rotation}.", index=index)
        if tile in seen:
            raise InvalidTerritory(f"There is only one tile {tile}.", index=index)
        if abs(x) > LIMIT or abs(y) > LIMIT:
            raise InvalidTerritory(f"({x}, {y}) is out of reach of the castle.", index=index)
        cell = cell_at(x, y)
        if cell in cells:
            raise InvalidTerritory(
                f"{placed[cells[cell]].tile} and {tile} both lie on ({x}, {y}).", index=index
            )
        seen.add(tile)
        cells[cell] = index
    return cells


def _check_edges(placed: tuple[Place, ...], cells: dict[int, int]) -> None:
    for cell, index in cells.items():
        edges = FORMS[placed[index].tile, placed[index].rotation].edges
        for side, step in enumerate(STEPS):
            other = cells.get(cell + step)
            if other is None:
                continue
            facing = FORMS[placed[other].tile, placed[other].rotation].edges[OPPOSITE[side]]
            if facing != edges[side]:
                raise InvalidTerritory(
                    f"{placed[index].tile} shows {edges[side].label} at its {SIDE_NAMES[side]}, "
                    f"{placed[other].tile} beside it {facing.label}.",
                    index=max(index, other),
                )


def _check_connected(placed: tuple[Place, ...], cells: dict[int, int]) -> None:
    reached = {cell_at(0, 0)}
    border = [cell_at(0, 0)]
    while border:
        cell = border.pop()
        for step in STEPS:
            if cell + step in cells and cell + step not in reached:
                reached.add(cell + step)
                border.append(cell + step)
    for cell, index in cells.items():
        if cell not in reached:
            raise InvalidTerritory(f"{placed[index].tile} is not joined to the castle by tiles.", index=index)
