"""The page of a player key: its webhooks and its finished games; and those of the browser's own key."""

import secrets

from tests.support.ports import free_port
from tests.web.driver import Screen, call
from tests.web.test_accessibility import findings


def test_webhook_of_a_player_key_is_added_tested_and_deleted(browser, axe):
    key = f"skye_key_{secrets.token_urlsafe(16)}"
    receiver = f"http://127.0.0.1:{free_port()}/events"  # nobody listens: the challenge fails
    page = browser.window().page
    page.click("[data-act=player-key]")
    page.fill("dialog [name=key]", key)
    page.click("dialog form:has([name=key]) button")
    page.wait_for_selector("dialog li:has-text('no webhook')")
    page.fill("dialog [name=url]", receiver)
    page.click("dialog form:has([name=url]) button")
    page.wait_for_selector(f"dialog li:has-text('{receiver}') .badge:has-text('not verified')")
    assert page.locator("dialog code").inner_text().startswith("whsec_")
    assert findings(browser, Screen(page, browser.url), axe) == []
    page.click("dialog li button:has-text('Test')")
    page.wait_for_selector("dialog li [lang=en]")
    page.click("dialog li button:has-text('Delete')")
    page.wait_for_selector("dialog li:has-text('no webhook')")
    assert key not in page.evaluate("JSON.stringify([localStorage, sessionStorage, location.href])")


def test_invalid_player_key_is_explained(browser):
    browser.expected.append("401")
    page = browser.window().page
    page.click("[data-act=player-key]")
    page.fill("dialog [name=key]", "no key")
    page.click("dialog form:has([name=key]) button")
    page.wait_for_selector("dialog .toast.bad")  # all outside of the dialog is inert
    page.wait_for_selector("dialog [role=alert]:not(:empty)", state="attached")
    assert not page.is_visible("dialog [name=url]")


def resigned(url, key):
    """Finish a game of a key by resigning, after a decision: without one it enters no history."""
    players = [{"name": "Ann"}, {"name": "Greedy", "bot": "greedy"}]
    game = call(url, "POST", "/v1/games", {"players": players, "auto_start": True}, key)["game"]["id"]
    action = call(url, "GET", f"/v1/games/{game}/players/0/actions", token=key)["actions"][0]
    call(url, action["method"], action["href"], action["body"], key)
    call(url, "POST", f"/v1/games/{game}/players/0/resign", token=key)


def test_finished_games_of_a_player_key_are_listed(browser, axe):
    key = f"skye_key_{secrets.token_urlsafe(16)}"
    for _ in range(21):
        resigned(browser.url, key)
    page = browser.window().page
    page.click("[data-act=player-key]")
    page.fill("dialog [name=key]", key)
    page.click("dialog form:has([name=key]) button")
    page.wait_for_selector("dialog .past li:has-text('Place 2 of 2'):has-text('resigned in round 1')")
    assert "Greedy" in page.locator("dialog .past li").first.inner_text()
    assert page.locator("dialog .past li").count() == 20
    assert findings(browser, Screen(page, browser.url), axe) == []
    page.click("dialog button:has-text('Show more')")
    page.wait_for_function("() => document.querySelectorAll('dialog .past li').length === 21")
    assert page.locator("dialog button:has-text('Show more')").is_hidden()


def test_finished_games_of_the_browser_are_among_its_games(browser):
    key = f"skye_key_{secrets.token_urlsafe(16)}"
    resigned(browser.url, key)
    page = browser.window().page
    page.wait_for_selector("[data-act=player-key]")
    assert page.locator(".past-games").count() == 0
    page.evaluate(f"localStorage['skye.player'] = '{key}'")
    page.reload()
    page.click(".past-games summary")
    page.wait_for_selector(".past-games li:has-text('Place 2 of 2')")
