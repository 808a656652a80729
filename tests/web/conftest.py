"""The web client in a real Chromium, driven by Playwright against a live server."""

from pathlib import Path

import pytest

from tests.support.chromium import find_headless_chromium
from tests.support.missing_programs import NO_NODE
from tests.support.waiting import MAX_WAIT_S
from tests.web.driver import Browser


@pytest.fixture(scope="package")
def chromium():
    """One Chromium for all tests of this folder in a process; each window has storage of its own.

    Until it is closed, Playwright's event loop seems to run in this thread, which refuses all others.
    """
    sync_api = pytest.importorskip("playwright.sync_api")
    program = find_headless_chromium()
    with sync_api.sync_playwright() as playwright:
        options = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--no-proxy-server"]
        chromium = playwright.chromium.launch(
            executable_path=program, args=options, timeout=1000 * MAX_WAIT_S
        )
        yield chromium
        chromium.close()


@pytest.fixture(scope="package")
def windows_kept():
    """The closed windows of this Chromium, which are opened again."""
    return []


@pytest.fixture
def browser(chromium, live, windows_kept):
    """Opens windows on the shared server; fails the test when a page has complained."""
    with Browser(chromium, live.url, windows_kept) as opened:
        yield opened


@pytest.fixture(scope="session")
def axe():
    """The source of axe-core."""
    source = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
    return source.read_text() if source.is_file() else pytest.skip(NO_NODE)
