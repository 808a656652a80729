"""What a browser keeps, and what a person types and switches."""

from tests.web.driver import CARDS, TOAST_MS, call, seated

_NO_STORAGE = """
for (const name of ["localStorage", "sessionStorage"]) {
  Object.defineProperty(window, name, {get() { throw new DOMException("denied", "SecurityError"); }});
}
"""


def test_name_may_have_letters_that_are_shortcuts(browser):
    game, _, _ = browser.game("Ann", auto_start=False, seat_count=3)
    screen = browser.window(f"/play/?game={game}")
    screen.page.fill(".lobby [name=name]", "")
    screen.page.locator(".lobby [name=name]").press_sequentially("Norbert X. Fuchs-Pruner 120?")
    screen.page.keyboard.press("Enter")
    screen.page.wait_for_selector(".lobby-seats .taken:nth-child(2)")
    assert screen.view()["players"][1]["name"] == "Norbert X. Fuchs-Pruner 120?"


def test_name_that_the_server_refuses_is_shown_at_its_field(browser):
    browser.expected.append("422")
    page = browser.window().page
    field = page.locator(".player-name [name=name]")
    field.fill("  ")
    page.click("[data-act=friends]")
    page.wait_for_function("field => field.validationMessage", arg=field.element_handle())
    assert page.locator(".toast").count() == 0
    field.fill("Ann")
    page.click("[data-act=friends]")
    page.wait_for_selector(".lobby-seats .taken")


def test_shortcuts_of_single_letters_can_be_switched_off(browser):
    page = seated(browser, "Ann", "Bob")[0].page
    page.keyboard.press("1")
    page.wait_for_selector(".pricing .card:focus")
    page.keyboard.press("?")
    page.uncheck("dialog [name=letters]")
    page.click("dialog .primary")
    page.wait_for_selector("dialog", state="detached")
    page.locator(".menu summary").focus()
    page.keyboard.press("1")
    assert page.locator(".menu summary:focus").count() == 1
    page.reload()
    page.wait_for_selector(CARDS)
    page.keyboard.press("?")
    assert page.locator("dialog").count() == 0


def test_browser_that_stores_nothing_keeps_the_seat_and_warns(browser):
    game, tokens, _ = browser.game("Ann", "Bob")
    screen = browser.window("/docs", own=True)
    screen.page.context.add_init_script(_NO_STORAGE)
    screen.keep_in_next_page(TOAST_MS)
    screen.page.goto(f"{browser.url}/play/?game={game}#seat={tokens[0]}")
    screen.page.wait_for_selector(".toast:has-text('stores nothing')")
    screen.page.locator(".pricing .discard").first.click()
    screen.page.click("[data-act=set]")
    screen.page.wait_for_selector("[data-act=change]")
    assert screen.view()["players"][0]["offer_set"]


def test_stream_that_a_proxy_breaks_is_replaced_by_requests(browser):
    game, tokens, _ = browser.game("Ann", "Bob")
    screen = browser.window("/docs")
    screen.page.route(
        "**/events/stream", lambda route: route.fulfill(status=200, content_type="text/html", body="no")
    )
    screen.page.goto(f"{browser.url}/play/?game={game}#seat={tokens[0]}")
    screen.page.wait_for_selector(".connection.polling")
    action = call(browser.url, "GET", f"/v1/games/{game}/players/1/actions", token=tokens[1])["actions"][0]
    call(browser.url, action["method"], action["href"], action["body"], tokens[1])
    screen.caught_up()


def test_menu_closes_on_escape_and_on_a_click_elsewhere(browser):
    page = seated(browser, "Ann", "Bob")[0].page
    board = page.locator(".board").bounding_box()
    elsewhere = (
        board["x"] + board["width"] / 4,
        board["y"] + board["height"] / 4,
    )  # inert while the menu is open
    for close in (lambda: page.keyboard.press("Escape"), lambda: page.mouse.click(*elsewhere)):
        page.click(".menu summary")
        page.wait_for_selector(".menu-items")
        page.locator(".menu-items [name=auto]").focus()
        close()
        page.wait_for_selector(".menu:not([open])")
    page.click(".menu summary")
    page.keyboard.press("Escape")
    page.wait_for_selector(".menu summary:focus")


def test_focus_stays_in_the_card_that_a_key_discards(browser):
    page = seated(browser, "Ann", "Bob")[0].page
    page.keyboard.press("2")
    page.keyboard.press("x")
    page.wait_for_selector(".pricing .card:nth-child(2) input[type=radio]:checked:focus")
