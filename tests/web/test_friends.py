"""Playing with friends: invitations, links to seats, and several seats in one browser."""

import re

import pytest

from tests.web.driver import CARDS, PHONE, call, play_all_until, seated
from tests.web.hands import Mouse

_TEXT_OF_ROW = """(row) => [...row.childNodes].filter((one) => !one.matches?.(".bar, .mark"))
  .map(({textContent}) => textContent.trim()).filter(Boolean).join(", ")"""


def hosted_lobby(browser, *, seat_count=2):
    """Create a private game as a newcomer would; return the screen of the host."""
    host = browser.window()
    host.page.fill("form [name=name]", "Ann")
    host.page.select_option("[name=seats]", str(seat_count))
    host.page.click("[data-act=friends]")
    host.page.wait_for_selector("[data-act=invite-link]")
    return host


def accept(browser, link, name):
    """Open an invitation in a window of its own and take the seat; return the screen."""
    guest = browser.window(link.removeprefix(browser.url))
    guest.page.fill(".lobby [name=name]", name)
    guest.page.click("[data-act=join]")
    return guest


def shown_seats(screen):
    """Return the rows of the seats in a lobby, without buttons and marks."""
    rows = screen.page.locator(".lobby-seats li").all()
    texts = (row.evaluate(_TEXT_OF_ROW) for row in rows)
    return [re.sub(r"[\u2068\u2069]", "", text) for text in texts]


def test_friends_play_a_round_in_a_private_game_by_link(browser):
    host = hosted_lobby(browser)
    link = host.copied("[data-act=invite-link]")
    guest = accept(browser, link, "Bob")
    host.page.wait_for_function("() => document.querySelectorAll('.lobby-seats .taken').length === 2")
    assert "#" not in guest.page.url
    host.page.click("[data-act=start]")
    for screen in (host, guest):
        screen.page.wait_for_selector(CARDS)
    play_all_until(
        [host, guest], lambda state: state["phase"] == "pricing" and int(state["event"]) > 20, Mouse()
    )
    for screen in (host, guest):
        token = screen.token()
        assert screen.view(token)["round"] == 2
    host.page.wait_for_selector(".log :text('An invitation is accepted')", state="attached")


def test_invited_friend_reads_that_a_seat_is_kept(browser):
    host = hosted_lobby(browser)
    link = host.copied("[data-act=invite-link]")
    guest = browser.window(link.removeprefix(browser.url))
    guest.page.wait_for_selector(".lobby p:has-text('a seat is kept for you')")
    assert shown_seats(guest) == ["Ann", "Reserved for you"]
    assert host.page.is_hidden(".lobby p:has-text('a seat is kept for you')")


def test_lobby_has_a_row_for_each_seat(browser):
    players = [{"name": "Ann"}, {"bot": "greedy"}, {"invite": True}]
    created = call(browser.url, "POST", "/v1/games", {"players": players, "seat_count": 4})
    game, code = created["game"]["id"], created["invitations"][0]["code"]
    host = browser.window(f"/play/?game={game}#host={created['host_token']}")
    host.page.wait_for_selector(".lobby-seats .invited")
    assert shown_seats(host) == [
        "Ann",
        "Greedy, bot, Greedy",
        "Invitation 1, The link is on another device.",
        "Open seat",
    ]
    guest = browser.window(f"/play/?game={game}#invite={code}")
    stranger = browser.window(f"/play/?game={game}")
    for screen, third in ((guest, "Reserved for you"), (stranger, "Reserved for an invited player")):
        screen.page.wait_for_selector(".lobby-seats .open")
        assert shown_seats(screen) == ["Ann", "Greedy, bot, Greedy", third, "Open seat"]
    guest.page.close()  # it would show that the invitation has ended
    host.page.click("[data-act=withdraw]")
    host.page.wait_for_selector(".lobby-seats .open:nth-child(3)")
    assert shown_seats(host)[2:] == ["Open seat", "Open seat"]


