"""The 16 scoring tiles, the rounds that score them, and the points of the end."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from skye.scoring import scoring_tiles
from skye.scoring.final import TIE_BREAKS, FinalScore, ScrollScore, final_score, winners
from skye.scoring.schedule import MAX_ROUNDS, SLOTS, slots_by_round
from skye.scoring.scoring_tiles import Award, ScoringTile, awards, tile_points

SCORING_TILES: Final[Mapping[str, ScoringTile]] = MappingProxyType(scoring_tiles.SCORING_TILES)
"""The 16 scoring tiles by id."""

__all__ = [
    "MAX_ROUNDS",
    "SCORING_TILES",
    "SLOTS",
    "TIE_BREAKS",
    "Award",
    "FinalScore",
    "ScoringTile",
    "ScrollScore",
    "awards",
    "final_score",
    "slots_by_round",
    "tile_points",
    "winners",
]
