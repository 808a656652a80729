"""axe-core finds nothing on any screen, in any phase; seats do not depend on seeing colors."""

import re

import pytest

from tests.web.driver import PHONE, add_seat, replayed, seated, show_ghost
from tests.web.hands import Mouse

RUN = """axe.run({preload: false,
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  rules: {"target-size": {enabled: true}, "label-content-name-mismatch": {enabled: true}},
}).then(({violations}) => violations.flatMap(({id, nodes}) =>
    nodes.map(({html, failureSummary}) => `${id}: ${html.slice(0, 200)} ${failureSummary}`)))"""
DARK = {"color_scheme": "dark"}
OTHER_LANGUAGES = [
    ("de", PHONE),
    ("ru", DARK),
    ("zh", {"width": 1024, "height": 768}),
    ("ja", PHONE | DARK),
    ("x-rtl", {}),
]


def findings(browser, screen, axe):
    """Return what axe finds on a page. The debugger runs it: the policy of the page refuses it."""
    screen.page.wait_for_selector("main:visible")  # a game is hidden while it is laid out
    # axe itself tries whether it may evaluate text, which Trusted Types refuse
    browser.expected.append("rusted")
    session = screen.page.context.new_cdp_session(screen.page)
    session.send("Runtime.evaluate", {"expression": axe})
    found = session.send("Runtime.evaluate", {"expression": RUN, "awaitPromise": True, "returnByValue": True})
    session.detach()
    return found["result"]["value"]


def check_before_a_game(browser, axe, language, **window):
    """Look for findings on the first screen and in a lobby."""
    browser.game("Ann", "Bob", auto_start=False)  # so that there is a list
    front = browser.window(f"/play/?lang={language}", **window)
    front.page.wait_for_selector(".games")
    assert findings(browser, front, axe) == []
    front.page.click("[data-act=find-opponents]")
    front.page.wait_for_selector("[data-act=cancel-ticket]")
    assert findings(browser, front, axe) == []
    front.page.click("[data-act=cancel-ticket]")
    front.page.wait_for_selector("[data-act=find-opponents]")
    lobby, _, host = browser.game("Ann", auto_start=False, seat_count=3)
    screen = browser.window(f"/play/?game={lobby}&lang={language}#host={host}", **window)
    screen.page.wait_for_selector(".lobby")
    assert findings(browser, screen, axe) == []


def check_trial(browser, screen, axe):
    """Look for findings while a tile is tried that is not in hand; end the trial."""
    screen.page.locator(".pricing .try").first.click()
    screen.page.wait_for_selector(".trial:visible")
    screen.page.locator(".cell.legal").first.click()
    screen.page.wait_for_selector(".trial .gains:visible")
    assert findings(browser, screen, axe) == []
    screen.page.click("[data-act=end-trial]")


def check_ghost(browser, screen, axe):
    """Look for findings beside a ghost, and in the list of shortcuts."""
    show_ghost(screen.page)
    screen.page.wait_for_selector(".building .gains:visible")
    assert findings(browser, screen, axe) == []
    screen.page.keyboard.press("?")
    screen.page.wait_for_selector("dialog[open]")
    assert findings(browser, screen, axe) == []
    screen.page.keyboard.press("Escape")


def check_menu(browser, screen, axe):
    """Look for findings in the open menu, in a question and in a dialog that it opens."""
    page = screen.page
    page.click(".menu summary")
    page.wait_for_selector(".menu-items")
    assert findings(browser, screen, axe) == []
    page.click(".menu-items [data-act=leave]")
    page.wait_for_selector("dialog[open]")
    assert findings(browser, screen, axe) == []
    page.keyboard.press("Escape")
    screen.menu("[data-act=seat-link]")
    page.wait_for_selector("dialog[open] input")
    assert findings(browser, screen, axe) == []
    page.keyboard.press("Escape")


def check_points_and_bag(browser, screen, axe):
    """Look for findings in the list of what earned points, and in that of the tiles in the bag."""
    screen.page.locator(".result .score").first.click()
    screen.page.wait_for_selector("[data-part=points]:visible")
    assert findings(browser, screen, axe) == []
    screen.page.locator("[data-act=bag]").dispatch_event("click")  # on a phone it is in another pane
    screen.page.wait_for_selector("dialog[open] .bag-tiles")
    assert findings(browser, screen, axe) == []
    screen.page.keyboard.press("Escape")


