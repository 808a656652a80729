"""Private games as people meet them: dead links beside valid ones, lobbies by invitation, pasted links."""

import pytest

from tests.web.driver import PHONE, call, seated
from tests.web.roles import END, opened, with_tokens
from tests.web.test_friends import accept, hosted_lobby


def test_host_who_gives_up_the_seat_is_asked_and_stays_the_host(browser):
    page = (host := hosted_lobby(browser, seat_count=3)).page
    assert page.locator("[data-act=remove]").inner_text() == "Give up the seat"
    page.click("[data-act=remove]")
    page.click("dialog[open] button:has-text('Cancel')")
    assert len(host.view(host.token())["players"]) == 1
    page.click("[data-act=remove]")
    page.click("dialog[open] [data-act=yes]")
    page.wait_for_selector("[data-act=join].primary")
    page.click("[data-act=join]")
    page.wait_for_selector(".lobby-seats .taken:has-text('you')")
    assert page.locator(".toast.bad").count() == 0


def test_dead_token_hides_no_valid_one_in_the_game_list_and_replay(browser):
    browser.expected.append("404")  # the dead tokens
    created = call(browser.url, "POST", "/v1/games", {"visibility": "private"} | END)
    game, host = created["game"]["id"], created["host_token"]
    watch = call(browser.url, "GET", f"/v1/games/{game}/watch-code", token=host)["code"]
    dead = {"seats": ["skye_seat_" + "A" * 22], "invite": "skye_invite_" + "A" * 22, "watch": watch}
    for path, shown in (("", ".game-page .market, .board"), ("&replay=1", ".scrub")):
        with_tokens(browser, f"/play/?game={game}{path}", game, dead).page.wait_for_selector(shown)
    stored = "id => JSON.parse(localStorage[`skye.game.${id}`])"
    page = with_tokens(browser, f"/play/?game={game}", game, dead).page
    page.goto(f"{browser.url}/play/")
    page.wait_for_selector(f".games a[href*='{game}']")
    kept = page.evaluate(stored, game)
    assert (kept["seats"], kept["invite"], kept["watch"]) == ([], None, watch)


def test_lobby_by_invitation_seats_a_bot_after_one_is_withdrawn(browser):
    page = (host := hosted_lobby(browser, seat_count=3)).page
    assert "withdraw an invitation" in page.locator(".lobby").inner_text()
    assert page.is_disabled("[data-bot=greedy]")
    page.locator("[data-act=withdraw]").first.click()
    page.click("[data-bot=greedy]")
    page.wait_for_selector(".lobby-seats .taken:nth-child(2)")
    view = host.view(host.token())
    assert (view["players"][1]["bot"], view["reserved_seats"]) == ("greedy", 1)
    assert page.locator("[data-act=invite-link]").count() == 1


def test_host_on_another_device_withdraws_an_invitation(browser):
    invited = {"players": [{"name": "Ann"}, {"invite": True}], "visibility": "private"}
    created = call(browser.url, "POST", "/v1/games", invited)
    game = created["game"]["id"]
    page = with_tokens(browser, f"/play/?game={game}", game, {"host": created["host_token"]}).page
    page.click("[data-act=withdraw]")
    page.wait_for_selector("[data-bot=greedy]")
    page.wait_for_selector("[data-act=withdraw]", state="hidden")


def end_invitation(browser, reason, game, host, code):
    """End the invitation of a game of two players in one of the four ways."""
    path = f"/v1/games/{game}"
    if reason == "withdrawn":
        (unused,) = call(browser.url, "GET", f"{path}/invitations", token=host)["invitations"]
        call(browser.url, "DELETE", f"{path}/invitations/{unused['id']}", token=host)
    elif reason == "used":
        call(browser.url, "POST", f"{path}/players", {"name": "Cy"}, code)
    else:
        call(browser.url, "POST", f"{path}/{'start' if reason == 'begun' else 'abort'}", token=host)


def with_invitation(browser, visibility):
    """Create a lobby of two players and an invited one; return its id, host token and invitation code."""
    players = [{"name": "Ann"}, {"name": "Bob"}, {"invite": True}]
    created = call(browser.url, "POST", "/v1/games", {"visibility": visibility, "players": players})
    return created["game"]["id"], created["host_token"], created["invitations"][0]["code"]


ENDS = {
    "begun": "The game has begun without you",
    "withdrawn": "The host has withdrawn this invitation",
    "used": "This invitation has been used",
    "aborted": "The game was ended before",
}


@pytest.mark.parametrize("reason", ENDS)
def test_holder_of_an_ended_invitation_reads_why(browser, reason):
    browser.expected += ["410", "404"]
    game, host, code = with_invitation(browser, "private")
    early = browser.window(f"/play/?game={game}#invite={code}").page
    early.wait_for_selector(".connection.live")
    end_invitation(browser, reason, game, host, code)
    early.wait_for_selector(f"main p:has-text('{ENDS[reason]}')")
    late = browser.window(f"/play/?game={game}#invite={code}").page
    for _ in range(2):  # also after a reload
        late.wait_for_selector(f"main p:has-text('{ENDS[reason]}')")
        assert late.locator("body").inner_text().count(ENDS[reason]) == 1
        late.reload()


