"""What fits into a window: market, prices, buttons, board and header at the sizes that people use."""

import pytest

from tests.web.driver import (
    FIRST,
    NOTICE_MS,
    PHONE,
    SECOND,
    building,
    call,
    offer_all,
    replayed,
    seated,
    show_ghost,
)
from tests.web.hands import can_build
from tests.web.roles import with_tokens
from tests.web.test_accessibility import findings

POINTED_MS = 1600
"""How long what is missing stays marked, in milliseconds."""

NAMES = ("Ann", "Bob", "Cy", "Dee", "Eve")

TALL_BOARD = """async () => {
  const base = document.querySelector("script[type=module]").src.replace("main.js", "");
  const {territoryBoard} = await import(base + "game/board.js");
  const board = territoryBoard(null, () => "base");
  document.querySelector(".board").replaceWith(board.root);
  const territory = Array.from({length: 14}, (_, y) => ({tile: "L10", rotation: 0, x: 0, y}));
  const player = {seat: 0, name: "Ann", territory};
  board.update({player, mine: false, pending: null, moment: "", highlighted: []});
}"""
"""Shows a column of 14 tiles in place of the board."""

LIGHTNESS = """(one) => getComputedStyle(one).backgroundColor.match(/[0-9]+/g).slice(0, 3)
  .reduce((sum, part) => sum + Number(part), 0)"""
"""Returns how light the colour behind an element is."""

CUT = "({scrollWidth, clientWidth}) => scrollWidth > clientWidth"


def whole(page, selector):
    """Return whether all elements of a selector lie in the window, not cut by what scrolls."""
    return page.evaluate(
        """(selector) => [...document.querySelectorAll(selector)].every((one) => {
          if (!one.checkVisibility()) return true;
          const box = one.getBoundingClientRect();
          const [x, y] = [(box.left + box.right) / 2, box.bottom - 3];
          return box.bottom <= innerHeight && one.contains(document.elementFromPoint(x, y));
        })""",
        selector,
    )


def five_players(browser, **size):
    """Open the first of five seats; return the screen, the id and the tokens."""
    return seated(browser, *NAMES, options=FIRST, window=size)


def test_prices_show_own_tiles_once_and_those_of_others_above_the_fold(browser):
    screen, _, _ = five_players(browser, width=1280, height=800)
    page = screen.page
    own = page.locator(".pricing .card").evaluate_all("all => all.map((one) => one.dataset.tile)")
    for tile in own:
        assert not page.locator(f".market [data-tile={tile}]").is_visible()
    assert page.locator(".market .offer:visible").count() == 12
    assert whole(page, ".market .offer")


@pytest.mark.parametrize("size", [{"width": 1440, "height": 900}, {"width": 1280, "height": 800}])
def test_market_of_five_players_shows_every_seller_in_one_row(browser, size):
    screen, game, tokens = five_players(browser, **size)
    offer_all(browser, game, tokens)
    screen.page.wait_for_selector('.offer[aria-disabled="false"]')
    tops = screen.page.locator(".market-row").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().top)"
    )
    assert len(set(tops)) == 1
    assert whole(screen.page, ".market .offer")
    last = screen.page.locator(".market-row").last.bounding_box()
    market = screen.page.locator(".market").bounding_box()
    assert market["x"] + market["width"] - last["x"] - last["width"] < 100


def test_place_button_is_visible_at_twice_the_size(browser):
    screen = building(browser, width=640, height=400)
    page = screen.page
    assert whole(page, ".hand-tile")
    show_ghost(page)
    page.wait_for_selector(".cell.ghost")
    assert whole(page, "[data-act=place]")
    assert whole(page, ".cell.ghost")


def test_phone_shows_the_offers_of_every_seller(browser):
    screen, game, tokens = five_players(browser, **PHONE)
    page = screen.page
    assert "Discard" in page.locator(".pricing .step:visible").inner_text()
    pictures = page.locator(".market-row:not(.mine) .offer img")
    sizes = pictures.evaluate_all(
        "all => all.map(({offsetWidth, offsetHeight}) => [offsetWidth, offsetHeight])"
    )
    assert len(sizes) == 12
    assert min(map(min, sizes)) >= 40
    page.wait_for_selector(".market.more")  # a sign says that there are more
    page.locator(".market-row:not(.mine)").last.scroll_into_view_if_needed()
    page.wait_for_selector(".market:not(.more)")
    offer_all(browser, game, tokens)
    page.wait_for_selector('.offer[aria-disabled="false"]')
    assert whole(page, ".market .offer, .market-row")
    page.wait_for_selector(".buying .step:has-text('affordable'):visible")


