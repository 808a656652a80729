"""Dragging, edge signs, zoom, settings, hot seat, points counted up, and games that end or disappear."""

from tests.web.driver import (
    CARDS,
    PHONE,
    POINTS_MS,
    RESULT_MS,
    SECOND,
    building,
    call,
    offer,
    replayed,
    seated,
    show_ghost,
)
from tests.web.hands import Mouse
from tests.web.test_friends import hosted_lobby

WATCH_FLIGHTS = """new MutationObserver((changes) => {
  for (const {addedNodes} of changes) {
    for (const node of addedNodes) {
      if (node.matches?.(".coin")) window.coins = node.getAttribute("aria-label");
      if (!node.matches?.("img.flying")) continue;
      const [flight] = node.getAnimations();
      const start = node.offsetWidth;
      flight.currentTime = 199;
      window.grown = node.offsetWidth - start;
    }
  }
}).observe(document.body, {childList: true})"""

COUNT = """async ([players, slots]) => {
  const base = document.querySelector("script[type=module]").src.replace("main.js", "");
  const {countingStrip} = await import(base + "game/round-points.js");
  const range = (length) => Array.from({length}, (_, index) => index);
  const scoring_tiles = range(slots).map((slot) => ({slot: "ABCD"[slot], id: "sheep", points: 1}));
  const view = {players: range(players).map(() => ({name: "Ann"}))};
  const store = {view, changed() {}, set() {}, game: {scores: async () => ({players: []})}};
  const [waits, set] = [[], window.setTimeout];
  await new Promise((ended) => {
    window.setTimeout = (run, ms) => { waits.push(ms); set(run); };
    const scored = range(players).map((seat) => ({seat, score: slots, scoring_tiles}));
    countingStrip(store, () => {}, ended).count({type: "round_scored", round: 1, players: scored});
  });
  window.setTimeout = set;
  return waits;
}"""
"""Returns how long each step is shown, in milliseconds."""


STRIP = """async () => {
  const base = document.querySelector("script[type=module]").src.replace("main.js", "");
  const {countingStrip} = await import(base + "game/round-points.js");
  localStorage.setItem("skye.count", "off");
  const view = {players: [{name: "Ann"}, {name: "Bob"}]};
  const store = {view, changed() {}, set() {}, game: {scores: async () => ({players: []})}};
  const strip = countingStrip(store, () => {}, () => {});
  document.body.append(strip.root);
  const scored = [[12, 2, 1], [8, 0, 0]].map(([score, ...points], seat) => ({seat, score,
    scoring_tiles: points.map((each, index) => (
      {slot: "AB"[index], scoring_tile: ["largest_lake", "sheep"][index], points: each}))}));
  strip.count({type: "round_scored", round: 1, players: scored});
}"""
"""Shows the points of a round at once: Ann, with 9 points before, gains 3, and Bob none of his 8."""


def middle(locator):
    """Return the middle of an element."""
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_dragged_tile_leaves_a_ghost_and_is_not_placed(browser):
    screen = building(browser)
    page = screen.page
    tile = page.locator(".hand-tile:not(.dim)").first
    page.mouse.move(*middle(tile))
    page.mouse.down()
    page.mouse.move(200, 200, steps=4)
    page.wait_for_selector(".dragged")
    page.mouse.move(*middle(page.locator(".cell.legal").first), steps=4)
    page.mouse.up()
    page.wait_for_selector(".cell.ghost")
    page.wait_for_selector(".dragged", state="detached")
    assert tile.get_attribute("aria-pressed") == "true"
    assert len(screen.view()["players"][0]["territory"]) == 1
    page.mouse.move(*middle(tile))
    page.mouse.down()
    page.mouse.move(5, 5, steps=3)
    page.mouse.up()
    page.wait_for_selector(".cell.ghost", state="detached")


