"""Services that send to receivers on this machine."""

import threading
from contextlib import contextmanager

from tests.support.dispatching import dispatcher_of
from tests.support.playing import Service

LOCAL = {"webhooks_http": True, "webhooks_private": True, "webhooks_ports": ()}


def local_service(**settings):
    """Return a service that sends to this machine."""
    return Service(**LOCAL | settings)


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
