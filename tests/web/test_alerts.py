"""How the page calls a player to a turn: title, icon, and optional sounds and notifications."""

import pytest

from tests.web.driver import CARDS, call, offer, seated

_RECORD = """
window.shown = [];
window.tones = 0;
class Shown { static permission = "granted"; static requestPermission = async () => "granted";
  constructor(title, options) { shown.push([title, options.body]); } close() {} }
window.Notification = Shown;
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...when) { tones += 1; return start.apply(this, when); };
"""
_HIDE = "Object.defineProperty(document, 'hidden', {value: true, configurable: true})"


def recorded(browser, **stored):
    """Open the seat that will buy first, in a window that records sounds and notifications.

    :param stored: the settings that the window has stored.
    :returns: the screen, and a function that sets the prices of its seat, or of the other one.
    """
    game, tokens, _ = browser.game("Ann", "Bob")
    first = call(browser.url, "GET", f"/v1/games/{game}")["starting_seat"]
    screen = browser.window(stored={f"skye.{name}": value for name, value in stored.items()})
    screen.page.add_init_script(_RECORD)
    screen.page.goto(f"{browser.url}/play/?game={game}#seat={tokens[first]}")
    screen.page.wait_for_selector(CARDS)

    def prices(*, own):
        offer(browser, game, tokens, first if own else 1 - first, 1, 1)
        screen.page.wait_for_function("mine => document.title.startsWith('●') === mine", arg=not own)

    return screen, prices


def icon(screen):
    """Return the path of the icon of the page."""
    return screen.page.get_attribute("link[rel=icon]", "href")


def choose(screen, setting):
    """Switch a setting on in the menu."""
    screen.page.click(".menu summary")
    screen.page.check(f".menu [name={setting}]")
    screen.page.click(".menu summary")


def test_title_and_icon_show_whose_turn_it_is(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob")
    screen.page.wait_for_function("() => document.title.startsWith('●')")
    assert icon(screen).endswith("/turn.svg")
    offer(browser, game, tokens, 0, 1, 1)
    screen.page.wait_for_function("() => !document.title.startsWith('●')")
    assert icon(screen).endswith("/picture.svg")


@pytest.mark.parametrize("hidden", [False, True])
def test_notification_of_a_turn_is_shown_only_in_the_background(browser, hidden):
    screen, prices = recorded(browser)
    choose(screen, "notify")
    prices(own=True)
    if hidden:
        screen.page.evaluate(_HIDE)
    prices(own=False)
    titles = [title for title, _ in screen.page.evaluate("shown")]
    assert titles == (["Your turn to buy"] if hidden else [])


def test_notifications_are_off_and_sounds_are_on_by_default(browser):
    screen, prices = recorded(browser)
    prices(own=True)
    screen.page.evaluate(_HIDE)
    prices(own=False)
    screen.page.wait_for_function("() => tones > 0")
    assert screen.page.evaluate("shown.length") == 0


def test_refused_notifications_switch_the_setting_off(browser):
    screen, _ = recorded(browser)
    screen.page.evaluate("Notification.requestPermission = async () => 'denied'")
    screen.page.click(".menu summary")
    screen.page.click(".menu [name=notify]")
    screen.page.wait_for_selector(".toast:has-text('does not allow notifications')")
    assert not screen.page.is_checked(".menu [name=notify]")


def test_turn_sounds_for_a_player_who_wants_sounds(browser):
    screen, prices = recorded(browser, sound="off")
    screen.page.check(".head [name=sound]")
    prices(own=True)
    assert screen.page.evaluate("tones") == 0
    prices(own=False)
    screen.page.wait_for_function("() => tones === 2")
