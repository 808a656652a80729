"""The API with a heartbeat and a shutdown grace of ten minutes, so that neither ends a wait of a test."""

from skye_server.following import streams
from skye_server.worker import worker
from skye_server.wsgi import app

__all__ = ["app"]

streams.HEARTBEAT_S = streams.CHECK_S = 600.0
worker._SHUTDOWN_GRACE_S = 600.0  # noqa: SLF001 - its default is far shorter than a busy machine stands still