def test_holder_of_an_ended_invitation_watches_a_public_game(browser):
    browser.expected.append("410")
    game, host, code = with_invitation(browser, "public")
    end_invitation(browser, "begun", game, host, code)
    page = browser.window(f"/play/?game={game}#invite={code}").page
    page.wait_for_selector(f".toast.bad:has-text('{ENDS['begun']}')")
    page.wait_for_selector(".game-page.watching")


def test_guest_is_told_that_the_host_starts_the_game(browser):
    guest = accept(browser, hosted_lobby(browser).copied("[data-act=invite-link]"), "Bob")
    guest.page.wait_for_selector(".lobby p:has-text('The host starts the game')")


def test_player_on_this_device_is_proposed_a_free_name(browser):
    page = (host := hosted_lobby(browser)).page
    page.click("[data-act=join]")
    page.wait_for_selector(".lobby-seats .taken:nth-child(2)")
    names = [player["name"] for player in host.view(host.token())["players"]]
    assert names[0] == "Ann" != names[1]
    page.goto(f"{browser.url}/play/")
    assert page.input_value(".player-name [name=name]") == "Ann"


def test_link_pasted_into_the_tab_of_its_game_is_followed(browser):
    screen, _, tokens = seated(browser, "Ann", "Bob", visibility="private")
    page = screen.page
    page.evaluate("token => { location.hash = `seat=${token}`; }", tokens[1])
    page.wait_for_selector(".switcher button:nth-child(2)")
    assert "#" not in page.url
    assert tokens[1] not in page.url


def test_position_at_the_end_is_played_on_before_the_last_action(browser):
    screen = opened(browser, "host", replay=True, **END)
    screen.page.click("[data-act=fork]")
    screen.page.locator("dialog select").nth(1).select_option("greedy")
    screen.page.click("[data-act=begin]")
    screen.page.wait_for_selector(".game-page:not(.replay)[data-status=playing]")
    assert screen.view(screen.token())["visibility"] == "private"


def test_result_lists_the_players_by_rank(browser):
    page = opened(browser, "friend", **END).page
    page.wait_for_selector(".result:visible")
    totals = [int(text) for text in page.locator(".result td.total").all_inner_texts()]
    assert totals == sorted(totals, reverse=True)
    assert "won" in (page.locator(".result tr").nth(1).get_attribute("class") or "")
    own = page.locator(".result .mine")
    place, points = own.locator("td").first.inner_text().rstrip("."), own.locator(".total").inner_text()
    assert page.locator(".own-place").inner_text() == f"You: place {place}, {points} points"


LONG = ["most_ships", "animals_near_farms", "ships_and_lighthouses", "connected_tiles"]


@pytest.mark.parametrize("window", [{"width": 768, "height": 1024}, {"width": 1280, "height": 800}, PHONE])
def test_menu_is_in_the_window_however_long_the_titles_are(browser, window):
    heights = set()
    for tiles, language in ((LONG, "en"), (LONG, "ru"), (LONG[::-1], "de")):
        options = {"seed": "table", "scoring_tiles": tiles}
        screen, _, _ = seated(
            browser, "Ann", bots=["random"] * 4, language=language, window=window, options=options
        )
        heights.add(screen.page.locator(".head").bounding_box()["height"])
        screen.page.click(".menu summary")
        box = screen.page.locator(".menu-items").bounding_box()
        assert 0 <= box["x"] <= box["x"] + box["width"] <= window["width"]
    assert len(heights) == 1


def test_header_says_offline_while_the_browser_has_no_network(browser):
    screen, _, _ = seated(browser, "Ann", "Bob", visibility="private")
    browser.expected.append("ERR_INTERNET_DISCONNECTED")
    screen.page.wait_for_selector(".connection.live")
    screen.page.context.set_offline(True)
    screen.page.wait_for_selector(".connection-text:text-is('offline')")
    screen.page.context.set_offline(False)
    screen.page.wait_for_selector(".connection.live")


def test_rules_end_no_sentence_with_nothing(browser):
    page = browser.window().page
    page.click("[data-act=rules]")
    page.wait_for_selector("dialog[open] .rule-steps")
    assert "these scoring tiles" not in page.locator("dialog").inner_text()
    page = opened(browser, "friend", **END).page
    page.click(".menu summary")
    page.click("[data-act=rules]")
    page.wait_for_selector("dialog[open] p:has-text('these scoring tiles') + .rule-steps li:nth-child(4)")


def test_wrong_player_key_is_not_called_a_link(browser):
    browser.expected.append("401")
    page = browser.window().page
    page.click("[data-act=player-key]")
    page.fill("dialog [name=key]", "no key")
    page.click("dialog form:has([name=key]) button")
    assert "player key" in page.locator("dialog .toast.bad").inner_text()