def test_edges_of_the_ghost_and_its_neighbours_bear_signs(browser):
    page = building(browser).page
    show_ghost(page)
    page.wait_for_selector(".ghost .edge")
    assert page.locator(".ghost .edge").count() == 1
    neighbours = page.locator(".cell.tile:not(.ghost) .edge")
    assert neighbours.count() == 1
    side = neighbours.get_attribute("class").split()[1]
    opposite = {"north": "south", "south": "north", "east": "west", "west": "east"}[side]
    assert page.locator(f".ghost .edge.{opposite}").inner_text() == neighbours.inner_text()
    page.click(".menu summary")
    page.check("[name=edges]")
    page.wait_for_function("() => document.querySelectorAll('.cell.tile:not(.ghost) .edge').length === 4")


def test_screen_reader_says_where_a_tile_was_placed(browser):
    page = building(browser).page
    show_ghost(page)
    page.click("[data-act=place]")
    page.wait_for_function("() => / places /.test(document.querySelector('#status').textContent)")


def test_tap_on_a_small_cell_enlarges_the_board_first(browser):
    page = building(browser, **PHONE, has_touch=True, is_mobile=True).page
    for _ in range(6):
        page.locator(".tools button").last.tap()
    page.locator(".hand-tile:not(.dim)").first.tap()
    cell = page.locator(".cell.legal").first
    assert cell.bounding_box()["width"] < 44
    cell.tap()
    page.wait_for_function("() => document.querySelector('.cell.legal').offsetWidth >= 48")
    assert page.locator(".cell.ghost").count() == 0
    page.locator(".cell.legal").first.tap()
    page.wait_for_selector(".cell.ghost")


def test_sole_rotation_is_placed_at_once_when_that_is_set(browser):
    screen = building(browser)
    page = screen.page
    page.click(".menu summary")
    page.check("[name=auto]")
    page.keyboard.press("Escape")
    while page.locator(".hand-tile:not(.dim)").count():
        page.locator(".hand-tile:not(.dim)").first.click()
        sole = page.locator(".cell.legal:has(.dots i:only-child)")
        if sole.count():
            break
        Mouse().build(page, screen.state())
        page.wait_for_selector(".game-page:not([aria-busy])")
    placed = len(screen.view()["players"][0]["territory"])
    sole.first.click()
    page.wait_for_function("count => document.querySelectorAll('.cell.tile').length > count", arg=placed)
    page.wait_for_selector(".game-page:not([aria-busy])")
    assert len(screen.view()["players"][0]["territory"]) == placed + 1


def test_device_is_handed_over_to_the_seat_whose_turn_it_is(browser):
    host = hosted_lobby(browser)
    host.page.fill(".lobby [name=name]", "Bob")
    host.page.click("[data-act=join]")
    host.page.wait_for_selector(".switcher button:nth-child(2)")
    host.page.click("[data-act=start]")
    host.page.wait_for_selector(CARDS)
    host.page.wait_for_selector(".switcher [aria-pressed=true]:has-text('Ann')")
    assert host.page.locator(".seat").count() == 2
    Mouse().set_prices(host.page)
    host.page.wait_for_selector("[data-act=hand-over]")
    host.page.click("[data-act=hand-over]")
    host.page.wait_for_selector("[data-act=set]")
    Mouse().set_prices(host.page)
    host.page.wait_for_selector(".game-page[data-phase=buying]")


def test_points_of_a_round_are_counted_up_and_skipped(browser):
    screen = building(browser)
    screen.keep(POINTS_MS)
    page = screen.page
    screen.play_until(lambda state: state["phase"] == "pricing")
    page.wait_for_selector(".strip .points")
    shown = page.locator(
        ".strip-row strong"
    ).all_inner_texts()  # the totals are counted in the strip and beside it
    assert page.locator(".seat .score").all_inner_texts() == shown
    lit = page.locator(".scored .now [data-slot]")
    slots = [tile["slot"] for tile in screen.view()["scoring_tiles"] if 1 in tile["rounds"]]
    assert [slot.get_attribute("data-slot") for slot in lit.all()] == slots  # of the round that is counted
    page.click("[data-act=skip]")
    assert not page.locator(".strip").is_visible()
    points = screen.view()["players"][0]["score"]
    assert page.locator(".seat .score").first.inner_text() == str(points)


