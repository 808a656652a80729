"""The page of bug hunts of a lab server."""

import re

from tests.web.driver import Browser, Screen, call
from tests.web.test_accessibility import findings


def opened_hunt(page):
    """Open a hunt for one defect; return its path."""
    page.check("input[value=contract]")
    page.select_option("[name=difficulty]", "easy")
    page.fill("[name=count]", "1")
    page.fill("[name=seed]", "hunt")
    page.click("[data-act=open-hunt]")
    address = page.locator(".panel code:has-text('/v1/lab/hunts/')").first.inner_text()
    return re.search(r"(/v1/lab/hunts/\w+)/api", address)[1]


def test_hunt_is_opened_scored_and_revealed(browser, axe):
    screen = browser.window()
    page = screen.page
    page.click("a[href='/play/?hunts']")
    path = opened_hunt(page)
    page.wait_for_selector("td:has-text('1')")
    assert findings(browser, Screen(page, browser.url), axe) == []
    begun = {"method": "POST", "path": "/v1/games", "body": "{}"}
    evidence = [begun, {"path": "/v1/games/{{1/game/id}}"}]
    report = {"operation": "get_game", "class": "contract", "evidence": evidence}
    assert call(browser.url, "POST", f"{path}/reports", report)["accepted"]
    page.click("[data-act=refresh-hunt]")
    page.wait_for_selector("p:has-text('1 of 1 found')")
    page.click("[data-act=reveal]")
    assert not call(browser.url, "GET", path)["revealed_at"]
    page.click("dialog [data-act=yes]")
    page.wait_for_selector("li:has-text('game_without_last_event') .badge")
    page.click("summary")
    assert findings(browser, Screen(page, browser.url), axe) == []
    assert call(browser.url, "GET", path)["revealed_at"]
    page.reload()
    page.wait_for_selector("li:has-text('game_without_last_event')")
    assert not page.is_visible("[data-act=reveal]")


def test_hunt_that_has_expired_is_forgotten(browser):
    browser.expected.append("404")
    page = browser.window("/play/?hunts").page
    page.wait_for_selector("[data-act=open-hunt]")
    page.evaluate("localStorage.setItem('skye.hunts', JSON.stringify([{id: 'x'.repeat(12), key: null}]))")
    page.reload()
    page.wait_for_function("() => localStorage.getItem('skye.hunts') === '[]'")


def test_server_that_is_no_lab_has_no_hunts(chromium, launch):
    with Browser(chromium, launch(SKYE_REDIS_URL="memory://").url) as browser:
        browser.expected.append("403")
        page = browser.window().page
        page.wait_for_selector(".games, .front .faint")
        assert not page.is_visible("a[href='/play/?hunts']")
        page.goto(f"{browser.url}/play/?hunts")
        page.wait_for_selector("main h1")
        assert not page.is_visible("[data-act=open-hunt]")
