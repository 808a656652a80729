"""The guided first round: a real game whose rules are explained when they matter."""

import re

import pytest

from tests.web.driver import CARDS, PHONE
from tests.web.hands import Keyboard, Mouse
from tests.web.test_accessibility import findings


def guided(browser, language="en", **window):
    """Begin the guided round from the first page; return the screen."""
    screen = browser.window(f"/play/?lang={language}", **window)
    screen.page.click("[data-act=guide]")
    screen.page.wait_for_selector(".guide:visible")
    screen.page.wait_for_selector(CARDS)
    return screen


def lesson(page):
    """Return the lesson that is taught now."""
    return page.evaluate("document.querySelector('.game-page').dataset.lesson")


def learn(page, *lessons):
    """Wait for each of these lessons in turn; press Next where the player has nothing else to do."""
    for name in lessons:
        page.wait_for_selector(f".game-page[data-lesson={name}]")
        if page.locator("[data-act=guide-next]").is_visible():
            page.click("[data-act=guide-next]")


def play_the_round(screen, hands):
    """Play the guided round with an input device, lesson by lesson."""
    page = screen.page
    learn(page, "income", "scoring", "discard")
    hands.set_prices(page)
    learn(page, "buy")
    hands.buy(page)
    for name in ("edges", "ghost", "gains"):
        page.wait_for_selector(f".game-page[data-lesson={name}]")
        if name == "edges":
            hands.press(page, ".hand-tile:not(.dim)")
        elif name == "ghost":
            hands.choose_cell(page)
    hands.place(page)
    learn(page, "completed", "scrolls")
    page.wait_for_selector(".game-page[data-lesson=finish]")
    screen.play_until(lambda state: state["phase"] == "pricing", hands)
    learn(page, "points", "next_round")
    page.wait_for_selector(".guide", state="hidden")


@pytest.mark.parametrize("hands", [Mouse(), Keyboard()], ids=["mouse", "keyboard"])
def test_guided_round_teaches_each_rule_when_it_matters(browser, hands):
    screen = guided(browser)
    play_the_round(screen, hands)
    view = screen.view(screen.token())
    assert view["round"] == 2
    assert view["visibility"] == "private"


def test_guide_is_spoken_and_resumes_after_a_reload(browser):
    page = guided(browser).page
    assert "income" in page.locator(".guide p").inner_text()
    page.wait_for_function(
        """() => document.getElementById("status").textContent
          === document.querySelector(".guide p").textContent"""
    )
    page.click("[data-act=guide-next]")
    page.wait_for_selector(".guide h2:focus")
    page.reload()
    page.wait_for_selector(".game-page[data-lesson=scoring]")
    page.click("[data-act=guide-next]")  # the next lesson names a tile: it has its picture and its words
    page.wait_for_selector(".guide .example img[alt*='water']")


def test_guide_is_skipped_and_shown_again_from_the_menu(browser):
    screen = guided(browser)
    page = screen.page
    page.click("[data-act=guide-skip]")
    assert not page.locator(".guide").is_visible()
    page.reload()
    page.wait_for_selector(CARDS)
    assert not page.locator(".guide").is_visible()
    screen.menu("[data-act=guide]")
    page.wait_for_selector(".game-page[data-lesson=income]")


@pytest.mark.parametrize("language", ["de", "ru", "zh", "ja"])
def test_guide_fits_a_phone_in_every_language(browser, axe, language):
    screen = guided(browser, language, **PHONE)
    page = screen.page
    assert lesson(page) == "income"
    assert not re.search(r"guide\.|\{", page.locator(".guide").inner_text())
    box = page.locator(".guide").bounding_box()
    assert box["x"] + box["width"] <= 360
    shown, button = page.locator(".notes").bounding_box(), page.locator(".guide .bar").bounding_box()
    assert button["y"] + button["height"] <= shown["y"] + shown["height"]
    assert page.locator(".pricing .card").first.is_visible()
    assert findings(browser, screen, axe) == []
