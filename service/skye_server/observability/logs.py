"""The format of the logs: one JSON object per line, on standard error.

gunicorn applies `configuration` to its own loggers and to those of the application. Code adds fields to a
line with `log.info("...", extra=facts(game=...))`.
"""

from __future__ import annotations

import logging
import re
from datetime import UTC, datetime
from typing import Any

from pythonjsonlogger.json import JsonFormatter

_TOKEN = re.compile(r"skye_[\w-]{22,}")
_FIELDS = {"asctime": "time", "levelname": "level", "name": "logger", "exc_info": "exception"}


def facts(**known: Any) -> dict[str, Any]:
    """Return the `extra` argument of a logging call: facts that are not None become fields of the line."""
    return {name: value for name, value in known.items() if value is not None}


class RedactingFormatter(JsonFormatter):
    """Formats a record as one line of JSON, and redacts tokens and player keys.

    No code logs tokens, but the text of an exception may contain one.
    """

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s", rename_fields=_FIELDS)

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: ARG002, N802 - overrides logging
        """Return the time in UTC, with milliseconds."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        return at.replace("+00:00", "Z")

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        return _TOKEN.sub("skye_(hidden)", super().format(record))

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        """Write the level in lower case."""
        log_data["level"] = log_data["level"].lower()
        return log_data


def configuration(level: str) -> dict[str, Any]:
    """Return the argument of `logging.config.dictConfig` that writes records from this level up as JSON."""
    from_gunicorn = {"level": level.upper(), "handlers": [], "propagate": True}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": f"{__name__}.RedactingFormatter"}},
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "stream": "ext://sys.stderr",
                "formatter": "json",
            }
        },
        "root": {"level": level.upper(), "handlers": ["stderr"]},
        "loggers": {"gunicorn.error": from_gunicorn, "gunicorn.access": from_gunicorn},
    }