def test_phone_names_the_buyer_of_a_tile(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", options=SECOND, window=PHONE)
    offer_all(browser, game, tokens)
    sold = screen.view()["players"][0]["tiles_on_offer"][0]["tile"]
    call(browser.url, "PUT", f"/v1/games/{game}/players/1/purchase", {"tile": sold}, tokens[1])
    buyer = screen.page.locator(f".offer[data-tile={sold}] .buyer:visible")
    buyer.wait_for()
    assert buyer.inner_text() == "Bob"
    assert screen.page.evaluate(CUT_TEXTS, ".buyer") == []


def test_fit_shows_a_column_of_14_tiles(browser):
    page = five_players(browser, width=1280, height=800)[0].page
    page.evaluate(TALL_BOARD)
    page.locator(".board .tools button").first.click()
    page.wait_for_function(
        """() => document.querySelector(".grid").offsetHeight
          <= document.querySelector(".scroller").clientHeight"""
    )
    assert page.locator(".board .cell.tile").count() == 14


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_name_that_the_page_proposes_is_never_cut_in_a_card(browser, width):
    names = ("Catriona MacDonald", "Angus Grant", "Lachlan MacKinnon")
    page = seated(browser, *names, window={"width": width, "height": 800})[0].page
    cut = """(one) => [one.scrollWidth - one.clientWidth, one.scrollHeight - one.clientHeight]"""
    for name in page.locator(".seat-head h3").all():
        assert max(name.evaluate(cut)) <= 1, name.inner_text()
    below = (
        "(one) => one.getBoundingClientRect().bottom - one.closest('.seat').getBoundingClientRect().bottom"
    )
    assert max(state.evaluate(below) for state in page.locator(".seat-state").all()) <= 1


def test_lobby_of_a_phone_has_a_low_header_and_names_nobody_twice(browser):
    game, tokens, _ = browser.game("Ann", "Bob", auto_start=False, seat_count=3)
    page = browser.window(f"/play/?game={game}#seat={tokens[0]}", **PHONE).page
    page.wait_for_selector(".lobby-seats .taken:nth-child(2)")
    head = page.locator(".game-page > .head").bounding_box()
    round_ = page.locator(".head .round").bounding_box()
    assert head["height"] < 60
    assert round_["y"] >= head["y"] + 4
    assert not page.is_visible(".seat")
    assert page.locator(".lobby").bounding_box()["y"] - head["y"] - head["height"] < 12


def test_lobby_of_a_wide_window_is_a_sheet_of_the_size_of_its_content(browser):
    game, tokens, _ = browser.game("Ann", "Bob", auto_start=False, seat_count=3)
    page = browser.window(f"/play/?game={game}#seat={tokens[0]}").page
    page.set_viewport_size({"width": 1440, "height": 900})
    page.wait_for_selector(".lobby-seats .taken:nth-child(2)")
    box = page.locator(".lobby").bounding_box()
    assert box["width"] < 720
    assert box["height"] < 600


@pytest.mark.parametrize("language", ["en", "de"])
def test_tray_keeps_its_width_when_the_log_is_open(browser, language):
    small = {"width": 1024, "height": 768}
    page = seated(browser, "Ann", bots=["greedy"] * 3, language=language, window=small)[0].page
    tray = page.locator(".tray").bounding_box()
    page.click(".tabs [data-tab=log]")
    page.wait_for_selector(".log:visible")
    assert page.locator(".tray").bounding_box() == tray
    button = page.locator("[data-act=set]").bounding_box()
    assert button["x"] + button["width"] <= tray["x"] + tray["width"]
    side = page.locator(".side").bounding_box()
    assert side["y"] + side["height"] <= tray["y"]


def test_dragging_the_board_selects_nothing(browser):
    page = seated(browser, "Ann", "Bob")[0].page
    box = page.locator(".board").bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 20, box["y"] + box["height"] - 20, steps=5)
    page.mouse.up()
    assert page.evaluate("getSelection().isCollapsed")


@pytest.mark.parametrize("size", [{"width": 1440, "height": 900}, PHONE])
def test_page_of_a_game_does_not_scroll(browser, size):
    page = seated(browser, "Ann", "Bob", window=size)[0].page
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")


def test_gold_and_points_are_whole_at_320_pixels(browser):
    page = seated(browser, "Ann", "Bob", window={"width": 320, "height": 640})[0].page
    for part in (".own-gold strong", ".seat.mine .score"):
        assert not page.eval_on_selector(part, CUT), part


