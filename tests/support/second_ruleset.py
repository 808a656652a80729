"""A second ruleset, which only tests know: other tiles, slots, rounds, players, scoring tiles and numbers.

It has 40 landscape tiles, T01 to T10 of its own; slots A to C; four rounds; two or three players; and a
scoring tile of its own, `lakeside_sheep`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from skye.rulesets import BASE, RULESETS, Ruleset, parse_data, register
from skye.scoring import FinalScoring, ScoringTile, TileRule
from skye.tiles import Tile
from skye.tiles.tile import SHEEP, Terrain, tile_line
from skye.tiles.tile_set import TILE_SETS

_OWN_LINES: Final = """
T01 PPPP/P NS sheep*2
T02 PPPP/P NW,ES farm
T03 PMPM/P NS whisky
T04 WWWW/W - ship*2 lighthouse
T05 PWPW/P NS sheep cattle
T06 MMMM/M E whisky broch
T07 PPWW/P NW sheep*3 ship
T08 PPMM/P NW farm scroll:sheep
T09 PWPM/P NSW whisky cattle*2
T10 PMWP/P NW broch scroll:cattle
rounds 2 A AB BC ABC
rounds 3 AB B AC ABC
note T04 This tile is invented.
"""


def _sheep_at_a_lake(tile: Tile) -> int:
    return tile.counts[SHEEP] if Terrain.WATER in tile.edges else 0


def _lines() -> str:
    of_base = [f"castle-{color}" for color in BASE.colors[:3]] + list(BASE.tiles.landscape[:30])
    return "\n".join([*[tile_line(BASE.data.tiles[tile]) for tile in of_base], _OWN_LINES])


LAKESIDE_SHEEP: Final = ScoringTile(
    "lakeside_sheep",
    "Sheep at the lake",
    "1 point for each sheep on a tile with an edge of water.",
    TileRule(_sheep_at_a_lake),
)

SECOND: Final = Ruleset(
    id="second",
    data=parse_data(_lines(), "second.txt"),
    scoring_tiles={
        tile.id: tile
        for tile in (
            LAKESIDE_SHEEP,
            *[
                BASE.scoring_tiles[tile]
                for tile in ("squares", "completed_areas", "most_gold", "most_ships", "connected_tiles")
            ],
        )
    },
    castle_income=7,
    whisky_income=2,
    catch_up=(1, 0, 2, 5),
    tiles_drawn=3,
    minimum_price=1,
    final=FinalScoring({**BASE.final.objects_per_point, "sheep": 3}, gold_per_point=4),
)


@contextmanager
def registered(*rulesets: Ruleset) -> Iterator[None]:
    """Make rulesets known, and forget them afterwards."""
    for ruleset in rulesets:
        register(ruleset)
    try:
        yield
    finally:
        for ruleset in rulesets:
            RULESETS.pop(ruleset.id, None)
            TILE_SETS.pop(ruleset.id, None)
