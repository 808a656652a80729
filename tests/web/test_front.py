"""The first page: the player's name, games against bots, and what the lists of games show."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.web.driver import CARDS, PHONE, call, seated

NOON = "2026-05-04T12:00:00Z"
NAME = ".player-name [name=name]"


def start_against_bots(screen, bot="random"):
    """Start a game against a bot; return it as the server shows it to the player."""
    screen.page.click(f"[data-level={bot}]")
    screen.page.wait_for_selector(CARDS)
    return screen.view(screen.token())


def test_name_is_proposed_and_kept_for_all_kinds_of_games(browser):
    screen = browser.window()
    proposed = screen.page.input_value(NAME)
    assert re.fullmatch(r"\w+ \w+", proposed)
    assert screen.page.locator("[name=name]").count() == 1
    assert start_against_bots(screen)["players"][0]["name"] == proposed
    screen.page.goto(browser.url + "/play/")
    assert screen.page.input_value(NAME) == proposed
    screen.page.fill(NAME, "Ann")
    screen.page.click("[data-act=find-opponents]")
    screen.page.click("[data-act=cancel-ticket]")
    screen.page.reload()
    assert screen.page.input_value(NAME) == "Ann"


def test_front_page_leads_with_one_button_which_starts_a_game(browser):
    screen = browser.window()
    first = screen.page.locator("main button:visible, main a:visible, main input:visible").first
    assert first.inner_text() == "Play now"
    assert screen.page.locator("main img").first.evaluate("(one) => one.naturalWidth") > 0
    first.click()
    screen.page.wait_for_selector(CARDS)
    players = screen.view(screen.token())["players"]
    assert [player["bot"] for player in players] == [None, "greedy", "greedy"]


def test_badge_of_a_turn_is_as_wide_as_its_text(browser):
    for size in ({}, PHONE):
        screen = browser.window(**size)
        start_against_bots(screen)
        screen.page.goto(browser.url + "/play/")
        badge = screen.page.wait_for_selector(".games .badge.call")
        wide = badge.evaluate(
            """(one) => {
              const text = document.createRange();
              text.selectNodeContents(one);
              return one.offsetWidth - text.getBoundingClientRect().width;
            }"""
        )
        assert wide < 24


def test_newcomers_are_proposed_different_names(browser):
    assert len({browser.window().page.input_value(NAME) for _ in range(6)}) > 1


def test_game_against_bots_is_private_unless_the_player_lists_it(browser):
    screen = browser.window()
    assert start_against_bots(screen)["visibility"] == "private"
    screen.page.goto(browser.url + "/play/")
    screen.page.check("[name=listed]")
    assert start_against_bots(screen)["visibility"] == "public"


def test_bot_has_one_name_and_level_in_buttons_lobby_seat_and_list(browser):
    screen = browser.window()
    button = screen.page.locator("[data-level=greedy]").inner_text()
    assert button == "Medium (Greedy)"
    start_against_bots(screen, "greedy")
    assert screen.page.locator(".seat h3 bdi").all_inner_texts()[1] == "Greedy"
    assert "Greedy" in screen.page.locator(".seat .badge:has-text('bot')").inner_text()
    screen.page.goto(browser.url + "/play/")
    screen.page.wait_for_selector(".games li")
    assert "Greedy (medium)" in screen.page.locator(".games .opponents").first.inner_text()
    screen.page.click("[data-act=friends]")
    screen.page.wait_for_selector(".lobby [data-bot]", state="attached")
    names = screen.page.locator("[data-bot]").all_text_contents()
    assert any("Medium (Greedy)" in name for name in names)


def test_list_shows_date_opponents_and_round_of_a_game(browser):
    screen = browser.window()
    view = start_against_bots(screen)
    screen.page.goto(browser.url + "/play/")
    row = screen.page.locator(f".games li:has(a[href*='{view['id']}'])")
    row.wait_for()
    assert row.locator("time").get_attribute("datetime") == view["created_at"]
    assert str(view["created_at"][:4]) in row.locator("time").inner_text()
    shown = re.sub("[\u2066-\u2069]", "", row.inner_text())
    assert "Random (easy)" in shown
    assert view["players"][0]["name"] not in shown
    assert "Round 1" in shown


def test_public_list_shows_the_time_limits_of_an_open_game(browser):
    name = "Two minutes each"
    options = {"turn_ms": 120_000, "budget_ms": 600_000, "increment_ms": 5000}
    body = {"players": [{"name": "Ann"}], "name": name, "visibility": "public", "options": options}
    game = call(browser.url, "POST", "/v1/games", body)["game"]["id"]
    page = browser.window().page
    row = page.locator(f".games li:has(a[href*='{game}'])")
    row.wait_for()
    times = row.locator(".times").inner_text()
    assert all(part in times for part in ("2 minutes", "10 minutes", "5 seconds")), times


def test_public_list_asks_for_games_to_join_first_and_few_that_are_over(browser):
    page = browser.window("/docs").page

    def listed(route):
        query = parse_qs(urlsplit(route.request.url).query)
        (status,), (limit,) = query["status"], query["limit"]
        game = {"status": status, "round": 1, "seat_count": 3, "players": [], "created_at": NOON}
        games = [game | {"id": f"{status}{number}", "name": status} for number in range(int(limit))]
        route.fulfill(json={"games": games, "next_cursor": None})

    page.route(re.compile("/v1/games[?]"), listed)
    page.goto(f"{browser.url}/play/")
    page.wait_for_selector(".games a:text-is('finished')")
    names = page.locator(".games li > a:first-child").all_inner_texts()
    assert list(dict.fromkeys(names)) == ["lobby", "playing", "finished"]
    assert names.count("finished") <= 5


def test_name_is_asked_before_a_game_is_created_on_a_phone(browser):
    page = browser.window(**PHONE).page
    name, create = page.locator(".player-name input"), page.locator("[data-act=friends]")
    assert name.bounding_box()["y"] < create.bounding_box()["y"]


def test_options_of_the_first_page_are_explained_below_short_names(browser):
    page = browser.window().page
    page.wait_for_selector("label:has-text('No hints') + :text('what a placement would score')")
    page.click("summary:text-is('Your own bot')")
    page.wait_for_selector("text=Enter the URL at which your program receives its turns.")


@pytest.mark.parametrize(("locale", "first"), [("en-GB", "day"), ("en-US", "month")])
def test_dates_are_written_as_the_reader_does(browser, locale, first):
    game = browser.game("Ann", auto_start=False)[0]
    page = browser.window(locale=locale).page
    row = page.locator(f".games li:has(a[href*='{game}'])")
    row.wait_for()
    assert re.match({"day": r"\d+ \w+", "month": r"\w+ \d+,"}[first], row.locator("time").inner_text())
    row.get_by_role("link", name="Join: ").wait_for()


def test_own_games_are_listed_by_when_they_were_saved(browser):
    screen, game, _ = seated(browser, "Ann", "Bob")
    listed = screen.page.evaluate(
        """async () => {
          for (const [index, id] of [..."hcafbgde"].entries()) {
            localStorage[`skye.game.${id}`] = JSON.stringify({seats: [id], host: null, saved: index});
          }
          const base = document.querySelector("script[type=module]").src.replace("main.js", "");
          return (await import(base + "home/my-games.js")).myGames();
        }"""
    )
    assert listed == [game, *"edgbfach"]


@pytest.mark.parametrize("agree", [True, False])
def test_host_link_replaces_a_stored_token_only_with_consent(browser, agree):
    _, _, other = browser.game("Eve", auto_start=False, seat_count=3)
    game, tokens, host = browser.game("Ann", auto_start=False, seat_count=3)
    screen = browser.window(f"/play/?game={game}#host={host}")
    screen.page.wait_for_selector("[data-act=start]")
    screen.page.goto("about:blank")
    screen.page.goto(f"{browser.url}/play/?game={game}#host={other}")
    screen.page.wait_for_selector("dialog[open]")
    assert "#" not in screen.page.url
    stored = "id => JSON.parse(localStorage[`skye.game.${id}`] ?? '{}').host"
    assert screen.page.evaluate(stored, game) == host
    browser.expected += ["401"]  # the server knows the other token for another game
    screen.page.click("dialog[open] " + ("[data-act=yes]" if agree else "button:has-text('Cancel')"))
    if agree:
        screen.page.wait_for_function(f"id => ({stored})(id) !== {host!r}", arg=game)
    else:
        assert screen.page.evaluate(stored, game) == host
    assert call(browser.url, "GET", f"/v1/games/{game}", token=tokens[0])["id"] == game


def test_host_chooses_the_clock_and_a_scoring_tile(browser):
    screen = browser.window()
    page = screen.page
    page.select_option("[name=clock]", label="5 minutes")
    page.select_option("[name=budget]", label="20 minutes")
    page.select_option("[name=increment]", label="10 seconds")
    page.click(".scoring-choice summary")
    page.wait_for_function("() => document.querySelector('[name=scoring-B]').options.length === 17")
    page.select_option("[name=scoring-B]", "squares")
    page.click("[data-act=friends]")
    page.wait_for_selector(".lobby")
    host = page.evaluate("id => JSON.parse(localStorage[`skye.game.${id}`]).host", screen.game)
    view = screen.view(host)
    limits = [view["options"][name] for name in ("turn_ms", "budget_ms", "increment_ms")]
    assert limits == [300_000, 1_200_000, 10_000]
    chosen = [tile["scoring_tile"] for tile in view["scoring_tiles"]] or view["options"]["scoring_tiles"]
    assert chosen[1] == "squares"
    assert len(set(chosen)) == 4