def test_used_invitation_disappears_and_is_refused(browser):
    host = hosted_lobby(browser, seat_count=3)
    link = host.copied("[data-act=invite-link]")
    accept(browser, link, "Bob").page.wait_for_function(
        "() => document.querySelectorAll('.lobby-seats .taken').length === 2"
    )
    host.page.wait_for_function("() => document.querySelectorAll('[data-act=invite-link]').length === 1")
    browser.expected += ["410", "404"]  # how the server responds to an invitation that has been used
    third = browser.window(link.removeprefix(browser.url))
    third.page.wait_for_selector("main:has-text('This invitation has been used')")


def test_watch_link_of_a_private_game_shows_no_secret(browser):
    game, tokens, host = browser.game("Ann", "Bob", visibility="private")
    screen = browser.window(f"/play/?game={game}#seat={tokens[0]}&host={host}")
    screen.page.wait_for_selector(CARDS)
    screen.page.click(".menu summary")
    link = screen.copied("[data-act=watch-link]")
    assert not any(token in link for token in (*tokens, host))
    guest = browser.window(link.removeprefix(browser.url))
    guest.page.wait_for_selector(".market .offer")
    assert "#" not in guest.page.url
    assert guest.page.locator(".price-tag:has-text('hidden')").count() == 6
    guest.page.click(".menu summary")
    assert not guest.page.is_visible("[data-act=watch-link]")


@pytest.mark.parametrize("shown", [".game-page", ".lobby-seats", ".game-page[data-event]"])
def test_player_removed_from_a_private_lobby_is_told_without_an_error(browser, shown):
    browser.expected.append("404")
    game, tokens, host = browser.game("Ann", "Bob", auto_start=False, seat_count=3, visibility="private")
    guest = browser.window("/docs")
    throttle = guest.page.context.new_cdp_session(guest.page)
    throttle.send("Emulation.setCPUThrottlingRate", {"rate": 3})  # the page shows its parts one by one
    guest.page.goto(f"{browser.url}/play/?game={game}#seat={tokens[1]}")
    guest.page.wait_for_selector(shown, state="attached")
    call(browser.url, "DELETE", f"/v1/games/{game}/players/1", token=host)
    for _ in range(2):  # also after a reload
        guest.page.wait_for_selector("main p:has-text('the host has removed you')")
        guest.page.reload()


@pytest.mark.parametrize("is_open", [True, False])
def test_player_removed_from_a_public_lobby_is_told_by_whom(browser, is_open):
    browser.expected.append("401")
    game, tokens, host = browser.game("Ann", "Bob", "Cy", auto_start=False, seat_count=4)
    guest = browser.window(f"/play/?game={game}#seat={tokens[1]}").page
    guest.wait_for_selector(".lobby-seats .taken:nth-child(2):has-text('you')")
    if not is_open:
        guest.goto("about:blank")
    call(browser.url, "DELETE", f"/v1/games/{game}/players/1", token=host)
    call(browser.url, "POST", f"/v1/games/{game}/players", {"name": "Dee"})
    if not is_open:
        guest.goto(f"{browser.url}/play/?game={game}")
    for _ in range(2):  # also after a reload
        guest.wait_for_selector(".toast.bad:has-text('The host has removed you')")
        guest.wait_for_selector(".game-page.watching")
        guest.reload()


def test_seat_that_was_given_up_in_another_tab_was_not_removed(browser):
    browser.expected.append("401")
    game, tokens, _ = browser.game("Ann", "Bob", auto_start=False, seat_count=4)
    screen = browser.window(f"/play/?game={game}#seat={tokens[1]}")
    screen.page.wait_for_selector(".lobby-seats .taken:nth-child(2):has-text('you')")
    other = browser.tab(screen.page.context, f"/play/?game={game}").page
    other.wait_for_selector(".lobby-seats .taken:nth-child(2):has-text('you')")
    screen.menu("[data-act=leave]")
    screen.page.click("dialog[open] [data-act=yes]")
    other.wait_for_selector(".toast.bad:has-text('no longer valid')")


