"""The kinds of scoring rules, scoring tiles, and the points of the end."""

from skye.scoring.final import FinalScore, FinalScoring, ScrollScore, TieBreak
from skye.scoring.kinds import AreaRule, MajorityRule, PatternRule, TileRule
from skye.scoring.scoring_tiles import Award, ScoringTile, awards, tile_points

__all__ = [
    "AreaRule",
    "Award",
    "FinalScore",
    "FinalScoring",
    "MajorityRule",
    "PatternRule",
    "ScoringTile",
    "ScrollScore",
    "TieBreak",
    "TileRule",
    "awards",
    "tile_points",
]
