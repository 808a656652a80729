"""Rows of the table of the benchmark, and runs in turn for comparison."""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

LATEST = Path(__file__).parent / "latest.json"
LOAD = "load average of the machine"


@dataclass(frozen=True, slots=True)
class Row:
    """One figure.

    :param name: what was measured.
    :param value: the median; None if a program or package is missing, which `against` names.
    :param unit: the unit of the value.
    :param against: what it is compared with, or None.
    :param ratio: the ratio to that.
    :param goal: the goal for the ratio, or without one for the value: ">= 0.75" or "<= 1.3".
    :param met: whether the goal is reached; None without a goal or a figure.
    :param spread: half the distance between the quartiles of the ratio, or without one of the value.
    :param part: the part of the benchmark.
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
    """Return the row of the values of several runs.

    :param against: the name and the values of what ran in turn with them.
    """
    value = statistics.median(values)
    if against is None:
        return Row(name, value, unit, goal=goal, met=_met(value, goal), spread=_spread(values))
    other, of_other = against
    ratios = [mine / theirs for mine, theirs in zip(values, of_other, strict=True)]
    ratio = statistics.median(ratios)
    return Row(name, value, unit, other, ratio, goal, _met(ratio, goal), _spread(ratios))


def in_turn(contenders: Mapping[str, Callable[[], T]], runs: int) -> dict[str, list[T]]:
    """Run all contenders once to warm up, then in turn `runs` times; return the results by name."""
    for contender in contenders.values():
        contender()
    measured: dict[str, list[T]] = {name: [] for name in contenders}
    for _ in range(runs):
        for name, contender in contenders.items():
            measured[name].append(contender())
    return measured


def table(rows: Iterable[Row]) -> str:
    """Return rows as a table of text."""
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


def update(path: Path, part: str, measured: Iterable[Row]) -> str:
    """Replace the rows of a part in a file; return these rows as a table of text."""
    # 2 for two busy cores; much more if the machine did other work.
    load = Row(LOAD, os.getloadavg()[1], "")
    rows = [replace(each, part=part) for each in (*measured, load)]
    others = [each for each in read(path) if each.part != part]
    text = json.dumps([asdict(each) for each in (*others, *rows)], indent=1)
    path.write_text(f"{text}\n", encoding="utf-8")
    return table(rows)


def read(path: Path) -> list[Row]:
    """Read the rows of a file; return none if there is no file."""
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
