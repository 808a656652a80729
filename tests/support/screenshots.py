"""Make the pictures of the README and the guide from a live server: `python -m tests.support.screenshots`."""

import base64
import re
import tempfile
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.support.chromium import find_headless_chromium
from tests.support.launcher import ROOT, launching
from tests.support.waiting import MAX_WAIT_S
from tests.web.driver import CARDS, Browser, Screen

FOLDER = ROOT / "service" / "skye_server" / "docs" / "static"
NAMES = ("Ann", "Bob", "Cat", "Dee")
GAME = {
    "name": "An evening on Skye",
    "players": [{"name": name, "bot": "greedy"} for name in NAMES],
    "auto_start": True,
    "options": {"seed": "skye", "open_gold": True},  # so that all gains are known
}
FORK = {"round": 4, "phase": "building"}
WINDOW = {"width": 1400, "height": 860}
GUIDE_WINDOWS = ({"width": 1440, "height": 900}, {"width": 360, "height": 740})
MAX_BYTES = 200_000
LAND = ROOT / "web" / "land.svg"
"""The picture of the front page: the same territory, without name, texts and background."""

MARGIN, TITLE = 30, 110
"""What surrounds the tiles in the picture of a territory, and the height of its title."""

_GAINS_SHOWN = """() => {
  const gains = document.querySelector(".building .gains");
  return gains.offsetParent && !gains.textContent.includes("?");
}"""
_BEST = """() => {
  const gain = (cell) => Number(cell.querySelector(".best").textContent || 0);
  const best = [...document.querySelectorAll(".cell.legal")].reduce((a, b) => gain(b) > gain(a) ? b : a);
  return {gain: gain(best), x: best.dataset.x, y: best.dataset.y};
}"""


def save(name: str, picture: bytes) -> None:
    """Write a picture that is small enough for a page."""
    assert len(picture) < MAX_BYTES, f"{name} has {len(picture)} bytes"
    (FOLDER / name).write_bytes(picture)


def territory_of_the_winner(server) -> tuple[bytes, dict]:
    """Let bots play a game; return the territory of the winner and the record of the game."""
    game = server.call("POST", "/v1/games", GAME)["game"]
    path = f"/v1/games/{game['id']}"
    winner = f"{path}/players/{game['result']['winners'][0]}/territory/picture.svg"
    with urllib.request.urlopen(server.url + winner, timeout=MAX_WAIT_S) as picture:
        return picture.read(), server.call("GET", f"{path}/record")


def land(picture: str) -> str:
    """Return the picture of a territory with nothing but its tiles."""
    picture = re.sub(r"<(title|desc|text)\b.*?</\1>", "", picture)
    picture = re.sub(r' (?:role|aria-labelledby|width|height)="[^"]*"', "", picture, count=4)
    picture = picture.replace(re.findall(r"<path[^>]*/>", picture)[0], "", 1)  # the background
    left, top, width, height = map(int, re.findall(r'viewBox="([^"]*)"', picture)[0].split())
    box = (left + MARGIN, top + MARGIN + TITLE, width - 2 * MARGIN, height - 2 * MARGIN - TITLE)
    return re.sub(r'viewBox="[^"]*"', f'viewBox="{" ".join(map(str, box))}"', picture, count=1)


def best_cell(page, tile) -> dict:
    """Return the cell where a tile in hand gains most, and how much."""
    tile.click()
    page.locator(".cell.legal").first.click()
    page.wait_for_function(_GAINS_SHOWN)
    page.keyboard.press("Escape")
    found = page.evaluate(_BEST)
    tile.click()
    return found


def board_with_a_ghost(screen: Screen) -> bytes:
    """Choose a tile and its best place; return a screenshot."""
    page = screen.page
    page.wait_for_selector(".hand-tile:not(.dim)")
    tiles = page.locator(".hand-tile:not(.dim)")
    found = [best_cell(page, tile) for tile in tiles.all()]
    best = max(found, key=lambda cell: cell["gain"])
    tiles.nth(found.index(best)).click()
    page.click(f'.cell[data-x="{best["x"]}"][data-y="{best["y"]}"]')
    page.wait_for_function(_GAINS_SHOWN)
    page.wait_for_selector(".ghost .edge")
    return screenshot(page)


def guided_round(browser: Browser, window: dict[str, int]) -> bytes:
    """Begin the guided first round up to the lesson on discarding a tile; return a screenshot."""
    page = browser.window("/play/?lang=en", **window).page
    page.click("[data-act=guide]")
    page.wait_for_selector(CARDS)
    for _ in range(2):
        page.click("[data-act=guide-next]")
    page.wait_for_selector("[data-lesson=discard]")
    return screenshot(page)


def screenshot(page) -> bytes:
    """Return what a page shows, once its pictures are loaded."""
    page.wait_for_function("() => [...document.images].every((image) => image.complete)")
    session = page.context.new_cdp_session(page)
    shot = session.send("Page.captureScreenshot", {"format": "webp", "quality": 80})
    return base64.b64decode(shot["data"])


def main() -> None:
    """Save a territory, the board of a person who continues the same game, and the guided first round."""
    options = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage"]
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        launching(Path(folder)) as start,
        sync_playwright() as playwright,
    ):
        server = start(SKYE_WORKERS="2", SKYE_DISPATCHERS="1")
        territory, record = territory_of_the_winner(server)
        save("territory.svg", territory)
        LAND.write_text(land(territory.decode()))
        players = [player | {"bot": "greedy"} for player in record["players"]]
        players[0]["bot"] = None
        fork = {"name": GAME["name"], "record": record | {"players": players}, "stop_at": FORK}
        created = server.call("POST", "/v1/games", fork)
        chromium = playwright.chromium.launch(executable_path=find_headless_chromium(), args=options)
        browser = Browser(chromium, server.url)
        seat = f"/play/?game={created['game']['id']}&lang=en#seat={created['players'][0]['token']}"
        save("building.webp", board_with_a_ghost(browser.window(seat, **WINDOW)))
        for window in GUIDE_WINDOWS:
            save(f"guide-{window['width']}.webp", guided_round(browser, window))
        browser.close()
        chromium.close()


if __name__ == "__main__":
    main()
