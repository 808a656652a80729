"""Cuts, restarts, lost answers, several tabs and clocks that are wrong."""

import json
import re

import pytest

from tests.support.launcher import launching
from tests.support.ports import free_port
from tests.support.waiting import MAX_WAIT_S
from tests.web.driver import (
    CARDS,
    SETTLE_MS,
    SILENCE_MS,
    TOAST_MS,
    Browser,
    building,
    call,
    offer,
    seated,
    show_ghost,
)
from tests.web.hands import Mouse, can_build


class Rival:
    """Plays another seat by plain HTTP."""

    def __init__(self, browser, game, token):
        self.browser, self.game, self.token = browser, game, token

    def act(self):
        """Do the first thing that can be done, if it is this seat's turn."""
        view = call(self.browser.url, "GET", f"/v1/games/{self.game}", token=self.token)
        seat = view["you"]["seat"]
        if view["status"] == "playing" and seat in view["waiting_for"]:
            self.browser.act(self.game, seat, self.token)


def test_events_missed_while_offline_are_shown_afterwards(browser):
    browser.expected.append("ERR_INTERNET_DISCONNECTED")
    screen, game, tokens = seated(browser, "Ann", "Bob")
    Mouse().set_prices(screen.page)
    screen.page.context.set_offline(True)
    offer(browser, game, tokens, 1, 1, 1)
    screen.page.context.set_offline(False)
    screen.page.wait_for_selector(".game-page[data-phase=buying]")
    assert screen.caught_up()["phase"] == "buying"


def test_restart_of_the_server_while_building_loses_nothing(chromium, tmp_path):
    bind = f"127.0.0.1:{free_port()}"
    with launching(tmp_path) as start:
        first = start(SKYE_BIND=bind)
        with Browser(chromium, first.url) as browser:
            browser.expected += [
                "net::ERR_",
                "503",
            ]
            screen, _, _ = seated(browser, "Ann", bots=["random"])
            screen.play_until(can_build)
            first.end()
            screen.page.wait_for_selector(".connection.reconnecting")
            start(SKYE_BIND=bind)
            screen.play_until(lambda state: state["phase"] == "pricing")
            assert screen.caught_up()["round"] == 2


def test_lost_answer_to_a_placement_places_once(browser):
    browser.expected.append("ERR_")
    screen = building(browser)
    keys = []

    def lose(route):
        keys.append(route.request.headers["idempotency-key"])
        if len(keys) == 1:
            # The server places the tile, but the browser receives no response.
            route.fetch(timeout=1000 * MAX_WAIT_S)
            route.abort()
        else:
            route.continue_()

    screen.page.route("**/placements?*", lose)
    Mouse().build(screen.page, screen.state())
    screen.until(
        "() => document.querySelectorAll('.cell.tile:not(.waiting)').length === 2"
        " && !document.querySelector('[aria-busy]')"
    )
    assert len(screen.view()["players"][0]["territory"]) == 2
    assert len(keys) > 1
    assert len(set(keys)) == 1


def test_refused_placement_goes_back_to_the_hand(browser):
    browser.expected.append("409")
    screen = building(browser)
    body = '{"code": "terrain_mismatch", "detail": "It does not fit.", "status": 409}'
    screen.page.route("**/placements?*", lambda route: route.fulfill(status=409, body=body))
    hand = screen.page.locator(".hand-tile").count()
    show_ghost(screen.page)
    screen.page.click("[data-act=place]")
    screen.page.wait_for_selector(".toast.bad")
    screen.until("hand => document.querySelectorAll('.hand-tile').length === hand", hand)
    assert screen.page.locator(".cell.tile").count() == 1


KEEP_WAITS = """() => {
  window.waits = [];
  new MutationObserver(() => {
    const shown = /Again in (\\d+) second/.exec(document.querySelector(".toast.bad")?.textContent);
    if (shown) waits.push(Number(shown[1]));
  }).observe(document.body, {subtree: true, childList: true, characterData: true});
}"""
"""Keeps the seconds that the page shows in `waits`, however late this test looks at them."""


