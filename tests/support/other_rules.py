"""A later version of the rules, under which recorded games must stay as they were played."""

from dataclasses import replace

import pytest

from skye.draws import SeededDraws
from skye.rules import rounds
from skye.rulesets import BASE, RULESETS
from skye.scoring import FinalScoring
from skye.territory.territory import Territory

ADDED = "an_added_scoring_tile"


def change_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every seed assign the next element, and add a scoring tile that is sorted before all others."""
    index = SeededDraws.index
    monkeypatch.setattr(
        SeededDraws, "index", lambda draws, label, size: (index(draws, label, size) + 1) % size
    )
    tiles = {**BASE.scoring_tiles, ADDED: replace(BASE.scoring_tiles["sheep"], id=ADDED)}
    monkeypatch.setitem(RULESETS, BASE.id, replace(BASE, scoring_tiles=tiles))


def change_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no rule be applied: an income, a point or a legal placement would be another one."""

    def apply_rule(*_: object) -> None:
        pytest.fail("a rule was applied to a recorded game")

    for rule in ("incomes", "tile_points"):
        monkeypatch.setattr(rounds, rule, apply_rule)
    for rule in ("score", "winners"):
        monkeypatch.setattr(FinalScoring, rule, apply_rule)
    monkeypatch.setattr(Territory, "placement_error", apply_rule)