def test_counting_tells_gains_by_scoring_tile_from_totals(browser):
    game, _, _ = browser.game("Ann", "Bob")
    page = replayed(browser, game).page
    page.evaluate(STRIP)
    page.wait_for_selector(".strip-row .points")
    head, *rows = (row.text_content() for row in page.locator(".strip-row").all())
    assert head == "Points of round 1Total"
    assert rows == ["AnnLargest lake +2 Sheep +1 +312", "BobLargest lake +0 Sheep +0 +08"]


def test_points_at_the_end_are_counted_before_the_result(browser):
    game, tokens, _ = browser.game("Ann", "Bob")
    screen = browser.window(f"/play/?game={game}")
    screen.keep(RESULT_MS)
    while (view := screen.view())["status"] == "playing":
        seat = view["waiting_for"][0]
        browser.act(game, seat, tokens[seat])
    page = screen.page
    page.wait_for_selector(".strip h2:has-text('Result')")
    assert not page.locator(".result").is_visible()
    page.click("[data-act=skip]")
    page.wait_for_selector(".result:visible")


def test_points_of_five_players_are_counted_within_eight_seconds(browser):
    game, _, _ = browser.game("Ann", "Bob")
    page = replayed(browser, game).page  # a page that sets no timers
    waits = page.evaluate(COUNT, [5, 4])
    assert len(waits) == 21
    assert sum(waits) <= 8000
    assert page.evaluate(COUNT, [2, 1])[:2] == [1200, 1200]
    page.evaluate("localStorage.setItem('skye.count', 'off')")
    assert page.evaluate(COUNT, [5, 4]) == [2000]  # at once, for players who want no counting


def test_reduced_motion_shows_all_points_at_once(browser):
    screen = building(browser, reduced_motion="reduce")
    screen.keep(POINTS_MS)
    screen.play_until(lambda state: state["phase"] == "pricing")
    page = screen.page
    page.wait_for_selector(".strip .points")
    assert page.locator(".strip .points").count() == 2
    assert page.locator(".flying").count() == 0


def test_deadline_at_zero_requests_events(browser):
    game, tokens, _ = browser.game("Ann", "Bob", options={"turn_ms": 2500})
    screen = browser.window("/play/")
    screen.page.route("**/events/stream", lambda _: None)  # a stream that never answers
    screen.page.goto(f"{browser.url}/play/?game={game}#seat={tokens[0]}")
    screen.page.wait_for_selector(".game-page:not([data-phase=pricing])")


def test_deleted_game_is_explained_and_forgotten(browser):
    browser.expected += ["404"]
    screen, game, _ = seated(browser, "Ann", "Bob")
    gone = '{"code": "game_not_found", "detail": "gone", "status": 404}'
    screen.page.route(f"**/v1/games/{game}*", lambda route: route.fulfill(status=404, body=gone))
    screen.page.reload()
    screen.page.wait_for_selector("h1:has-text('cannot be shown')")
    screen.page.click("main a")
    screen.page.wait_for_function("id => !localStorage[`skye.game.${id}`]", arg=game)


def test_aborted_game_is_announced_to_all_players(browser):
    game, tokens, host = browser.game("Ann", "Bob", auto_start=False, seat_count=3)
    screen = browser.window(f"/play/?game={game}#seat={tokens[0]}")
    screen.page.wait_for_selector(".lobby")
    call(browser.url, "POST", f"/v1/games/{game}/abort", token=host)
    screen.page.wait_for_selector(".result h2:has-text('aborted')")


def test_tile_and_gold_of_a_purchase_fly_at_their_own_size(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", options=SECOND)
    page = screen.page
    Mouse().set_prices(page)
    offer(browser, game, tokens, 1, 1, 1)
    page.wait_for_selector(".game-page[data-phase=buying]")
    page.evaluate(WATCH_FLIGHTS)
    tile = screen.view(tokens[0])["players"][0]["tiles_on_offer"]
    kept = next(one["tile"] for one in tile if not one["discard"])
    call(browser.url, "PUT", f"/v1/games/{game}/players/1/purchase", {"tile": kept}, tokens[1])
    page.wait_for_function("() => window.coins === '1 gold'")
    assert page.evaluate("window.grown") == 0
