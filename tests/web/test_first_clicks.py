"""Every button of every screen, pressed as it is found, in a private game, in each role.

In the small size only in those roles whose buttons differ most.
"""

import json
from collections import defaultdict

import pytest

try:
    from playwright.sync_api import Error
except ImportError:  # the tests are skipped
    Error = ()

from tests.support.sizes import sized
from tests.web.opponents import Opponent, new_name, rated_game, wait_until_counted
from tests.web.roles import END, opened

ROLES = ("host", "friend", "spectator", "hotseat")
MAX_PRESSES = 4
"""How many buttons are pressed one after the other: choose a tile, choose a cell, place it."""

_CONTROLS = """(elsewhere) => {
  const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
  const found = [...(dialog ?? document).querySelectorAll(`button:not(:disabled), summary, a:not([hreflang]),
    input[type=radio]:enabled, .cell.legal, dialog input[type=checkbox]`)];
  const usual = `.tools *, .tabs *, .toast *, [aria-disabled=true], ${elsewhere}`;
  const many = [".cell", ".offer", ".hand-tile", ".try", "input"];
  const whom = (who) => [" Ann", " Bob"].includes(who) ? who : " another";  // whose name is random
  const name = (one) => {
    const kind = many.find((selector) => one.matches(selector));
    const { act, level, bot } = one.dataset;
    const text = one.ariaLabel ?? one.textContent;
    return kind ?? (act === "remove" ? text.replace(/[^:]+$/, whom) : act ?? level ?? bot ?? text);
  };
  const where = (one) => one.closest("dialog")?.ariaLabel ?? one.closest("section")?.ariaLabel ?? "";
  const usable = found.filter((one) => one.checkVisibility() && !one.matches(usual));
  const known = (text) => text.replace(/\\u2068(.*?)\\u2069/g, (_, who) => whom(` ${who}`));
  for (const one of usable) one.dataset.control = known(`${where(one)}: ${name(one)}`);
  return usable.map((one) => one.dataset.control);
}"""
"""Returns the names of what can be pressed now, without what is pressed elsewhere, and marks the elements."""

_FURNITURE = ".side *, .menu-items > :not([data-act], [href*=replay]), [data-act=rules]"
"""What is the same on each screen of a game: one test presses it."""

_SCREEN = """() => {
  const { status, phase } = document.querySelector(".game-page")?.dataset ?? {};
  return [location.pathname, location.search, status, phase].join();
}"""
"""Returns what tells one screen from another."""

_STATE = """() => [
  document.querySelector(".game-page")?.dataset.event,
  document.querySelector(".switcher [aria-pressed=true]")?.textContent,
  document.querySelector(".lobby-seats")?.textContent,
  ...Object.entries(localStorage).filter(([name]) => name.startsWith("skye.game.")).map(String).sort(),
  !!document.querySelector("dialog[open], .menu[open], .cell.legal, .tray [aria-pressed=true], .card.out"),
  !!document.querySelector(".offer[aria-pressed=true]")].join()"""
"""Returns what presses change on a screen."""


class Visit:
    """One window on a screen, in which buttons are pressed one after the other.

    :param browser: The browser of the window.
    :param open_screen: A function that opens the screen in a new window.
    :param elsewhere: A selector of what another test presses.
    """

    def __init__(self, browser, open_screen, elsewhere):
        self._browser = browser
        self._screen = open_screen()
        self.page = self._screen.page
        self._elsewhere = elsewhere
        self._pending = set()
        self.page.on("request", lambda request: "/events/stream" in request.url or self._pending.add(request))
        for event in ("requestfinished", "requestfailed"):
            self.page.on(event, self._ended)
        self.page.on("framenavigated", lambda _: self._pending.clear())
        self.settle()
        self._begun = self._shown()

    def _ended(self, request):
        self._pending.discard(request)

    def settle(self):
        """Wait until the page, or the one that it leads to, has drawn all responses."""
        self._screen.wait_for(lambda: not self._pending and self._has_drawn() and not self._pending)

    def _has_drawn(self):
        try:
            self._screen.drawn()
            return not self.page.locator(".game-page:is([aria-busy], :not(.replay, [data-event]))").count()
        except Error:  # it leads to another page
            self.page.wait_for_load_state()
            return False

    def controls(self):
        """Return the names of what can be pressed, each once."""
        return list(dict.fromkeys(self.page.evaluate(_CONTROLS, self._elsewhere)))

    def press(self, control):
        """Press the first control with a name, once it is there."""
        is_there = f"([name, elsewhere]) => ({_CONTROLS})(elsewhere).includes(name)"
        self._screen.until(is_there, [control, self._elsewhere])
        self.page.locator(f"[data-control={json.dumps(control, ensure_ascii=False)}]").first.click()
        self.settle()

    def _shown(self):
        return self.page.evaluate(f"() => [({_SCREEN})(), ({_STATE})()]")

    @property
    def is_as_it_was_opened(self):
        """Whether the page shows what it did at first: no dialog, no menu, the same state of the game."""
        return self._shown() == self._begun

    @property
    def is_on_the_same_screen(self):
        """Whether the page still shows the screen that was opened."""
        return self._shown()[0] == self._begun[0]

    def close(self):
        """Close the window."""
        self._browser.close_window(self.page.context)


