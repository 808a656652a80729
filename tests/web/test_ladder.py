"""Ladders: a name, rated games, what they change, and the pages of ladders and players."""

import re

import pytest

from tests.web.driver import CARDS, PHONE, call
from tests.web.opponents import Opponent, new_name, play_out, rated_game, wait_until_counted
from tests.web.test_accessibility import findings

MINUS = "\N{MINUS SIGN}"
RATED_WAITING = ".rated [data-act=cancel-ticket]"


def claim(page, name):
    """Open the panel of rated games on the first page, and claim a name there."""
    page.click("[data-act=rated]")
    page.fill(".profile-form [name=name]", name)
    page.click("[data-act=claim]")
    page.wait_for_selector("[data-act=play-rated]")


def keep_key(browser, player, path, **window):
    """Open a page in a browser that has the key of a player."""
    return browser.window(path, stored={"skye.player": player.key}, **window)


@pytest.fixture
def pair(browser):
    """Two players with names; the second is a program."""
    return Opponent(browser.url, new_name()), Opponent(browser.url, new_name(), bot=True)


def shown_game(browser, pair):
    """Begin a rated game, and open it for the first player; return the screen and the game."""
    game = rated_game(*pair)
    screen = browser.window(f"/play/?game={game}#seat={pair[0].key}")
    screen.page.wait_for_selector(CARDS)
    return screen, game


def test_newcomer_claims_a_name_and_plays_a_rated_game(browser):
    browser.expected.append("409")  # the name that nobody can have
    screen = browser.window()
    page, name = screen.page, new_name()
    page.click("[data-act=rated]")
    page.fill(".profile-form [name=name]", "Admin")
    page.click("[data-act=claim]")
    page.wait_for_selector(".profile-form .trouble:has-text('reserved')")
    page.fill(".profile-form [name=name]", name)
    page.click("[data-act=claim]")
    page.select_option("[name=ladder]", "live_2")
    page.click("[data-act=play-rated]")
    page.wait_for_selector(RATED_WAITING)
    page.reload()
    page.wait_for_selector(RATED_WAITING)
    assert page.locator(".rated .waiting .kind").inner_text() == "2 players · 2 minutes"
    assert "one network" in page.locator(".rated").inner_text()
    opponent = Opponent(browser.url, new_name(), bot=True)
    opponent.seek()
    page.wait_for_selector(CARDS)
    assert opponent.name in page.locator(".seats").inner_text()
    view = screen.view(screen.token())
    assert (view["rated"]["ladder"], view["players"][view["you"]["seat"]]["name"]) == ("live_2", name)
    assert page.evaluate("localStorage['skye.rated-ticket']") is None


def test_first_page_loads_no_part_of_the_ladders_before_it_is_asked_for(browser):
    page = browser.window("/docs").page
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{browser.url}/play/")
    page.wait_for_selector("[data-act=rated]")
    of_ladders = ("ladder/rated.js", "ladder/pages.js", "/v1/ladders", "/v1/me/profile")
    assert not [url for url in asked if url.endswith(of_ladders)]
    page.click("[data-act=rated]")
    page.wait_for_selector("[data-act=claim]")
    assert [url for url in asked if url.endswith("/v1/ladders")]


def test_player_who_no_longer_waits_can_wait_again_by_keyboard(browser, axe):
    screen = browser.window()
    page = screen.page
    claim(page, new_name())
    page.select_option("[name=ladder]", "slow_4")
    page.focus("[data-act=play-rated]")
    page.keyboard.press("Enter")
    page.wait_for_selector(f"{RATED_WAITING}:focus")
    assert findings(browser, screen, axe) == []
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-act=play-rated]:focus")
    page.reload()
    page.wait_for_selector("[data-act=rated]:visible")


def test_rated_game_shows_ratings_and_cannot_be_ended_once_a_price_is_set(browser, pair):
    screen, game = shown_game(browser, pair)
    page = screen.page
    page.wait_for_selector(".seat .rating:has-text('1500?')")
    assert page.locator(".seat .badge:text-is('Bot')").count() == 1
    screen.until("() => document.querySelector('.head h1').textContent === 'Rated game'")
    assert page.locator(".head .round").inner_text() == "Round 1 of 6 · Rated"
    page.click(".menu summary")
    page.wait_for_selector(".menu-items [data-act=abort]")
    page.keyboard.press("Escape")
    pair[1].act(game)
    screen.caught_up()
    page.click(".menu summary")
    page.wait_for_selector(".menu-items [data-act=leave]")
    assert not page.is_visible(".menu-items [data-act=abort]")
    page.click(".menu-items [data-act=leave]")
    page.wait_for_selector("dialog[open] p:has-text('you are last')")


