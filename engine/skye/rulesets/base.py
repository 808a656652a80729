"""The base game."""

from importlib import resources
from typing import Final

from skye.rulesets.base_scoring import SCORING_TILES
from skye.rulesets.data import parse_data
from skye.rulesets.ruleset import Ruleset, register
from skye.scoring.final import FinalScoring
from skye.tiles.tile_set import DEFAULT_RULESET

BASE: Final = register(
    Ruleset(
        id=DEFAULT_RULESET,
        data=parse_data((resources.files("skye.rulesets") / "base.txt").read_text("utf-8"), "base.txt"),
        scoring_tiles={tile.id: tile for tile in SCORING_TILES},
        castle_income=5,
        whisky_income=1,
        catch_up=(0, 0, 1, 2, 3, 4),
        tiles_drawn=3,
        minimum_price=1,
        final=FinalScoring(
            objects_per_point={
                "cattle": 1,
                "broch": 1,
                "farm": 1,
                "lighthouse": 1,
                "sheep": 2,
                "ship": 2,
                "whisky": 2,
            },
            gold_per_point=5,
        ),
    )
)
"""The ruleset of the base game."""
