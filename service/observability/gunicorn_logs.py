"""gunicorn's own log, in the form of all others."""

import logging.config

from gunicorn.config import Config
from gunicorn.glogging import Logger

from service.observability.logs import configuration


class JsonLogger(Logger):
    """Sets up the logs of gunicorn and of the application.

    To give gunicorn the same as its `logconfig_dict` would turn its access log on: a line with the raw query
    for every request, made up whether it is written or not.
    """

    def setup(self, cfg: Config) -> None:
        """Set up, once in the master and again when it reloads its settings; workers inherit it."""
        super().setup(cfg)
        logging.config.dictConfig(configuration(cfg.loglevel))