def test_wait_that_the_server_asks_for_is_counted_down(browser):
    browser.expected.append("429")
    screen, _, _ = seated(browser, "Ann", "Bob")
    screen.keep(TOAST_MS)
    body = '{"code": "too_many_requests", "detail": "Wait.", "status": 429}'
    headers = {"Retry-After": "90"}
    screen.page.route("**/offer?*", lambda route: route.fulfill(status=429, headers=headers, body=body))
    screen.page.evaluate(KEEP_WAITS)
    screen.page.locator(".pricing .discard").first.click()
    screen.page.click("[data-act=set]")
    screen.until("() => waits.some((seconds) => seconds < waits[0])")
    assert screen.page.evaluate("waits[0]") == 90


def test_second_tab_follows_and_takes_over_when_the_leader_closes(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", "Cy")
    streams = []
    second = browser.tab(screen.page.context, f"/play/?game={game}")
    second.page.on("request", lambda request: request.url.endswith("/stream") and streams.append(request.url))
    second.page.wait_for_selector(CARDS)
    offer(browser, game, tokens, 1, 1, 1)
    second.caught_up()
    assert streams == []
    screen.page.close()
    offer(browser, game, tokens, 2, 1, 1)
    second.caught_up()
    second.page.wait_for_selector(".connection.live")
    assert len(streams) == 1


def sent(event, data):
    """Return a message of an event stream."""
    return f"event: {event}\ndata: {json.dumps(data)}\n\n"


def test_second_tab_reloads_when_the_leader_lost_history(browser):
    game, tokens, _ = browser.game("Ann", "Bob")
    screen, streams = browser.window(own=True), []
    pages = [screen.page]

    def hold(route):
        streams.append(route)

    def respond(*messages):
        screen.wait_for(lambda: streams)
        streams.pop().fulfill(content_type="text/event-stream", body="".join(messages))

    def show(selector):
        for page in pages:
            page.wait_for_selector(selector)

    screen.page.route("**/events/stream", hold)
    screen.keep_in_next_page(SILENCE_MS)
    screen.page.goto(f"{browser.url}/play/?game={game}#seat={tokens[0]}")
    show(".pricing .card")
    pages.append(browser.tab(screen.page.context, f"/play/?game={game}").page)
    show(".pricing .card")
    last, version = (screen.view()[name] for name in ("last_event", "version"))
    lost = {
        "id": last + 1,
        "version": version + 1,
        "type": "offer_set",
        "seat": 1,
        "discard": None,
        "at": "2026-01-01T00:00:00Z",
    }
    respond(sent("stream", {"last_event": last + 1}), sent("message", lost))
    show(f".game-page[data-event='{last + 1}'] .connection.reconnecting")
    respond(sent("end", {"reason": "history_lost", "resume": "reload"}))
    show(f".game-page[data-event='{last}'] .connection.reconnecting")
    screen.wait_for(lambda: streams)
    streams.pop().continue_()
    show(".connection.live")
    offer(browser, game, tokens, 1, 1, 1)
    show(".seat[data-seat='1'] .seat-state:has-text('set')")


def test_actions_of_an_older_version_are_requested_again_later(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", "Cy")
    screen.keep(SETTLE_MS)
    requests = []

    def respond(route):
        requests.append(route.request.url)
        route.fulfill(json={"version": 0, "actions": []})

    screen.page.route("**/actions", respond)
    offer(browser, game, tokens, 1, 1, 1)
    with screen.page.expect_response("**/actions"):
        screen.caught_up()
    for _ in range(3):
        screen.drawn()
    assert len(requests) == 1


def test_host_starts_only_the_lobby_that_was_shown(browser):
    browser.expected.append("412")
    game, _, host = browser.game("Ann", auto_start=False, seat_count=4)
    screen = browser.window(f"/play/?game={game}#host={host}")
    screen.page.wait_for_selector("[data-bot=random]")
    screen.page.click("[data-bot=random]")
    screen.page.wait_for_selector("[data-act=start]:enabled")
    screen.page.route(
        "**/start", lambda route: route.continue_(headers={**route.request.headers, "if-match": '"1"'})
    )
    screen.page.click("[data-act=start]")
    screen.page.wait_for_selector(".toast:has-text('changed')")
    screen.page.wait_for_selector("#status:has-text('changed')", state="attached")
    screen.page.unroute("**/start")
    screen.page.click("[data-act=start]")
    screen.page.wait_for_selector(".game-page[data-status=playing]")


def test_seat_moves_up_when_a_player_leaves_the_lobby(browser):
    game, tokens, _ = browser.game("Ann", "Bob", "Cy", auto_start=False, seat_count=4)
    screen = browser.window(f"/play/?game={game}#seat={tokens[2]}")
    screen.page.wait_for_selector(".lobby-seats .taken:nth-child(3)")
    call(browser.url, "DELETE", f"/v1/games/{game}/players/0", token=tokens[0])
    screen.page.wait_for_function("() => document.querySelectorAll('.lobby-seats .taken').length === 2")
    second = screen.page.locator(".lobby-seats .taken").nth(1).inner_text()
    assert "Cy" in second
    assert "you" in second


def test_deadline_counts_down_by_the_clock_of_the_server(browser):
    game, tokens, _ = browser.game("Ann", "Bob", options={"turn_ms": 600_000})
    screen = browser.window("/play/", own=True)
    screen.page.clock.install(time="2020-01-01T00:00:00Z")
    screen.page.goto(f"{browser.url}/play/?game={game}#seat={tokens[0]}")
    screen.page.wait_for_selector("header .clock:not([hidden])")
    minutes = screen.page.locator("header .clock").inner_text().split(":")[0]
    assert minutes in ("9", "10")


def test_deadline_that_passes_plays_on_for_the_seat(browser):
    game, tokens, _ = browser.game("Ann", "Bob", options={"turn_ms": 1500})
    screen = browser.window(f"/play/?game={game}#seat={tokens[0]}")
    screen.page.wait_for_selector(".game-page:not([data-phase=pricing])")
    screen.page.wait_for_selector(".log .timed_out:has-text('run out of time')", state="attached")


def test_nothing_new_can_be_sent_while_the_browser_is_offline(browser):
    browser.expected.append("ERR_INTERNET_DISCONNECTED")
    screen, _, _ = seated(browser, "Ann", "Bob")
    page = screen.page
    page.locator(".pricing .discard").first.click()
    page.wait_for_selector("[data-act=set]:enabled:not([aria-disabled])")
    page.context.set_offline(True)
    page.wait_for_selector("[data-act=set]:disabled")
    page.wait_for_selector(".notes > .banner")
    assert page.locator(".pricing .card").count() == 3
    page.context.set_offline(False)
    page.wait_for_selector("[data-act=set]:enabled:not([aria-disabled])")
    page.wait_for_selector(".notes > .banner", state="hidden")


@pytest.mark.parametrize("phase", ["pricing", "buying", "building"])
def test_connection_cut_in_a_phase_is_resumed_where_the_game_is(browser, phase):
    browser.expected.append("ERR_INTERNET_DISCONNECTED")
    screen, game, tokens = seated(browser, "Ann", "Bob", options={"seed": "table", "first_seat": 1})
    rival = Rival(browser, game, tokens[1])
    while screen.caught_up()["phase"] != phase:
        rival.act()
        screen.play_until(lambda state: not state["mine"] or state["phase"] == phase)
    screen.page.context.set_offline(True)
    screen.page.wait_for_selector(".notes > .banner")
    rival.act()
    screen.page.context.set_offline(False)
    assert screen.caught_up()["phase"] == phase
    screen.page.wait_for_selector(".connection.live")
    round_number = screen.view()["round"]
    while screen.caught_up()["round"] == round_number:
        screen.play_until(lambda state: not state["mine"])
        rival.act()


@pytest.mark.parametrize("wrong", ["2020-01-01T00:00:00Z", "2035-01-01T00:00:00Z"])
def test_deadline_passes_at_the_time_of_the_server(browser, wrong):
    game, tokens, _ = browser.game("Ann", "Bob", options={"turn_ms": 5000})
    screen = browser.window("/play/", own=True)
    screen.page.clock.install(time=wrong)
    screen.page.route("**/events/stream", lambda _: None)  # a stream that never answers
    screen.page.goto(f"{browser.url}/play/?game={game}#seat={tokens[0]}")
    screen.page.wait_for_selector("header .clock.soon")
    assert re.fullmatch("0:0[0-5]", screen.page.locator("header .clock").inner_text())
    screen.page.wait_for_function("() => document.querySelector('#alert').innerText.includes('seconds left')")
    screen.page.wait_for_selector(".game-page:not([data-phase=pricing])")
    screen.page.wait_for_selector(".log .timed_out:has-text('run out of time')", state="attached")
