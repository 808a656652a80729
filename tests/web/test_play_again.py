"""The rematch: players and spectators of a game that is over follow each other into the new one."""

import pytest

from tests.web.driver import PHONE, call
from tests.web.roles import with_tokens
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


def last_action(seats):
    """Return a position in which seat 0 has nothing left but to finish the game."""
    players = [{"tiles_to_build": [], "building_finished": seat > 0} for seat in range(seats)]
    return {"round": 6, "phase": "building", "players": players}


def test_lobby_of_a_rematch_names_those_it_waits_for(browser):
    names = ("Ann", "Bob", "Cy")
    old, tokens, host = browser.game(*names, position=last_action(3))
    call(browser.url, "POST", f"/v1/games/{old}/players/0/building/finish", {}, tokens[0])
    screen = with_tokens(browser, f"/play/?game={old}", old, {"seats": tokens[:1], "host": host})
    screen.page.click("[data-act=again]")
    moved_on(screen, old)
    lobby = screen.page.locator(".lobby")
    screen.reads(".lobby", "Waiting for Bob and Cy to press “Play again”.")
    assert "The game starts when all seats are taken." in lobby.inner_text()
    assert [part.inner_text().lower().count("link") for part in lobby.locator("ol, .inviting").all()] == [
        0,
        0,
    ]
    call(browser.url, "POST", f"/v1/games/{old}/rematch", token=tokens[1])
    screen.reads(".lobby", "Waiting for Cy to press “Play again”.")


@pytest.mark.parametrize("window", [{}, PHONE])
def test_player_who_resigned_against_bots_plays_again(browser, window):
    options = {"seed": "table", "turn_ms": 600_000, "hints": False, "open_gold": True}
    game, tokens, host = browser.game("Ann", bots=["random", "greedy"], visibility="private", options=options)
    stored = {"seats": tokens[:1], "host": host}
    screen = with_tokens(browser, f"/play/?game={game}", game, stored)
    page = screen.page
    if window:
        page.set_viewport_size(window)
    before = screen.view(tokens[0])
    screen.menu("[data-act=leave]")
    page.click("dialog[open] [data-act=yes]")
    page.wait_for_selector(".result:visible")
    page.click("[data-act=again]")
    moved_on(screen, game)
    page.wait_for_selector(".game-page[data-status=playing] .pricing .card")
    after = screen.view(screen.token())
    for field in ("name", "visibility", "options", "ruleset"):
        assert after[field] == before[field], field
    seats = [[(seat["name"], seat["bot"]) for seat in view["players"]] for view in (before, after)]
    assert seats[0] == seats[1]
    assert after["players"][after["you"]["seat"]]["name"] == "Ann"


def test_host_without_a_seat_does_not_play_again_for_two_who_resigned(browser):
    game, tokens, host = browser.game("Ann", "Bob", bots=["random"])
    for seat in (0, 1):
        call(browser.url, "POST", f"/v1/games/{game}/players/{seat}/resign", {}, tokens[seat])
    page = with_tokens(browser, f"/play/?game={game}", game, {"host": host}).page
    page.wait_for_selector(".result:visible")
    assert not page.locator("[data-act=again]").is_visible()


def test_result_of_a_resigned_game_fits_on_a_phone(browser):
    game, tokens, _ = browser.game("Ann", bots=["random"])
    call(browser.url, "POST", f"/v1/games/{game}/players/0/resign", {}, tokens[0])
    page = browser.window(f"/play/?game={game}", **PHONE).page
    page.wait_for_selector(".result:visible small:has-text('resigned')")
    hidden = page.eval_on_selector(".result .scroll-x", "(box) => box.scrollWidth - box.clientWidth")
    assert hidden <= 0