def test_renewed_seat_link_makes_the_old_one_invalid(browser):
    browser.expected.append("401")
    screen, game, tokens = seated(browser, "Ann", "Bob")
    screen.menu("button:has-text('another device')")
    screen.page.click("[data-act=renew]")
    screen.page.wait_for_function(
        f"() => !document.querySelector('dialog input').value.includes('{tokens[0]}')"
    )
    link = screen.page.locator("dialog input").input_value()
    other = browser.window(link.removeprefix(browser.url))
    other.page.wait_for_selector(CARDS)
    stranger = browser.window(f"/play/?game={game}#seat={tokens[0]}")
    stranger.page.wait_for_selector(".toast.bad")
    stranger.page.wait_for_selector(".game-page")
    assert not stranger.page.locator(".pricing").is_visible()


def test_renamed_player_is_named_in_the_log(browser):
    game, tokens, _ = browser.game("Ann", "Bob", auto_start=False, seat_count=3)
    screen = browser.window(f"/play/?game={game}")
    screen.page.wait_for_selector(".lobby-seats .taken:nth-child(2)")
    call(browser.url, "PATCH", f"/v1/games/{game}/players/0", {"name": "Ada"}, tokens[0])
    screen.page.wait_for_selector(".log .player_changed:has-text('Ada')", state="attached")


def test_player_takes_the_seat_back_that_a_bot_took_over(browser):
    options = {"seed": "table", "turn_ms": 60_000, "on_timeout": "bot", "clock": "manual"}
    game, tokens, host = browser.game("Ann", "Bob", options=options)
    screen = browser.window(f"/play/?game={game}#seat={tokens[0]}")
    screen.page.wait_for_selector(CARDS)
    browser.act(game, 1, tokens[1])
    assert not screen.page.locator("[data-act=return]").is_visible()
    call(browser.url, "POST", f"/v1/games/{game}/clock", {"advance_ms": 60_000}, host)
    screen.page.click("[data-act=return]")
    screen.page.wait_for_selector("[data-act=return]", state="hidden")
    assert screen.view()["players"][0]["bot"] is None


def test_clock_of_a_seat_counts_down_until_a_pause(browser):
    options = {"seed": "table", "budget_ms": 600_000, "increment_ms": 5000}
    game, tokens, _ = browser.game("Ann", "Bob", options=options)
    screens = [browser.window(f"/play/?game={game}#seat={token}") for token in tokens]
    ann, bob = (screen.page for screen in screens)
    for page in (ann, bob):
        page.wait_for_selector(CARDS)
        page.wait_for_selector("[data-seat='0'] .clock")
    shown = ann.text_content("[data-seat='0'] .clock")
    ann.wait_for_function(
        "was => document.querySelector('[data-seat=\"0\"] .clock').textContent !== was", arg=shown
    )
    screens[0].menu("[data-act=pause]")
    screens[0].page.click("dialog[open] [data-act=yes]")
    bob.click("[data-act=accept]")
    ann.wait_for_selector(".banner [data-act=resume]")
    until = ann.inner_text(".banner:has([data-act=resume]) span")
    assert re.search(r"until .*, \d+:\d\d\s[AP]M\S* at most", until), until
    ann.wait_for_selector(".pricing :text('The game is paused.')")
    assert "Discard one tile" not in ann.inner_text(".pricing")
    bob.click("[data-act=resume]")
    ann.wait_for_selector("[data-act=resume]", state="hidden")
    ann.wait_for_selector(CARDS)
    assert "paused" not in ann.inner_text(".pricing")
    assert screens[0].view()["waiting_for"] == [0, 1]


def test_paused_game_says_so_in_the_tray_of_a_phone(browser):
    timed = {"seed": "table", "turn_ms": 600_000}
    screen, _, _ = seated(browser, "Ann", bots=["random"], options=timed, window=PHONE)
    screen.menu("[data-act=pause]")
    screen.page.wait_for_selector(".pricing :text('The game is paused.')")


