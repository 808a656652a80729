"""`python -m bench.web [RUNS]`: measure the web client in a slowed Chromium; write bench/latest.json.

The server runs from its wheel, with the bundle of the web client. The processor is slowed down four times,
and the network has a latency of 150 ms and 1.6 Mbit/s. Each row has the 95th percentile of all runs, which
the goal is for, beside the median.

- "ready" counts from the start of the navigation to the last part of the page.
- "event to DOM" runs from the arrival of an event until the header, the market, the trays and the board show
  it; seats and log follow in the next task.
- "layout shift" is the sum of a visit up to the first ghost. "layout shift: whole game" is the worst five
  seconds, as web-vitals defines it, of a game with its counting, at three widths without a slowed processor.
  "requests" and "loaded" count what the page of a player has
  requested by its first decision, compressed.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from bench.rows import LATEST, Row, update
from tests.support.chromium import find_headless_chromium
from tests.support.launcher import ROOT, launching
from tests.support.wheels import installed
from tests.web.driver import Browser, Screen
from tests.web.hands import can_build

GOALS = {
    "ready": (3000, "ms"),
    "tap to ghost": (50, "ms"),
    "frame of a drag": (33, "ms"),
    "event to DOM": (32, "ms"),
    "seek": (50, "ms"),
    "longest task: opening": (100, "ms"),
    "longest task: playing": (100, "ms"),
    "layout shift": (0.02, ""),
    "layout shift: whole game": (0.05, ""),
    "heap after 100 seeks": (40, "MB"),
    "requests": (20, ""),
    "loaded": (150, "kB"),
}
RUNS = 30
WIDTHS = (360, 768, 1440)
DRAG_STEPS = 30

_OBSERVE = """
window.longest = 0;
window.shift = 0;
window.worst = 0;
let [began, last, sum] = [0, 0, 0];
const observe = (type, use) => new PerformanceObserver((list) => list.getEntries().forEach(use))
  .observe({type, buffered: true});