def test_result_of_a_rated_game_shows_what_it_changed(browser, pair, axe):
    screen, game = shown_game(browser, pair)
    page = screen.page
    play_out(game, *pair)
    page.wait_for_selector(".result td:has-text('(+')")
    shown = page.locator(".result td a").all_inner_texts()
    (result,) = call(browser.url, "GET", f"/v1/players/{pair[0].name}")["results"]
    wanted = [change["after"] for change in result["changes"]]
    assert sorted(shown) == sorted(f"{after} ({after - 1500:+})".replace("-", MINUS) for after in wanted)
    assert not page.is_visible(".result .rated-note")
    assert page.is_visible("[data-act=rated-again]")
    assert "unrated" in page.locator("[data-act=again]").inner_text()
    assert findings(browser, screen, axe) == []


def test_result_says_why_a_game_without_a_winner_is_not_rated(browser, pair):
    screen, game = shown_game(browser, pair)
    for player in pair:
        player.resign(game)
    screen.page.wait_for_selector(".result .rated-note:has-text('no rating changes')")
    assert "1500" in screen.page.locator(".result td a").first.inner_text()


@pytest.mark.parametrize("window", [{}, PHONE])
def test_page_of_a_player_lists_ratings_and_games(browser, pair, axe, window):
    ann, bot = pair
    game = rated_game(*pair)
    play_out(game, *pair)
    wait_until_counted(ann, game)
    second = rated_game(*pair)
    for player in pair:
        player.resign(second)
    wait_until_counted(ann, second)
    screen = browser.window(f"/play/?player={ann.name}", **window)
    page = screen.page
    page.wait_for_selector(".standings td:has-text('provisional')")
    last, first = page.locator(".rated-results li").all()
    assert "nobody won" in last.inner_text()
    assert "gave up" in last.inner_text()
    gained = re.search(rf"\d+ \(([+{MINUS}])\d+\)", first.inner_text())[1]
    assert first.locator(".badge").inner_text() == ("Won" if gained == "+" else "Lost")
    assert first.locator(".opponents").inner_text() == f"vs {bot.name}"
    assert page.locator(f":is(h1, h2):has-text('{ann.name}')").count() == 1
    assert page.locator(f"a[href='/play/?player={bot.name}']").count() == 2
    assert findings(browser, screen, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
    first.locator("a:text-is('Replay')").click()
    page.wait_for_selector(".scrub")
    assert screen.game == game


def test_replay_of_an_expired_game_comes_from_its_record(browser, pair):
    game = rated_game(*pair)
    play_out(game, *pair)
    wait_until_counted(pair[0], game)
    browser.expected.append("404")
    screen = browser.window(f"/play/?player={pair[0].name}")
    gone = {"type": "about:blank", "title": "Gone", "status": 404, "detail": "", "code": "game_not_found"}
    screen.page.route(
        re.compile(rf"/v1/games/{game}(\?|$)"), lambda route: route.fulfill(status=404, json=gone)
    )
    screen.page.click(".rated-results a:text-is('Replay')")
    screen.page.wait_for_selector(".scrub")
    assert screen.game != game


STANDINGS = {
    "ladder": {
        "id": "slow_2",
        "seat_count": 2,
        "turn_ms": 86_400_000,
        "player_count": 53,
        "result_count": 1200,
    },
    "players": [
        {
            "rank": rank,
            "name": None if rank == 3 else f"player-{rank}",
            "bot": rank == 2,
            "rating": 2100 - rank,
            "uncertainty": 60,
            "games": 12,
            "gave_up": 0,
        }
        for rank in range(1, 54)
    ],
}


def paged(route, own):
    """Answer with a page of `STANDINGS`, on which a player is the fifth."""
    start = 50 if "cursor=50" in route.request.url else 0
    page = {"players": STANDINGS["players"][start : start + 50], "next_cursor": None if start else "50"}
    if not start:
        page["players"] = [*page["players"][:4], page["players"][4] | {"name": own}, *page["players"][5:]]
    route.fulfill(json=STANDINGS | page)


@pytest.mark.parametrize("window", [{}, PHONE])
def test_ladder_marks_bots_and_oneself_and_shows_more(browser, axe, window):
    own = Opponent(browser.url, new_name())
    screen = keep_key(browser, own, "/play/", **window)
    page = screen.page
    page.route(re.compile("/v1/ladders/slow_2"), lambda route: paged(route, own.name))
    page.goto(f"{browser.url}/play/?ladder=slow_2")
    page.wait_for_selector(".standings tbody tr:nth-child(50)")
    assert page.locator("tr:has(.program) th > :first-child").all_inner_texts() == ["player-2 Bot"]
    assert page.locator("tr:has(.program) .rating").inner_text().split() == ["2098", "±", "60"]
    assert page.locator("tr:has(th i)").count() == 1
    assert own.name in page.locator("tr.own").inner_text()
    assert findings(browser, screen, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
    page.click("[data-act=more]")
    page.wait_for_selector(".standings tbody tr:nth-child(51):focus")
    assert page.locator(".standings tbody tr").count() == 53
    assert not page.is_visible("[data-act=more]")


def test_ladder_on_a_phone_shows_whole_names_below_a_straight_head(browser):
    page = browser.window("/play/", **PHONE).page
    players = [STANDINGS["players"][0] | {"name": "callum-of-dunvegan", "gave_up": 3}]
    page.route(
        re.compile("/v1/ladders/slow_2"),
        lambda route: route.fulfill(json=STANDINGS | {"players": players, "next_cursor": None}),
    )
    page.goto(f"{browser.url}/play/?ladder=slow_2")
    page.wait_for_selector(".standings tbody tr")
    row = page.locator(".standings tbody tr")
    assert "Games: 12 \N{MIDDLE DOT} Given up: 3" in row.inner_text()
    assert row.locator("bdi").evaluate("name => name.getClientRects().length") == 1
    page.get_by_role("columnheader", name="Rank").wait_for()
    bottoms = page.locator(".standings thead th:visible").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().bottom)"
    )
    assert len(set(bottoms)) == 1