@pytest.mark.parametrize("size", [PHONE, {"width": 1024, "height": 768}, {"width": 1440, "height": 900}])
def test_name_beside_a_clock_is_not_cut(browser, size):
    hours = {"budget_ms": 7_200_000}  # the longest text of a clock stays for an hour
    page = seated(browser, "Isla MacLeod", "Bo Munro", options=hours, window=size)[0].page
    page.wait_for_selector(".seat .clock:visible")
    assert page.evaluate(CUT_TEXTS, ".seat-head h3") == []


CELL = """() => parseFloat(getComputedStyle(document.querySelector(".grid")).getPropertyValue("--cell"))"""
"""Returns the size of the cells of the board."""


@pytest.mark.parametrize(
    "size",
    [{"width": 768, "height": 1024}, {"width": 1440, "height": 900}, {"width": 2560, "height": 1440}],
)
def test_tiles_to_choose_from_are_nearly_as_large_as_those_on_the_board(browser, size):
    screen, _, _ = seated(browser, "Ann", bots=["random", "greedy"], options=FIRST, window=size)
    page = screen.page
    for phase, pictures in (
        ("pricing", ".card img"),
        ("buying", ".offer img"),
        ("building", ".hand-tile img"),
    ):
        screen.play_until(lambda state, phase=phase: state["phase"] == phase and state["mine"])
        page.wait_for_selector(pictures)
        least = min(0.75 * page.evaluate(CELL), 88)
        widths = page.locator(pictures).evaluate_all("all => all.map((one) => one.offsetWidth)")
        assert min(widths) >= least - 1, phase


@pytest.mark.parametrize("size", [{"width": 1920, "height": 1080}, {"width": 2560, "height": 1440}])
def test_territory_fills_most_of_the_board_of_a_wide_window(browser, size):
    page = building(browser, **size).page
    grid, room = (page.locator(part).bounding_box() for part in (".grid", ".scroller"))
    filled = max(grid["width"] / room["width"], grid["height"] / room["height"])
    assert filled >= 0.7 or page.evaluate(CELL) == 200


def test_rivals_have_small_maps_in_the_strip_of_a_phone(browser):
    page = seated(browser, "Ann", "Bob", "Cy", window=PHONE)[0].page
    assert page.locator(".seat:not(.mine) .mini img:visible").count() == 2
    assert whole(page, ".seat:nth-child(2) .mini")


def missing_after_press(page, button):
    """Press a main button that says what has to be done; return the parts that it points to."""
    assert page.get_attribute(button, "aria-disabled") == "true"
    page.click(button, force=True)  # Playwright waits for what the page calls disabled
    page.wait_for_selector(".missing >> visible=true")
    return page.locator(".missing:visible").evaluate_all("all => all.map((one) => one.className)")