observe("longtask", ({duration}) => { longest = Math.max(longest, duration); });
observe("layout-shift", ({hadRecentInput, value, startTime}) => {
  if (hadRecentInput) return;
  shift += value;
  if (startTime - last > 1000 || startTime - began > 5000) [began, sum] = [startTime, 0];
  last = startTime;
  worst = Math.max(worst, sum += value);
});
"""
_OPENED = """new Promise((ready) => new PerformanceObserver((list) => {
  if (list.getEntriesByName("skye-ready").length) setTimeout(() => ready(longest), 500);
}).observe({type: "measure", buffered: true}))"""
_FORGET = "new Promise((done) => setTimeout(done, 500)).then(() => { longest = 0; })"
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
_FRAMES = """
window.frames = [];
const next = (before) => requestAnimationFrame((now) => { frames.push(now - before); next(now); });
requestAnimationFrame(next);
"""
_MEASURED = "name => performance.getEntriesByName(name).map(({duration}) => duration)"
_LOADED = """() => {
  const loaded = [...performance.getEntriesByType("resource"), ...performance.getEntriesByType("navigation")]
    .filter(({name}) => name.startsWith("http"));
  return [loaded.length, loaded.reduce((sum, {transferSize}) => sum + transferSize, 0) / 1000];
}"""


def slow_window(browser: Browser, path: str) -> tuple[Screen, Any]:
    """Open a page with a throttled processor and network; return it with its debugger session."""
    screen = browser.window("/docs")
    screen.page.context.add_init_script(_OBSERVE)
    session = screen.page.context.new_cdp_session(screen.page)
    session.send("Network.enable")
    network = {"offline": False, "latency": 150, "downloadThroughput": 2e5, "uploadThroughput": 2e5}
    session.send("Network.emulateNetworkConditions", network)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    screen.page.goto(browser.url + path)
    return screen, session


def longest_task_of_opening(page: Page, session: Any) -> float:
    """Wait until the game is shown; return its longest task, and reset the record.

    The first call of Playwright compiles its own code in the page, which is a long task too. That task is not
    part of the page, so no such call is made before, and the record is reset after it.
    """
    expression = {"expression": _OPENED, "awaitPromise": True, "returnByValue": True}
    longest: float = session.send("Runtime.evaluate", expression)["result"]["value"]
    page.wait_for_selector(".pricing .card")
    page.evaluate(_FORGET)
    return longest


def measure_game(browser: Browser, rows: dict[str, list[float]]) -> str:
    """Measure one visit to a game up to the first ghost, then finish the game; return its id."""
    game, tokens, _ = browser.game("Ann", bots=["random"])
    screen, session = slow_window(browser, f"/play/?game={game}#seat={tokens[0]}")
    page = screen.page
    rows["longest task: opening"].append(longest_task_of_opening(page, session))
    rows["ready"] += page.evaluate(_MEASURED, "skye-ready")
    requests, kilobytes = page.evaluate(_LOADED)
    rows["requests"].append(requests)
    rows["loaded"].append(kilobytes)
    screen.play_until(can_build)
    rows["tap to ghost"].append(page.evaluate(_TAP))
    rows["event to DOM"] += page.evaluate(_MEASURED, "skye-event")
    rows["longest task: playing"].append(page.evaluate("longest"))
    rows["layout shift"].append(page.evaluate("shift"))
    rows["frame of a drag"] += drag(page)
    browser.play_out(game, tokens[0])
    return game


def measure_shifts(browser: Browser, rows: dict[str, list[float]]) -> None:
    """Measure the layout shifts of a whole game at each width."""
    for width in WIDTHS:
        game, tokens, _ = browser.game("Ann", bots=["greedy", "random"])
        screen = browser.window("/docs", width=width, height=900)
        screen.page.add_init_script(_OBSERVE)
        screen.page.goto(f"{browser.url}/play/?game={game}#seat={tokens[0]}")
        screen.play_until(lambda state: state["status"] == "finished")
        screen.page.wait_for_selector(".result:visible")
        rows["layout shift: whole game"].append(screen.page.evaluate("worst"))


def drag(page: Page) -> list[float]:
    """Drag a tile of the hand across the board and back; return the times between frames."""
    page.keyboard.press("Escape")
    tile = page.locator(".hand-tile:not(.dim)").first.bounding_box()
    board = page.locator(".grid").bounding_box()
    assert tile
    assert board
    page.mouse.move(tile["x"] + tile["width"] / 2, tile["y"] + tile["height"] / 2)
    page.mouse.down()
    page.evaluate(_FRAMES)
    for step in range(DRAG_STEPS):
        across = abs(1 - 2 * step / DRAG_STEPS)
        page.mouse.move(
            board["x"] + across * board["width"], board["y"] + step / DRAG_STEPS * board["height"]
        )
    frames: list[float] = page.evaluate("frames.slice()")
    page.mouse.up()
    return frames


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


def web_rows(runs: int) -> list[Row]:
    """Measure the web client."""
    samples: dict[str, list[float]] = {name: [] for name in GOALS}
    measure(runs, samples)
    rows = []
    for name, (goal, unit) in GOALS.items():
        values = sorted(samples[name])
        p95 = values[min(len(values) - 1, round(0.95 * len(values)))]
        beside = f"median {statistics.median(values):.3g} {unit}".strip()
        rows.append(Row(name, p95, unit, beside, goal=f"<= {goal}", met=p95 <= goal))
    return rows


def measure(runs: int, rows: dict[str, list[float]]) -> None:
    """Add the samples of some runs to the rows."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,  # Redis ends after its launcher
        launching(Path(folder)) as start,
        sync_playwright() as playwright,
    ):
        site = installed(ROOT / "service", Path(folder))
        url = start(PYTHONPATH=str(site)).url
        options = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage"]
        chromium = playwright.chromium.launch(executable_path=find_headless_chromium(), args=options)
        for run in range(runs):
            browser = Browser(chromium, url)
            if run == 0:
                measure_shifts(browser, rows)
            measure_replay(browser, measure_game(browser, rows), rows)
            browser.close()
            assert browser.complaints == [], browser.complaints
        chromium.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=int, nargs="?", default=RUNS)
    print(update(LATEST, "web", web_rows(parser.parse_args().runs)))
