"""The areas of a game: their places and sizes in a real browser, in languages with long words."""

import pytest

from tests.web.driver import PHONE, POINTS_MS, RESULT_MS, call, seated, show_ghost
from tests.web.hands import Mouse, can_build

SEAT_MS = 1200
"""How long the points of a player are shown in a round with one scoring tile, in milliseconds."""

MIN_LINE = 12
"""The least height of a line of text, in pixels."""

SIZES = [(360, 740), (768, 1024), (1280, 800), (1440, 900)]
EXTREMES = [(320, 640), (2560, 1440)]

FAULTS = """() => {
  const faults = [];
  const box = (one) => one.getBoundingClientRect();
  const within = (inner, outer) => inner.left >= outer.left - 1 && inner.top >= outer.top - 1
    && inner.right <= outer.right + 1 && inner.bottom <= outer.bottom + 1;
  const screen = {left: 0, top: 0, right: innerWidth, bottom: innerHeight};
  const check = (holds, fault) => { if (!holds) faults.push(fault); };
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
  const root = document.documentElement;
  check(root.scrollWidth <= innerWidth && root.scrollHeight <= innerHeight, "the page scrolls");
  check(within(box(document.querySelector(".menu summary")), screen), "the menu is outside of the window");
  const scroller = box(document.querySelector(".scroller"));
  const castle = document.querySelector(".cell[data-tile^=castle]");
  check(within(box(castle), scroller), "the castle is outside of the board");
  for (const cell of [castle, ...shown(".cell.legal")]) {
    const {left, top, right, bottom} = box(cell);
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    check(cell.contains(document.elementFromPoint(x, y)), `something lies over ${cell.ariaLabel}`);
  }
  for (const one of shown(".game-page :is(button, summary, input, select)")) {
    const {width, height} = box(one.closest("label") ?? one);
    check(width >= 24 && height >= 24, `a small target: ${one.outerHTML.slice(0, 120)}`);
  }
  for (const one of shown(".head, .players, .own-gold, .notes, .board, .tray, .tabs")) {
    check(within(box(one), screen), `outside of the window: ${one.className}`);
  }
  for (const one of shown(".primary, [data-act=pass], [data-act=rotate], [data-act=undo]")) {
    check(within(box(one), screen), `a button outside of the window: ${one.dataset.act}`);
    check(within(box(one), box(one.closest(".tray") ?? one)), `a button cut by the tray: ${one.dataset.act}`);
  }
  const board = box(document.querySelector(".board"));
  const wide = innerWidth >= 1024;
  check(wide || board.width === innerWidth, "the board is narrower than the window");
  if (innerHeight > 700) {
    const large = board.width * board.height >= 0.55 * innerWidth * innerHeight;
    check(wide ? large : board.height >= 0.5 * innerHeight,
      `the board is small: ${board.width}x${board.height}`);
  }
  return faults;
}"""
"""Returns what is wrong with the layout that is shown."""

CELL = "document.querySelector('.grid').style.getPropertyValue('--cell')"
"""The size of the cells of the board."""

RIGHT = "() => [...document.querySelectorAll('.game-page *')].filter((one) => one.checkVisibility() && \
!one.closest('.tray, .scroller, .players, .notes')).map((one) => one.getBoundingClientRect().right)"


def check_sizes(screen, sizes, stage):
    """Check the layout in windows of these sizes."""
    for width, height in sizes:
        screen.page.set_viewport_size({"width": width, "height": height})
        screen.drawn()
        screen.drawn()
        assert screen.page.evaluate(FAULTS) == [], (stage, width)


