"""`python -m bench [engine | api | scale | attacks]`: measure, print the table, write bench/latest.json.

`--quick` measures less often, `--full` more often and with a million stored games; `--least` only tests the
benchmark. `--reads 500` sets the number of reads during each attack.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from dataclasses import replace
from pathlib import Path

from bench.plan import FULL, LEAST, QUICK, USUAL
from bench.rows import LATEST, update

PARTS = {"engine": "engine_rows", "api": "api_rows", "scale": "scale_rows", "attacks": "attack_rows"}
"""By the part, and the module of that name: the function that measures."""


def main(arguments: list[str]) -> int:
    """Measure the named parts, or all; replace their figures in the file."""
    options = _parser().parse_args(arguments)
    plan = options.plan if options.reads is None else replace(options.plan, reads=options.reads)
    for part in options.parts or PARTS:
        measure = getattr(importlib.import_module(f"bench.{part}"), PARTS[part])
        print(update(options.to, part, measure(plan)), flush=True)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="parts to measure; all by default")
    for plan, name in ((LEAST, "--least"), (QUICK, "--quick"), (FULL, "--full")):
        parser.add_argument(name, dest="plan", action="store_const", const=plan, default=USUAL)
    parser.add_argument("--reads", type=int, help="number of reads during each attack")
    parser.add_argument("--to", type=Path, default=LATEST, help="the file to write")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
