"""What is noted of each request: it is counted, and at log level `info` gets a line in the log.

The line tells the route's pattern and never the path or the query, and it tells no header: there is no place
in it where a token could stand.
"""

from __future__ import annotations

import logging
import re
from time import perf_counter

from flask import Flask, Request, Response, request

from service.envelope import REQUEST_ID, STARTED
from service.logs import facts
from service.metrics import Metrics, pattern
from service.problems import Refusal

_log = logging.getLogger(__name__)
_GAME_ID = re.compile(r"[a-z0-9]{12}")


def register(app: Flask, metrics: Metrics) -> None:
    """Note what the app answers."""

    def note(response: Response) -> Response:
        asked = request
        seconds = perf_counter() - asked.environ[STARTED]
        rule = asked.url_rule.rule if asked.url_rule else ""
        metrics.answered(rule, asked.method, response.status_code, seconds)
        code = response.code if isinstance(response, Refusal) else None
        if code is not None:
            metrics.refused(code)
        if _log.isEnabledFor(logging.INFO):
            _write_line(asked, response.status_code, seconds, code)
        return response

    app.after_request(note)


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
