"""The 16 scoring tiles, and what they give.

A scoring tile is one function and one entry in `SCORING_TILES`. The function says what earns points and
which tiles earn them; sums and explanations are both made from that, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from skye.areas import Area
from skye.geometry import EAST, NORTH, SOUTH, STEPS, WEST
from skye.territory_summary import TerritorySummary
from skye.tiles import BROCH, CATTLE, FARM, LIGHTHOUSE, MOUNTAIN, SHEEP, SHIP, WATER, WHISKY

_NORTH, _EAST, _SOUTH, _WEST = STEPS[NORTH], STEPS[EAST], STEPS[SOUTH], STEPS[WEST]
_AROUND: Final = tuple(row + column for row in (_NORTH, 0, _SOUTH) for column in (_WEST, 0, _EAST))
_BROCH_POINTS: Final = (0, 1, 3, 6)
_MOST, _SECOND = 5, 2


class Award(NamedTuple):
    """Points for one thing: a block, an area, a run, a tile or a set; `cells` is where it lies."""

    points: int
    cells: tuple[int, ...]


# While counting, an award is a plain tuple, and an area stands for its cells: scoring makes thousands of them
# and mostly wants the sum.
_Earned = tuple[int, tuple[int, ...] | Area]
_Earns = Callable[[TerritorySummary], list[_Earned]]
_Holds = Callable[[TerritorySummary, int], _Earned]


@dataclass(frozen=True, slots=True)
class ScoringTile:
    """A scoring tile: its id, title and text, and the function that scores it.

    `earns` lists what earns points in a territory. A majority has `holds` instead, which tells how many
    of the thing a player has (from their territory and purse) and on which tiles.
    """

    id: str
    title: str
    text: str
    earns: _Earns | None = None
    holds: _Holds | None = None

    @property
    def majority(self) -> bool:
        """Whether players are compared: 5 points for most, 2 for second most."""
        return self.holds is not None


def awards(
    tile_id: str, seat: int, summaries: Sequence[TerritorySummary], golds: Sequence[int]
) -> tuple[Award, ...]:
    """Return what a scoring tile gives one seat, award by award.

    `summaries` and `golds` (the purses) have one entry for each seat: a majority compares them.
    """
    return tuple(
        Award(points, where.cells if isinstance(where, Area) else where)
        for points, where in _earned(SCORING_TILES[tile_id], summaries, golds)[seat]
    )


def tile_points(tile_id: str, summaries: Sequence[TerritorySummary], golds: Sequence[int]) -> tuple[int, ...]:
    """Return the points that a scoring tile gives each seat: the sums of their `awards`."""
    tile = SCORING_TILES[tile_id]
    if tile.holds is not None:
        holdings = [tile.holds(summary, gold) for summary, gold in zip(summaries, golds, strict=True)]
        return tuple(_majority([count for count, _ in holdings]))
    assert tile.earns is not None
    return tuple([sum([points for points, _ in tile.earns(summary)]) for summary in summaries])


def holding(tile_id: str, summary: TerritorySummary) -> int:
    """Return how much of what a majority compares lies in a territory, purses left aside."""
    holds = SCORING_TILES[tile_id].holds
    assert holds is not None
    return holds(summary, 0)[0]


def points_beside(tile_id: str, summary: TerritorySummary, rivals: Sequence[int]) -> int:
    """Return the points that a scoring tile gives one territory, purses left aside.

    A majority compares it with the `holding` of each rival.
    """
    earns = SCORING_TILES[tile_id].earns
    if earns is not None:
        return sum([points for points, _ in earns(summary)])
    return _majority([holding(tile_id, summary), *rivals])[0]


def _earned(
    tile: ScoringTile, summaries: Sequence[TerritorySummary], golds: Sequence[int]
) -> list[list[_Earned]]:
    if tile.earns is not None:
        return [tile.earns(summary) for summary in summaries]
    assert tile.holds is not None
    holdings = [tile.holds(summary, gold) for summary, gold in zip(summaries, golds, strict=True)]
    ranked = _majority([count for count, _ in holdings])
    return [[(points, cells)] if points else [] for points, (_, cells) in zip(ranked, holdings, strict=True)]


def _majority(counts: list[int]) -> list[int]:
    """Return 5 for each seat with most, 2 for each with second most unless first is shared; none for none."""
    most = max(counts)
    shared = counts.count(most) > 1
    second = 0 if shared else max([count for count in counts if count < most], default=0)
    return [
        0 if not count else _MOST if count == most else _SECOND if count == second else 0 for count in counts
    ]


def _squares(summary: TerritorySummary) -> list[_Earned]:
    cells = summary.cells
    return [
        (2, (cell, cell + _EAST, cell + _SOUTH, cell + _SOUTH + _EAST))
        for cell in cells
        if cell + _EAST in cells and cell + _SOUTH in cells and cell + _SOUTH + _EAST in cells
    ]


def _completed_areas(summary: TerritorySummary) -> list[_Earned]:
    return [(1, area) for area in summary.areas if not area.openings]


def _sheep(summary: TerritorySummary) -> list[_Earned]:
    return [(number, (cell,)) for cell, form in summary.cells.items() if (number := form.tile.counts[SHEEP])]


def _large_completed_areas(summary: TerritorySummary) -> list[_Earned]:
    # Several parts may lie in one tile.
    return [
        (3, area)
        for area in summary.areas
        if not area.openings and len(area.parts) >= 3 and len(area.cells) >= 3
    ]


def _brochs_in_mountains(summary: TerritorySummary) -> list[_Earned]:
    mountains = [area for area in summary.areas if area.terrain is MOUNTAIN]
    return [(_BROCH_POINTS[min(brochs, 3)], area) for area in mountains if (brochs := area.brochs)]


def _building_sets(summary: TerritorySummary) -> list[_Earned]:
    brochs: list[int] = []
    farms: list[int] = []
    lighthouses: list[int] = []
    for cell, form in summary.cells.items():
        counts = form.tile.counts
        if counts[BROCH]:
            brochs += [cell] * counts[BROCH]
        if counts[FARM]:
            farms += [cell] * counts[FARM]
        if counts[LIGHTHOUSE]:
            lighthouses += [cell] * counts[LIGHTHOUSE]
    # The shortest list ends it. Buildings of one tile may share a set: its cell is then told once.
    sets = zip(brochs, farms, lighthouses, strict=False)
    return [(5, tuple(dict.fromkeys(cells))) for cells in sets]


def _most_whisky(summary: TerritorySummary, _gold: int) -> _Earned:
    tiles = tuple([cell for cell, form in summary.cells.items() if form.tile.counts[WHISKY]])
    return len(tiles), tiles


def _most_ships(summary: TerritorySummary, _gold: int) -> _Earned:
    tiles = tuple([cell for cell, form in summary.cells.items() if form.tile.counts[SHIP]])
    return sum([summary.cells[cell].tile.counts[SHIP] for cell in tiles]), tiles


def _animals_near_farms(summary: TerritorySummary) -> list[_Earned]:
    # Going from the animals' tiles, not from the farms, counts each animal once (R7).
    near = {cell + step for cell, form in summary.cells.items() if form.tile.counts[FARM] for step in _AROUND}
    return [
        (animals, (cell,))
        for cell, form in summary.cells.items()
        if cell in near and (animals := form.tile.counts[SHEEP] + form.tile.counts[CATTLE])
    ]


def _most_gold(_summary: TerritorySummary, gold: int) -> _Earned:
    return gold, ()


def _connected_cattle(summary: TerritorySummary) -> list[_Earned]:
    return [
        (2 * number, (cell,))
        for cell, form in summary.cells.items()
        if cell in summary.connected and (number := form.tile.counts[CATTLE])
    ]


def _ships_and_lighthouses(summary: TerritorySummary) -> list[_Earned]:
    waters = [area for area in summary.areas if area.terrain is WATER]
    return [(3, area) for area in waters if area.ships and area.lighthouses]  # both: R8


def _connected_tiles(summary: TerritorySummary) -> list[_Earned]:
    return [(1, (cell,)) for cell in summary.cells if cell in summary.connected]  # without the castle: R9


def _vertical_lines(summary: TerritorySummary) -> list[_Earned]:
    # A run is found from its northern end alone, so it is one line however long (R10).
    cells = summary.cells
    lines: list[_Earned] = []
    for cell in cells:
        if cell + _NORTH not in cells:
            end = cell + _SOUTH
            while end in cells:
                end += _SOUTH
            if end - cell >= 3 * _SOUTH:
                lines.append((3, tuple(range(cell, end, _SOUTH))))
    return lines


def _largest_lake(summary: TerritorySummary) -> list[_Earned]:
    lakes = [area.cells for area in summary.areas if area.terrain is WATER and not area.openings]
    if not lakes:
        return []
    largest = max(lakes, key=len)
    return [(2 * len(largest), largest)]


def _completed_mountains(summary: TerritorySummary) -> list[_Earned]:
    return [(2, area) for area in summary.areas if area.terrain is MOUNTAIN and not area.openings]


_MAJORITY_TEXT: Final = (
    "Most {}: 5 points; second most: 2. Tied for most: 5 each and no second; tied for second: 2 each. "
    "Nothing for a player who has none."
)

_ALL: Final = (
    ScoringTile("squares", "Squares", "2 points for each block of 2x2 tiles; blocks may overlap.", _squares),
    ScoringTile("completed_areas", "Completed areas", "1 point for each completed area.", _completed_areas),
    ScoringTile("sheep", "Sheep", "1 point for each sheep.", _sheep),
    ScoringTile(
        "large_completed_areas",
        "Large completed areas",
        "3 points for each completed area of 3 or more tiles.",
        _large_completed_areas,
    ),
    ScoringTile(
        "brochs_in_mountains",
        "Brochs in the mountains",
        "For each mountain area, completed or not: 1, 3 or 6 points if it has 1, 2, or 3 or more brochs.",
        _brochs_in_mountains,
    ),
    ScoringTile(
        "building_sets",
        "Sets of buildings",
        "5 points for each set of a broch, a farm and a lighthouse; each building is in one set only.",
        _building_sets,
    ),
    ScoringTile("most_whisky", "Most whisky", _MAJORITY_TEXT.format("tiles with whisky"), holds=_most_whisky),
    ScoringTile("most_ships", "Most ships", _MAJORITY_TEXT.format("ships"), holds=_most_ships),
    ScoringTile(
        "animals_near_farms",
        "Animals near farms",
        "1 point for each sheep and each cattle on a farm's tile or one of the 8 tiles around it, once each.",
        _animals_near_farms,
    ),
    ScoringTile("most_gold", "Most gold", _MAJORITY_TEXT.format("gold in the purse"), holds=_most_gold),
    ScoringTile(
        "connected_cattle",
        "Cattle on the road",
        "2 points for each cattle on a tile joined to the castle by road.",
        _connected_cattle,
    ),
    ScoringTile(
        "ships_and_lighthouses",
        "Ships and lighthouses",
        "3 points for each water area, completed or not, with both a ship in it and a lighthouse on it.",
        _ships_and_lighthouses,
    ),
    ScoringTile(
        "connected_tiles",
        "Tiles on the road",
        "1 point for each tile joined to the castle by road, not counting the castle.",
        _connected_tiles,
    ),
    ScoringTile(
        "vertical_lines",
        "Vertical lines",
        "3 points for each unbroken north-south line of 3 or more tiles, however long.",
        _vertical_lines,
    ),
    ScoringTile(
        "largest_lake",
        "Largest lake",
        "2 points for each tile of the largest completed water area.",
        _largest_lake,
    ),
    ScoringTile(
        "completed_mountains",
        "Completed mountains",
        "2 points for each completed mountain area.",
        _completed_mountains,
    ),
)

SCORING_TILES: Final = {tile.id: tile for tile in _ALL}
"""All 16 scoring tiles by id."""
