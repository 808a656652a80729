"""The web client of the distribution: its modules in a few files, few requests for a first game."""

import os

import pytest

from tests.support.launcher import ROOT, Launched, kill_all
from tests.support.missing_programs import NO_NODE
from tests.support.wheels import installed
from tests.web.driver import CARDS, Browser

MAX_REQUESTS, MAX_BYTES = 20, 150_000


@pytest.fixture(scope="module")
def distribution(tmp_path_factory):
    """The URL of a server that runs from an installed wheel."""
    if not (ROOT / "web/node_modules").exists():
        pytest.skip(NO_NODE)
    folder = tmp_path_factory.mktemp("wheel")
    site = installed(ROOT / "service", folder)
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SKYE_")}
    environ |= {
        "PYTHONPATH": str(site),
        "SKYE_BIND": "127.0.0.1:0",
        "SKYE_DATA_DIR": str(folder / "data"),
    }
    launched = Launched(environ, folder / "serve.log", cwd=folder)
    yield launched.url
    kill_all(launched.process)


@pytest.fixture
def windows(chromium, distribution):
    """Opens windows on that server; fails the test when a page has complained."""
    with Browser(chromium, distribution) as opened:
        yield opened


def test_first_game_needs_few_requests_and_bytes(windows):
    game, tokens, _ = windows.game("Ann", bots=["random"])
    page = windows.window("/docs").page
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    requests, sizes = [], []
    session.on("Network.requestWillBeSent", lambda event: requests.append(event["request"]["url"]))
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.goto(f"{windows.url}/play/?game={game}#seat={tokens[0]}")
    page.wait_for_selector(CARDS)
    page.wait_for_function("() => [...document.images].every(({complete}) => complete)")
    requests = [url for url in requests if url.startswith("http")]  # the pictures of the sheet are blobs
    assert sum(url.endswith(".js") for url in requests) == 2  # not what is rarely needed
    assert len(requests) <= MAX_REQUESTS, requests
    assert sum(sizes) <= MAX_BYTES


def test_bundle_plays_a_round_in_another_language_and_its_replay(windows):
    game, tokens, _ = windows.game("Ann", bots=["random"])
    screen = windows.window(f"/play/?game={game}&lang=de#seat={tokens[0]}")
    screen.page.wait_for_selector(".pricing h2:has-text('Preise')")
    screen.play_until(lambda state: state["phase"] == "pricing" and screen.view()["round"] == 2)
    screen.page.goto(f"{windows.url}/play/?game={game}&replay=1")
    screen.page.wait_for_selector(".scrub")
