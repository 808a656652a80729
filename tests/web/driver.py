"""Windows of a browser with the web client, and what their pages show."""

import time
from operator import itemgetter
from urllib.parse import urlsplit

from tests.support.launcher import call
from tests.support.waiting import MAX_RUN_S, MAX_WAIT_S
from tests.web.hands import Mouse, can_build

_COMPLAIN = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
"""
PHONE = {"width": 360, "height": 740}
"""The window of a small phone."""

FIRST, SECOND = ({"seed": "table", "first_seat": seat} for seat in (0, 1))
"""Options of a game in which that seat buys first."""

KEEP_SAID = """window.said = [];
new MutationObserver((changes) => said.push(...changes.flatMap(({addedNodes}) => [...addedNodes].map(
  ({textContent}) => textContent)))).observe(document.getElementById("status"), {childList: true})"""
"""Keeps what a screen reader is given to say, also when something else is said after it."""

TOAST_MS, NOTICE_MS, POINTS_MS, RESULT_MS = 8000, 5000, 2000, 1500
"""How long the page shows a message, a notice, the points of a round and the winners, in milliseconds."""

SILENCE_MS = 20_000
"""How long the client waits for a part of a stream, in milliseconds (`silenceMs`)."""

CARDS = ".game-page[data-event] .pricing .card"
"""The cards of a page that sets prices and shows all its parts, which it does one by one."""

SETTLE_MS = 1000
"""How long the page waits before it requests again what was not current, in milliseconds."""

_KEEP = """(kept) => {
  const set = window.setTimeout;
  window.setTimeout = (run, delay, ...rest) => (kept.includes(delay) ? 0 : set(run, delay, ...rest));
}"""
_STATE = """() => {
  const page = document.querySelector(".game-page");
  if (!page?.dataset.event) return null; // set when all parts are shown
  const shown = (selector) => !!page.querySelector(selector)?.offsetParent;
  const mine = page.classList.contains("my-turn") && !page.ariaBusy;
  return {...page.dataset, mine, set: shown(".pricing [data-act=set]"),
    buying: shown(".buying"), building: shown(".tray-part.building"), finish: shown("[data-act=finish]"),
    hand: page.querySelectorAll(".hand-tile:not(.dim)").length,
    ready: !page.querySelector(".hand-tile .faint")?.textContent.includes("…")};
}"""


class Browser:
    """Opens windows, and collects what their pages complain about.

    In a `with` statement it closes the windows, and fails when a page has complained.

    :param kept: Closed windows that are opened again with an empty storage and a filled HTTP cache. Without
        this list every window is new; to fill a cache takes more CPU time than most tests.
    """

    def __init__(self, chromium, url, kept=None):
        self._chromium = chromium
        self.url = url
        self._kept = kept
        self.complaints = []
        self.expected = []
        """Parts of complaints that a test expects, such as those about a server that it has stopped."""
        self._failures = []
        self._open = []
        self._own = []

    def __enter__(self):
        return self

    def __exit__(self, error, *_):
        self.close()
        assert error is not None or self.complaints == [], self.complaints

    def window(self, path="/play/", *, width=1440, height=900, stored=None, own=False, **options):
        """Open a page in a window with storage of its own.

        :param stored: The entries of `localStorage` by name.
        :param own: Whether no later window is opened in the same context: the test changes all its pages.
        """
        if own or options or self._kept is None:
            context = self._new_context(**options)
            self._own.append(context)
        else:
            context = self._kept.pop() if self._kept else self._new_context()
            self._open.append(context)
        entries = [{"name": name, "value": value} for name, value in (stored or {}).items()]
        context.set_storage_state(
            {"cookies": [], "origins": [{"origin": self.url, "localStorage": entries}] if entries else []}
        )
        return self.tab(context, path, {"width": width, "height": height})

    def _new_context(self, **options):
        context = self._chromium.new_context(service_workers="block", **options)
        context.add_init_script(_COMPLAIN)
        context.set_default_timeout(1000 * MAX_WAIT_S)
        return context

    def tab(self, context, path, size=None):
        """Open another page in the same window."""
        page = context.new_page()
        if size is not None:
            page.set_viewport_size(size)
        page.on("console", lambda message: message.type == "error" and self._complain(_console_text(message)))
        page.on("pageerror", lambda error: self._complain(f"{error}\n{error.stack}"))
        page.on("request", lambda request: self._check_origin(request.url))
        page.on("response", lambda response: response.status >= 500 and self._failures.append(response))
        page.goto(self.url + path)
        return Screen(page, self.url)

    def close(self):
        """Close all windows. Before, add what the server said in each error, which the console omits."""
        for response in self._failures:
            self._complain(f"{response.request.method} {response.url}: {response.status} {_text(response)}")
        while self._own:
            self._own.pop().close()
        while self._open:
            self.close_window(self._open[-1])

    def close_window(self, context):
        """Close all pages of a window, and keep what it has cached."""
        for page in context.pages:
            page.close()
        context.set_offline(False)
        self._open.remove(context)
        self._kept.append(context)

    def _complain(self, text):
        if not any(part in text for part in self.expected):
            self.complaints.append(text)

    def _check_origin(self, url):
        ours = urlsplit(self.url).netloc
        if urlsplit(url).scheme in ("http", "https") and urlsplit(url).netloc != ours:
            self.complaints.append(f"request to {url}")

    def game(self, *names, bots=(), **body):
        """Create a game by plain HTTP; return its id and the tokens of its seats."""
        players = [{"name": name} for name in names] + [{"bot": bot} for bot in bots]
        if "position" not in body:  # it starts at once, with a seed of its own
            body = {"auto_start": True, "options": {"seed": "table"}} | body
        created = call(self.url, "POST", "/v1/games", {"players": players} | body)
        tokens = [player["token"] for player in created["players"]]
        return created["game"]["id"], tokens, created["host_token"]

    def play_out(self, game, token, seat=0):
        """Play the rest of a game for one seat by plain HTTP, where bots have the other seats."""
        while self.act(game, seat, token):
            pass

    def act(self, game, seat, token, choose=itemgetter(0)):
        """Make a legal action of a seat by plain HTTP, by default the first; return whether there is one."""
        listed = call(self.url, "GET", f"/v1/games/{game}/players/{seat}/actions", token=token)["actions"]
        legal = [action for action in listed if action["type"] != "take_back"]
        if legal:
            action = choose(legal)
            call(self.url, action["method"], action["href"], action["body"], token)
        return bool(legal)


def _console_text(message):
    """Return the text of a console message, and the URL that it is about."""
    return f"{message.text} {message.location['url']}".strip()


def _text(response):
    """Return the body of a response; nothing when the server stopped before it had sent it."""
    from playwright.sync_api import Error  # noqa: PLC0415 - the tests are skipped where it is not installed

    try:
        return response.text()
    except Error:
        return ""


class Screen:
    """One page of the web client."""

    def __init__(self, page, url):
        self.page = page
        self.url = url

    @property
    def game(self):
        """The id of the game in the address."""
        return self.page.evaluate("new URLSearchParams(location.search).get('game')")

    def view(self, token=None):
        """Return the game as the server shows it."""
        return call(self.url, "GET", f"/v1/games/{self.game}", token=token)

    def token(self):
        """Return the token of the seat that the browser has in the game."""
        return self.page.evaluate("id => JSON.parse(localStorage[`skye.game.${id}`]).seats[0]", self.game)

    def copied(self, selector):
        """Press the first button of a selector, which copies a link; return the link."""
        self.page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
        self.page.locator(selector).first.click()
        self.page.wait_for_function("() => window.copied")
        return self.page.evaluate("window.copied")

    def state(self):
        """Return what the page shows, in short, once it has drawn what was done before."""
        self.drawn()
        return self.page.evaluate(_STATE)

    def keep(self, *shown_ms):
        """Let what the page shows for so long stay, however late this test looks at it."""
        self.page.evaluate(_KEEP, list(shown_ms))

    def keep_in_next_page(self, *shown_ms):
        """Let what the next pages of the window, one of its own, show for so long stay."""
        self.page.context.add_init_script(f"({_KEEP})({list(shown_ms)})")

    def menu(self, selector):
        """Open the menu, and press an item."""
        self.page.click(".menu summary")
        self.page.click(f".menu-items {selector}")

    def wait_for(self, condition):
        """Wait until a condition holds, while the page runs."""
        deadline = time.monotonic() + MAX_WAIT_S
        while not condition():
            assert time.monotonic() < deadline
            self.page.wait_for_timeout(10)

    def drawn(self):
        """Wait until the page has drawn what it knows."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")

    def reads(self, selector, text):
        """Wait until an element has a text, regardless of the isolates around names."""
        self.until(
            """([selector, text]) => document.querySelector(selector)?.innerText
              .replace(/[\\u2068\\u2069]/g, "").includes(text)""",
            [selector, text],
        )

    def caught_up(self, view=None):
        """Wait until the page shows the last event of the game; return the view of the server."""
        view = view or self.view()
        self.page.wait_for_function(
            "number => Number(document.querySelector('.game-page')?.dataset.event) >= number",
            arg=view["last_event"],
        )
        return view

    def until(self, expression, arg=None):
        """Wait until an expression is true in the page."""
        return self.page.wait_for_function(expression, arg=arg)

    def play_until(self, done, hands=None):
        """Play with an input device until `done(state)` is true; return that state."""
        return play_all_until([self], done, hands)


