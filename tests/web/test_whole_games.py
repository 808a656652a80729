"""Whole games in the web client."""

import pytest

from tests.web.driver import CARDS, PHONE, play_all_until, seated
from tests.web.hands import Keyboard, Mouse, Touch


def finished(state):
    """Return whether the page shows a finished game."""
    return state["status"] == "finished"


def by_rank(view):
    """Return the scores of the players of a game that is over, as the result lists them."""
    return sorted((player["score"] for player in view["players"]), reverse=True)


def shown_totals(screen):
    """Wait for the result, which is loaded once all points are counted up; return its totals."""
    screen.page.wait_for_selector(".result:visible")
    return [int(text) for text in screen.page.locator(".result td.total").all_inner_texts()]


def with_a_seed(route):
    """Let a request create a game that is the same each time."""
    route.continue_(post_data=route.request.post_data_json | {"options": {"seed": "table"}})


def test_game_against_bots_takes_one_click_and_is_played_by_mouse(browser):
    screen = browser.window()
    screen.page.route("**/v1/games", with_a_seed)
    screen.page.click("[data-level=greedy]")
    screen.page.wait_for_selector(CARDS)
    screen.play_until(finished)
    token = screen.token()
    view = screen.caught_up(screen.view(token))
    assert view["players"][1]["bot"] == "greedy"
    assert view["fairness"]["seed"] == "table"
    assert shown_totals(screen) == by_rank(view)


@pytest.mark.full_size
@pytest.mark.parametrize("language", ["en", "de"])
def test_game_is_played_by_keyboard_alone(browser, language):
    screen, _, _ = seated(browser, "Ann", bots=["random"], language=language)
    screen.play_until(finished, Keyboard())
    assert screen.caught_up()["status"] == "finished"


@pytest.mark.full_size
def test_game_is_played_by_touch_at_360_pixels(browser):
    phone = PHONE | {"has_touch": True, "is_mobile": True}
    screen, _, _ = seated(browser, "Ann", bots=["random"], window=phone)
    screen.play_until(finished, Touch())
    assert screen.page.evaluate("document.documentElement.scrollWidth") <= 360
    assert shown_totals(screen) == by_rank(screen.caught_up())


@pytest.mark.full_size
@pytest.mark.parametrize(
    ("names", "rounds"), [(("Ann", "Bob", "Cy", "Dee"), 6), (("Ann", "Bob", "Cy", "Dee", "Eve"), 5)]
)
def test_people_in_windows_of_their_own_play_a_whole_game(browser, names, rounds):
    game, tokens, _ = browser.game(*names)
    screens = [browser.window(f"/play/?game={game}#seat={token}") for token in tokens]
    play_all_until(screens, finished, Mouse())
    view = screens[0].view()
    assert (view["status"], view["round"]) == ("finished", rounds)
    for screen in screens:
        screen.caught_up(view)
        assert shown_totals(screen) == by_rank(view)
