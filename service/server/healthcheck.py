"""Check that the API in this container is alive: the HEALTHCHECK of the image, which needs no curl.

It asks `/healthz` and not `/readyz`: a container is not to be started anew because its Redis is away.
"""

import http.client
import os
import sys
from contextlib import closing

from service.settings import Settings


def is_alive() -> bool:
    """Say whether the API answers where its settings say that it listens."""
    host, port = Settings.from_environment(os.environ).bind.reachable
    with closing(http.client.HTTPConnection(host, port, timeout=4)) as connection:
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status == http.client.OK
        except (OSError, http.client.HTTPException):
            return False


if __name__ == "__main__":
    sys.exit(not is_alive())
