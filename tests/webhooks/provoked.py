"""Requests about webhooks that are refused."""

from tests.support.endpoints import PLAYER_KEY, RECEIVER
from tests.support.provoked_problems import provokes


@provokes("webhook_not_found")
def a_webhook_of_another_key(service):
    """A webhook that the player key does not have."""
    return lambda: service.call("GET", "/v1/me/webhooks/wh_aaaaaaaaaaaa", token=PLAYER_KEY)


@provokes("delivery_not_found")
def a_delivery_that_the_webhook_does_not_have(service):
    """A delivery that the webhook does not have."""
    webhook = service.call("POST", "/v1/me/webhooks", {"url": RECEIVER}, PLAYER_KEY).json["id"]
    path = f"/v1/me/webhooks/{webhook}/deliveries/msg_a/retry"
    return lambda: service.call("POST", path, token=PLAYER_KEY)


@provokes("too_many_webhooks")
def an_eleventh_webhook_of_a_key(service):
    """One webhook more than a player key can have."""
    for _ in range(10):
        service.call("POST", "/v1/me/webhooks", {"url": RECEIVER}, PLAYER_KEY)
    return lambda: service.call("POST", "/v1/me/webhooks", {"url": RECEIVER}, PLAYER_KEY)