@pytest.mark.parametrize(
    ("act", "own", "others"),
    [
        (
            "abort",
            "You propose to end the game without a result.",
            "Ann proposes to end the game without a result.",
        ),
        ("pause", "You propose to pause the game.", "Ann proposes to pause the game."),
    ],
)
def test_proposal_names_those_who_must_still_answer(browser, act, own, others):
    options = {"seed": "table", "turn_ms": 600_000}
    game, tokens, _ = browser.game("Ann", "Bob", "Zoë", bots=["random"], options=options)
    screens = [browser.window(f"/play/?game={game}#seat={token}", **PHONE) for token in tokens[:2]]
    for screen in screens:
        screen.page.wait_for_selector(CARDS)
    ann, bob = (screen.page for screen in screens)
    spectator = browser.window(f"/play/?game={game}")
    screens[0].menu(f"[data-act={act}]")
    ann.click("dialog[open] [data-act=yes]")
    banner = ".banner:has([data-act=accept]) span"
    screens[0].reads(banner, f"{own} Waiting for Bob and Zoë.")
    bob.click("[data-act=accept]")
    screens[1].reads(banner, f"{others} You agreed. Waiting for Zoë.")
    screens[0].reads(banner, f"{own} Waiting for Zoë.")
    spectator.reads(banner, others)
    assert "Waiting" not in spectator.page.inner_text(banner)


def test_players_agree_to_end_the_game_early(browser):
    game, tokens, _ = browser.game("Ann", "Bob")
    screens = [browser.window(f"/play/?game={game}#seat={token}") for token in tokens]
    ann, bob = (screen.page for screen in screens)
    for page in (ann, bob):
        page.wait_for_selector(CARDS)
    screens[0].menu("[data-act=abort]")
    ann.click("dialog[open] [data-act=yes]")
    ann.wait_for_selector("[data-act=withdraw-proposal]")
    bob.click("[data-act=refuse]")
    ann.wait_for_selector("[data-act=withdraw-proposal]", state="hidden")
    screens[1].menu("[data-act=abort]")
    bob.click("dialog[open] [data-act=yes]")
    ann.click("[data-act=accept]")
    for page in (ann, bob):
        page.wait_for_selector(".log .game_aborted", state="attached")


def test_player_who_resigns_watches_while_a_bot_plays_on(browser):
    screen, _, _ = seated(browser, "Ann", "Bob")
    page = screen.page
    screen.menu("[data-act=leave]")
    page.click("dialog[open] button:has-text('Cancel')")
    assert screen.view()["players"][0]["bot"] is None
    screen.menu("[data-act=leave]")
    page.click("dialog[open] [data-act=yes]")
    page.wait_for_selector(".log .bot_took_over", state="attached")
    page.wait_for_selector(".pricing", state="hidden")
    assert screen.view()["players"][0]["bot"]


def choose_to_forget(browser, game, token):
    """Open a game at a seat, and choose to forget it; return the page, which asks for a confirmation."""
    screen = browser.window(f"/play/?game={game}#seat={token}")
    screen.page.wait_for_selector(CARDS)
    screen.menu("[data-act=forget]")
    return screen.page


def test_link_of_the_seat_is_offered_before_a_game_is_forgotten(browser):
    game, tokens, _ = browser.game("Ann", "Bob")
    page = choose_to_forget(browser, game, tokens[0])
    page.click("dialog[open] [data-act=seat-link]")
    assert page.locator("dialog[open] input").input_value().endswith(f"#seat={tokens[0]}")
    page.locator("dialog[open] button:has-text('Close')").click()
    page.click("dialog[open] button:has-text('Cancel')")
    assert page.evaluate("id => localStorage[`skye.game.${id}`]", game)


def test_question_that_is_asked_again_repeats_no_announcement(browser):
    game, tokens, _ = browser.game("Ann", "Bob")
    page = choose_to_forget(browser, game, tokens[0])
    said = page.locator("dialog[open] .alert")
    said.evaluate("region => { region.textContent = '10 seconds left'; }")
    page.click("dialog[open] button:has-text('Cancel')")
    page.click(".menu summary")
    page.click(".menu-items [data-act=forget]")
    assert said.text_content() == ""


def test_forgotten_game_keeps_no_token_in_the_browser(browser):
    game, tokens, _ = browser.game("Ann", "Bob")
    page = choose_to_forget(browser, game, tokens[0])
    page.click("dialog[open] [data-act=yes]")
    page.wait_for_selector(".front")
    assert page.evaluate("id => localStorage[`skye.game.${id}`]", game) is None


