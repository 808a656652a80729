"""Players who are away: what they and the others are shown, how they come back, and who may end the game."""

from tests.web.driver import CARDS, NOTICE_MS, Browser, call
from tests.web.test_friends import accept

STORIES = """async ([events, seat]) => {
  const base = document.querySelector("script[type=module]").src.replace("main.js", "");
  const {storyFor} = await import(base + "game/log.js");
  const {plain} = await import(base + "shared/i18n.js");
  const view = {you: {seat}, players: [{seat: 0, name: "Ann"}, {seat: 1, name: "Bob"}]};
  const log = events.map((event, index) => ({id: index + 1, ...event}));
  return log.map((event) => plain(storyFor(event, {view, log})));
}"""
"""Returns what the log of a seat says of events."""


def test_absence_is_named_until_the_player_takes_the_seat_back(browser):
    options = {"seed": "table", "turn_ms": 60_000, "on_timeout": "bot", "clock": "manual"}
    game, tokens, host = browser.game("Ann", "Bob", options=options)
    ann, bob = (browser.window(f"/play/?game={game}#seat={token}") for token in tokens)
    for screen in (ann, bob):
        screen.page.wait_for_selector(CARDS)
        screen.keep(NOTICE_MS)
    browser.act(game, 1, tokens[1])
    call(browser.url, "POST", f"/v1/games/{game}/clock", {"advance_ms": 60_000}, host)
    ann.reads(".requests [data-act=return]", "Take your seat back")
    ann.reads(".requests", "plays for you since round 1")
    bob.page.wait_for_selector(".notices p:has-text('has run out of time')")
    bob.page.wait_for_selector("[data-seat='0'] .badge:has-text('has not come')")
    for text in ("You have run out of time", "Prices were set for you", "until you take your seat back"):
        ann.page.wait_for_selector(f".since li:has-text('{text}')")
    ann.page.reload()
    ann.page.wait_for_selector(".since li:has-text('Prices were set for you') img")
    ann.page.goto(f"{browser.url}/play/")
    ann.page.wait_for_selector(".games li:has-text('You are away') a")
    ann.page.click(".games li:has-text('You are away') a")
    ann.page.click("[data-act=return]")
    ann.page.wait_for_selector("[data-act=return]", state="hidden")
    bob.page.wait_for_selector(".notices p:has-text('plays again')")
    assert not bob.page.locator(".badge:has-text('has not come')").is_visible()


def test_moves_of_the_server_are_told_as_such_to_their_seat(browser):
    events = [
        {"type": "offer_set", "seat": 0, "discard": "L1", "prices": {"L2": 3}},
        {"type": "timed_out", "seat": 0},
        {"type": "tile_bought", "seat": 0, "tile": "L7", "seller": 1, "price": 4},
        {"type": "tile_placed", "seat": 0, "tile": "L7", "x": 1, "y": 0},
        {"type": "bot_took_over", "seat": 0, "bot": "greedy", "reason": "timed_out"},
        {"type": "building_finished", "seat": 0, "tiles_returned": []},
        {"type": "seat_returned", "seat": 0},
        {"type": "purchase_passed", "seat": 0},
        {"type": "time_added", "added_ms": 13_000},
    ]
    game, _, _ = browser.game("Ann", "Bob")
    screen = browser.window(f"/play/?game={game}")
    screen.page.wait_for_selector(".log li", state="attached")
    own, others = (screen.page.evaluate(STORIES, [events, seat]) for seat in (0, 1))
    assert own[0] == others[0] == "Ann sets prices"
    assert own[1] == "You have run out of time: the server decides for you"
    assert own[2] == "L7 was bought for you from Bob for 4"
    assert own[3] == others[3] == "Ann places L7: 1 east"  # after the decision that was late
    assert own[4].startswith("You were away")
    assert own[5] == "Your building was finished for you"
    assert own[7] == others[7] == "Ann buys nothing"
    assert own[8] == others[8] == "The server was out: all deadlines are 0:13 later"


def test_host_who_may_end_the_game_alone_does_so_after_a_question(browser):
    host = browser.window()
    host.page.fill("form [name=name]", "Ann")
    host.page.check("[name=host-may-abort]")
    host.page.click("[data-act=friends]")
    host.page.wait_for_selector("[data-act=invite-link]")
    guest = accept(browser, host.copied("[data-act=invite-link]"), "Bob")
    guest.page.wait_for_selector(".options-chosen:has-text('The host may end the game alone')")
    host.page.wait_for_selector(".lobby-seats .taken:nth-child(2)")
    host.page.click("[data-act=start]")
    host.page.click("dialog[open] [data-act=yes]")  # other invitations are unused
    for screen in (host, guest):
        screen.page.wait_for_selector(CARDS)
        screen.page.click(".menu summary")
    assert not guest.page.locator("[data-act=host-abort]").is_visible()
    host.page.click("[data-act=host-abort]")
    host.page.click("dialog[open] [data-act=yes]")
    guest.page.wait_for_selector(".result h2:has-text('aborted')")


def test_take_over_is_asked_for_after_a_day_without_a_clock(launch, chromium):
    served = launch(SKYE_WORKERS="1", SKYE_DISPATCHERS="1", SKYE_LAB="on")
    with Browser(chromium, served.url) as browser:
        game, tokens, _ = browser.game("Ann", "Bob", options={"seed": "table", "first_seat": 0})
        ann, bob = (browser.window(f"/play/?game={game}#seat={token}") for token in tokens)
        ann.page.wait_for_selector(CARDS)
        ann.keep(NOTICE_MS)
        browser.act(game, 1, tokens[1])
        button, state = bob.page.locator("[data-act=takeover]"), "() => document.querySelector('.banner')"
        for hours, is_offered in ((23, False), (1, True)):
            let_pass(served.url, hours)
            bob.page.reload()
            bob.page.wait_for_selector("[data-seat='0']")
            bob.page.wait_for_function(state)
            bob.drawn()
            assert button.is_visible() is is_offered
        bob.reads(".banner:has([data-act=takeover])", "has waited for Ann for a day")
        button.click()
        button.wait_for(state="hidden")
        ann.page.wait_for_selector(".notices p:has-text('You have a day to decide')")
        let_pass(served.url, 24)
        ann.reads(".requests [data-act=return]", "Take your seat back")
        bob.page.wait_for_selector("[data-seat='0'] .badge:has-text('has not come')")
        ann.page.click("[data-act=return]")
        ann.page.wait_for_selector("[data-act=return]", state="hidden")
        bob.page.wait_for_selector(".badge:has-text('has not come')", state="hidden")


def let_pass(url, hours):
    """Advance the clock of a server."""
    call(url, "POST", "/v1/lab/clock", {"advance_ms": 3_600_000 * hours})
