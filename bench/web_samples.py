"""The budget of the web client, and the samples of `python -m bench.web`, in bench/web.json."""

from __future__ import annotations

import datetime as dt
import json
import os
import statistics
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).parent / "web.json"
"""The runs so far: their number, the load averages, and the samples of each row."""

GOALS = {
    "ready": (3000, "ms"),
    "tap to ghost": (50, "ms"),
    "frame of a drag": (33, "ms"),
    "event to DOM": (32, "ms"),
    "seek": (50, "ms"),
    "longest task: opening": (100, "ms"),
    "longest task: playing": (100, "ms"),
    "layout shift": (0.02, ""),
    "heap after 100 seeks": (40, "MB"),
    "requests": (20, ""),
    "loaded": (150, "kB"),
}


def stored(*, more: bool) -> dict[str, Any]:
    """Return the samples so far.

    :param more: whether to include the stored samples; otherwise there are none.
    """
    if more and SAMPLES.exists():
        found: dict[str, Any] = json.loads(SAMPLES.read_text())
        return found
    return {"runs": 0, "loads": [], "rows": {name: [] for name in GOALS}}


def store(samples: dict[str, Any]) -> None:
    """Write the samples and the date."""
    samples["day"] = f"{dt.datetime.now(dt.UTC):%Y-%m-%d}"
    samples["rows"] = {name: [round(value, 4) for value in row] for name, row in samples["rows"].items()}
    SAMPLES.write_text(json.dumps(samples))


def table(samples: dict[str, Any]) -> str:
    """Return a Markdown table of the median, the 95th percentile and the goal of each row."""
    loads = f"load average between {min(samples['loads'])} and {max(samples['loads'])}"
    head = f"Measured on {samples['day']}, {samples['runs']} runs, {os.cpu_count()} processors, {loads}."
    lines = [head, "", "| what | median | p95 | goal | |", "|---|---|---|---|---|"]
    for name, (goal, unit) in GOALS.items():
        values = sorted(samples["rows"][name])
        p95 = values[min(len(values) - 1, round(0.95 * len(values)))]
        mark = "reached" if p95 <= goal else "**missed**"
        cells = [
            name,
            *(f"{value:.3g} {unit}".strip() for value in (statistics.median(values), p95, goal)),
            mark,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
