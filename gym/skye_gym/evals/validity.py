"""The test of validity: whether the judge ranks decisions as games do.

Hybrids differ in one kind of decision (`hybrids`). Paired games say which of two is better, and so do their
regrets in the judged tasks. The judge is valid if it separates no pair the other way, and separates most of
the pairs that games separate clearly. `validity.json` has the published result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

from skye.bots.registry import choose_move
from skye_gym.arena.json_lines import json_line, opened_alone, read_json_lines
from skye_gym.arena.ratings import Interval
from skye_gym.evals.hybrids import BASE_BOT, HYBRIDS, paired_games, pairs
from skye_gym.evals.judged import PUBLISHED_SEED, judged_task, regret
from skye_gym.evals.scoring import mean_interval
from skye_gym.judge import VERSION

GAMES_SEED: Final = "validity 2"
"""The seed of the games, which is none of tasks."""

CLEAR: Final = 0.6
"""The share of wins from which games separate a pair clearly."""

NEEDED: Final = 0.7
"""The share of such pairs that the judge must separate."""

_HEADS: Final = (
    "decision",
    "pairs",
    "games of each",
    "games separate",
    "the judge the other way",
    "games by 60:40",
    "the judge, too",
    "valid",
)

_FIELDS: Final = ("kind", "one", "other", "number", "wins", "margins")

Regrets: TypeAlias = Mapping[str, Sequence[float]]
"""By hybrid, its regrets in the published tasks."""


class Comparison(NamedTuple):
    """Two hybrids, by games and by the judge.

    :param games: the number of games.
    :param wins: the share of wins of the first; a shared win is half a win.
    :param margin: the margin of the first.
    :param regret: the mean regret of the other minus that of the first: more is better for the first.
    """

    kind: str
    one: str
    other: str
    games: int
    wins: Interval
    margin: Interval
    regret: Interval

    @property
    def by_games(self) -> int:
        """Which hybrid games show to be better: 1 the first, -1 the other, 0 neither."""
        return (self.wins.low > 1 / 2) - (self.wins.high < 1 / 2)

    @property
    def is_clear(self) -> bool:
        """Whether games separate the hybrids by at least 60 to 40."""
        return self.by_games != 0 and max(self.wins.value, 1 - self.wins.value) >= CLEAR

    @property
    def by_judge(self) -> int:
        """Which hybrid the judge shows to be better, likewise."""
        return (self.regret.low > 0) - (self.regret.high < 0)


def header() -> dict[str, Any]:
    """Return the first line of a file of games."""
    return {"format": "skye-eval validity", "base_bot": BASE_BOT, "games_seed": GAMES_SEED}


def play_missing(path: Path, kinds: Iterable[str], games: int, processes: int) -> None:
    """Play the games that a file lacks; write two, with the same draws, as soon as they are over.

    :param path: the file, which may be missing or incomplete.
    :param games: the number of games of each pair, an even one.
    :raises ValueError: when the file belongs to something else, or another process writes it.
    """
    with opened_alone(path, "") as file:
        played = {_names(line) for line in read_json_lines(path, header(), "test", _FIELDS)}
        if not path.stat().st_size:
            file.write(json_line(header()))
        jobs = [
            (kind, one, other, number)
            for number in range(games // 2)
            for kind in kinds
            for one, other in pairs(kind)
            if (kind, one, other, number) not in played
        ]
        with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
            for line in pool.map(_played, jobs):
                file.write(json_line(line))
                file.flush()


def read_games(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a file of games.

    :raises ValueError: when it is none.
    """
    if not path.exists():
        raise ValueError(f"there is no file {path}")
    return read_json_lines(path, header(), "test", _FIELDS)


