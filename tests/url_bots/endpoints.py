"""The operations on bots at URLs; see `tests.support.endpoints`."""

from skye_server.http.framework import collaborators
from tests.support.receiver import AnsweringSender

RECEIVER = "https://receiver.invalid/hook"
_BOT = "/v1/games/<game>/players/<seat:seat>/bot"
ENDPOINTS = (
    ("PUT", _BOT, "bot", 0, lambda _: {"bot_url": RECEIVER}),
    ("DELETE", _BOT, "bot", 0),
    ("GET", f"{_BOT}/deliveries", "bot", 0),
)
"""The arguments of each `Endpoint`."""


def with_bot(service, game, _key):
    """Bind a bot at a URL to seat 0."""
    collaborators(service.app).challenges.sender = AnsweringSender()
    bound = game.call("PUT", "players/0/bot", {"bot_url": RECEIVER}, token=game.tokens[0])
    assert bound.status_code == 200, bound.text


STAGES = {"bot": with_bot}
