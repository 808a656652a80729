"""The scoring tiles of the base game: a row for each in `SCORING_TILES`, and the functions of their rules."""

from __future__ import annotations

from typing import Final

from skye.scoring.kinds import AreaRule, Earned, MajorityRule, PatternRule, TileRule
from skye.scoring.scoring_tiles import ScoringTile
from skye.territory.areas import Area
from skye.territory.summary import TerritorySummary
from skye.tiles.geometry import EAST, NORTH, SOUTH, STEPS, WEST
from skye.tiles.tile import BROCH, CATTLE, FARM, LIGHTHOUSE, MOUNTAIN, SHEEP, SHIP, WATER, WHISKY, Tile

_NORTH, _EAST, _SOUTH, _WEST = STEPS[NORTH], STEPS[EAST], STEPS[SOUTH], STEPS[WEST]
_AROUND: Final = tuple(row + column for row in (_NORTH, 0, _SOUTH) for column in (_WEST, 0, _EAST))
_BROCH_POINTS: Final = (0, 1, 3, 6)


def _squares(summary: TerritorySummary) -> list[Earned]:
    cells = summary.cells
    return [
        (2, (cell, cell + _EAST, cell + _SOUTH, cell + _SOUTH + _EAST))
        for cell in cells
        if cell + _EAST in cells and cell + _SOUTH in cells and cell + _SOUTH + _EAST in cells
    ]


def _squares_added(summary: TerritorySummary, cell: int, _tile: Tile) -> int:
    cells = summary.cells
    blocks = 0
    for vertical in (_NORTH, _SOUTH):
        if cell + vertical in cells:
            for across in (_WEST, _EAST):
                blocks += cell + across in cells and cell + vertical + across in cells
    return 2 * blocks


def _building_sets(summary: TerritorySummary) -> list[Earned]:
    brochs: list[int] = []
    farms: list[int] = []
    lighthouses: list[int] = []
    for cell, rotated in summary.cells.items():
        counts = rotated.tile.counts
        if counts[BROCH]:
            brochs += [cell] * counts[BROCH]
        if counts[FARM]:
            farms += [cell] * counts[FARM]
        if counts[LIGHTHOUSE]:
            lighthouses += [cell] * counts[LIGHTHOUSE]
    # The shortest list limits the sets. A set may have two buildings of one tile; its cell is listed once.
    sets = zip(brochs, farms, lighthouses, strict=False)
    return [(5, tuple(dict.fromkeys(cells))) for cells in sets]


def _building_sets_added(summary: TerritorySummary, _cell: int, tile: Tile) -> int:
    have, here = summary.counts, tile.counts
    before = min(have[BROCH], have[FARM], have[LIGHTHOUSE])
    after = min(have[BROCH] + here[BROCH], have[FARM] + here[FARM], have[LIGHTHOUSE] + here[LIGHTHOUSE])
    return 5 * (after - before)


def _animals_near_farms(summary: TerritorySummary) -> list[Earned]:
    # Iterating over the tiles with animals, not over farms, counts each animal once (R7).
    near = {
        cell + step
        for cell, rotated in summary.cells.items()
        if rotated.tile.counts[FARM]
        for step in _AROUND
    }
    return [
        (animals, (cell,))
        for cell, rotated in summary.cells.items()
        if cell in near and (animals := rotated.tile.counts[SHEEP] + rotated.tile.counts[CATTLE])
    ]


def _animals_near_farms_added(summary: TerritorySummary, cell: int, tile: Tile) -> int:
    cells, here = summary.cells, tile.counts
    animals = here[SHEEP] + here[CATTLE]
    if not animals and not here[FARM]:
        return 0
    around = [other for step in _AROUND if (other := cell + step) in cells]
    if not here[FARM] and not any(cells[other].tile.counts[FARM] for other in around):
        animals = 0
    if here[FARM]:
        animals += sum([_animals(summary, other) for other in around if not _near_farm(summary, other)])
    return animals


def _animals(summary: TerritorySummary, cell: int) -> int:
    counts = summary.cells[cell].tile.counts
    return counts[SHEEP] + counts[CATTLE]


def _near_farm(summary: TerritorySummary, cell: int) -> bool:
    cells = summary.cells
    return any(cells[cell + step].tile.counts[FARM] for step in _AROUND if cell + step in cells)


def _vertical_lines(summary: TerritorySummary) -> list[Earned]:
    # Only the northern end of a line starts one, so a line counts once, however long (R10).
    cells = summary.cells
    lines: list[Earned] = []
    for cell in cells:
        if cell + _NORTH not in cells:
            end = cell + _SOUTH
            while end in cells:
                end += _SOUTH
            if end - cell >= 3 * _SOUTH:
                lines.append((3, tuple(range(cell, end, _SOUTH))))
    return lines


