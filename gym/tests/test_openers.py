"""Requests of the gym to bots and models: no redirect is followed, and a server next door needs no proxy."""

import json

import pytest

from skye import new_game
from skye_gym.arena.bot_at_url import BotAtUrl
from skye_gym.arena.bot_process import BotFailed, Budget
from skye_gym.evals.endpoint import Endpoint, EndpointFailed
from skye_gym.evals.questions import Question
from skye_gym.openers import opener_for
from tests.support.playing import dice
from tests.support.receiver import Receiver, respond
from tests.support.waiting import MAX_WAIT_S

GAME = new_game(2, seed="arena").game


def redirect(_received, handler):
    handler.send_response(302)
    handler.send_header("Location", "/elsewhere")
    handler.send_header("Content-Length", "0")
    handler.end_headers()


def plays(received, handler):
    respond(handler, 200, json.dumps(received.message["data"]["actions"][0]).encode())


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_bot_of_this_machine_is_reached_without_a_proxy(name, monkeypatch):
    monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    with Receiver(plays) as receiver:
        assert BotAtUrl(receiver.url, Budget(MAX_WAIT_S)).decide(GAME, 0, dice(1))


@pytest.mark.parametrize(
    ("host", "is_direct"),
    [("localhost", True), ("a.localhost", True), ("127.9.9.9", True), ("[::1]", True), ("10.0.0.1", False)],
)
def test_only_servers_of_this_machine_are_reached_without_a_proxy(host, is_direct, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    handlers = opener_for(f"http://{host}:8000/bot").handlers
    assert any(getattr(each, "proxies", None) for each in handlers) == (not is_direct)


def test_redirect_of_a_bot_or_a_model_is_not_followed():
    with Receiver(redirect) as receiver:
        with pytest.raises(BotFailed, match="answered with the status 302"):
            BotAtUrl(receiver.url, Budget(MAX_WAIT_S)).decide(GAME, 0, dice(1))
        model = Endpoint(receiver.url, "m", "key", {"type": "for the receiver"}, attempts=1)
        with pytest.raises(EndpointFailed, match="HTTP 302"):
            model.reply(Question("q", []))
        assert len(receiver.received) == 2