def test_lobby_names_the_options_of_the_game(browser):
    options = {"turn_ms": 90_000, "budget_ms": 1_200_000, "increment_ms": 10_000, "hints": False}
    body = {"players": [{"name": "Ann"}], "seat_count": 2, "options": options | {"public_from": "end"}}
    chosen = call(browser.url, "POST", "/v1/games", body)
    usual = call(browser.url, "POST", "/v1/games", {"players": [{"name": "Ann"}], "seat_count": 2})
    shown = []
    for created in (chosen, usual):
        page = browser.window(f"/play/?game={created['game']['id']}&lang=en", **PHONE).page
        page.wait_for_selector(".options-chosen li")
        shown.append(page.locator(".options-chosen li").all_inner_texts())
    assert shown == [
        [
            "Time for a decision: 90 seconds",
            "Time for the whole game: 20 minutes",
            "Each decision adds: 10 seconds",
            "Gold is hidden",
            "No hints",
            "Only players see it until the end",
        ],
        ["Time for a decision: no limit", "Gold is hidden"],
    ]


def test_link_to_watch_says_when_the_game_is_hidden_until_its_end(browser):
    for options, text in (({}, "Link to watch"), ({"public_from": "end"}, "Link to watch after the end")):
        page = seated(browser, "Ann", "Bob", options=options)[0].page
        page.click(".menu summary")
        page.wait_for_selector("[data-act=watch-link]")
        assert page.locator("[data-act=watch-link]").inner_text() == text


def test_pause_is_proposed_after_a_question_and_with_bots_taken_at_once(browser):
    timed = {"seed": "table", "turn_ms": 600_000}
    screen, _, _ = seated(browser, "Ann", "Bob", options=timed)
    screen.menu("[data-act=pause]")
    screen.page.click("dialog[open] button:has-text('Cancel')")
    assert screen.view()["proposal"] is None
    screen.menu("[data-act=pause]")
    screen.page.click("dialog[open] [data-act=yes]")
    screen.page.wait_for_selector("[data-act=withdraw-proposal]")
    alone = seated(browser, "Ann", bots=["random"], options=timed)[0]
    alone.menu("[data-act=pause]")
    alone.page.wait_for_selector("[data-act=resume]")


def test_player_who_resigns_from_a_private_game_watches_on(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", "Cy", visibility="private")
    page = screen.page
    screen.menu("[data-act=leave]")
    page.click("dialog[open] [data-act=yes]")
    page.wait_for_selector(".game-page.watching .log .bot_took_over", state="attached")
    page.reload()
    page.wait_for_selector(".game-page.watching .market .offer")
    browser.act(game, 1, tokens[1])
    page.wait_for_selector("[data-seat='1'] .seat-state:has-text('prices set')")


def test_start_asks_while_invitations_are_unused_and_they_keep_numbers(browser):
    host = hosted_lobby(browser, seat_count=4)
    page = host.page
    page.locator("[data-act=withdraw]").first.click()
    page.wait_for_function("() => document.querySelectorAll('.lobby-seats .invited').length === 2")
    assert re.findall(r"Invitation\D*(\d)", page.inner_text(".lobby-seats")) == ["2", "3"]
    guest = accept(browser, host.copied(".lobby-seats .invited:has-text('2') [data-act=invite-link]"), "Bob")
    page.wait_for_function("() => document.querySelectorAll('.lobby-seats .invited').length === 1")
    assert re.findall(r"Invitation\D*(\d)", page.inner_text(".lobby-seats")) == ["3"]
    host.copied("[data-act=invite-link]")
    page.wait_for_selector(".lobby-seats .invited:has-text('Copied')")
    page.click("[data-act=withdraw]")
    page.wait_for_function("() => document.querySelectorAll('.lobby-seats .invited').length === 0")
    page.click("[data-act=invite]")
    page.wait_for_selector(
        ".lobby-seats .invited:has-text('4')"
    )  # the number of a withdrawn one stays its own
    page.click("[data-act=start]")
    page.click("dialog[open] button:has-text('Cancel')")
    assert host.view(host.token())["status"] == "lobby"
    page.click("[data-act=start]")
    page.click("dialog[open] [data-act=yes]")
    for screen in (host, guest):
        screen.page.wait_for_selector(CARDS)
