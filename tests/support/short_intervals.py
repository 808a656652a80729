"""The API with a worker that gives up half-open connections after a second."""

from skye_server.worker import worker
from skye_server.wsgi import app

__all__ = ["app"]

worker._HALF_OPEN_S = 1  # noqa: SLF001 - no test waits for half a minute
