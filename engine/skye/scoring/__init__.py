"""The kinds of scoring rules, scoring tiles, and the points of the end."""

from skye.scoring.final import TIE_BREAKS, FinalScore, FinalScoring, ScrollScore
from skye.scoring.kinds import AreaRule, MajorityRule, PatternRule, TileRule
from skye.scoring.scoring_tiles import Award, ScoringTile, awards, tile_points

__all__ = [
    "TIE_BREAKS",
    "AreaRule",
    "Award",
    "FinalScore",
    "FinalScoring",
    "MajorityRule",
    "PatternRule",
    "ScoringTile",
    "ScrollScore",
    "TileRule",
    "awards",
    "tile_points",
]