def test_ladders_stay_in_place_when_another_is_chosen(browser):
    page = browser.window("/play/?ladder=live_2", **PHONE).page
    places = []
    for ladder in ("live_2", "slow_4"):
        page.goto(f"{browser.url}/play/?ladder={ladder}")
        page.wait_for_selector(f".ladders a[aria-current=page][href*={ladder}]")
        places.append([link.bounding_box() for link in page.locator(".ladders a").all()])
    assert places[0] == places[1]
    assert len({box["x"] for box in places[0]}) == len({box["y"] for box in places[0]}) == 2


def test_rated_panel_asks_for_a_name_and_folds_the_player_key(browser):
    page = browser.window("/play/?ladder").page
    page.wait_for_selector("[data-act=claim]")
    assert page.locator(".rated p").first.inner_text().startswith("Pick a name")
    explained = page.locator(".rated details p")
    assert not explained.is_visible()
    page.click(".rated summary:text-is('Player key')")
    assert "webhooks" in explained.inner_text()


def test_ladder_without_players_offers_the_others(browser, axe):
    screen = browser.window("/play/?ladder")
    page = screen.page
    page.wait_for_selector("[data-act=claim]")
    links = page.locator(".ladders a")
    assert links.count() == 4
    page.click(".ladders a[href*=slow_4]")
    page.wait_for_selector(".ladders a[aria-current=page][href*=slow_4]")
    page.wait_for_selector("text=Nobody has played ten rated games here yet")
    assert findings(browser, screen, axe) == []


def test_own_profile_is_claimed_changed_and_deleted(browser, axe):
    browser.expected.append("404")
    screen = browser.window("/play/?profile")
    page, name = screen.page, new_name()
    page.fill("[name=name]", name.upper())
    page.click("[data-act=claim]")
    page.wait_for_selector("[data-act=save-profile]")
    assert page.get_attribute("[name=name]", "readonly") is not None
    page.fill("[name=description]", "Plays in the evening")
    page.fill("[name=link]", "https://example.org/")
    page.click("[data-act=save-profile]")
    page.wait_for_selector(".toast:has-text('saved')")
    assert findings(browser, screen, axe) == []
    shown = call(browser.url, "GET", f"/v1/players/{name}")
    assert (shown["description"], shown["link"]) == ("Plays in the evening", "https://example.org/")
    page.click("[data-act=copy-key]")
    assert page.input_value("dialog input") == page.evaluate("localStorage['skye.player']")
    page.keyboard.press("Escape")
    page.click("[data-act=delete-profile]")
    page.click("dialog [data-act=yes]")
    page.wait_for_selector("[data-act=claim]")
    assert page.evaluate("localStorage['skye.profile']") is None


def test_program_stays_a_program_after_a_rated_game(browser, pair):
    game = rated_game(*pair)
    for player in pair:
        player.resign(game)
    page = keep_key(browser, pair[1], "/play/?profile").page
    page.wait_for_selector("[data-act=save-profile]")
    assert page.is_disabled("[name=bot]")


