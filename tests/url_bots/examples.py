"""The examples of bots at URLs in the contract; see `tests.contract.examples`."""

from skye_server.http.framework import collaborators
from tests.support.endpoints import queue_message
from tests.support.receiver import AnsweringSender


def url_bots(recorder):
    """Bind a bot at a URL to a seat, list what was sent to it, release it."""
    collaborators(recorder.service.app).challenges.sender = AnsweringSender()
    body = {"players": [{"name": "Ann"}, {"bot_url": "https://example.org/bot"}], "auto_start": True}
    # No example: on a server that strangers reach, nothing answers there, and generators send what is one.
    created = recorder.send("POST", "/v1/games", body, label="create_game/bot_at_url").json
    path, token = f"/v1/games/{created['game']['id']}/players/0/bot", created["players"][0]["token"]
    recorder.record("bound", "A bot.", "PUT", path, {"bot_url": "https://example.org/bot"}, token)
    game = collaborators(recorder.service.app).games.stored.read(created["game"]["id"])
    bound = game.seats[0].url_bot
    queue_message(recorder.service, f"bot.{bound}", bound, game.id, "decision")
    recorder.record("pending", "A decision.", "GET", f"{path}/deliveries", token=token)
    recorder.record("released", "The player plays again.", "DELETE", path, token=token)


SCENES = (url_bots,)