def _vertical_lines_added(summary: TerritorySummary, cell: int, _tile: Tile) -> int:
    above, below = _run_length(summary, cell, _NORTH), _run_length(summary, cell, _SOUTH)
    return 3 * ((above + 1 + below >= 3) - (above >= 3) - (below >= 3))


def _run_length(summary: TerritorySummary, cell: int, step: int) -> int:
    """Return the number of consecutive tiles from a cell in one direction, without its own."""
    length = 0
    while cell + step in summary.cells:
        cell += step
        length += 1
    return length


def _completed(area: Area) -> int:
    return 0 if area.openings else 1


def _large_completed(area: Area) -> int:
    return 3 if not area.openings and area.size >= 3 else 0


def _completed_mountain(area: Area) -> int:
    return 2 if area.terrain is MOUNTAIN and not area.openings else 0


def _brochs(area: Area) -> int:
    return _BROCH_POINTS[min(area.brochs, 3)]


def _ship_and_lighthouse(area: Area) -> int:
    return 3 if area.ships and area.lighthouses else 0


def _lake(area: Area) -> int:
    return 2 * area.size if area.terrain is WATER and not area.openings else 0


def _sheep(tile: Tile) -> int:
    return tile.counts[SHEEP]


def _two_for_cattle(tile: Tile) -> int:
    return 2 * tile.counts[CATTLE]


def _one(_tile: Tile) -> int:
    return 1


def _has_whisky(tile: Tile) -> int:
    return 1 if tile.counts[WHISKY] else 0


def _ships(tile: Tile) -> int:
    return tile.counts[SHIP]


_MAJORITY_TEXT: Final = (
    "Most {}: 5 points; second most: 2. Tied for most: 5 each and no second; tied for second: 2 each. "
    "Nothing for a player who has none."
)

SCORING_TILES: Final = (
    ScoringTile(
        "squares",
        "Squares",
        "2 points for each block of 2x2 tiles; blocks may overlap.",
        PatternRule(_squares, _squares_added),
    ),
    ScoringTile(
        "completed_areas",
        "Completed areas",
        "1 point for each completed area.",
        AreaRule(_completed),
    ),
    ScoringTile("sheep", "Sheep", "1 point for each sheep.", TileRule(_sheep)),
    ScoringTile(
        "large_completed_areas",
        "Large completed areas",
        "3 points for each completed area of 3 or more tiles.",
        AreaRule(_large_completed),
    ),
    ScoringTile(
        "brochs_in_mountains",
        "Brochs in the mountains",
        "For each mountain area, completed or not: 1, 3 or 6 points if it has 1, 2, or 3 or more brochs.",
        AreaRule(_brochs),
    ),
    ScoringTile(
        "building_sets",
        "Sets of buildings",
        "5 points for each set of a broch, a farm and a lighthouse; each building is in one set only.",
        PatternRule(_building_sets, _building_sets_added),
    ),
    ScoringTile(
        "most_whisky",
        "Most whisky",
        _MAJORITY_TEXT.format("tiles with whisky"),
        MajorityRule(_has_whisky),
    ),
    ScoringTile(
        "most_ships",
        "Most ships",
        _MAJORITY_TEXT.format("ships"),
        MajorityRule(_ships),
    ),
    ScoringTile(
        "animals_near_farms",
        "Animals near farms",
        "1 point for each sheep and each cattle on a farm's tile or one of the 8 tiles around it, once each.",
        PatternRule(_animals_near_farms, _animals_near_farms_added),
    ),
    ScoringTile("most_gold", "Most gold", _MAJORITY_TEXT.format("gold in the purse"), MajorityRule(None)),
    ScoringTile(
        "connected_cattle",
        "Cattle on the road",
        "2 points for each cattle on a tile joined to the castle by road.",
        TileRule(_two_for_cattle, connected_only=True),
    ),
    ScoringTile(
        "ships_and_lighthouses",
        "Ships and lighthouses",
        "3 points for each water area, completed or not, with both a ship in it and a lighthouse on it.",
        AreaRule(_ship_and_lighthouse),
    ),
    ScoringTile(
        "connected_tiles",
        "Tiles on the road",
        "1 point for each tile joined to the castle by road, not counting the castle.",
        TileRule(_one, connected_only=True),
    ),
    ScoringTile(
        "vertical_lines",
        "Vertical lines",
        "3 points for each unbroken north-south line of 3 or more tiles, however long.",
        PatternRule(_vertical_lines, _vertical_lines_added),
    ),
    ScoringTile(
        "largest_lake",
        "Largest lake",
        "2 points for each tile of the largest completed water area.",
        AreaRule(_lake, largest_only=True),
    ),
    ScoringTile(
        "completed_mountains",
        "Completed mountains",
        "2 points for each completed mountain area.",
        AreaRule(_completed_mountain),
    ),
)
"""The scoring tiles, in the order of the catalogue."""