def test_person_with_rated_games_is_asked_before_the_mark_of_a_program(browser, pair):
    game = rated_game(*pair)
    for player in pair:
        player.resign(game)
    page = keep_key(browser, pair[0], "/play/?profile").page
    page.check("[name=bot]")
    page.click("[data-act=save-profile]")
    page.click("dialog button:not(.primary)")
    assert not call(browser.url, "GET", f"/v1/players/{pair[0].name}")["bot"]
    page.click("[data-act=save-profile]")
    page.click("dialog [data-act=yes]")
    page.wait_for_selector(".toast:has-text('saved')")
    assert call(browser.url, "GET", f"/v1/players/{pair[0].name}")["bot"]


def refused(code, headers=None, **more):
    """Return a function that answers a request to claim a name with a problem."""
    problem = {"type": "about:blank", "title": "No", "status": 429, "detail": "", "code": code} | more

    def answer(route):
        if route.request.method != "PUT":
            return route.continue_()
        return route.fulfill(status=problem["status"], headers=headers or {}, json=problem)

    return answer


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (refused("too_many_requests", {"Retry-After": "50000"}), "14 hours"),
        (refused("renamed_lately", status=409, params={"seconds": 86_400}), "stays for a week"),
        (refused("profile_name_taken", status=409), "Another player has this name"),
    ],
)
def test_form_explains_why_a_name_cannot_be_claimed(browser, answer, text):
    browser.expected += ["409", "429"]
    page = browser.window("/play/?profile").page
    page.route("**/v1/me/profile", answer)
    page.fill("[name=name]", "ann")
    page.click("[data-act=claim]")
    page.wait_for_selector(f".profile-form .trouble[role=alert]:has-text('{text}')")
    page.fill("[name=name]", "bob")
    assert not page.is_visible(".profile-form .trouble")


def test_message_about_a_form_ends_when_a_form_is_sent(browser, pair):
    browser.expected.append("401")
    page = keep_key(browser, pair[0], "/play/?profile").page
    page.click(".ladder summary")
    page.fill("[name=key]", "skye_key_unknown")
    page.click("[data-act=use-key]")
    page.click("dialog [data-act=yes]")
    page.wait_for_selector(".toast.bad")
    page.click("[data-act=save-profile]")
    page.wait_for_selector(".toast:has-text('saved')")
    assert page.locator(".toast").count() == 1


@pytest.mark.parametrize("language", ["en", "de", "ru"])
def test_page_of_a_player_shows_all_columns_on_a_phone(browser, pair, language):
    game = rated_game(*pair)
    for player in pair:
        player.resign(game)
    wait_until_counted(pair[0], game)
    page = browser.window(f"/play/?player={pair[0].name}&lang={language}", **PHONE).page
    page.wait_for_selector(".ratings td:nth-child(4)")
    right = page.locator(".ratings th, .ratings td").evaluate_all(
        """all => Math.max(...all.map((one) =>
          one.getBoundingClientRect().right + one.scrollWidth - one.clientWidth))"""
    )
    assert right <= page.locator(".panel:has(.ratings)").evaluate("one => one.getBoundingClientRect().right")


def test_key_of_another_browser_brings_its_name(browser, pair):
    page = browser.window("/play/?profile").page
    page.click(".ladder summary")
    page.fill("[name=key]", pair[0].key)
    page.click("[data-act=use-key]")
    page.wait_for_selector("[data-act=save-profile]")
    assert page.input_value("[name=name]") == pair[0].name


def test_unknown_player_is_explained(browser):
    browser.expected.append("404")
    page = browser.window("/play/?player=nobody-knows").page
    page.wait_for_selector("main:has-text('There is no player with this name.')")
    assert page.locator("h1").inner_text() == "Unknown player"
    assert page.title().startswith("Unknown player")
    page.click("main a[href='/play/?ladder']")
    page.wait_for_selector(".ladders")


def test_server_without_ladders_shows_nothing_of_them(browser):
    page = browser.window("/docs").page

    def without(route):
        response = route.fetch()
        index = response.json()
        del index["ladders"]
        route.fulfill(response=response, json=index)

    page.route(re.compile(r"/v1$"), without)
    page.goto(f"{browser.url}/play/")
    page.wait_for_selector("a[href='/play/?hunts']")  # the index is read
    assert not page.is_visible("[data-act=rated]")
    assert not page.is_visible("a[href='/play/?ladder']")
    assert page.evaluate("document.body.innerText").count("rated") == 0
