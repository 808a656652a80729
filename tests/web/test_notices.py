"""Short notices about what others did, and the rules for players over the board."""

import pytest

from tests.web.driver import FIRST, KEEP_SAID, PHONE, SECOND, call, offer_all, seated
from tests.web.test_accessibility import findings


def test_purchase_of_another_player_is_noticed_and_spoken(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", "Cy", options=SECOND)
    offer_all(browser, game, tokens)
    screen.caught_up()
    page = screen.page
    page.evaluate(KEEP_SAID)
    tile = screen.view()["players"][0]["tiles_on_offer"][0]["tile"]
    call(browser.url, "PUT", f"/v1/games/{game}/players/1/purchase", {"tile": tile}, tokens[1])
    page.wait_for_selector(f".notices p:has-text('{tile}')")
    page.wait_for_function(f"() => said.some((text) => text.includes('buys') && text.includes('{tile}'))")
    call(browser.url, "PUT", f"/v1/games/{game}/players/2/purchase", {"tile": None}, tokens[2])
    page.wait_for_selector(".notices p:has-text('buys nothing')")


def test_own_purchase_needs_no_notice(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", options=FIRST)
    offer_all(browser, game, tokens)
    page = screen.page
    page.wait_for_selector('.offer[aria-disabled="false"]')
    page.wait_for_selector(".game-page:not([aria-busy])")
    page.locator('.offer[aria-disabled="false"]').first.click()
    page.click("[data-act=buy]")
    page.wait_for_selector(".game-page:not(.my-turn)")
    screen.caught_up()
    assert "buys" not in page.locator(".notices").inner_text()


@pytest.mark.parametrize("language", ["en", "de", "ru", "zh", "ja"])
def test_rules_open_over_the_board_in_every_language(browser, axe, language):
    screen, game, _ = seated(browser, "Ann", "Bob", language=language, window=PHONE)
    page = screen.page
    screen.menu("[data-act=rules]")
    page.wait_for_selector("dialog.rules[open]")
    assert "rules." not in page.locator("dialog.rules").inner_text()
    assert page.locator("dialog.rules img").count() == 9
    assert findings(browser, screen, axe) == []
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    assert f"game={game}" in page.url