def comparisons(lines: Iterable[Mapping[str, Any]], tasks: int, processes: int) -> list[Comparison]:
    """Return the comparisons of all pairs that have played.

    :param lines: the lines of a file of games.
    :param tasks: the number of published tasks of each kind in which the judge compares.
    """
    by_pair: dict[tuple[str, str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for line in lines:
        by_pair[line["kind"], line["one"], line["other"]].append(line)
    by_kind = {
        kind: regrets_of_hybrids(kind, tasks, processes) for kind in dict.fromkeys(k for k, _, _ in by_pair)
    }
    return [
        Comparison(
            kind,
            one,
            other,
            2 * len(found),
            mean_interval([line["wins"] for line in found]),
            mean_interval([line["margins"] for line in found]),
            mean_interval([[b - a] for a, b in zip(by_kind[kind][one], by_kind[kind][other], strict=True)]),
        )
        for (kind, one, other), found in by_pair.items()
    ]


def regrets_of_hybrids(kind: str, tasks: int, processes: int) -> Regrets:
    """Return the regrets of all hybrids of a kind of decision in the published tasks, by all members."""
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        by_task = [*pool.map(partial(_regrets, kind), range(tasks))]
    return {name: [regrets[name] for regrets in by_task] for name in HYBRIDS[kind]}


def summary(found: Sequence[Comparison]) -> dict[str, dict[str, int]]:
    """Return by kind of decision: how many pairs there are, and what games and the judge separate."""
    rows = {}
    for kind in dict.fromkeys(each.kind for each in found):
        of_kind = [each for each in found if each.kind == kind]
        clear = [each for each in of_kind if each.is_clear]
        rows[kind] = {
            "pairs": len(of_kind),
            "games_of_each": min(each.games for each in of_kind),
            "by_games": sum(each.by_games != 0 for each in of_kind),
            "the_other_way": sum(each.by_games * each.by_judge < 0 for each in of_kind),
            "clear": len(clear),
            "clear_by_judge": sum(each.by_games == each.by_judge for each in clear),
        }
    return rows


def is_valid(row: Mapping[str, int]) -> bool:
    """Return whether a kind of decision passes the test."""
    return row["the_other_way"] == 0 and row["clear_by_judge"] >= NEEDED * row["clear"]


def result(found: Sequence[Comparison], tasks: int) -> dict[str, Any]:
    """Return the result as JSON data."""
    return {
        **header(),
        "judge": VERSION,
        "tasks": tasks,
        "kinds": {kind: {**row, "valid": is_valid(row)} for kind, row in summary(found).items()},
        "pairs": [
            {
                **each._asdict(),
                **{name: _rounded(getattr(each, name)) for name in ("wins", "margin", "regret")},
            }
            for each in found
        ],
    }


def tables(found: Sequence[Comparison]) -> str:
    """Return the result as Markdown."""
    lines = [
        f"| {' | '.join(_HEADS)} |",
        f"|{'---|' * len(_HEADS)}",
    ]
    for kind, row in summary(found).items():
        cells = [kind, *map(str, row.values()), "yes" if is_valid(row) else "no"]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "| decision | pair | wins | margin | regret less | judge |", "|---|---|---|---|---|---|"]
    for each in found:
        verdict = "the other way" if each.by_judge * each.by_games < 0 else ("yes", "-")[each.by_judge == 0]
        shares = "{:.0%} [{:.0%}, {:.0%}]".format(*each.wins)
        cells = [
            each.kind,
            f"{each.one} - {each.other}",
            shares,
            _shown(each.margin),
            _shown(each.regret),
            verdict,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _names(line: Mapping[str, Any]) -> tuple[str, str, str, int]:
    return line["kind"], line["one"], line["other"], line["number"]


def _played(job: tuple[str, str, str, int]) -> dict[str, Any]:
    kind, one, other, number = job
    wins, margins = paired_games(kind, one, other, f"{GAMES_SEED}/{number}")
    return dict(zip(_FIELDS, (*job, wins, margins), strict=True))


def _regrets(kind: str, number: int) -> dict[str, float]:
    task = judged_task(kind, PUBLISHED_SEED, number)
    game, seat, _ = task.position
    return {
        name: regret(task, choose_move(bot, game, seat, Random(f"{number}/{name}"))).of_all
        for name, bot in HYBRIDS[kind].items()
    }


def _rounded(interval: Interval) -> list[float]:
    return [round(value, 4) for value in interval]


def _shown(interval: Interval) -> str:
    return "{:.1f} [{:.1f}, {:.1f}]".format(*interval)
