"""A game against a bot at a URL, from the form of the front page to its end; the bot is an inbox of a lab."""

import json

import pytest

from tests.web.driver import Browser
from tests.web.test_whole_games import finished, shown_totals


@pytest.mark.slow
@pytest.mark.usefixtures("redis_program")
def test_game_against_a_bot_at_a_url_is_played_by_mouse(chromium, launch):
    launched = launch(SKYE_LAB="on", SKYE_DISPATCHERS="1")
    inbox = "/v1/lab/inbox/bot"
    launched.call("PUT", inbox, {"plays": True})
    with Browser(chromium, launched.url) as browser:
        screen = browser.window()
        screen.page.locator("details", has=screen.page.locator("[name=bot-url]")).locator("summary").click()
        screen.page.fill("[name=bot-url]", launched.url + inbox)
        screen.page.click("[data-act=bot-url]")
        screen.page.wait_for_selector(".pricing .card")
        screen.play_until(finished)
        view = screen.caught_up(screen.view(screen.token()))
        assert [player["bot"] for player in view["players"]] == [None, "url"]
        assert shown_totals(screen) == [player["score"] for player in view["players"]]
    asked = [json.loads(message["body"])["type"] for message in launched.call("GET", inbox)["messages"]]
    assert {"decision"} <= set(asked) <= {"decision", "webhook_challenge"}
