"""The income of each seat at the beginning of a round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from skye.rulesets.ruleset import Ruleset
from skye.territory.summary import TerritorySummary
from skye.tiles.tile import WHISKY


class Income(NamedTuple):
    """The gold one seat receives at the beginning of a round, by source."""

    castle: int
    whisky: int
    catch_up: int

    @property
    def total(self) -> int:
        """The sum."""
        return self.castle + self.whisky + self.catch_up


def incomes(
    ruleset: Ruleset, scores: Sequence[int], summaries: Sequence[TerritorySummary], round_number: int
) -> tuple[Income, ...]:
    """Return the income of each seat: for its castle, connected whisky, and each player with a higher score.

    :param ruleset: the rules.
    :param scores: the score of each seat.
    :param summaries: the summary of each seat's territory.
    :param round_number: the number of the round, from 1.
    """
    castle, for_each, for_each_ahead = (
        ruleset.castle_income,
        ruleset.whisky_income,
        ruleset.catch_up[round_number - 1],
    )
    return tuple(
        [
            Income(
                castle,
                for_each * whisky_joined(summary),
                for_each_ahead * sum([other > score for other in scores]),
            )
            for score, summary in zip(scores, summaries, strict=True)
        ]
    )


def whisky_joined(summary: TerritorySummary) -> int:
    """Return the number of tiles with whisky that are joined to the castle by road."""
    cells = summary.cells
    return sum([cells[cell].tile.counts[WHISKY] > 0 for cell in summary.connected])
