"""Rows of the benchmark's table, and running things in turn so that they can be compared."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

LOAD = "load average of the machine"


@dataclass(frozen=True, slots=True)
class Row:
    """One figure: what, how much of which unit; against what, the ratio to that, and the goal of the ratio.

    `value` is None where there was nothing to measure, for want of a program or package that `against` names.
    `spread` is half the distance between the quartiles of the ratio's runs (of the value's, without one).
    `goal` is ">= 0.75" or "<= 1.3"; `met` is None where there is no goal, or no figure.
    """

    name: str
    value: float | None
    unit: str
    against: str | None = None
    ratio: float | None = None
    goal: str | None = None
    met: bool | None = None
    spread: float | None = None
    part: str = ""


def row(
    name: str,
    values: Sequence[float],
    unit: str,
    *,
    against: tuple[str, Sequence[float]] | None = None,
    goal: str | None = None,
) -> Row:
    """Make a row from the values of several runs, and of what ran in turn with them."""
    value = statistics.median(values)
    if against is None:
        return Row(name, value, unit, goal=goal, met=_met(value, goal), spread=_spread(values))
    other, of_other = against
    ratios = [mine / theirs for mine, theirs in zip(values, of_other, strict=True)]
    ratio = statistics.median(ratios)
    return Row(name, value, unit, other, ratio, goal, _met(ratio, goal), _spread(ratios))


def in_turn(contenders: Mapping[str, Callable[[], T]], runs: int) -> dict[str, list[T]]:
    """Run all contenders once to warm up, then in turn `runs` times; return what each run measured."""
    for contender in contenders.values():
        contender()
    measured: dict[str, list[T]] = {name: [] for name in contenders}
    for _ in range(runs):
        for name, contender in contenders.items():
            measured[name].append(contender())
    return measured


def table(rows: Iterable[Row]) -> str:
    """Lay rows out as a table of text."""
    lines = [f"{'':58} {'value':>10} {'unit':14} {'ratio':>7} {'±':>7}  {'goal':9} against"]
    for each in rows:
        value = "" if each.value is None else f"{each.value:,.4g}"
        ratio = "" if each.ratio is None else f"{each.ratio:.2f}"
        spread = "" if each.spread is None else f"{each.spread:.2g}"
        mark = {None: "", True: "met", False: "MISSED"}[each.met]
        lines.append(
            f"{each.name:58} {value:>10} {each.unit:14} {ratio:>7} {spread:>7}  "
            f"{each.goal or '':9} {each.against or '':40} {mark}".rstrip()
        )
    return "\n".join(lines)


def write(rows: Iterable[Row], path: Path) -> None:
    """Write rows as JSON."""
    path.write_text(json.dumps([asdict(each) for each in rows], indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> list[Row]:
    """Read the rows that `write` wrote; none where there is no file."""
    if not path.exists():
        return []
    return [Row(**each) for each in json.loads(path.read_text(encoding="utf-8"))]


def _spread(values: Sequence[float]) -> float:
    if len(values) < 2:
        return 0.0
    low, _, high = statistics.quantiles(values, n=4)
    return (high - low) / 2


def _met(measured: float, goal: str | None) -> bool | None:
    if goal is None:
        return None
    sense, bound = goal.split()
    return measured >= float(bound) if sense == ">=" else measured <= float(bound)
