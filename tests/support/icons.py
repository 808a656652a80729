"""Draw the icons of the web client for systems without SVG, by Chromium: `python -m tests.support.icons`.

They are the picture of the castle tile that is the icon of the page.
"""

from playwright.sync_api import sync_playwright

from skye.svg import tile_svg
from tests.support.chromium import find_headless_chromium
from tests.support.launcher import ROOT

FOLDER = ROOT / "web" / "icons"
TILE = "castle-green"
SIZES = (180, 192, 512)
"""The edges in pixels: iOS takes the first, the manifest names the others."""

_STYLE = "body { margin: 0; background: #24483a } svg { display: block; width: 100vw; height: 100vh }"


def main() -> None:
    """Write each icon, without transparent corners, which iOS would show black."""
    FOLDER.mkdir(exist_ok=True)
    options = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage"]
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_headless_chromium(), args=options)
        for size in SIZES:
            page = chromium.new_page(viewport={"width": size, "height": size})
            page.set_content(f"<style>{_STYLE}</style>{tile_svg(TILE)}")
            page.screenshot(path=FOLDER / f"{size}.png")
        chromium.close()


if __name__ == "__main__":
    main()
