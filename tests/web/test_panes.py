"""What the header, the tabs and the cards of the seats show."""

import re
from itertools import pairwise

import pytest

from tests.web.driver import FIRST, KEEP_SAID, PHONE, POINTS_MS, call, offer, offer_all, replayed, seated

TOPS = """() => [".board", ".tray"].map(
  (selector) => Math.round(document.querySelector(selector).getBoundingClientRect().top))"""
"""Returns where the board and the tray begin."""

HEIGHTS = """async (sizes) => {
  const base = document.querySelector("script[type=module]").src.replace("main.js", "");
  const {seatCards} = await import(base + "game/seats.js");
  return sizes.map((size) => {
    const territory = Array.from({length: size}, (_, y) => ({tile: "L10", rotation: 0, x: 0, y}));
    const end = {type: "played", round: null};
    const own = {territory, tiles_to_build: [], gold: null, score: 0};
    const player = {seat: 0, name: "Ann", color: "red", ...own, end};
    const store = {view: {status: "playing", waiting_for: []}, players: [player]};
    const {root, update} = seatCards(store, () => {}, () => ({shown: 0, counted: null}));
    document.body.append(root);
    update();
    root.querySelector("details").open = true;
    update();
    return root.offsetHeight;
  });
}"""
"""Returns how high the card of a seat is whose territory has so many tiles, one above the other."""


def current(page):
    """Return the name of the tab that is marked as the current one."""
    return page.locator(".tabs [aria-current]").get_attribute("data-tab")


def said(page):
    """Return the header's text about the turn, without Unicode isolates."""
    return re.sub("[\u2068\u2069]", "", page.locator(".head .turn").text_content())


