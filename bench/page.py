"""`python -m bench.page`: write the measured costs into deploy/scale.md, from bench/latest.json.

The table lies between `<!-- measured -->` and `<!-- end -->`; the rest of the page is written by hand.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.rows import LATEST, Row, read

PAGE = Path(__file__).parents[1] / "deploy" / "scale.md"
_TABLE = re.compile(r"(<!-- measured -->\n).*?(<!-- end -->)", re.DOTALL)

_MANY = "1,000 spectators of one game"
COSTS = {
    "an action: CPU of the API / of Redis": ("set prices: CPU of the API", "set prices: CPU of Redis"),
    "a read of a game: CPU of the API / of Redis": (
        "game view, each time another game: CPU of the API",
        "game view, each time another game: CPU of Redis",
    ),
    "an event at one stream: CPU of the API / of Redis": (
        "an event at one stream: CPU of the API",
        "an event at one stream: CPU of Redis",
    ),
    "an event at one of 1,000 spectators of a game: CPU of the API": (
        f"{_MANY}, an event at one: CPU of the API",
    ),
    "a game of four in Redis: in play, at most / finished": (
        "a game of 4, in play: game and log at most",
        "a game of 4, finished: game and log",
    ),
    "an idempotency record / a public game in a list": (
        "the idempotency record of an action",
        "10,000 stored games: memory of the index for each",
    ),
    "all that a game of four writes to the append-only file": (
        "a game of 4: all that it writes to the append-only file",
    ),
    "between the API and Redis, sent / received: an action": (
        "set prices: bytes in of Redis",
        "set prices: bytes out of Redis",
    ),
    "the same: a read": ("game view: bytes in of Redis", "game view: bytes out of Redis"),
    "to a client: a response with its head": ("game view: the response with its head",),
    "memory of an idle stream in its worker": (
        "an idle stream of a game of its own: memory of the worker",
    ),
}  # fmt: skip
"""By the line of the table: the rows of the benchmark that it shows."""


def filled(page: str, rows: Sequence[Row]) -> str:
    """Return a page with its table rewritten.

    :raises LookupError: when a figure of it was not measured.
    """
    found = {each.name: each for each in rows if each.value is not None}
    missing = [name for names in COSTS.values() for name in names if name not in found]
    if missing:
        raise LookupError(f"measure all parts first: bench/latest.json lacks {', '.join(missing)}")
    lines = ["| what | measured |", "|---|---|"]
    for title, names in COSTS.items():
        values = " / ".join(f"{found[name].value or 0:,.0f}" for name in names)
        lines.append(f"| {title} | {values} {found[names[0]].unit.partition('/')[0]} |")
    return _TABLE.sub(lambda match: match[1] + "\n".join([*lines, ""]) + match[2], page)


def main() -> int:
    """Write the page."""
    try:
        text = filled(PAGE.read_text(encoding="utf-8"), read(LATEST))
    except LookupError as error:
        print(error, file=sys.stderr)
        return 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
