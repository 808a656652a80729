"""axe-core finds nothing on any screen, in any phase."""

from pathlib import Path

import pytest

from tests.support.missing_programs import NO_NODE
from tests.table.driver import Mouse

AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
RUN = """axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  rules: {"target-size": {enabled: true}}}).then(({violations}) => violations.flatMap(({id, nodes}) =>
    nodes.map(({html, failureSummary}) => `${id}: ${html.slice(0, 200)} ${failureSummary}`)))"""


@pytest.fixture(scope="module")
def axe():
    """The source of axe-core."""
    return AXE.read_text() if AXE.is_file() else pytest.skip(NO_NODE)


def findings(browser, screen, axe):
    """Return what axe finds on a page. The debugger runs it: the policy of the page refuses it."""
    browser.expected.append(
        "rusted"
    )  # axe itself tries whether it may evaluate text, which Trusted Types refuse
    session = screen.page.context.new_cdp_session(screen.page)
    session.send("Runtime.evaluate", {"expression": axe})
    found = session.send("Runtime.evaluate", {"expression": RUN, "awaitPromise": True, "returnByValue": True})
    session.detach()
    return found["result"]["value"]


def check_every_phase(browser, axe, language="en", **window):
    """Look for findings on every screen and in every phase of a game."""
    browser.game("Ann", "Bob", start=False)  # so that there is a list
    front = browser.window(f"/play/?lang={language}", **window)
    front.page.wait_for_selector(".games")
    assert findings(browser, front, axe) == []
    lobby, _, host = browser.game("Ann", start=False, seats=3)
    screen = browser.window(f"/play/?game={lobby}&lang={language}#host={host}", **window)
    screen.page.wait_for_selector(".lobby")
    assert findings(browser, screen, axe) == []
    game, tokens, _ = browser.game("Ann", bots=["random"])
    screen = browser.window(f"/play/?game={game}&lang={language}#seat={tokens[0]}", **window)
    for phase in ("pricing", "buying", "building"):
        screen.play_until(lambda state, phase=phase: state["phase"] == phase and state["mine"])
        screen.page.wait_for_timeout(300)
        assert findings(browser, screen, axe) == [], phase
    screen.page.locator(".hand-tile:not(.dim)").first.click()
    screen.page.locator(".cell.legal").first.click()
    screen.page.wait_for_selector(".gains:not([hidden])")
    assert findings(browser, screen, axe) == []
    screen.page.keyboard.press("?")
    screen.page.wait_for_selector("dialog[open]")
    assert findings(browser, screen, axe) == []
    screen.page.keyboard.press("Escape")
    screen.play_until(lambda state: state["status"] == "finished", Mouse())
    assert findings(browser, screen, axe) == []
    replay = browser.window(f"/play/?game={game}&replay=1&lang={language}#e=20", **window)
    replay.page.wait_for_selector(".scrub")
    assert findings(browser, replay, axe) == []


def test_axe_finds_nothing_in_any_phase(browser, axe):
    check_every_phase(browser, axe)


@pytest.mark.full_size
@pytest.mark.parametrize(
    ("language", "window"),
    [
        ("de", {"width": 360, "height": 740}),
        ("ru", {"color_scheme": "dark"}),
        ("zh", {"width": 1024, "height": 768}),
        ("ja", {"width": 360, "height": 740, "color_scheme": "dark"}),
        ("x-rtl", {}),
    ],
)
def test_axe_finds_nothing_in_other_languages_sizes_and_colors(browser, axe, language, window):
    check_every_phase(browser, axe, language, **window)
