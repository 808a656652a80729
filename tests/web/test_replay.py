"""The replay of a game: scrubber, deep links, the view of each seat, and playing on from a position."""

import random

import pytest

from tests.web.driver import call, offer, replayed, seated


def played_out(browser, bots=(), **body):
    """Play a game of two people, and bots, to its end by plain HTTP; return its id and the tokens."""
    game, tokens, _ = browser.game("Ann", "Bob", bots=bots, **body)
    dice = random.Random(1)
    while (view := call(browser.url, "GET", f"/v1/games/{game}"))["status"] == "playing":
        seat = view["waiting_for"][0]
        browser.act(game, seat, tokens[seat], dice.choice)
    return game, tokens


def test_deep_link_shows_each_decision_for_every_viewer(browser):
    game, _ = played_out(browser)
    events = call(browser.url, "GET", f"/v1/games/{game}/events")["events"]
    set_offers = [event for event in events if event["type"] == "offer_set"]
    first = set_offers[0]
    screen = replayed(browser, game, f"#e={first['id']}")
    assert all("hidden" in text for text in screen.page.locator(".price-tag").all_inner_texts())
    screen.page.select_option("[data-act=eyes]", str(first["seat"]))
    prices = screen.page.locator(".price-tag .coin").all_inner_texts()
    record = call(browser.url, "GET", f"/v1/games/{game}/record")
    assert sorted(prices) == sorted(str(price) for price in record["actions"][0]["prices"].values())
    screen.page.click("[data-act=last]")
    screen.page.select_option("[data-act=eyes]", "open")
    totals = [int(text) for text in screen.page.locator(".result td.total").all_inner_texts()]
    assert totals == sorted((player["score"] for player in screen.view()["players"]), reverse=True)
    screen.page.keyboard.press("[")
    screen.page.wait_for_function(
        "() => location.hash !== '' && !document.querySelector('.result:not([hidden])')"
    )
    assert "Round 6" in screen.page.locator(".caption").inner_text()
    screen.page.select_option("[data-act=eyes]", "spectator")
    shown = ".market, .seats, .caption"
    event = screen.page.get_attribute(".game-page", "data-event")
    linked = replayed(browser, game, f"#e={event}")  # folded from the start
    assert linked.page.locator(shown).all_inner_texts() == screen.page.locator(shown).all_inner_texts()


PRICED = [{"tile": "L08", "price": 4}, {"tile": "L14", "price": 2}, {"tile": "L23", "discard": True}]
PRICING = {"round": 5, "players": [{"gold": 9}, {"gold": 7, "tiles_on_offer": PRICED}]}
"""A position in which seat 1 has set its prices, and has 7 gold left."""


@pytest.mark.parametrize("start", [{}, {"position": PRICING}], ids=["new", "position"])
def test_purses_computed_from_public_events_equal_the_result(browser, start):
    game, _ = played_out(browser, **start)
    screen = replayed(browser, game)
    purses = screen.page.evaluate(
        """async (game) => {
          const base = document.querySelector("script[type=module]").src.replace("main.js", "");
          const {secretsOf, pursesAfter} = await import(base + "game/open-eyes.js");
          const {skye} = await import(base + "state/api.js");
          const {events} = await skye.game(game).eventPage();
          return pursesAfter(events, secretsOf(events, await skye.game(game).record()));
        }""",
        game,
    )
    assert purses == [player["gold"] for player in screen.view()["players"]]


def test_replay_from_a_position_shows_the_gold_and_prices_it_began_with(browser):
    game, _ = played_out(browser, position=PRICING)
    events = call(browser.url, "GET", f"/v1/games/{game}/events")["events"]
    begun = next(event for event in events if event["type"] == "position_set")
    page = replayed(browser, game, f"#e={begun['id']}").page
    page.select_option("[data-act=eyes]", "open")
    prices = page.locator(".market-row[data-seat='1'] .price-tag").all_inner_texts()
    assert prices == ["4", "2", "discarded"]
    gold = page.locator(".seat .coin").evaluate_all("all => all.map((one) => one.ariaLabel)")
    assert gold == ["9 gold", "7 gold"]


def test_position_of_a_finished_game_is_played_on(browser):
    game, _ = played_out(browser)
    events = call(browser.url, "GET", f"/v1/games/{game}/events")["events"]
    bought = next(event for event in events if event["type"] in ("tile_bought", "purchase_passed"))
    screen = replayed(browser, game, f"#e={bought['id']}")
    screen.page.click("[data-act=fork]")
    screen.page.locator("dialog select").nth(1).select_option("strategist")
    screen.page.click("[data-act=begin]")
    screen.page.wait_for_selector(".game-page:not(.replay)")
    fork = screen.game
    assert fork != game
    view = screen.view(screen.token())
    assert (view["visibility"], view["round"], view["players"][1]["bot"]) == ("private", 1, "strategist")


