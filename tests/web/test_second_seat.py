"""Several tabs or seats of one browser: each shows what is current, and no seat the secrets of another."""

import pytest

from tests.web.driver import CARDS, KEEP_SAID, SECOND, add_seat, call, offer_all, seated
from tests.web.hands import Mouse


def prices(page):
    """Return the prices in the tray."""
    return [field.input_value() for field in page.locator(".card .price").all()]


def test_prices_of_a_tab_follow_a_change_in_another_tab(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob")
    other = browser.tab(screen.page.context, f"/play/?game={game}").page
    other.wait_for_selector(CARDS)
    other.locator(".card .price").nth(1).fill("3")
    Mouse().set_prices(screen.page)
    other.wait_for_selector("[data-act=change]:visible")
    assert prices(other) == ["1", "1", "1"]
    discard = screen.view(tokens[0])["players"][0]["tiles_on_offer"]
    kept = [tile["tile"] for tile in discard if not tile["discard"]]
    body = {
        "discard": next(tile["tile"] for tile in discard if tile["discard"]),
        "prices": dict.fromkeys(kept, 2),
    }
    call(browser.url, "PUT", f"/v1/games/{game}/players/0/offer", body, tokens[0])
    for page in (screen.page, other):
        page.wait_for_function(
            "() => [...document.querySelectorAll('.card:not(.out) .price')].every(({value}) => value === '2')"
        )
        page.reload()
        page.wait_for_selector("[data-act=change]:visible")
        assert sorted(prices(page)) == ["1", "2", "2"]


def test_screen_reader_counts_affordable_tiles_after_a_purchase(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", options=SECOND)
    offer_all(browser, game, tokens)
    screen.caught_up()
    screen.page.evaluate(KEEP_SAID)
    tile = next(t["tile"] for t in screen.view()["players"][0]["tiles_on_offer"])
    call(browser.url, "PUT", f"/v1/games/{game}/players/1/purchase", {"tile": tile}, tokens[1])
    screen.page.wait_for_function("() => said.some((text) => text.includes('affordable'))")
    said = screen.page.evaluate("said.filter((text) => text.includes('affordable'))")
    assert len(said) == 1
    assert "2 affordable" in said[0]


def test_device_that_is_handed_over_shows_no_secret_of_the_seat(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob")
    page = screen.page
    add_seat(browser, screen, game, tokens[1])
    page.locator(".card .stepper button").last.click()
    Mouse().set_prices(page)
    page.wait_for_selector("[data-act=hand-over]")
    assert not page.locator(".pricing").is_visible()
    assert not page.locator(".market").is_visible()
    assert "gold" not in page.locator("body").inner_text()
    page.reload()
    page.wait_for_selector("[data-act=hand-over]")
    assert not page.locator(".pricing").is_visible()
    page.click("[data-act=hand-over]")
    page.wait_for_selector(CARDS)
    page.click(".pricing .card .discard")
    page.wait_for_selector("[data-act=set]:enabled:not([aria-disabled])")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_open_seat_is_marked_among_those_of_the_device(browser, scheme):
    screen, game, tokens = seated(browser, "Ann", "Bob", window={"color_scheme": scheme})
    add_seat(browser, screen, game, tokens[1])
    marks = screen.page.locator(".switcher button").evaluate_all(
        "all => all.map((one) => [one.ariaPressed, getComputedStyle(one).borderColor])"
    )
    assert [pressed for pressed, _ in marks] == ["true", "false"]
    assert marks[0][1] != marks[1][1]


def test_seat_stays_chosen_when_its_reload_fails(browser):
    browser.expected.append("400")
    screen, game, tokens = seated(browser, "Ann", "Bob")
    page, streams, failed = screen.page, [], []
    add_seat(browser, screen, game, tokens[1])

    def hold(route):
        streams.append(route)

    def fail(route):
        failed.append(route)
        route.fulfill(status=400, json={"code": "request_malformed", "detail": "It failed."})

    page.route("**/events/stream", hold, times=1)
    page.click(".switcher button:nth-child(2)")
    screen.wait_for(lambda: streams)
    page.route(f"**/games/{game}?*", fail, times=1)
    lost = 'event: end\ndata: {"reason": "history_lost", "resume": "reload"}\n\n'
    with page.expect_request("**/events/stream") as opened:
        streams.pop().fulfill(content_type="text/event-stream", body=lost)
    assert failed
    assert tokens[1] in opened.value.headers["authorization"]
