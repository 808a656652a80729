"""`python -m bench.web [RUNS] [--more]`: measure the table in a slowed Chromium, and write bench/web.md.

The processor is slowed down four times; the network has a latency of 150 ms and 1.6 Mbit/s. Each row is the
median and the 95th percentile of all runs. With `--more`, the runs are added to those that were measured
before, which lie in bench/web.json.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import statistics
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.support.chromium import find_chromium
from tests.support.launcher import launching
from tests.table.driver import Browser, Mouse, Screen

RUNS = 30
PAGE = Path(__file__).parent / "web.md"
SAMPLES = PAGE.with_suffix(".json")
"""The runs so far: their number, the load averages, and the samples of each row."""

_INTRODUCTION = """# The table in a slowed browser

`make bench-web` writes this page. Chromium runs with a processor slowed down four times
(`Emulation.setCPUThrottlingRate`) and a network with a latency of 150 ms and 1.6 Mbit/s
(`Network.emulateNetworkConditions`), against a server on the same machine. Each run opens a game, plays to
the first tile in hand, shows a ghost, and seeks 100 times in the replay. "ready" counts from the start of the
navigation; "event to DOM" runs from the arrival of an event to the end of the frame that shows it; "code" is
the JavaScript that the page of a player has loaded by then, before compression.
"""
GOALS = {
    "ready": (3000, "ms"),
    "tap to ghost": (50, "ms"),
    "event to DOM": (32, "ms"),
    "seek": (50, "ms"),
    "longest task": (100, "ms"),
    "layout shift": (0.02, ""),
    "heap after 100 seeks": (40, "MB"),
    "code": (150, "kB"),
}
_OBSERVE = """
window.longest = 0;
window.shift = 0;
const observe = (type, use) => new PerformanceObserver((list) => list.getEntries().forEach(use))
  .observe({type, buffered: true});
observe("longtask", ({duration}) => { longest = Math.max(longest, duration); });
observe("layout-shift", ({hadRecentInput, value}) => { if (!hadRecentInput) shift += value; });
"""
_TAP = """async () => {
  const until = async (find) => {
    let found;
    while (!(found = find())) await new Promise((next) => setTimeout(next, 20));
    return found;
  };
  const listed = (tile) => (tile && !tile.textContent.includes("…") ? tile : null);
  (await until(() => listed(document.querySelector(".hand-tile:not(.dim)")))).click();
  const cell = await until(() => document.querySelector(".cell.legal"));
  const started = performance.now();
  cell.click();
  document.querySelector(".cell.ghost").getBoundingClientRect();
  return performance.now() - started;
}"""
_MEASURED = "name => performance.getEntriesByName(name).map(({duration}) => duration)"


def slow_window(browser: Browser, path: str) -> tuple[Screen, Any]:
    """Open a page on a slow machine and network; return it with its debugger."""
    screen = browser.window("/docs")
    screen.page.context.add_init_script(_OBSERVE)
    session = screen.page.context.new_cdp_session(screen.page)
    session.send("Network.enable")
    network = {"offline": False, "latency": 150, "downloadThroughput": 2e5, "uploadThroughput": 2e5}
    session.send("Network.emulateNetworkConditions", network)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    screen.page.goto(browser.url + path)
    return screen, session


def measure_table(browser: Browser, rows: dict[str, list[float]]) -> str:
    """Measure one visit to a game up to the first ghost, then finish the game; return its id."""
    game, tokens, _ = browser.game("Ann", bots=["random"])
    screen, _ = slow_window(browser, f"/play/?game={game}#seat={tokens[0]}")
    page = screen.page
    page.wait_for_selector(".pricing .card")
    rows["ready"] += page.evaluate(_MEASURED, "skye-ready")
    screen.play_until(
        lambda state: state["phase"] == "building" and state["mine"] and state["ready"], Mouse()
    )
    rows["tap to ghost"].append(page.evaluate(_TAP))
    rows["event to DOM"] += page.evaluate(_MEASURED, "skye-event")
    rows["longest task"].append(page.evaluate("longest"))
    rows["layout shift"].append(page.evaluate("shift"))
    loaded = "performance.getEntriesByType('resource').filter(({name}) => name.endsWith('.js'))"
    rows["code"].append(
        page.evaluate(f"{loaded}.reduce((sum, {{decodedBodySize}}) => sum + decodedBodySize, 0)") / 1000
    )
    browser.play_out(game, tokens[0])
    return game


def measure_replay(browser: Browser, game: str, rows: dict[str, list[float]]) -> None:
    """Measure 100 seeks in a finished game."""
    screen, session = slow_window(browser, f"/play/?game={game}&replay=1")
    screen.page.wait_for_selector(".replay .caption")
    screen.page.evaluate("performance.clearMeasures()")
    for number in range(100):
        screen.page.keyboard.press("ArrowLeft" if number % 20 < 10 else "ArrowRight")
    rows["seek"] += screen.page.evaluate(_MEASURED, "skye-seek")
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    rows["heap after 100 seeks"].append(metrics["JSHeapUsedSize"] / 1e6)


def main(runs: int, *, more: bool = False) -> None:
    """Measure, write the page and print it.

    :param more: add to the runs that were measured before.
    """
    rows: dict[str, list[float]] = {name: [] for name in GOALS}
    earlier = {"runs": 0, "loads": [], "rows": rows}
    stored = json.loads(SAMPLES.read_text()) if more and SAMPLES.exists() else earlier
    stored["loads"].append(round(os.getloadavg()[0], 1))
    measure(runs, stored["rows"])
    stored["runs"] += runs
    stored["loads"].append(round(os.getloadavg()[0], 1))
    SAMPLES.write_text(json.dumps(stored))
    measured = f"{dt.datetime.now(dt.UTC):%Y-%m-%d}, {stored['runs']} runs, {os.cpu_count()} processors"
    measured += f", load average between {min(stored['loads'])} and {max(stored['loads'])}"
    PAGE.write_text(f"{_INTRODUCTION}\nMeasured on {measured}.\n\n{table(stored['rows'])}\n")
    print(PAGE.read_text())


def measure(runs: int, rows: dict[str, list[float]]) -> None:
    """Add the samples of some runs to the rows."""
    with (
        tempfile.TemporaryDirectory() as folder,
        launching(Path(folder)) as start,
        sync_playwright() as playwright,
    ):
        url = start().url
        options = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage"]
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=options)
        for _ in range(runs):
            browser = Browser(chromium, url)
            measure_replay(browser, measure_table(browser, rows), rows)
            browser.close()
            assert browser.complaints == [], browser.complaints
        chromium.close()


def table(rows: dict[str, list[float]]) -> str:
    """Return the median and the 95th percentile of each row beside its goal, in Markdown."""
    lines = ["| what | median | p95 | goal | |", "|---|---|---|---|---|"]
    for name, (goal, unit) in GOALS.items():
        values = sorted(rows[name])
        p95 = values[min(len(values) - 1, round(0.95 * len(values)))]
        mark = "reached" if p95 <= goal else "**missed**"
        lines.append(
            f"| {name} | {statistics.median(values):.3g} {unit} | {p95:.3g} {unit} | {goal} {unit} | {mark} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=int, nargs="?", default=RUNS)
    parser.add_argument("--more", action="store_true", help="add to the runs that were measured before")
    chosen = parser.parse_args()
    main(chosen.runs, more=chosen.more)
