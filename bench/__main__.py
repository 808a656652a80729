"""`python -m bench [engine | api | scale | attacks]`: measure, print the table, write bench/latest.json.

`--quick` measures less often, `--full` more often and with a million stored games; `--least` only tests the
benchmark. `--reads 500` sets the number of reads during each attack.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from bench.plan import FULL, LEAST, QUICK, USUAL, Plan
from bench.rows import LOAD, Row, read, table, write

HERE = Path(__file__).parent
PARTS = ("engine", "api", "scale", "attacks")


def main(arguments: list[str]) -> int:
    """Measure the named parts, or all; replace their figures in the file."""
    options = _parser().parse_args(arguments)
    plan = options.plan if options.reads is None else replace(options.plan, reads=options.reads)
    for part in options.parts or PARTS:
        measured = [replace(each, part=part) for each in _measuring(part)(plan)]
        # 2 for two busy cores; much more if the machine did other work.
        measured.append(Row(LOAD, os.getloadavg()[1], "", part=part))
        others = [each for each in read(options.to) if each.part in PARTS and each.part != part]
        rows = sorted([*others, *measured], key=lambda each: PARTS.index(each.part))
        write(rows, options.to)
        print(table(measured), flush=True)
    return 0


def _measuring(part: str) -> Callable[[Plan], list[Row]]:
    if part == "engine":
        from bench.engine import engine_rows as measure
    elif part == "api":
        from bench.api import api_rows as measure
    elif part == "scale":
        from bench.scale import scale_rows as measure
    else:
        from bench.attacks import attack_rows as measure
    return measure


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="parts to measure; all by default")
    for plan, name in ((LEAST, "--least"), (QUICK, "--quick"), (FULL, "--full")):
        parser.add_argument(name, dest="plan", action="store_const", const=plan, default=USUAL)
    parser.add_argument("--reads", type=int, help="number of reads during each attack")
    parser.add_argument("--to", type=Path, default=HERE / "latest.json", help="the file to write")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
