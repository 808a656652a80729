"""What the others can do and did, and why gold and points came: at every width."""

from operator import itemgetter

import pytest

from tests.web.driver import NOTICE_MS, PHONE, call, offer, offer_all, seated

WIDTHS = """() => [...document.querySelectorAll(".market-row[data-seat='1'] .offer img")].map(
  ({offsetWidth}) => offsetWidth)"""


def place(actions):
    """Return a placement among legal actions, otherwise the first action."""
    return next((action for action in actions if action["type"] == "place"), actions[0])


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_tiles_of_rivals_are_shown_while_prices_are_set(browser, width):
    screen, _, _ = seated(browser, "Ann", "Bob", "Cy", window={"width": width, "height": 800})
    page = screen.page
    widths = page.evaluate(WIDTHS)
    assert len(widths) == 3
    assert min(widths) >= 24
    page.locator(".market-row[data-seat='2'] .offer").first.click()
    page.wait_for_selector(".trial h2:has-text('would fit')")
    page.click("[data-act=end-trial]")
    page.wait_for_selector("[data-act=set]:visible")


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_rivals_who_have_set_prices_or_built_are_named_as_such(browser, width):
    screen, game, tokens = seated(browser, "Ann", "Bob", window={"width": width, "height": 800})
    state = "[data-seat='1'] .seat-state:visible"
    offer(browser, game, tokens, 1, 1, 1)
    screen.page.wait_for_selector(f"{state}:has-text('prices set')")
    offer(browser, game, tokens, 0, 1, 1)
    screen.page.wait_for_selector(".game-page[data-phase=buying]")
    while screen.view()["phase"] == "buying":
        browser.act(game, seat := screen.view()["waiting_for"][0], tokens[seat], itemgetter(-1))
    while browser.act(game, 1, tokens[1], itemgetter(-1)):
        pass
    screen.page.wait_for_selector(f"{state}:has-text('has built')")


def test_placements_of_rivals_are_news_and_marked_on_their_board(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", window=PHONE)
    screen.keep(NOTICE_MS)
    page = screen.page
    offer_all(browser, game, tokens)
    for _ in tokens:
        seat = screen.view()["waiting_for"][0]
        path = f"/v1/games/{game}/players/{seat}/purchase"
        call(browser.url, "PUT", path, {"tile": None}, tokens[seat])
    screen.caught_up()
    browser.act(game, 1, tokens[1], place)
    tile = screen.view()["players"][1]["territory"][-1]["tile"]
    page.wait_for_selector(f".notices p:has-text('{tile}') img")
    page.click("[data-seat='1'] .look")
    page.wait_for_selector(f".cell.fresh[data-tile={tile}]")
    assert page.locator(".cell.fresh").count() == 1
    call(browser.url, "DELETE", f"/v1/games/{game}/players/1/placements/1", None, tokens[1])
    page.wait_for_function("() => !document.querySelector('.cell.fresh')")


def test_income_and_points_open_their_parts_and_rules_their_numbers(browser):
    screen, _, _ = seated(browser, "Ann", bots=["random"])
    page = screen.page
    screen.play_until(lambda state: state["phase"] == "pricing" and screen.view()["round"] == 2)
    page.click("[data-tab=log]")
    for kind, part in (("income_paid", "castle"), ("round_scored", "A ")):
        page.locator(f".log .{kind} summary").first.click()
        page.wait_for_selector(f".log .{kind} p:has-text('{part}'):visible")
    screen.menu("[data-act=rules]")
    screen.reads("dialog.rules", "1 in round 3, 2 in round 4")
