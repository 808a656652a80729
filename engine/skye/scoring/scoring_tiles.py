"""Scoring tiles, and the points that they give.

A ruleset has a `ScoringTile` with its rule for each (see `skye.scoring.kinds`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from skye.scoring.kinds import MajorityRule, Rule
from skye.territory.areas import Area
from skye.territory.summary import TerritorySummary
from skye.tiles.tile import PickledByFields


class Award(NamedTuple):
    """Points for one block, area, line, tile or set, and the cells that earned them."""

    points: int
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ScoringTile(PickledByFields):
    """A scoring tile: its id, title and text, and the rule by which it scores."""

    id: str
    title: str
    text: str
    rule: Rule

    @property
    def majority(self) -> bool:
        """Whether the tile compares players."""
        return isinstance(self.rule, MajorityRule)


def awards(
    tile: ScoringTile, seat: int, summaries: Sequence[TerritorySummary], golds: Sequence[int]
) -> tuple[Award, ...]:
    """Return the awards of a scoring tile to one seat.

    :param summaries: the territory of each seat; a majority compares them.
    :param golds: the purse of each seat.

    >>> from skye.rulesets import BASE
    >>> from skye.territory import castle_alone
    >>> summaries = [castle_alone("red").summary, castle_alone("blue").summary]
    >>> awards(BASE.scoring_tile("most_gold"), 1, summaries, [3, 4])
    (Award(points=5, cells=()),)
    """
    rule = tile.rule
    if not isinstance(rule, MajorityRule):
        return tuple(
            Award(points, where.cells if isinstance(where, Area) else where)
            for points, where in rule.earns(summaries[seat])
        )
    holdings = [rule.holds(summary, gold) for summary, gold in zip(summaries, golds, strict=True)]
    points = rule.points([count for count, _ in holdings])[seat]
    return (Award(points, holdings[seat][1]),) if points else ()


def tile_points(
    tile: ScoringTile, summaries: Sequence[TerritorySummary], golds: Sequence[int]
) -> tuple[int, ...]:
    """Return the points of each seat for a scoring tile: the sums of their `awards`.

    >>> from skye.rulesets import BASE
    >>> from skye.territory import castle_alone
    >>> summaries = [castle_alone("red").summary, castle_alone("blue").summary]
    >>> tile_points(BASE.scoring_tile("most_gold"), summaries, [3, 4])
    (2, 5)
    """
    rule = tile.rule
    if isinstance(rule, MajorityRule):
        return tuple(
            rule.points(
                [rule.holds(summary, gold)[0] for summary, gold in zip(summaries, golds, strict=True)]
            )
        )
    return tuple([sum([points for points, _ in rule.earns(summary)]) for summary in summaries])


def holding(tile: ScoringTile, summary: TerritorySummary) -> int:
    """Return the count that a majority compares for a territory, without gold."""
    rule = tile.rule
    assert isinstance(rule, MajorityRule)
    return rule.holds(summary, 0)[0]
