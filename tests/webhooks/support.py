"""Requests about webhooks."""

from tests.support.endpoints import PLAYER_KEY


def create(service, url, path="/v1/me/webhooks", token=PLAYER_KEY, **more):
    """Create a webhook that must become active; return it."""
    response = service.call("POST", path, {"url": url, **more}, token)
    assert response.status_code == 201, response.text
    assert response.json["status"] == "active", response.json
    return response.json


def deliveries(service, webhook, path="/v1/me/webhooks", token=PLAYER_KEY):
    """Return the deliveries of a webhook, the latest first."""
    return service.get(f"{path}/{webhook['id']}/deliveries", token)["deliveries"]