def seated(browser, *names, bots=(), seat=0, language=None, window=None, **body):
    """Create a game and open one of its seats; return the screen, the id and the tokens.

    :param window: the options of the window.
    """
    game, tokens, _ = browser.game(*names, bots=bots, **body)
    query = f"{game}&lang={language}" if language else game
    screen = browser.window(f"/play/?game={query}#seat={tokens[seat]}", **(window or {}))
    screen.page.wait_for_selector(CARDS)
    return screen, game, tokens


def add_seat(browser, screen, game, token):
    """Open another seat of a game in the same window."""
    screen.page.goto("about:blank")
    screen.page.goto(f"{browser.url}/play/?game={game}#seat={token}")
    screen.page.wait_for_selector(".switcher button:nth-child(2)")


def replayed(browser, game, more="", **window):
    """Open the replay of a game; return the screen."""
    screen = browser.window(f"/play/?game={game}&replay=1{more}", **window)
    screen.page.wait_for_selector(".scrub")
    return screen


def building(browser, **window):
    """Open a seat that must build; return the screen."""
    screen, _, _ = seated(browser, "Ann", bots=["random"], window=window)
    screen.play_until(can_build)
    return screen


def show_ghost(page):
    """Choose the first tile in hand, and show its ghost on the first cell where it can lie."""
    page.locator(".hand-tile:not(.dim)").first.click()
    page.locator(".cell.legal").first.click()


def offer(browser, game, tokens, seat, first, second):
    """Set prices for a seat by plain HTTP; return the prices by tile."""
    path = f"/v1/games/{game}"
    drawn = call(browser.url, "GET", path)["players"][seat]["tiles_on_offer"]
    marked, *kept = (tile["tile"] for tile in drawn)
    body = {"discard": marked, "prices": dict(zip(kept, (first, second), strict=True))}
    call(browser.url, "PUT", f"{path}/players/{seat}/offer", body, tokens[seat])
    return body


def offer_all(browser, game, tokens):
    """Set prices of 1 for all seats by plain HTTP."""
    for seat in range(len(tokens)):
        offer(browser, game, tokens, seat, 1, 1)


def play_all_until(screens, done, hands=None):
    """Let all screens play in turn until `done(state)` is true for all."""
    hands = hands or Mouse()
    deadline = time.monotonic() + MAX_RUN_S
    while True:
        states = [screen.state() for screen in screens]
        if all(state and done(state) for state in states):
            return states
        assert time.monotonic() < deadline, states
        moved = [
            hands.move(screen.page, state) for screen, state in zip(screens, states, strict=True) if state
        ]
        if not any(moved):
            screens[0].page.wait_for_timeout(30)