def check_every_phase(browser, axe, language="en", **window):
    """Look for findings on every screen and in every phase of a game."""
    check_before_a_game(browser, axe, language, **window)
    game, tokens, _ = browser.game("Ann", bots=["random"])
    screen = browser.window(f"/play/?game={game}&lang={language}#seat={tokens[0]}", **window)
    for phase in ("pricing", "buying", "building"):
        screen.play_until(lambda state, phase=phase: state["phase"] == phase and state["mine"])
        assert findings(browser, screen, axe) == [], phase
        if phase == "pricing":
            check_trial(browser, screen, axe)
            check_menu(browser, screen, axe)
    check_ghost(browser, screen, axe)
    screen.play_until(lambda state: state["phase"] == "pricing")
    screen.page.wait_for_selector(".strip .points:visible")
    assert findings(browser, screen, axe) == []
    browser.play_out(game, tokens[0])
    screen.page.wait_for_selector(".result:visible")
    assert findings(browser, screen, axe) == []
    check_points_and_bag(browser, screen, axe)
    replay = replayed(browser, game, f"&lang={language}#e=20", **window)
    assert findings(browser, replay, axe) == []
    replay.page.click("[data-act=fork]")
    replay.page.wait_for_selector("dialog[open]")
    assert findings(browser, replay, axe) == []
    browser.expected.append("404")
    gone = browser.window(f"/play/?game=nosuchgame&lang={language}", **window)
    gone.page.wait_for_selector("main h1")
    assert findings(browser, gone, axe) == []


def check_hand_over(browser, axe, language="en", **window):
    """Look for findings while the page asks to hand the device over to another seat."""
    screen, game, tokens = seated(browser, "Ann", "Bob", window=window)
    add_seat(browser, screen, f"{game}&lang={language}", tokens[1])
    assert findings(browser, screen, axe) == []
    Mouse().set_prices(screen.page)
    screen.page.wait_for_selector("[data-act=hand-over]")
    assert findings(browser, screen, axe) == []


@pytest.mark.parametrize(
    "window", [{}, PHONE, {"width": 768, "height": 1024}], ids=["desktop", "phone", "tablet"]
)
def test_axe_finds_nothing_in_any_phase(browser, axe, window):
    check_every_phase(browser, axe, **window)


def test_axe_finds_nothing_while_the_device_is_handed_over(browser, axe):
    check_hand_over(browser, axe)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_guide(browser, axe, scheme):
    screen = browser.window("/docs", color_scheme=scheme)
    for path in ("/docs", "/docs/limits", "/docs/errors"):
        screen.page.goto(browser.url + path)
        background = screen.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", background))) < 3 * 128) == (scheme == "dark")
        assert findings(browser, screen, axe) == [], path


def test_reference_is_dark_where_the_browser_prefers_that(browser):
    page = browser.window("/docs/reference", color_scheme="light").page
    page.wait_for_selector(".opblock")
    assert page.locator("html:not(.dark-mode)").count() == 1
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector("html.dark-mode")


@pytest.mark.full_size
@pytest.mark.parametrize(("language", "window"), OTHER_LANGUAGES)
def test_axe_finds_nothing_in_other_languages_sizes_and_colors(browser, axe, language, window):
    check_every_phase(browser, axe, language, **window)


@pytest.mark.full_size
@pytest.mark.parametrize(("language", "window"), OTHER_LANGUAGES)
def test_axe_finds_nothing_at_hand_over_in_other_languages(browser, axe, language, window):
    check_hand_over(browser, axe, language, **window)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_seats_differ_by_shape_as_well_as_by_color(browser, scheme):
    names = ("Ann", "Bob", "Cy", "Dee", "Eve")
    screen, _, _ = seated(browser, *names, window={"color_scheme": scheme})
    marks = screen.page.locator(".seat .mark")
    assert len(set(marks.all_inner_texts())) == len(names)
    in_market = screen.page.locator(".market-row .mark").all_inner_texts()
    assert len(set(in_market)) == len(names)
    outlines = marks.evaluate_all("all => all.map((one) => getComputedStyle(one).webkitTextStrokeWidth)")
    assert "0px" not in outlines
