"""Opponents for a newcomer: a matchmaking ticket from the first page."""

from tests.web.driver import CARDS, call


def seek(screen, name, players=2):
    """Ask for opponents."""
    screen.page.locator(".player-name [name=name]").fill(name)
    screen.page.select_option("[name=players]", str(players))
    screen.page.click("[data-act=find-opponents]")


def test_two_players_who_seek_opponents_play_one_game(browser):
    ann, bob = browser.window(), browser.window()
    seek(ann, "Ann")
    ann.page.wait_for_selector("[data-act=cancel-ticket]")
    seek(bob, "Bob")
    for screen, name in ((ann, "Ann"), (bob, "Bob")):
        screen.page.wait_for_selector(CARDS)
        view = screen.view(screen.token())
        assert view["players"][view["you"]["seat"]]["name"] == name
        assert view["options"]["turn_ms"] == 120_000
        key = screen.page.evaluate("localStorage['skye.player']")
        assert key.startswith("skye_key_")
        assert key != screen.token()
    assert ann.game == bob.game


def test_decision_of_strangers_has_a_time_limit(browser):
    ann = browser.window()
    ann.page.select_option("[name=pace]", "86400000")
    seek(ann, "Ann", 4)
    ann.page.wait_for_selector("[data-act=cancel-ticket]")
    key = ann.page.evaluate("localStorage['skye.player']")
    (ticket,) = call(browser.url, "GET", "/v1/matchmaking/tickets", token=key)["tickets"]
    options = {name: ticket["options"][name] for name in ("turn_ms", "on_timeout")}
    assert options == {"turn_ms": 86_400_000, "on_timeout": "bot"}
    host = browser.window()
    host.page.locator(".player-name [name=name]").fill("Hal")
    host.page.uncheck("[name=private]")
    host.page.click("[data-act=friends]")
    host.page.wait_for_selector("[data-act=start]")
    assert options.items() <= host.view()["options"].items()


def test_matched_game_is_named_in_the_language_of_the_page(browser):
    tickets = [f"skye_key_{name * 8}" for name in ("Fay", "Gus")]
    for key in tickets:
        body = {"name": key[-3:], "seat_count": 2, "options": {"turn_ms": 60_000}}
        call(browser.url, "POST", "/v1/matchmaking/tickets", body, key)
    game = call(browser.url, "GET", "/v1/me/games", token=tickets[0])["games"][0]["game"]["id"]
    page = browser.window("/play/?lang=de").page
    page.wait_for_selector(f".games a[href*='{game}']:has-text('Vermitteltes Spiel')")
    page.goto(f"{browser.url}/play/?game={game}&lang=de")
    page.wait_for_selector(".head h1:has-text('Vermitteltes Spiel')", state="attached")


def test_seeker_who_cancels_can_seek_again_with_the_keyboard(browser):
    screen = browser.window()
    page = screen.page
    page.focus("[data-act=find-opponents]")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-act=cancel-ticket]:focus")
    page.wait_for_selector("#status:has-text('Waiting for other players')", state="attached")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-act=find-opponents]:focus")
    assert page.evaluate("localStorage['skye.ticket']") is None
    key = page.evaluate("localStorage['skye.player']")
    assert call(browser.url, "GET", "/v1/me/games", token=key)["games"] == []


def test_seeker_who_reloads_the_page_goes_on_waiting(browser):
    ann, bob = browser.window(), browser.window()
    seek(ann, "Ann", 5)
    ann.page.wait_for_selector("[data-act=cancel-ticket]")
    ann.page.reload()
    ann.page.wait_for_selector("[data-act=cancel-ticket]")
    assert not ann.page.locator("[data-act=find-opponents]").is_visible()
    for name in ("Bob", "Cid", "Dee"):
        criteria = {"name": name, "seat_count": 5, "options": {"turn_ms": 120_000}}
        call(browser.url, "POST", "/v1/matchmaking/tickets", criteria, f"skye_key_{name * 8}")
    seek(bob, "Eve", 5)
    for screen in (ann, bob):
        screen.page.wait_for_selector(CARDS)
        assert len(screen.view()["players"]) == 5


def test_unmatched_player_can_create_a_ticket_again(browser):
    screen = browser.window()
    screen.page.route(
        "**/v1/matchmaking/tickets",
        lambda route: route.continue_(post_data=route.request.post_data.replace('{"', '{"ttl_ms":1000,"', 1)),
    )
    seek(screen, "Ann", 4)
    screen.page.wait_for_selector("text=Nobody has come")
    assert screen.page.locator("[data-act=find-opponents]").is_visible()
