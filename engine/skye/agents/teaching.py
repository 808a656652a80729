"""The lesson that teaches the game to a language model."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from skye.agents.wording import PLAIN, Wording
from skye.scoring import SCORING_TILES

_RULES: Final = files("skye.agents").joinpath("lesson.md").read_text(encoding="utf-8")


def lesson(wording: Wording = PLAIN) -> str:
    """Return the rules of the game in about 700 words, with the 16 scoring tiles.

    >>> lesson().splitlines()[-1]
    'completed_mountains: 2 points for each completed mountain area.'
    """
    tiles = [f"{wording.scoring_tile(tile.id)}: {tile.text}" for tile in SCORING_TILES.values()]
    return wording.text("\n".join([_RULES, "**Scoring tiles.**", *tiles]))
