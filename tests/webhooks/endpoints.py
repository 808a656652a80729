"""The operations on webhooks; see `tests.support.endpoints`."""

from skye_server.games.authorization import hash_player_key
from skye_server.store.shards import player_owner
from tests.support import endpoints

RECEIVER = "https://receiver.invalid/hook"


def _operations(path, who):
    """Return the operations on webhooks below a path."""
    item = f"{path}/<webhook>"
    created = {"url": RECEIVER, "types": ["your_turn"], "description": "d", "secret": f"whsec_{32 * 'A'}"}
    return (
        ("POST", path, "lobby", who, lambda _: created),
        ("GET", path, "lobby", who),
        ("GET", item, "webhook", who),
        ("PATCH", item, "webhook", who, lambda _: {"description": "e", "types": ["game_over"]}),
        ("DELETE", item, "webhook", who),
        ("POST", f"{item}/test", "webhook", who),
        ("POST", f"{item}/secret", "webhook", who, lambda _: {"overlap_ms": 5}),
        ("GET", f"{item}/deliveries", "webhook", who),
        ("POST", f"{item}/deliveries/<delivery>/retry", "webhook", who),
    )


ENDPOINTS = (
    *_operations("/v1/me/webhooks", "player"),
    *_operations("/v1/games/<game>/webhooks", "host"),
)
"""The arguments of each `Endpoint`."""


def with_webhooks(service, game, key):
    """Create a webhook of the game and one of the player key, each with a delivery."""
    game.webhook = with_delivery(service, game.path("webhooks"), game.host)
    own = "/v1/me/webhooks"
    for earlier in service.get(own, key)["webhooks"]:  # their number is limited
        service.call("DELETE", f"{own}/{earlier['id']}", token=key)
    game.own_webhook = with_delivery(service, own, key)


def with_delivery(service, path, token):
    """Create a webhook with one delivery, which waits; return its id."""
    webhook = service.call("POST", path, {"url": RECEIVER}, token).json["id"]
    owner = path.split("/")[3] if "/games/" in path else player_owner(hash_player_key(token))
    endpoints.queue_message(service, owner, webhook)
    return webhook


STAGES = {"webhook": with_webhooks}
