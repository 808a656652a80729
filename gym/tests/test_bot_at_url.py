"""A bot at a URL in the arena: signed requests as a server sends them, and every kind of failure."""

import json
import time

import pytest
from standardwebhooks import Webhook

from skye import new_game
from skye_gym.arena.bot_at_url import SECRET_VARIABLE, BotAtUrl
from skye_gym.arena.bot_process import BotFailed, Budget
from skye_gym.arena.entrants import decider_for, entrant_from
from skye_gym.arena.match import play_match
from tests.support.playing import dice
from tests.support.receiver import Receiver, respond, respond_slowly
from tests.support.waiting import MAX_WAIT_S

SECRET = "whsec_" + 32 * "A"
GAME = new_game(2, seed="arena").game


def break_off_a_chunk(_received, handler):
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    handler.wfile.write(b"ff\r\nx")


def send_headers_slowly(_received, handler):
    """Send headers for six seconds, a byte at a time."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    for _ in range(60):
        handler.wfile.write(b"x")
        time.sleep(0.1)


@pytest.fixture
def bot(monkeypatch):
    monkeypatch.setenv(SECRET_VARIABLE, SECRET)
    throw = dice(1)

    def plays(received, handler):
        respond(handler, 200, json.dumps(throw.choice(received.message["data"]["actions"])).encode())

    with Receiver(plays) as receiver:
        yield receiver


def test_bot_at_a_url_plays_a_game_of_a_league(bot):
    entrants = [entrant_from(f"mine={bot.url}"), entrant_from("random")]
    result = play_match(
        ["mine", "random"], [decider_for(each, Budget(MAX_WAIT_S)) for each in entrants], "arena"
    )
    assert result["failures"] == {}
    assert len(bot.events) == len(result["decisions_ms"][0])
    for each in bot.events:
        assert Webhook(SECRET).verify(each.body, each.headers)["type"] == "decision"


@pytest.mark.parametrize("secret", [f"{SECRET}é", f"{SECRET}\u200b", f"{SECRET}\n{SECRET}", f"{SECRET}a"])
def test_secret_that_cannot_be_one_is_refused_and_not_shown(monkeypatch, secret):
    monkeypatch.setenv(SECRET_VARIABLE, secret)
    with pytest.raises(ValueError, match="SKYE_BOT_SECRET is not whsec_ and base64") as refused:
        BotAtUrl("http://127.0.0.1:9", Budget(MAX_WAIT_S))
    assert SECRET[6:20] not in str(refused.value)
    monkeypatch.setenv(SECRET_VARIABLE, f" {SECRET}\r\n")
    BotAtUrl("http://127.0.0.1:9", Budget(MAX_WAIT_S))


def test_url_without_a_path_or_with_a_bot_names_a_server():
    urls = ("http://h:8000", "http://h:8000/?bot=greedy", "https://h/api?bot=greedy", "https://h/bot")
    assert [entrant_from(f"mine={url}").is_of_server for url in urls] == [True, True, True, False]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda _, handler: respond(handler, 500), "the status 500"),
        (lambda _, handler: respond(handler, 307, Location="/hook"), "the status 307"),
        (lambda _, handler: respond(handler, 301, Location="http://[x"), "the status 301"),
        (lambda _, handler: respond(handler, 302, Location="http://[x"), "the status 302"),
        (lambda _, handler: respond(handler, 200, b"{"), "sent no action"),
        (lambda _, handler: respond(handler, 200, b"[]"), "sent no action"),
        (lambda _, handler: respond(handler, 200, bytes(70_000)), "more than 65536 bytes"),
        (lambda _, handler: handler.wfile.write(b"garbage\r\n\r\n"), "no valid HTTP response: BadStatusLine"),
        (break_off_a_chunk, "no valid HTTP response: IncompleteRead"),
        (respond_slowly, "exceeded its budget"),
        (send_headers_slowly, "exceeded its budget"),
    ],
)
def test_failure_of_a_bot_at_a_url_is_named(bot, answer, reason):
    bot.answer = answer
    with pytest.raises(BotFailed, match=reason):
        BotAtUrl(bot.url, Budget(0.5 if "budget" in reason else MAX_WAIT_S)).decide(GAME, 0, dice(1))


def test_bot_at_a_url_that_is_gone_cannot_be_reached():
    with Receiver() as receiver:
        url = receiver.url
    with pytest.raises(BotFailed, match="cannot be reached"):
        BotAtUrl(url, Budget(MAX_WAIT_S)).decide(GAME, 0, dice(1))
