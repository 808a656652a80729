"""`python -m bench.page`: rewrite the tables of bench/README.md and deploy/scale.md.

They come from bench/latest.json, and the table "browser" from bench/web.json. If one of these files is
missing, its tables do not change. A table lies between `<!-- NAME -->` and `<!-- end -->`; the rest of a page
is written by hand.
"""

from __future__ import annotations

import datetime as dt
import os
import platform
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bench import web_samples
from bench.api import CEILING
from bench.estimate import CURED, estimated_table, measured_table
from bench.one_address import ATTACKED
from bench.rows import LOAD, Row, read
from bench.worst_requests import CHARGED
from skye_server.server.server_programs import describe, find_program

HERE = Path(__file__).parent
LATEST = HERE / "latest.json"

PAGES = (HERE / "README.md", HERE.parent / "deploy" / "scale.md")
_TABLE = re.compile(r"(<!-- ([a-z]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(page: str, rows: Sequence[Row] | None) -> str:
    """Return a page with its tables rewritten.

    :param rows: the rows, or None when only the table of the browser was measured.
    :raises LookupError: when there is no such table, or a figure of it was not measured.
    """

    def rewritten(found: re.Match[str]) -> str:
        if found[2] == "browser":
            samples = web_samples.stored(more=True)
            text = web_samples.table(samples) if samples["runs"] else None
        else:
            text = None if rows is None else TABLES[found[2]](rows)
        return found[0] if text is None else f"{found[1]}{text}\n{found[3]}"

    return _TABLE.sub(rewritten, page)


def names(page: str) -> set[str]:
    """Return the names of the tables that a page has."""
    return {found[2] for found in _TABLE.finditer(page)}


def _goals(rows: Sequence[Row]) -> str:
    lines = ["| what | beside | measured | goal | |", "|---|---|---|---|---|"]
    cpu = {each.name: each.ratio for each in rows if each.ratio and each.name.endswith(": CPU of the API")}
    for each in rows:
        if each.goal is not None and not (each.met and _has_price(each)):
            shown = "not measured" if each.value is None else _ratio(each) if each.against else _value(each)
            if each.against == CEILING:
                shown += f" ({1 / cpu[f'{each.name}: CPU of the API']:.2f} by CPU time)"
            mark = {None: "", True: "reached", False: "**missed**"}[each.met]
            lines.append(f"| {each.name} | {each.against or ''} | {shown} | {each.goal} | {mark} |")
    return "\n".join(lines)


def _requests(rows: Sequence[Row]) -> str:
    """Return the table of requests that have a ceiling, compared by time and by CPU time."""
    heads = (
        "request, requests/s, p50 ms, p99 ms, of its ceiling, by CPU time, of bare Flask, CPU us, of Redis us"
    )
    lines = [f"| {heads.replace(', ', ' | ')} |", "|---" * 9 + "|"]
    by_name = {each.name: each for each in rows}
    for each in rows:
        if each.against == CEILING and each.unit == "requests/s":
            cpu, redis = by_name[f"{each.name}: CPU of the API"], by_name[f"{each.name}: CPU of Redis"]
            cells = [
                each.name,
                _number(each.value),
                *(_number(by_name[f"{each.name}: {part}"].value) for part in ("p50", "p99")),
                _ratio(each),
                f"{1 / (cpu.ratio or 1):.2f}",
                _ratio(by_name[f"{each.name}: beside bare Flask"]),
                _number(cpu.value),
                _number(redis.value),
            ]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _plain(wanted: Callable[[Row], bool]) -> Callable[[Sequence[Row]], str]:
    def lay_out(rows: Sequence[Row]) -> str:
        lines = ["| what | | beside | ratio |", "|---|---|---|---|"]
        for each in filter(wanted, rows):
            shown = "" if each.ratio is None else _ratio(each)
            lines.append(f"| {each.name} | {_value(each)} | {each.against or ''} | {shown} |")
        return "\n".join(lines)

    return lay_out


def _others(each: Row) -> bool:
    """Whether a row of the API is in none of the other tables."""
    received = each.against in (CEILING, "bare Flask, the same bytes") or each.name.endswith(
        (": p50", ": p99")
    )
    return each.part == "api" and not received


def _machine(rows: Sequence[Row]) -> str:
    program = find_program()
    redis = "no Redis" if program is None else describe(program)
    day = dt.datetime.fromtimestamp(LATEST.stat().st_mtime if LATEST.exists() else 0, dt.UTC).date()
    python, cores = platform.python_version(), os.cpu_count()
    loads = [f"{each.value:.0f}" for each in rows if each.name == LOAD and each.value is not None]
    where = f"Measured on {day} with Python {python} and {redis}, on {cores} cores."
    if not loads:
        return where
    meaning = f"a load far above {cores} means other work,\nwhich distorts latencies"
    return f"{where} The load average\nat the end of each part was {', '.join(loads)}; {meaning}."


def _scale(each: Row) -> bool:
    """Whether a row is of stored games, streams or attacks, and no equal row is in the table of goals."""
    has_equal = each.goal is not None and not each.against
    return each.part in ("scale", "attacks") and not _has_price(each) and not has_equal


def _has_price(each: Row) -> bool:
    """Whether a row is in the table of prices; that of the goals repeats such a row only if it is missed."""
    return CHARGED in each.name or ATTACKED in each.name


def _prices(rows: Sequence[Row]) -> str:
    """Return the table of operations: the CPU time of a unit, and the actions of others during an attack."""
    by_name = {each.name: each for each in rows}
    lines = [
        "| request | CPU time for each request charged | p99 of another address's action |",
        "|---|---|---|",
    ]
    for each in rows:
        if each.name.endswith(CHARGED):
            request = each.name.removesuffix(f": {CHARGED}")
            attack = by_name.get(f"{request} {ATTACKED}")
            lines.append(f"| {request} | {_value(each)} | {_value(attack) if attack else ''} |")
    return "\n".join(lines)


TABLES: dict[str, Callable[[Sequence[Row]], str]] = {
    "machine": _machine,
    "goals": _goals,
    "engine": _plain(lambda each: each.part == "engine"),
    "requests": _requests,
    "compared": _plain(_others),
    "pace": _plain(lambda each: each.part == "api" and " load " in each.name),
    "scale": _plain(_scale),
    "prices": _prices,
    "measured": measured_table,
    "estimated": estimated_table,
    "cured": lambda rows: estimated_table(rows, CURED),
}


def _ratio(each: Row) -> str:
    return "" if each.ratio is None else f"{each.ratio:.2f} ± {each.spread or 0:.2f}"


def _value(each: Row) -> str:
    return "not measured" if each.value is None else f"{_number(each.value)} {each.unit}".strip()


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def main() -> int:
    """Write the pages."""
    rows = read(LATEST) or None
    if not rows and not web_samples.SAMPLES.exists():
        print("Nothing was measured: run `make bench` or `make bench-web` first.", file=sys.stderr)
        return 1
    for path in PAGES:
        path.write_text(filled(path.read_text(encoding="utf-8"), rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
