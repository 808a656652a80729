"""`python -m bench [engine | api]`: measure, print the table, write bench/latest.json."""

from __future__ import annotations

import sys
from pathlib import Path

from bench.rows import Row, table, write


def main(arguments: list[str]) -> int:
    """Run the halves that are named, or both."""
    halves = arguments or ["engine", "api"]
    rows: list[Row] = []
    if "engine" in halves:
        from bench.engine import engine_rows

        rows += engine_rows()
    if "api" in halves:
        from bench.api import api_rows

        rows += api_rows()
    print(table(rows))
    write(rows, Path(__file__).parent / "latest.json")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
