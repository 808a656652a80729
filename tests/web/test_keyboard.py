"""Keys and the keyboard focus: what a key chooses, and where the focus is after an action."""

import pytest

from tests.web.driver import FIRST, offer_all, seated
from tests.web.hands import Keyboard, can_build


def buying(browser):
    """Open a seat that may buy one of two tiles; return the screen."""
    screen, game, tokens = seated(browser, "Ann", "Bob", options=FIRST)
    offer_all(browser, game, tokens)
    screen.page.wait_for_selector('.offer[aria-disabled="false"]')
    screen.page.wait_for_selector(".game-page:not([aria-busy])")
    return screen


def test_digit_chooses_another_tile_after_a_digit(browser):
    page = seated(browser, "Ann", "Bob")[0].page
    page.keyboard.press("1")
    page.wait_for_selector(".card:nth-child(1):focus")
    page.keyboard.press("3")
    page.wait_for_selector(".card:nth-child(3):focus")
    page.keyboard.press("+")
    assert [field.input_value() for field in page.locator(".card .price").all()] == ["1", "1", "2"]


def test_key_sets_the_prices_and_the_focus_moves_to_change(browser):
    page = seated(browser, "Ann", "Bob")[0].page
    page.keyboard.press("1")
    page.keyboard.press("x")
    page.wait_for_selector("[data-act=set]:enabled:not([aria-disabled])")
    page.keyboard.press("s")
    page.wait_for_selector("[data-act=change]:focus")


def test_key_does_not_send_prices_again_that_are_set(browser):
    screen, _, _ = seated(browser, "Ann", "Bob")
    page = screen.page
    sent = []
    page.on("request", lambda request: request.method == "PUT" and sent.append(request.url))
    Keyboard().set_prices(page)
    page.wait_for_selector(".game-page:not([aria-busy]) [data-act=change]:focus")
    page.keyboard.press("s")
    screen.drawn()
    assert len(sent) == 1


def test_key_buys_the_chosen_tile_and_the_focus_stays_in_the_page(browser):
    screen = buying(browser)
    page = screen.page
    page.keyboard.press("1")
    page.wait_for_selector(".offer[aria-pressed=true]:focus")
    page.keyboard.press("b")
    screen.wait_for(lambda: screen.view()["waiting_for"] != [0])
    page.wait_for_selector(".game-page:not(.my-turn)")
    page.wait_for_selector("h2:focus, .offer:focus")


def test_enter_on_a_chosen_tile_keeps_it_and_escape_drops_it(browser):
    page = buying(browser).page
    page.keyboard.press("1")
    page.wait_for_selector(".offer[aria-pressed=true]:focus")
    page.keyboard.press("Enter")
    assert page.locator(".offer[aria-pressed=true]").count() == 1
    page.keyboard.press("Escape")
    assert page.locator(".offer[aria-pressed=true]").count() == 0
    page.locator('.offer[aria-disabled="false"]').first.click()
    page.locator('.offer[aria-disabled="false"]').first.click()
    assert page.locator(".offer[aria-pressed=true]").count() == 0


def test_enter_on_a_tile_in_hand_keeps_it_chosen(browser):
    screen, _, _ = seated(browser, "Ann", bots=["random"])
    screen.play_until(can_build, Keyboard())
    page = screen.page
    page.locator(".hand-tile:not(.dim)").first.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert page.locator(".hand-tile[aria-pressed=true]").count() == 1


def test_focus_is_on_a_heading_when_a_game_is_opened(browser):
    page = seated(browser, "Ann", "Bob")[0].page
    page.wait_for_selector(".pricing h2:focus")


def test_passing_is_confirmed_while_a_tile_is_affordable(browser):
    screen = buying(browser)
    page = screen.page
    page.click("[data-act=pass]")
    page.wait_for_selector("dialog[open]")
    page.click("dialog[open] button:has-text('Cancel')")
    assert screen.view()["waiting_for"] == [0]
    page.keyboard.press("p")
    page.wait_for_selector("dialog[open]")
    page.click("dialog[open] [data-act=yes]")
    page.wait_for_selector(".game-page:not(.my-turn)")


class Shortcuts(Keyboard):
    """Plays by shortcuts, which press no button."""

    def set_prices(self, page):
        """Discard the first tile, and send."""
        for key in "1xs":
            page.keyboard.press(key)
        page.wait_for_selector("[data-act=set]", state="hidden")
        return True

    def press(self, page, selector):
        """Press the shortcut of a button."""
        if selector == "[data-act=buy]":
            page.keyboard.press("b")
        else:
            super().press(page, selector)


def check_focus_at_each_phase(screen, hands, last_round):
    """Play until a round has ended; at each change of the phase, look where the focus is."""
    page, before, rounds = screen.page, "pricing", 0
    while rounds < last_round:
        state = screen.state()
        if state["phase"] != before:
            before, rounds = state["phase"], rounds + (state["phase"] in ("pricing", "none"))
            screen.until("() => document.activeElement !== document.body")
            if before == "buying" and state["mine"]:
                page.wait_for_selector(".buying h2:focus")
        elif not hands.move(page, state):
            page.wait_for_timeout(30)


@pytest.mark.parametrize("hands", [Keyboard(), Shortcuts()], ids=["buttons", "shortcuts"])
def test_focus_moves_to_the_next_part_at_each_change_of_the_phase(browser, hands):
    screen, _, _ = seated(browser, "Ann", bots=["random"], options=FIRST)
    check_focus_at_each_phase(screen, hands, 2)


@pytest.mark.full_size
@pytest.mark.parametrize("hands", [Keyboard(), Shortcuts()], ids=["buttons", "shortcuts"])
def test_focus_is_never_lost_in_a_whole_game(browser, hands):
    screen, _, _ = seated(browser, "Ann", bots=["random"])
    check_focus_at_each_phase(screen, hands, 6)
    assert screen.view()["status"] == "finished"
