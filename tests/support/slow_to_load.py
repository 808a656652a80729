"""The API, in workers that load it only when the file `MAY_LOAD` exists."""

import os
import time

while not os.path.exists(os.environ["MAY_LOAD"]):  # noqa: PTH110 - pathlib is not patched by gevent yet
    time.sleep(0.02)

from skye_server.wsgi import app  # noqa: E402 - after the delay

__all__ = ["app"]
