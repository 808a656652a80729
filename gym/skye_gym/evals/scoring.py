"""The tables of a transcript, which follow from its lines alone: scored again, they are equal to the byte."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from random import Random
from statistics import fmean
from typing import Any, Final, TypeAlias

from skye_gym.arena.ratings import Interval, wilson
from skye_gym.evals.games import Result
from skye_gym.evals.plan import Item, Plan
from skye_gym.evals.questions import Question, Reply
from skye_gym.evals.transcript import Header, MissingReply, Replies
from skye_gym.judge import left_out_for

_RESAMPLES: Final = 1000

Row: TypeAlias = dict[str, Any]
Scored: TypeAlias = tuple[Item, Result]


def score(header: Header, replies: Replies, workers: int | None = None) -> dict[str, Any]:
    """Return the report of a transcript as JSON data; items without all replies count as missing.

    :param workers: the number of processes; by default one for each core.
    :raises ValueError: when a reply is to another question than the one of this version.
    """
    items = header.plan.items()
    scored = _results(header.plan, items, replies, workers, left_out_for(header.builtin))
    by_row: dict[tuple[str, str, str], list[Scored]] = defaultdict(list)
    for item, result in scored:
        by_row[item.section, item.kind, item.variant].append((item, result))
    used = [line["tokens"] for line in replies.by_key.values()]
    reported = [tokens for tokens in used if tokens is not None]
    return {
        **header.line(),
        "missing": len(items) - len(scored),
        "calls": {
            "replies": len(used),
            "with_tokens": len(reported),
            "prompt_tokens": sum(tokens[0] for tokens in reported),
            "completion_tokens": sum(tokens[1] for tokens in reported),
            "without_text": sum(not line["reply"] for line in replies.by_key.values()),
        },
        "rows": [_row(*names, results) for names, results in by_row.items()],
    }


def compare(one: tuple[Header, Replies], other: tuple[Header, Replies], workers: int | None = None) -> str:
    """Return a table of the differences of two transcripts, in the items that both have, as Markdown.

    Members of the judge that are made of one of the subjects judge neither.

    :param one: the transcript whose figures are subtracted from those of `other`.
    :param workers: the number of processes; by default one for each core.
    :raises ValueError: when the transcripts have no item in common.
    """
    names = [header.subject for header, _ in (one, other)]
    if one[0].plan.seed != other[0].plan.seed:
        raise ValueError(f"{names[0]} and {names[1]} got the positions of different seeds")
    left_out = frozenset[str]().union(*(left_out_for(header.builtin) for header, _ in (one, other)))
    before, after = (
        dict(_results(header.plan, header.plan.items(), replies, workers, left_out))
        for header, replies in (one, other)
    )
    groups: dict[tuple[str, str, str], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for item, result in after.items():
        for name in _COMPARED[item.section] if item in before else ():
            difference = result[name] - before[item][name]
            groups[item.kind, item.variant, name][item.group].append(difference)
    if not groups:
        raise ValueError(f"{names[0]} and {names[1]} have no task in common")
    heads = ["kind", "variant", "figure", "count", f"{names[1]} - {names[0]}"]
    lines = [_line(heads), _line(["---"] * len(heads))]
    for (kind, variant, name), by_group in groups.items():
        count = sum(map(len, by_group.values()))
        lines.append(_line([kind, variant, name, str(count), _shown(mean_interval([*by_group.values()]))]))
    return "\n".join(lines) + "\n"


def _results(
    plan: Plan, items: Sequence[Item], replies: Replies, workers: int | None, left_out: frozenset[str]
) -> list[Scored]:
    """Return the figures of the items, computed in processes; those with the same positions in one.

    :param left_out: the members of the judge that have no part in `regret`.
    """
    workers = workers or os.cpu_count() or 1
    groups: dict[tuple[bool, int], list[Item]] = defaultdict(list)
    for item in items:
        groups[item.section == "games", item.group].append(item)
    lines: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for key, line in replies.by_key.items():
        lines["/".join(key.split("/")[:4])].append(line)
    jobs = [
        (plan, group, [line for item in group for line in lines[item.key]], left_out)
        for group in groups.values()
    ]
    if workers == 1:
        found = [scored for job in jobs for scored in _scored(job)]
    else:
        with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
            found = [scored for group in pool.map(_scored, jobs) for scored in group]
    order = {item: at for at, item in enumerate(items)}
    return sorted(found, key=lambda scored: order[scored[0]])


def _scored(
    job: tuple[Plan, Sequence[Item], Sequence[Mapping[str, Any]], frozenset[str]],
) -> list[Scored]:
    plan, items, lines, left_out = job
    replies = Replies(lines)
    found = []
    for item in items:
        tokens: list[int] = []

        def ask(question: Question, spent: list[int] = tokens) -> Reply:
            reply = replies.recorded(question)
            spent.extend(reply.tokens or ())
            return reply

        try:
            found.append((item, {**plan.result(item, ask, left_out=left_out), "tokens": sum(tokens)}))
        except MissingReply:
            continue
    return found


def _row(section: str, kind: str, variant: str, scored: Sequence[Scored]) -> Row:
    """Return a row: the figures that the section has, each with its interval."""
    results = [result for _, result in scored]
    row: Row = {"section": section, "kind": kind, "variant": variant, "count": len(results)}
    if section == "exact":
        correct = sum(result["correct"] for result in results)
        unanswered = sum(result["unanswered"] for result in results)
        return {**row, "correct": _rounded(wilson(correct, len(results))), "unanswered": int(unanswered)}
    names = ("regret", "regret_of_all") if section == "judged" else ("points", "margin", "rank", "wins")
    row |= {name: _rounded(mean_interval(_by_group(scored, name))) for name in names}
    summed = ("illegal",) if section == "judged" else ("decisions", "illegal", "forfeited", "tokens")
    return row | {name: int(sum(result[name] for result in results)) for name in summed}


def _by_group(scored: Iterable[Scored], name: str) -> list[list[float]]:
    groups: dict[int, list[float]] = defaultdict(list)
    for item, result in scored:
        groups[item.group].append(result[name])
    return list(groups.values())


def mean_interval(groups: Sequence[Sequence[float]]) -> Interval:
    """Return a mean with its 95 % interval: the bootstrap over groups, since figures of one seed depend.

    >>> mean_interval([[1.0, 3.0], [2.0]])
    Interval(value=2.0, low=2.0, high=2.0)

    :param groups: the values by seed, at least one.
    """
    rng = Random(0)
    means = sorted(_mean(rng.choices(groups, k=len(groups))) for _ in range(_RESAMPLES))
    return Interval(_mean(groups), means[round(0.025 * _RESAMPLES)], means[round(0.975 * _RESAMPLES) - 1])


def _mean(groups: Iterable[Sequence[float]]) -> float:
    return fmean(value for group in groups for value in group)


def _rounded(interval: Interval) -> list[float]:
    return [round(value, 4) for value in interval]


_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "exact": ("correct", "unanswered"),
    "judged": ("regret", "regret_of_all", "illegal"),
    "games": ("points", "margin", "rank", "wins", "decisions", "illegal", "forfeited", "tokens"),
}
_COMPARED: Final[Mapping[str, tuple[str, ...]]] = {
    "exact": ("correct",),
    "judged": ("regret",),
    "games": ("points", "margin", "wins"),
}
_TITLES: Final = {
    "exact": "Tasks with exact answers",
    "judged": "Judged tasks, regret in points",
    "games": "Games of two",
}
_SHARES: Final = ("correct", "wins")


def tables(report: Mapping[str, Any]) -> str:
    """Return a report as Markdown."""
    lines = [f"# {report['subject']}"]
    for section, columns in _COLUMNS.items():
        rows = [row for row in report["rows"] if row["section"] == section]
        if rows:
            heads = ["kind", "variant", "count", *columns]
            lines += ["", f"## {_TITLES[section]}", "", _line(heads), _line(["---"] * len(heads))]
            lines += [_line([_cell(row, name) for name in heads]) for row in rows]
    calls, missing = report["calls"], report["missing"]
    tokens = f"{calls['prompt_tokens']:,} tokens in, {calls['completion_tokens']:,} out"
    said = f"{calls['replies']} replies, {calls['without_text']} without text"
    lines += ["", f"{said}; {calls['with_tokens']} reported {tokens}."]
    lines += [f"{missing} tasks and games are missing: the same command resumes the run."] if missing else []
    return "\n".join(lines) + "\n"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(row: Row, name: str) -> str:
    value = row[name]
    if name == "correct" and row["unanswered"] == row["count"]:
        return "-"
    if not isinstance(value, list):
        return str(value)
    return _shown(value, "{:.1%}" if name in _SHARES else "{:.2f}")


def _shown(interval: Sequence[float], form: str = "{:.2f}") -> str:
    shown, low, high = map(form.format, interval)
    return f"{shown} [{low}, {high}]"
