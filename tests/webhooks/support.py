"""Services whose webhooks go to receivers on this machine."""

import threading
from contextlib import contextmanager

from tests.support.dispatching import dispatcher_of
from tests.support.endpoints import PLAYER_KEY
from tests.support.playing import Service

LOCAL = {"webhooks_http": True, "webhooks_private": True, "webhooks_ports": ()}


def local_service(**settings):
    """Return a service that sends to this machine."""
    return Service(**LOCAL | settings)


def create(service, url, path="/v1/me/webhooks", token=PLAYER_KEY, **more):
    """Create a webhook that must become active; return it."""
    response = service.call("POST", path, {"url": url, **more}, token)
    assert response.status_code == 201, response.text
    assert response.json["status"] == "active", response.json
    return response.json


def deliveries(service, webhook, path="/v1/me/webhooks", token=PLAYER_KEY):
    """Return the deliveries of a webhook, the latest first."""
    return service.get(f"{path}/{webhook['id']}/deliveries", token)["deliveries"]


@contextmanager
def dispatching(service):
    """Run a dispatcher in threads."""
    running = dispatcher_of(service)
    thread = threading.Thread(target=running.run)
    thread.start()
    try:
        yield running
    finally:
        running.stop()
        thread.join()
