"""Rulesets: the tiles, scoring tiles, rounds and numbers of one edition of the game, as values.

`BASE` is the base game. A game names its ruleset (`GameState.ruleset_id`), and everything that depends on the
rules takes them from there. The limits are those that every ruleset keeps.
"""

from skye.rulesets.base import BASE
from skye.rulesets.data import (
    MAX_NOTE_LENGTH,
    MAX_PLAYERS,
    MAX_ROUNDS,
    MIN_PLAYERS,
    InvalidRulesetData,
    Rounds,
    RulesetData,
    parse_data,
)
from skye.rulesets.ruleset import (
    MAX_DRAWN,
    MAX_SCORING_TILES,
    MAX_SLOTS,
    RULESETS,
    Ruleset,
    register,
    ruleset_of,
)

__all__ = [
    "BASE",
    "MAX_DRAWN",
    "MAX_NOTE_LENGTH",
    "MAX_PLAYERS",
    "MAX_ROUNDS",
    "MAX_SCORING_TILES",
    "MAX_SLOTS",
    "MIN_PLAYERS",
    "RULESETS",
    "InvalidRulesetData",
    "Rounds",
    "Ruleset",
    "RulesetData",
    "parse_data",
    "register",
    "ruleset_of",
]
