"""The form of the logs: one JSON object a line, on standard error.

gunicorn sets them up by `configuration`, for itself and the application alike. Whoever logs can add facts to
a line: `log.info("...", extra=facts(game=...))`.
"""

from __future__ import annotations

import json
import logging
import re
from datetime import UTC, datetime
from typing import Any

_FACTS = "skye_facts"
_TOKEN = re.compile(r"skye_[\w-]{22}")


def facts(**known: Any) -> dict[str, dict[str, Any]]:
    """Return `extra` for a call of a logger: these become fields of the line, but for those that are None."""
    return {_FACTS: {name: value for name, value in known.items() if value is not None}}


class JsonLines(logging.Formatter):
    """Writes a record as one line of JSON.

    No token belongs into a log, and none is put there knowingly. Should one get into the text of an error
    nevertheless, it is made unreadable here.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {
            "time": at.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, _FACTS, {}),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return _TOKEN.sub("skye_(hidden)", json.dumps(line, default=str))


def configuration(level: str) -> dict[str, Any]:
    """Return what `logging.config.dictConfig` needs to write everything from this level up as JSON lines."""
    gunicorns = {"level": level.upper(), "handlers": [], "propagate": True}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": "service.observability.logs.JsonLines"}},
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "stream": "ext://sys.stderr",
                "formatter": "json",
            }
        },
        "root": {"level": level.upper(), "handlers": ["stderr"]},
        "loggers": {"gunicorn.error": gunicorns, "gunicorn.access": gunicorns},
    }