@pytest.mark.parametrize("language", ["de", "ru"])
def test_areas_keep_their_places_in_every_phase_and_size(browser, language):
    screen, _, _ = seated(browser, "Ann", bots=["random", "greedy"], language=language)
    page = screen.page
    sizes = [*SIZES, *EXTREMES]
    check_sizes(screen, sizes, "pricing")
    screen.play_until(lambda state: state["phase"] == "buying" and state["mine"] and state["buying"])
    if page.locator('.offer[aria-disabled="false"]').count():
        page.locator('.offer[aria-disabled="false"]').first.click()
        page.wait_for_selector(".cell.legal")
    check_sizes(screen, sizes, "buying")
    page.keyboard.press("Escape")
    screen.play_until(can_build)
    show_ghost(page)
    check_sizes(screen, sizes, "building")
    page.keyboard.press("Escape")
    assert max(page.evaluate(RIGHT)) <= EXTREMES[-1][0]


@pytest.mark.parametrize("window", [PHONE, {"width": 1280, "height": 800}])
def test_board_is_not_rescaled_within_a_phase(browser, window):
    screen, _, _ = seated(browser, "Ann", bots=["random", "greedy"], window=window)
    page = screen.page
    seen = {}

    def watched(state):
        key = (screen.view()["round"], state["phase"])
        if page.locator(".cell.highlighted").count() == 0:  # points are counted on the boards of others too
            seen.setdefault(key, set()).add(page.evaluate(CELL))
        return key == (2, "building") and can_build(state) and state["hand"] == 0

    screen.play_until(watched)
    assert {len(cells) for cells in seen.values()} == {1}, seen


PLACES_WHILE_COUNTING = """async () => {
  const base = document.querySelector("script[type=module]").src.replace("main.js", "");
  const {territoryBoard} = await import(base + "game/board.js");
  const board = territoryBoard(null, () => "base");
  document.querySelector(".board").replaceWith(board.root);
  const column = (x, y, step) => Array.from({length: 6}, (_, index) =>
    ({tile: "L10", rotation: 0, x: x + step * index, y: y + (1 - Math.abs(step)) * index}));
  const lands = [column(0, 0, 0), column(0, -5, 0), column(-5, 0, 1), column(0, 0, 1)];
  const places = [];
  for (const [seat, territory] of lands.entries()) {
    const player = {seat, name: `Player ${seat}`, territory};
    board.update({player, mine: false, pending: null, moment: "", highlighted: [], all: lands.flat()});
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const {x, y, width} = document.querySelector(".cell[data-x='0'][data-y='0']").getBoundingClientRect();
    places.push([x, y, width]);
  }
  return places;
}"""
"""Shows one territory after the other, as while points are counted; returns the places of the castles."""


@pytest.mark.parametrize("window", [PHONE, {"width": 1280, "height": 800}])
def test_counting_shows_all_territories_at_one_place_and_scale(browser, window):
    screen, _, _ = seated(browser, "Ann", "Bob", window=window)
    places = screen.page.evaluate(PLACES_WHILE_COUNTING)
    assert places == places[:1] * 4
    assert screen.page.eval_on_selector(".scroller", "(one) => one.scrollWidth <= one.clientWidth")


def test_counted_points_and_notices_lie_beside_the_board(browser):
    screen, _, _ = seated(browser, "Ann", bots=["greedy"], window={"width": 1280, "height": 800})
    screen.keep(POINTS_MS, 5000)
    page = screen.page
    screen.play_until(lambda state: state["phase"] == "building" and state["mine"])
    screen.play_until(lambda state: state["phase"] == "pricing")
    page.wait_for_selector(".strip .points")
    board = page.locator(".board").bounding_box()
    notice, strip = (page.locator(part).first.bounding_box() for part in (".notices p", ".strip"))
    assert notice["x"] + notice["width"] <= board["x"]
    assert strip["y"] >= board["y"] + board["height"]


COVERED_PRICES = """() => [...document.querySelectorAll(".pricing :is(button, label)")].every((one) => {
  const {left, top, width, height} = one.getBoundingClientRect();
  return !one.contains(document.elementFromPoint(left + width / 2, top + height / 2));
})"""
"""Returns whether nothing that sets prices can be pressed."""