def test_main_button_that_lacks_a_choice_points_to_it(browser):
    screen, _, _ = seated(browser, "Ann", bots=["random"], options=FIRST)
    page = screen.page
    screen.keep(POINTED_MS)
    assert {*missing_after_press(page, "[data-act=set]")} == {"discard missing"}
    assert page.evaluate("document.activeElement.name") == "discard"
    screen.play_until(lambda state: state["buying"] and state["mine"])
    assert all("offer" in name for name in missing_after_press(page, "[data-act=buy]"))
    screen.play_until(can_build)
    assert all("hand-tile" in name for name in missing_after_press(page, "[data-act=place]"))
    page.locator(".hand-tile:not(.dim)").first.click()
    assert any("cell" in name for name in missing_after_press(page, "[data-act=place]"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_legal_cells_are_lighter_than_the_cloth(browser, scheme):
    page = building(browser, color_scheme=scheme).page
    page.locator(".hand-tile:not(.dim)").first.click()
    page.wait_for_selector(".cell.legal")
    cell, cloth = (page.eval_on_selector(part, LIGHTNESS) for part in (".cell.legal", ".board"))
    assert cell > cloth


def test_heading_of_a_game_is_its_name(browser):
    page = seated(browser, "Ann", "Bob", name="An evening of games")[0].page
    assert page.locator("h1").all_text_contents() == ["An evening of games"]
    assert page.locator(".home").inner_text().startswith("Skye")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_tabs_of_a_phone(browser, axe, scheme):
    screen, _, _ = seated(browser, "Ann", bots=["random"], window=PHONE | {"color_scheme": scheme})
    for tab in ("scoring", "log", "board"):
        screen.page.click(f".tabs [data-tab={tab}]")
        assert findings(browser, screen, axe) == [], tab
    screen.play_until(can_build)
    show_ghost(screen.page)
    screen.page.wait_for_selector(".ghost .edge")
    assert findings(browser, screen, axe) == []


CUT_TEXTS = """(selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility()
  && (one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1))
  .map((one) => `${one.className} ${one.textContent.slice(0, 60)}`)"""
"""Returns the elements of a selector that are larger than what is shown of them."""

UNIT = """(one) => getComputedStyle(one, "::after").content.replaceAll('"', "")"""
"""Returns the sign that follows a number."""

SLICED_NOTES = """() => [...document.querySelectorAll(".seat-notes > *")].filter((one) => {
  const [inner, outer] = [one, one.parentElement].map((each) => each.getBoundingClientRect());
  const isBelow = inner.top >= outer.bottom - 1;
  return !isBelow && (inner.bottom > outer.bottom + 1 || inner.right > outer.right + 1);
}).map((one) => one.textContent)"""
"""Returns the notes of cards of which a part is shown."""

LONG_NAMES = ("Wilhelmina of Portree", "Cy", "Dee", "Eve")


@pytest.mark.parametrize("size", [{"width": 1024, "height": 768}, {"width": 1280, "height": 800}, PHONE])
def test_replay_shows_the_whole_table_of_results(browser, size):
    players = [{"name": "Ann"}, *({"name": name, "bot": "random"} for name in LONG_NAMES)]
    created = call(browser.url, "POST", "/v1/games", {"players": players, "auto_start": True})
    game, token = created["game"]["id"], created["players"][0]["token"]
    call(browser.url, "POST", f"/v1/games/{game}/players/0/resign", {}, token)  # the bots play to the end
    page = replayed(browser, game, "&lang=de", **size).page
    page.wait_for_selector(".result:visible")
    assert page.evaluate(CUT_TEXTS, ".tray-parts, .scrubber, .result, .result *:not(bdi, .sr-only)") == []
    assert whole(page, ".result th, .result td, .scrubber button, .scrubber select")
    assert not page.eval_on_selector("h1", CUT)


@pytest.mark.parametrize("size", [{"width": 1440, "height": 900}, PHONE])
def test_end_shows_every_player_without_scrolling(browser, size):
    game, tokens, _ = browser.game("Ann", bots=["random"] * 3)
    browser.play_out(game, tokens[0])
    page = browser.window(f"/play/?game={game}#seat={tokens[0]}", **size).page
    page.wait_for_selector(".result:visible")
    assert page.locator(".result tr:not(:first-child)").count() == 4
    assert whole(page, ".result :is(tr, button, a)")
    if size != PHONE:
        page.wait_for_selector(".seat:last-child .mini img")
        assert whole(page, ".seat")


@pytest.mark.parametrize("width", [360, 768])
def test_notes_of_a_narrow_card_are_whole_and_say_which_is_ours(browser, width):
    screen, _, _ = seated(browser, "Ann", bots=["random", "greedy"], window={"width": width, "height": 740})
    page = screen.page
    assert page.locator(".seat.mine .own-seat:visible").inner_text() == "you"
    assert page.eval_on_selector(".seat .score", UNIT) == "pts"
    for phase in ("pricing", "buying", "building"):
        screen.play_until(lambda state, phase=phase: state["phase"] == phase and state["mine"])
        assert page.evaluate(CUT_TEXTS, ".seat-notes .badge:not(:has(.sr-narrow))") == [], phase
        assert page.evaluate(SLICED_NOTES) == [], phase


@pytest.mark.parametrize("language", ["de", "ru", "x-long"])
def test_tray_of_prices_cuts_no_text(browser, language):
    page = seated(browser, "Ann", bots=["random", "greedy"], language=language)[0].page
    texts = ".pricing :is(p, label, .card, .acts, output, button)"
    for chosen in (False, True):
        if chosen:
            page.locator(".pricing .discard").first.click()
            page.wait_for_selector(".card.out")
        for width, height in ((360, 740), (1024, 768), (1280, 800)):
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate(CUT_TEXTS, texts) == [], width
            assert whole(page, ".pricing :is(.card img, .discard, [data-act=set])"), width


def test_dialogs_open_at_their_top(browser):
    page = seated(browser, "Ann", "Bob", window={"width": 360, "height": 500})[0].page
    for opener in ("[data-act=rules]", "button:has-text('Keyboard shortcuts')"):
        page.click(".menu summary")
        page.click(f".menu-items {opener}")
        page.wait_for_selector("dialog[open]")
        scroll = page.eval_on_selector(
            "dialog[open]", "(one) => [one.scrollTop, one.scrollHeight > innerHeight]"
        )
        assert scroll == [0, True], opener
        page.keyboard.press("Escape")


COVERED = """() => {
  const parts = [".head button", ".menu summary", ".requests button", ".look", ".own-gold", ".tools button"];
  return [...document.querySelectorAll(parts)].filter((one) => {
    const box = one.getBoundingClientRect();
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const scrolls = one.matches(".look") && x > innerWidth;
    return one.checkVisibility() && !scrolls && !one.contains(document.elementFromPoint(x, y));
  }).map((one) => one.textContent);
}"""
"""Returns the controls whose middle something else covers, or that lie outside of the window."""


def on_one_device(browser, part, **body):
    """Open a game of five players who share one device; return the screen."""
    game, tokens, host = browser.game(*NAMES, **body)
    screen = with_tokens(browser, f"/play/?game={game}", game, {"seats": tokens, "host": host})
    screen.page.wait_for_selector(f".switcher button:nth-child(5) {part}")
    return screen


def lobby_of_five(browser):
    """Open the lobby of five players who share one device."""
    return on_one_device(browser, "", auto_start=False, seat_count=5)


def game_of_five(browser):
    """Open a game of five players who share one device."""
    return on_one_device(browser, ".mark")


def proposed_pause(browser):
    """Open a seat whose agreement to a pause is asked for."""
    screen, game, tokens = seated(browser, "Ann", "Bob", options={"turn_ms": 600_000})
    call(browser.url, "POST", f"/v1/games/{game}/pause", {}, tokens[1])
    screen.page.wait_for_selector("[data-act=accept]")
    return screen


def paused(browser):
    """Open a seat of a game that is paused."""
    screen, game, tokens = seated(browser, "Ann", bots=["random"], options={"turn_ms": 600_000})
    call(browser.url, "POST", f"/v1/games/{game}/pause", {}, tokens[0])
    screen.page.wait_for_selector("[data-act=resume]")
    return screen


@pytest.mark.parametrize("opened", [lobby_of_five, game_of_five, proposed_pause, paused])
def test_nothing_covers_a_control_of_a_small_window(browser, opened):
    screen = opened(browser)
    for width, height in ((320, 640), (360, 740), (390, 844), (640, 400), (800, 1000)):
        screen.page.set_viewport_size({"width": width, "height": height})
        screen.drawn()
        assert screen.page.evaluate(COVERED) == [], width
        assert screen.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width


CUT_PRICES = """() => [...document.querySelectorAll(".priced .coin")].filter((tag) => {
  const text = document.createRange();
  text.selectNodeContents(tag);
  const [inner, outer] = [tag, tag.closest(".offer")].map((one) => one.getBoundingClientRect());
  const lines = [...text.getClientRects()].filter(({top}) => top < inner.bottom);
  return lines.length !== 1 || lines[0].bottom > inner.bottom
    || lines[0].left < inner.left || lines[0].right > inner.right
    || inner.left < outer.left || inner.right > outer.right;
}).map((tag) => tag.textContent)"""
"""Returns the prices in the market of which more or less than one whole line is visible."""


@pytest.mark.parametrize("language", ["en", "de", "ru", "zh", "ja"])
def test_price_in_the_market_has_one_whole_line(browser, language):
    screen, game, tokens = seated(browser, *NAMES, options=FIRST, language=language)
    offer_all(browser, game, tokens)
    page = screen.page
    page.wait_for_selector(".priced .price-tag")
    for width, height in ((1280, 800), (1024, 768), (360, 740)):
        page.set_viewport_size({"width": width, "height": height})
        screen.drawn()
        assert page.evaluate(CUT_PRICES) == [], width
    assert page.evaluate(CUT_TEXTS, ".priced .coin") == []


def test_news_of_many_names_are_two_whole_lines_on_a_phone(browser):
    game, tokens, host = browser.game(
        *(f"{name} {'of Portree' * 2}" for name in NAMES), auto_start=False, seat_count=5
    )
    screen = browser.window(f"/play/?game={game}#seat={tokens[0]}", **PHONE)
    screen.keep(NOTICE_MS)
    screen.page.wait_for_selector(".connection.live")
    call(browser.url, "POST", f"/v1/games/{game}/start", {}, host)
    screen.page.wait_for_selector(".notices span:has-text('Income')")
    assert screen.page.eval_on_selector(".notices", "({scrollHeight}) => scrollHeight <= 28")
    text, line = (
        screen.page.locator(part).bounding_box() for part in (".notices p:last-child > span", ".notes")
    )
    assert line["y"] <= text["y"]
    assert text["y"] + text["height"] <= line["y"] + line["height"]