def test_pane_beside_the_board_stays_in_the_next_phase(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", window={"width": 1024, "height": 768})
    page = screen.page
    assert page.locator(".tabs [aria-current]:visible").count() == 0
    page.click(".tabs [data-tab=log]")
    offer_all(browser, game, tokens)
    page.wait_for_selector(".game-page[data-phase=buying]")
    screen.caught_up()
    assert page.locator(".log").is_visible()
    assert current(page) == "log"
    page.click(".tabs [data-tab=log]")
    assert not page.locator(".log").is_visible()


def test_replay_marks_the_pane_that_a_phone_shows(browser):
    game, _, _ = browser.game("Ann", "Bob")
    page = replayed(browser, game, **PHONE).page
    assert current(page) == "board"
    page.click(".tabs [data-tab=scoring]")
    assert current(page) == "scoring"
    assert page.locator(".slots").is_visible()


def test_header_says_what_each_of_the_others_is_doing(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", "Cy")
    offer(browser, game, tokens, 0, 1, 1)
    screen.caught_up()
    assert said(screen.page) == "Bob and Cy are setting prices"
    offer(browser, game, tokens, 1, 1, 1)
    screen.caught_up()
    assert said(screen.page) == "Cy is setting prices"
    assert "2 of 3" in screen.page.locator(".pricing").inner_text()


def test_header_keeps_its_height_however_long_names_are(browser):
    screen, game, tokens = seated(
        browser,
        "Ann",
        *("W" * 39 + str(number) for number in range(4)),
        window={"width": 1024, "height": 768},
    )
    height = screen.page.locator(".head").bounding_box()["height"]
    offer(browser, game, tokens, 0, 1, 1)
    screen.caught_up()
    assert screen.page.locator(".head").bounding_box()["height"] == height


def test_menu_of_a_spectator_is_at_the_end_of_a_phone(browser):
    game, _, _ = browser.game("Ann", "Bob")
    page = browser.window(f"/play/?game={game}", **PHONE).page
    menu = page.locator(".menu summary").bounding_box()
    assert menu["x"] + menu["width"] > 340


def test_small_territory_of_a_seat_is_shown_on_the_board_by_a_click(browser):
    screen, _, _ = seated(browser, "Ann", "Bob")
    screen.page.locator(".seat .seat-map summary").nth(1).click()
    screen.page.locator(".seat .mini").nth(1).click()
    screen.page.wait_for_selector(".board h2:has-text('Bob')")


def test_board_stays_in_place_when_others_begin_a_phase(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", options=FIRST)
    tops = {"pricing": screen.page.evaluate(TOPS)}
    offer_all(browser, game, tokens)
    for seat in (0, 1):
        screen.caught_up()
        tops[f"buying of {seat}"] = screen.page.evaluate(TOPS)
        purchase = f"/v1/games/{game}/players/{seat}/purchase"
        call(browser.url, "PUT", purchase, {"tile": None}, tokens[seat])
    screen.caught_up()
    screen.page.wait_for_selector(".building .hand-tile")
    tops["building"] = screen.page.evaluate(TOPS)
    assert tops == dict.fromkeys(tops, tops["pricing"])


def test_card_of_a_seat_keeps_its_height_when_its_territory_grows(browser):
    game, _, _ = browser.game("Ann", "Bob")
    page = replayed(browser, game).page
    heights = page.evaluate(HEIGHTS, [1, 2, 3, 4, 7])
    assert heights == heights[:1] * len(heights)


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (360, 740)])
def test_prices_stay_in_place_while_points_are_counted(browser, width, height):
    screen, _, _ = seated(browser, "Ann", bots=["random"], window={"width": width, "height": height})
    screen.keep(POINTS_MS)
    page = screen.page
    screen.play_until(lambda state: state["phase"] == "building" and state["mine"])
    screen.play_until(lambda state: state["phase"] == "pricing")
    page.wait_for_selector(".strip .points")
    screen.caught_up()
    counted = page.locator(".pricing").bounding_box()
    page.click("[data-act=skip]")
    page.wait_for_selector(".strip", state="hidden")
    assert page.locator(".pricing").bounding_box() == counted


def test_screen_reader_says_the_points_of_a_round(browser):
    screen, _, _ = seated(browser, "Ann", bots=["random"])
    page = screen.page
    page.evaluate(KEEP_SAID)
    screen.play_until(lambda state: state["phase"] == "building" and state["mine"])
    screen.play_until(lambda state: state["phase"] == "pricing")
    page.wait_for_function("() => said.some((text) => text.startsWith('Points: '))")


def test_board_stays_in_place_when_the_result_is_shown(browser):
    screen, game, tokens = seated(browser, "Ann", bots=["random"])
    page = screen.page
    top = page.locator(".board").bounding_box()["y"]
    browser.play_out(game, tokens[0])
    page.wait_for_selector(".result:visible")
    assert page.locator(".board").bounding_box()["y"] == top


def test_scrubber_and_board_of_a_replay_stay_in_place_at_each_step(browser):
    game, tokens, _ = browser.game("Ann", bots=["random"])
    browser.play_out(game, tokens[0])
    screen = browser.window(f"/play/?game={game}&replay=1")
    page = screen.page
    page.wait_for_selector(".result:visible")
    board, buttons = (page.locator(part).bounding_box()["y"] for part in (".board", "[data-act=forward]"))
    for key in ("Home", *["ArrowRight"] * 20):
        page.keyboard.press(key)
        screen.drawn()
        assert page.locator("[data-act=forward]").bounding_box()["y"] == buttons
        assert not page.locator(".board").is_visible() or page.locator(".board").bounding_box()["y"] == board


@pytest.mark.parametrize("language", ["en", "de", "ru", "zh", "ja"])
def test_header_of_a_replay_has_three_lines_on_a_phone(browser, language):
    game, _, _ = browser.game("Ann", "Bob", name="An evening of games with friends")
    page = replayed(browser, game, f"&lang={language}", **PHONE).page
    boxes = [part.bounding_box() for part in page.locator(".head > *").all()]
    lines = [
        boxes[:3],
        boxes[4:],
        boxes[3:4],
    ]  # home, title and name; the way back and the language; scoring tiles
    for upper, lower in pairwise(lines):
        assert max(box["y"] + box["height"] for box in upper) <= max(box["y"] for box in lower) + 2
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 360 for box in boxes)


def test_market_of_four_stays_visible_while_a_tile_is_tried(browser):
    window = {"width": 1024, "height": 768}
    screen, game, tokens = seated(browser, "Ann", "Bob", "Cy", "Di", options=FIRST, window=window)
    offer_all(browser, game, tokens)
    screen.caught_up()
    page = screen.page
    page.locator('.offer[aria-disabled="false"]').first.click()
    page.wait_for_selector(".trial:visible")
    tray = page.locator(".tray").bounding_box()
    for part in (".market", ".offer[aria-pressed=true]", ".trial", "[data-act=buy]"):
        box = page.locator(part).bounding_box()
        assert box["y"] >= tray["y"], part
        assert box["y"] + box["height"] <= tray["y"] + tray["height"], part
