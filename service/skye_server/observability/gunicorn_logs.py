"""gunicorn's own log, in the same JSON format as all others."""

import logging.config

from gunicorn.config import Config
from gunicorn.glogging import Logger

from skye_server.observability.logs import configuration


class JsonLogger(Logger):
    """Configures the logs of gunicorn and of the application.

    gunicorn's setting `logconfig_dict` would also turn on its access log, which contains the raw query of
    every request, and which gunicorn formats even if it is not written.
    """

    def setup(self, cfg: Config) -> None:
        """Configure logging in the master process, again at each reload; workers inherit it."""
        super().setup(cfg)
        logging.config.dictConfig(configuration(cfg.loglevel))
