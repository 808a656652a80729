"""Answers and events that arrive late: they change nothing in what was opened later, and lose no press."""

from tests.support.waiting import MAX_WAIT_S
from tests.web.driver import CARDS, add_seat, seated
from tests.web.test_friends import hosted_lobby


class Held:
    """Keeps the responses to requests of a page until they are released."""

    def __init__(self, screen, pattern, method="GET"):
        self._screen = screen
        self._method = method
        self._held = []
        self._released = False
        screen.page.route(pattern, self._hold)

    def _hold(self, route):
        if self._released or route.request.method != self._method:
            route.fallback()
        else:
            self._held.append((route, route.fetch(timeout=1000 * MAX_WAIT_S)))

    def wait(self):
        """Wait until the server has responded."""
        self._screen.wait_for(lambda: self._held)

    def release(self):
        """Let the page have what the server responded."""
        self._released = True
        for route, response in self._held:
            route.fulfill(response=response)


def ended_streams(screen):
    """Collect the event streams of a page that end from now on."""
    ended = []
    for event in ("requestfinished", "requestfailed"):
        screen.page.on(event, lambda request: "/events/stream" in request.url and ended.append(request))
    return ended


def stream_ended(screen, ended):
    """Wait until a stream has ended, and until the page has drawn what followed from it."""
    screen.wait_for(lambda: ended)
    screen.drawn()


def test_guest_who_takes_a_seat_sees_no_refused_invitation(browser):
    host = hosted_lobby(browser)
    guest = browser.window(host.copied("[data-act=invite-link]").removeprefix(browser.url))
    guest.page.wait_for_selector(".connection.live")
    ended = ended_streams(guest)
    joined = Held(guest, "**/players", "POST")
    guest.page.fill(".lobby [name=name]", "Bob")
    guest.page.click("[data-act=join]")
    joined.wait()
    stream_ended(guest, ended)
    assert guest.page.locator(".toast.bad").count() == 0
    joined.release()
    guest.page.wait_for_selector(".lobby-seats .taken:nth-child(2)")
    assert guest.page.locator(".toast.bad").count() == 0


def test_renewed_seat_is_kept_when_its_stream_ends_first(browser):
    browser.expected.append("401")
    game, tokens, _ = browser.game("Ann", "Bob")
    screen = browser.window(f"/play/?game={game}#seat={tokens[0]}")
    screen.page.wait_for_selector(".connection.live")
    ended = ended_streams(screen)
    renewed = Held(screen, "**/token", "POST")
    screen.menu("[data-act=seat-link]")
    screen.page.click("[data-act=renew]")
    renewed.wait()
    stream_ended(screen, ended)
    renewed.release()
    screen.page.wait_for_function(
        "old => !document.querySelector('dialog input').value.includes(old)", arg=tokens[0]
    )
    link = screen.page.locator("dialog input").input_value()
    stored = screen.page.evaluate("id => JSON.parse(localStorage[`skye.game.${id}`]).seats", game)
    assert [link.split("#seat=")[1]] == stored


def test_second_click_on_join_takes_no_second_seat(browser):
    game, _, _ = browser.game("Ann", auto_start=False, seat_count=4)
    guest = browser.window(f"/play/?game={game}")
    guest.page.fill(".lobby [name=name]", "Bob")
    joined = Held(guest, "**/players", "POST")
    guest.page.click("[data-act=join]")
    joined.wait()
    guest.page.locator("[data-act=join]").dispatch_event("click")
    guest.drawn()
    joined.release()
    guest.page.wait_for_selector(".lobby-seats .taken:nth-child(2) .faint:has-text('you')")
    assert len(guest.view()["players"]) == 2


def test_game_opened_last_stays_when_an_earlier_one_fails_late(browser):
    browser.expected.append("400")
    first, game, tokens = seated(browser, "Ann", "Bob")
    add_seat(browser, first, game, tokens[1])
    problem = Held(first, "**/problem.js")
    first.page.route(
        f"**/games/{game}?*",
        lambda route: (
            route.fulfill(status=400, json={"code": "bad_request"})
            if tokens[1] in route.request.headers.get("authorization", "")
            else route.fallback()
        ),
    )
    first.page.click(".switcher button:nth-child(2)")
    problem.wait()
    first.page.click(".switcher button:nth-child(1)")
    first.page.wait_for_selector(".game-page .connection.live")
    problem.release()
    first.page.wait_for_function("""() => performance.getEntriesByType("resource").some(({ name }) =>
        name.endsWith("/problem.js"))""")
    first.drawn()
    first.page.wait_for_function("() => document.querySelectorAll('.pricing .card').length === 3")


NO_STREAM = """const send = window.fetch;
window.fetch = (input, ...rest) =>
  (String(input.url ?? input).includes("/events/stream") ? new Promise(() => {}) : send(input, ...rest));"""


def test_host_who_is_quicker_than_the_events_meets_no_error(browser):
    page = hosted_lobby(browser).page
    page.add_init_script(NO_STREAM)
    page.reload()
    for action in ("withdraw", "join", "start"):
        page.click(f"[data-act={action}]")
    page.wait_for_selector(CARDS)
    assert page.locator(".toast").count() == 0
