"""The rematch: players and spectators of a game that is over follow each other into the new one."""

import pytest

from tests.web.driver import call
from tests.web.test_replay import played_out


def at_the_end(browser, game, token=None):
    """Open a game that is over; return the screen."""
    screen = browser.window(f"/play/?game={game}" + (f"#seat={token}" if token else ""))
    screen.page.wait_for_selector(".result:visible")
    return screen


def moved_on(screen, old):
    """Wait until a window shows another game; return its id."""
    screen.page.wait_for_function("old => !location.search.includes(old)", arg=old)
    screen.page.wait_for_selector(".game-page")
    return screen.game


@pytest.mark.parametrize("bots", [(), ("random",)])
def test_players_in_two_windows_meet_again_in_one_game(browser, bots):
    old, tokens = played_out(browser, bots)
    ann, bob = (at_the_end(browser, old, token) for token in tokens[:2])
    ann.page.click("[data-act=again]")
    new = moved_on(ann, old)
    assert ann.view(ann.token())["status"] == "lobby"
    bob.page.wait_for_selector(".rematch:has-text('Ann')")
    bob.page.click("[data-act=again]")
    assert moved_on(bob, old) == new
    for screen, name in ((ann, "Ann"), (bob, "Bob")):
        screen.page.wait_for_selector(".game-page[data-status=playing] .pricing .card")
        view = screen.view(screen.token())
        assert view["players"][view["you"]["seat"]]["name"] == name
        assert [player["bot"] for player in view["players"] if player["bot"]] == list(bots)


def test_player_against_bots_begins_a_new_game_at_once(browser):
    game, tokens, _ = browser.game("Ann", bots=["random"])
    browser.play_out(game, tokens[0])
    screen = at_the_end(browser, game, tokens[0])
    screen.page.click("[data-act=again]")
    moved_on(screen, game)
    screen.page.wait_for_selector(".game-page[data-status=playing] .pricing .card")


def test_spectator_is_shown_the_way_to_the_new_game(browser):
    old, tokens = played_out(browser)
    spectator = at_the_end(browser, old)
    assert not spectator.page.locator("[data-act=again]").is_visible()
    new = call(browser.url, "POST", f"/v1/games/{old}/rematch", token=tokens[0])["game"]["id"]
    spectator.page.click("[data-act=rematch]")
    assert moved_on(spectator, old) == new


def test_seats_on_one_device_all_move_into_the_new_game(browser):
    old, tokens = played_out(browser)
    screen = at_the_end(browser, old, tokens[0])
    screen.page.goto("about:blank")
    screen.page.goto(f"{browser.url}/play/?game={old}#seat={tokens[1]}")
    screen.page.click("[data-act=again]")
    moved_on(screen, old)
    screen.page.wait_for_selector(".game-page[data-status=playing] .pricing .card")
    assert screen.page.locator(".switcher button").count() == 2


def test_second_click_opens_the_game_that_was_joined_before(browser):
    browser.expected.append("409")
    old, tokens = played_out(browser)
    screen = at_the_end(browser, old, tokens[0])
    screen.page.click("[data-act=again]")
    new = moved_on(screen, old)
    screen.page.go_back()
    screen.page.wait_for_selector(".result:visible")
    screen.page.locator("[data-act=rematch]:visible, [data-act=again]:visible").first.click()
    assert moved_on(screen, old) == new