def test_log_and_caption_show_gold_as_coins_with_words_for_a_screen_reader(browser):
    game, _ = played_out(browser)
    events = call(browser.url, "GET", f"/v1/games/{game}/events")["events"]
    paid = next(event for event in events if event["type"] == "income_paid")
    page = replayed(browser, game, f"#e={paid['id']}").page
    total = paid["players"][0]["total"]
    for coins in (page.locator(".log .income_paid summary .coin"), page.locator(".caption .coin")):
        assert coins.first.inner_text() == f"+{total}"
        assert coins.first.get_attribute("aria-label") == f"{total} gold"
    assert f"Ann {total} gold" in page.get_attribute(".scrub", "aria-valuetext")
    bought = next((event for event in events if event["type"] == "tile_bought"), None)
    if bought:
        page.evaluate("id => { location.hash = `e=${id}`; }", bought["id"])
        page.wait_for_selector(".log .tile_bought .coin", state="attached")


def test_reload_of_a_replay_keeps_the_position_and_whose_eyes_see_it(browser):
    game, _ = played_out(browser)
    page = replayed(browser, game, "#e=40").page
    page.select_option("[data-act=eyes]", "1")
    page.wait_for_function("() => location.hash.endsWith('eyes=1')")
    shown = page.locator(".caption, .market, .scored").all_inner_texts()
    page.reload()
    page.wait_for_selector(".scrub")
    assert page.input_value("[data-act=eyes]") == "1"
    assert page.locator(".caption, .market, .scored").all_inner_texts() == shown
    assert page.locator(".head .scored li").count() == 4


def test_log_of_a_replay_goes_back_and_forth_with_the_position(browser):
    game, _ = played_out(browser)
    page = replayed(browser, game, "#e=60").page
    lines = page.locator(".log li").all_text_contents()
    page.click("[data-act=last]")
    assert page.locator(".log li").count() > len(lines)
    page.click("[data-act=first]")
    assert page.locator(".log li").count() < len(lines)
    page.wait_for_function("() => location.hash !== '#e=60'")  # or the next line would change nothing
    page.evaluate("location.hash = '#e=60'")
    page.wait_for_function("count => document.querySelectorAll('.log li').length === count", arg=len(lines))
    assert page.locator(".log li").all_text_contents() == lines


def test_seat_of_a_position_is_given_to_somebody_by_link(browser):
    game, _ = played_out(browser)
    screen = replayed(browser, game, "#e=20")
    page = screen.page
    page.click("[data-act=fork]")
    page.locator("dialog select").nth(1).select_option("link")
    page.click("[data-act=begin]")
    friend = browser.window(screen.copied("dialog [data-act=seat-link]").removeprefix(browser.url))
    friend.page.wait_for_selector(".seat[data-seat='1'] .badge:has-text('you')")
    page.click("dialog [data-act=open]")
    page.wait_for_selector(".seat[data-seat='0'] .badge:has-text('you')")
    tokens = page.evaluate("id => JSON.parse(localStorage[`skye.game.${id}`]).seats", friend.game)
    assert len(tokens) == 1


def test_replay_of_a_game_in_play_shows_what_the_seat_knows(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob")
    page = screen.page
    offer(browser, game, tokens, 0, 1, 2)
    screen.menu("a:has-text('Replay')")
    page.wait_for_selector(".replay .caption")
    assert sorted(page.locator(".market-row[data-seat='0'] .price-tag").all_inner_texts()) == [
        "1",
        "2",
        "discarded",
    ]
    assert page.locator(".market-row[data-seat='1'] .coin").count() == 0
    page.click(".head a:has-text('Back to the game')")
    page.wait_for_selector(".game-page:not(.replay) .pricing .card")


def test_caption_names_the_round_of_points_and_of_the_last_building(browser):
    game, _ = played_out(browser)
    events = call(browser.url, "GET", f"/v1/games/{game}/events")["events"]
    scored = [event for event in events if event["type"] == "round_scored"]
    page = replayed(browser, game).page
    for event in scored:
        page.evaluate("id => { location.hash = `e=${id}`; }", event["id"])
        page.wait_for_function(
            "start => document.querySelector('.caption').textContent.startsWith(start)",
            arg=f"Round {event['round']}: ",
        )
        assert "Points: " in page.locator(".caption").inner_text()


def test_pause_sign_needs_no_font(browser):
    game, _, _ = browser.game("Ann", "Bob")
    page = replayed(browser, game).page
    page.click("[data-act=first]")
    page.click("[data-act=play]")
    page.wait_for_selector("[data-act=play] .pause-sign")
    assert page.locator("[data-act=play]").inner_text() == ""
