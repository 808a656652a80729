"""A game against a bot at a URL, from the form of the front page to its end; the bot is an inbox of a lab."""

import json

from tests.web.driver import CARDS
from tests.web.test_whole_games import by_rank, finished, shown_totals


def test_game_against_a_bot_at_a_url_is_played_by_mouse(browser, live):
    inbox = "/v1/lab/inbox/bot"
    live.call("PUT", inbox, {"plays": True})
    screen = browser.window()
    screen.page.click("summary:text-is('Your own bot')")
    screen.page.fill("[name=bot-url]", live.url + inbox)
    screen.page.click("[data-act=bot-url]")
    screen.page.wait_for_selector(CARDS)
    screen.play_until(finished)
    view = screen.caught_up(screen.view(screen.token()))
    assert [player["bot"] for player in view["players"]] == [None, "url"]
    assert shown_totals(screen) == by_rank(view)
    asked = [json.loads(message["body"])["type"] for message in live.call("GET", inbox)["messages"]]
    assert {"decision"} <= set(asked) <= {"decision", "webhook_challenge"}
