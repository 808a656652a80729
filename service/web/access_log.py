"""What is noted of each answer: it is counted, and at log level `info` gets a line in the log.

The line tells the route's pattern and never the path or the query, and it tells no header: there is no place
in it where a token could stand.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING

from flask import Request

from service.observability.logs import facts
from service.observability.metrics import Metrics, pattern
from service.web.response_headers import REFUSAL, REQUEST_ID

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

_log = logging.getLogger(__name__)
_GAME_ID = re.compile(r"[a-z0-9]{12}")


class AccessNotes:
    """Takes note of answers; see `envelope.Note`."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def __call__(self, environ: WSGIEnvironment, status: int, seconds: float) -> None:
        """Count an answer, and log it if anybody wants to know."""
        asked: Request = environ["werkzeug.request"]
        code = environ.get(REFUSAL)
        self._metrics.answered(asked.url_rule.rule if asked.url_rule else "", asked.method, status, seconds)
        if code is not None:
            self._metrics.refused(code)
        if _log.isEnabledFor(logging.INFO):
            _write_line(asked, status, seconds, code)


def _write_line(asked: Request, status: int, seconds: float, code: str | None) -> None:
    named = asked.view_args or {}
    game = named.get("game", "")
    _log.info(
        "answered",
        extra=facts(
            request_id=asked.environ[REQUEST_ID],
            method=asked.method,
            route=pattern(asked.url_rule.rule) if asked.url_rule else None,
            status=status,
            duration_ms=round(seconds * 1000, 3),
            code=code,
            game=game if _GAME_ID.fullmatch(game) else None,
            seat=named.get("seat"),
        ),
    )
