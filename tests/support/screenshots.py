"""Make the pictures of the README from a live server: `python -m tests.support.screenshots`."""

import base64
import tempfile
import urllib.request
from pathlib import Path
from urllib.parse import urlencode

from tests.support.chromium import browsing, find_chromium
from tests.support.launcher import ROOT, launching

FOLDER = ROOT / "examples" / "browser"
GAME = {
    "name": "An evening on Skye",
    "players": [{"name": name, "bot": "greedy"} for name in ("Ann", "Bob", "Cat", "Dee")],
    "start": True,
    "options": {"seed": "skye"},
}


def main():
    """Let bots play a game, and save a territory and the spectator page that shows it."""
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        launching(Path(folder)) as start,
        browsing(find_chromium(), Path(profile)) as page,
    ):
        server = start(SKYE_WORKERS="2")
        game = server.call("POST", "/v1/games", GAME)["game"]
        path = f"/v1/games/{game['id']}/players/{game['result']['winners'][0]}/territory.svg"
        with urllib.request.urlopen(server.url + path, timeout=10) as picture:
            (FOLDER / "territory.svg").write_bytes(picture.read())
        index = (FOLDER / "index.html").as_uri()
        page.open(f"{index}?{urlencode({'api': server.url, 'game': game['id']})}")
        drawn = "[...document.querySelectorAll('.territory img')].filter((image) => image.naturalWidth > 200)"
        page.wait_until(f"{drawn}.length === {len(GAME['players'])}")
        page.wait_until("document.getElementById('line')?.textContent === 'over'")
        shot = page.send("Page.captureScreenshot", format="png")["data"]
        (FOLDER / "spectator.png").write_bytes(base64.b64decode(shot))


if __name__ == "__main__":
    main()