def press_everything(browser, open_screen, elsewhere="[hidden]", pressed=()):
    """Press each control of a screen, and then what has appeared by that; return the names of all.

    A press that leads elsewhere is followed by the next one in a new window on a new game. What is in
    `pressed` is not pressed.
    """
    visit = Visit(browser, open_screen, elsewhere)
    known = set(visit.controls())
    paths = [(control,) for control in visit.controls() if control not in pressed]
    before = None
    while paths:
        path = paths.pop()
        follows = before == path[:-1] and visit.is_on_the_same_screen and path[-1] in visit.controls()
        if not follows and not (visit.is_as_it_was_opened and path[0] in visit.controls()):
            visit.close()
            visit = Visit(browser, open_screen, elsewhere)
        for control in path[-1:] if follows else path:
            visit.press(control)
        before = path
        assert browser.complaints == [], path
        assert visit.page.locator(".toast.bad").all_inner_texts() == [], path
        if visit.is_on_the_same_screen and len(path) < MAX_PRESSES:
            appeared = [control for control in visit.controls() if control not in known]
            known.update(appeared)
            paths += [(*path, control) for control in appeared if control not in pressed]
    visit.close()
    return known


@pytest.fixture(scope="module")
def pressed_before():
    """What the tests before have pressed, by kind of screen and role; the full size presses it again."""
    return defaultdict(set)


@pytest.fixture
def press_the_rest(browser, pressed_before):
    """A function that presses each control of a screen that was not pressed before in the same role.

    It returns the names of all that were pressed in that role.
    """

    def press(kind, role, elsewhere=_FURNITURE, **game):
        before = pressed_before[kind, role]
        before |= press_everything(
            browser, lambda: opened(browser, role, **game), elsewhere, sized(before, ())
        )
        return before

    return press


FRIENDS = [{"name": "Ann"}, {"name": "Bob"}, {"name": "Cat"}]
LOBBY = {"players": [{"name": "Ann"}, {"name": "Bob"}, {"invite": True}, {"invite": True}], "seat_count": 4}
LAST_SEAT = [("host", "buying_last_seat"), ("host", "building_last_seat")]


@pytest.mark.parametrize("role", sized(["host", "guest"], [*ROLES, "guest"]))
def test_buttons_of_a_lobby_work_as_they_are_found(press_the_rest, role):
    elsewhere = "[hidden]" if role in {"host", "spectator"} else _FURNITURE
    pressed = press_the_rest("lobby", role, elsewhere, **LOBBY)
    assert ("Waiting for players: start" in pressed) == (role in {"host", "hotseat"})


@pytest.mark.parametrize(
    ("role", "scenario"),
    [*((role, "three_players") for role in sized(["host", "spectator"], ROLES)), *LAST_SEAT],
)
def test_buttons_of_a_phase_work_as_they_are_found(press_the_rest, role, scenario):
    press_the_rest("phase", role, scenario=scenario, players=FRIENDS)


@pytest.mark.parametrize("role", sized(["friend"], ROLES))
def test_buttons_of_a_result_work_as_they_are_found(press_the_rest, role):
    pressed = press_the_rest("result", role, **END)
    assert ("Result: again" in pressed) == (role != "spectator")


@pytest.mark.parametrize("role", sized(["spectator"], ["friend", "spectator"]))
def test_buttons_of_a_replay_work_as_they_are_found(press_the_rest, role):
    pressed = press_the_rest("replay", role, replay=True, **END)
    assert "Play on from here: begin" in pressed


def first_page(browser):
    """Open the first page in a new browser."""
    screen = browser.window()
    screen.page.wait_for_selector(".front .faint")
    return screen


def test_buttons_of_the_first_page_work_as_they_are_found(browser):
    pressed = press_everything(browser, lambda: first_page(browser))
    assert "Player key: Show" in pressed


def test_buttons_of_the_page_of_hunts_work_as_they_are_found(browser):
    def hunts():
        screen = browser.window("/play/?hunts")
        screen.page.wait_for_selector("[data-act=open-hunt]")
        return screen

    pressed = press_everything(browser, hunts)
    assert any(control.endswith("yes") for control in pressed)


@pytest.mark.parametrize(("path", "wanted"), [("ladder=slow_4", "play-rated"), ("profile", "delete-profile")])
def test_buttons_of_the_pages_of_ladders_work_as_they_are_found(browser, path, wanted):
    browser.expected.append("404")  # a profile that was deleted

    def page_of_a_player():
        player = Opponent(browser.url, new_name())
        screen = browser.window(f"/play/?{path}", stored={"skye.player": player.key})
        screen.page.wait_for_selector(f"[data-act={wanted}]")
        return screen

    pressed = press_everything(browser, page_of_a_player)
    assert any(control.endswith(wanted) for control in pressed)


@pytest.mark.parametrize("path", ["ladder=slow_4", "profile"])
def test_buttons_of_the_pages_of_ladders_work_for_newcomers(browser, path):
    def page_of_a_newcomer():
        screen = browser.window(f"/play/?{path}")
        screen.page.wait_for_selector("[data-act=claim]")
        return screen

    press_everything(browser, page_of_a_newcomer)


def test_buttons_of_the_page_of_a_player_work_as_they_are_found(browser):
    pair = [Opponent(browser.url, new_name()) for _ in range(2)]
    game = rated_game(*pair)
    for player in pair:
        player.resign(game)
    wait_until_counted(pair[0], game)

    def page_of_a_player():
        screen = browser.window(f"/play/?player={pair[0].name}")
        screen.page.wait_for_selector(".rated-results")
        return screen

    assert any("Replay" in control for control in press_everything(browser, page_of_a_player))
