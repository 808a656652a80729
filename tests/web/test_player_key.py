"""The page of a player key: its webhooks."""

import secrets

from tests.support.ports import free_port
from tests.web.driver import Screen
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