@pytest.mark.parametrize("window", [PHONE, {"width": 1280, "height": 800}])
@pytest.mark.parametrize("act", ["click", "key"])
def test_counting_covers_the_prices_until_the_next_action(browser, window, act):
    screen, _, _ = seated(browser, "Ann", bots=["greedy"], window=window)
    screen.keep(SEAT_MS, POINTS_MS)
    page = screen.page
    screen.play_until(lambda state: state["phase"] == "building" and state["mine"])
    screen.play_until(lambda state: state["phase"] == "pricing")
    page.wait_for_selector(".counting .strip .counted")
    assert page.locator(".round").inner_text().startswith("Round 1 ")
    assert page.locator(".turn").inner_text() == "Points are counted"
    assert {*page.locator(".seat-state").all_inner_texts()} == {""}  # nobody sets prices yet
    assert page.evaluate(COVERED_PRICES)
    if act == "click":
        page.click("[data-act=skip]")
    else:
        page.keyboard.press("1")
    page.wait_for_selector(".game-page:not(.counting)")
    page.wait_for_selector(".strip", state="hidden")
    screen.reads(".turn", "Set your prices")
    assert not page.evaluate(COVERED_PRICES)


@pytest.mark.parametrize("window", [PHONE, {"width": 1280, "height": 800}])
def test_points_that_are_not_counted_up_leave_the_tray_free(browser, window):
    stored = {"skye.count": "off"}
    screen, _, _ = seated(browser, "Ann", bots=["greedy"], window=window | {"stored": stored})
    screen.keep(POINTS_MS)
    page = screen.page
    screen.play_until(lambda state: state["phase"] == "building" and state["mine"])
    screen.play_until(lambda state: state["phase"] == "pricing")
    page.wait_for_selector(".strip-row .strip-gain")
    assert page.locator(".turn").inner_text() == "Set your prices"
    strip, tray = (page.locator(part).bounding_box() for part in (".strip", ".tray"))
    rows = page.locator(".strip-rows").bounding_box()
    assert page.locator(".board").bounding_box()["y"] <= strip["y"] <= rows["y"]
    assert rows["height"] > len(["title", "Ann", "the bot"]) * MIN_LINE
    assert strip["y"] + strip["height"] <= tray["y"] + 1
    page.locator(".pricing .discard").first.click()
    page.wait_for_selector(".strip", state="hidden")
    page.click("[data-act=set]")
    page.wait_for_selector("[data-act=set]", state="hidden")


def test_result_is_shown_at_once_if_points_are_not_counted_up(browser):
    game, tokens, _ = browser.game("Ann", "Bob")
    screen = browser.window(f"/play/?game={game}", stored={"skye.count": "off"})
    page = screen.page
    screen.keep(POINTS_MS, RESULT_MS)
    while (view := screen.view())["status"] == "playing":
        seat = view["waiting_for"][0]
        browser.act(game, seat, tokens[seat])
    page.wait_for_selector(".result:visible")
    assert page.locator(".turn").inner_text() == "The game is over"


def test_card_says_what_happened_since_the_last_turn(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", options={"seed": "table", "first_seat": 0})
    page = screen.page
    assert not page.locator(".since").is_visible()
    for seat in (0, 1):
        drawn = screen.view()["players"][seat]["tiles_on_offer"]
        marked, *kept = (tile["tile"] for tile in drawn)
        body = {"discard": marked, "prices": dict.fromkeys(kept, 1)}
        call(browser.url, "PUT", f"/v1/games/{game}/players/{seat}/offer", body, tokens[seat])
    ours = screen.view()["players"][0]["tiles_on_offer"][0]["tile"]
    call(browser.url, "PUT", f"/v1/games/{game}/players/0/purchase", {"tile": None}, tokens[0])
    call(browser.url, "PUT", f"/v1/games/{game}/players/1/purchase", {"tile": ours}, tokens[1])
    page.reload()
    page.wait_for_selector(f".since:visible li:has-text('{ours}') img")
    screen.play_until(can_build)
    Mouse().build(page, screen.state())
    page.wait_for_selector(".since", state="hidden")
