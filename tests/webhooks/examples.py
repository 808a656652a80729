"""The examples of webhooks in the contract; see `tests.contract.examples`."""

from skye_server.games.authorization import hash_player_key
from skye_server.http.framework import collaborators
from skye_server.store.shards import player_owner
from tests.support.endpoints import first_message, queue_message
from tests.support.receiver import AnsweringSender


def webhooks(recorder):
    """Create webhooks of a player key and of a game, change and test them, list their deliveries."""
    collaborators(recorder.service.app).challenges.sender = AnsweringSender()
    key = f"skye_key_{'dunvegan' * 3}"
    created = recorder.send("POST", "/v1/games", {"seat_count": 2}).json
    game = created["game"]["id"]
    for path, owner, token in (
        ("/v1/me/webhooks", player_owner(hash_player_key(key)), key),
        (f"/v1/games/{game}/webhooks", game, created["host_token"]),
    ):
        body = {"url": "https://example.org/skye", "types": ["your_turn", "game_over"], "description": "Mail"}
        webhook = recorder.record("active", "The URL has answered.", "POST", path, body, token)["id"]
        item = f"{path}/{webhook}"
        chat = {"url": "https://discord.com/api/webhooks/1/portree", "format": "discord"}
        posting = recorder.record("chat", "It posts sentences to Discord.", "POST", path, chat, token)["id"]
        recorder.send("DELETE", f"{path}/{posting}", token=token)
        recorder.record("active", "The webhook.", "GET", item, token=token)
        recorder.record("one", "One webhook.", "GET", path, token=token)
        changes = {"types": ["your_turn"]}
        recorder.record("types", "Fewer events.", "PATCH", item, changes, token)
        recorder.record("succeeded", "The URL has answered.", "POST", f"{item}/test", token=token)
        recorder.record(
            "rotated", "A new secret.", "POST", f"{item}/secret", {"overlap_ms": 3_600_000}, token
        )
        queue_message(recorder.service, owner, webhook, game)
        recorder.record("pending", "An event that is due.", "GET", f"{item}/deliveries", token=token)
        retry = f"{item}/deliveries/{first_message(webhook)}/retry"
        recorder.record("again", "Send it again.", "POST", retry, token=token)
        recorder.send("DELETE", item, token=token)
    games = collaborators(recorder.service.app).games
    games.players.webhook_disabled(hash_player_key(key), webhook, games.now_ms())
    recorder.record("disabled", "A webhook has failed for long.", "GET", "/v1/me/events", token=key)


SCENES = (webhooks,)
