"""Check that the API in this container is alive: the health check of compose.yaml, which needs no curl.

It requests `/healthz`, not `/readyz`: a container must not be restarted because its Redis is unavailable.
"""

import http.client
import os
import sys
from contextlib import closing

from skye_server.settings import Settings


def is_alive() -> bool:
    """Return whether the API responds at its health listener, or at its address if it has none."""
    settings = Settings.from_environment(os.environ)
    host, port = (settings.health_bind or settings.bind).reachable
    with closing(http.client.HTTPConnection(host, port, timeout=4)) as connection:
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status == http.client.OK
        except (OSError, http.client.HTTPException):
            return False


if __name__ == "__main__":
    sys.exit(not is_alive())
