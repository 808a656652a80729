"""What a player does until the purchases are made, and what the page keeps to itself."""

import pytest

from tests.web.driver import CARDS, FIRST, PHONE, SECOND, call, offer, seated
from tests.web.hands import Mouse
from tests.web.test_late_answers import Held

HOSTILE = "<img src=x onerror=alert(1)>"
ARABIC = "عبد الله"


def test_offer_is_replaced_until_the_last_one_reveals_it(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob")
    page = screen.page
    assert "Discard one tile" in page.locator(".pricing").inner_text()
    Mouse().set_prices(page)
    page.click("[data-act=change]")
    page.locator(".card:not(.out) .stepper button").last.click()
    assert page.locator(".purse").inner_text() == "2 left"
    page.click("[data-act=set]")
    page.wait_for_selector("[data-act=change]:visible")
    prices = [tile["price"] for tile in screen.view(tokens[0])["players"][0]["tiles_on_offer"]]
    assert sorted(price for price in prices if price) == [1, 2]
    offer(browser, game, tokens, 1, 1, 1)
    page.wait_for_selector(".game-page[data-phase=buying]")


def test_typed_prices_survive_events_of_others(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", "Cy")
    field = screen.page.locator(".card .price").first
    field.fill("3")
    offer(browser, game, tokens, 1, 1, 1)
    screen.caught_up()
    assert field.input_value() == "3"
    assert screen.page.evaluate("document.activeElement.className") == "price"
    screen.page.reload()
    screen.page.wait_for_selector(CARDS)
    assert screen.page.locator(".card .price").first.input_value() == "3"


def test_gold_left_is_unknown_until_the_tile_to_discard_is_chosen(browser):
    screen, _, _ = seated(browser, "Ann", "Bob")
    page = screen.page
    assert page.inner_text(".purse") == "3 left"  # two prices of 1, whichever tile is discarded
    page.locator(".card .price").first.fill("3")
    assert page.inner_text(".purse") == ""
    page.locator(".pricing .discard").first.click()
    assert page.inner_text(".purse") == "3 left"
    page.locator(".pricing .discard").last.click()
    assert page.inner_text(".purse") == "1 left"


@pytest.mark.parametrize("window", [{}, PHONE])
def test_prices_beyond_the_gold_are_refused_with_the_reason(browser, window):
    screen, _, _ = seated(browser, "Ann", "Bob", window=window)
    page = screen.page
    page.locator(".pricing .discard").first.click()
    reason = page.locator(".pricing :text('You have only 5 gold.'):visible")
    more = page.locator(".card:not(.out) .stepper button:last-child").first
    for _ in range(3):
        more.click()
    assert (page.inner_text(".purse"), reason.count()) == ("0 left", 0)
    more.click()
    assert (page.inner_text(".purse"), reason.count()) == ("0 left", 1)
    field = page.locator(".card:not(.out) .price").first
    field.fill("2")
    assert (page.inner_text(".purse"), reason.count()) == ("2 left", 0)
    field.fill("8")
    assert (page.inner_text(".purse"), reason.count()) == ("-4 left", 1)
    assert page.is_disabled("[data-act=set]")
    page.locator(".pricing .card").last.focus()
    page.keyboard.press("s")
    page.wait_for_selector("#alert:has-text('You have only 5 gold.')", state="attached")
    field.fill("3")
    page.keyboard.press("Tab")
    page.click("[data-act=set]")
    page.wait_for_selector("[data-act=change]:visible")


def test_price_that_was_deleted_is_typed_again(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", "Cy")
    page = screen.page
    field = page.locator(".card .price").nth(1)
    field.click()
    page.keyboard.press("End")
    page.keyboard.press("Backspace")
    offer(browser, game, tokens, 1, 1, 1)
    screen.caught_up()
    page.keyboard.type("3")
    assert field.input_value() == "3"
    page.keyboard.press("Backspace")
    page.keyboard.press("Tab")
    assert field.input_value() == "3"


def test_prices_of_rivals_are_in_no_document_before_the_reveal(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob")
    offer(browser, game, tokens, 1, 4, 1)
    screen.caught_up()
    shown = screen.page.locator(".market").text_content()
    assert "gold" not in shown
    assert shown.count("price hidden") == 3


def test_buyers_take_turns_and_see_what_they_can_afford(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", options=SECOND)
    dear = offer(browser, game, tokens, 1, 4, 1)["prices"]
    Mouse().set_prices(screen.page)
    page = screen.page
    page.wait_for_selector(".game-page[data-phase=buying]")
    assert not page.locator(".buying").is_visible()
    call(browser.url, "PUT", f"/v1/games/{game}/players/1/purchase", {"tile": None}, tokens[1])
    page.wait_for_selector('.offer[aria-disabled="false"]')
    for tile, price in dear.items():
        one = page.locator(f'.offer[data-tile="{tile}"]')
        assert one.get_attribute("aria-disabled") == ("true" if price > 3 else "false")
        assert ("too expensive" in one.inner_text()) == (price > 3)
    page.click("[data-act=pass]")
    page.click("dialog[open] [data-act=yes]")
    page.wait_for_selector(".game-page[data-phase=building]")


def test_offer_is_not_too_expensive_before_actions_are_known(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", options=FIRST)
    dear = offer(browser, game, tokens, 1, 4, 1)["prices"]
    page = screen.page
    page.click(".pricing .card .discard")
    answer = Held(screen, "**/offer?*", "PUT")
    page.click("[data-act=set]")
    page.wait_for_selector(".game-page[data-phase=buying].my-turn[aria-busy]")
    screen.drawn()
    assert "".join(page.locator(".why").all_inner_texts()) == ""
    answer.release()
    page.wait_for_selector(".game-page[data-phase=buying]:not([aria-busy])")
    for tile, price in dear.items():
        shown = page.locator(f'.offer[data-tile="{tile}"]').inner_text()
        assert ("too expensive" in shown) == (price > 3)


def test_names_with_markup_and_right_to_left_text_stay_text(browser):
    screen, _, _ = seated(browser, HOSTILE, ARABIC, "Bob", seat=2)
    assert screen.page.locator(".seat h3 bdi").all_inner_texts() == ["Bob", HOSTILE, ARABIC]
    assert screen.page.locator("img[src=x]").count() == 0


def test_token_of_a_seat_link_stays_out_of_addresses_and_referrers(browser):
    game, tokens, _ = browser.game("Ann", "Bob")
    requests = []
    window = browser.window("/play/")
    window.page.on("request", lambda request: requests.append((request.url, request.headers)))
    window.page.goto(f"{browser.url}/play/?game={game}#seat={tokens[0]}")
    window.page.wait_for_selector(CARDS)
    assert tokens[0] not in window.page.url
    sent = [url.partition("#")[0] for url, _ in requests]  # a fragment is never sent
    assert not any(tokens[0] in url for url in sent)
    assert not any(tokens[0] in headers.get("referer", "") for _, headers in requests)
    window.page.go_back()
    assert tokens[0] not in window.page.evaluate("JSON.stringify([location.href, document.referrer])")
