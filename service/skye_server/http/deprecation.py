"""The announcement of an operation's end: `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and the contract."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime
from functools import wraps
from typing import Any, Final

from flask import Response, after_this_request

from skye_server.http.request_parsing import DOCUMENTATION

_SHORTEST: Final = timedelta(days=182)
"""The guide's page on versions promises at least half a year."""

View = Callable[..., Any]


def deprecated(since: date, until: date, successor: str) -> Callable[[View], View]:
    """Announce in all responses that an operation may be removed after `until`; it stands above `@operation`.

    :param successor: the path of the operation to use, as in `/v2/games`.
    :raises ValueError: if the time is shorter than promised.
    """
    if until - since < _SHORTEST:
        raise ValueError(f"{until} is less than six months after {since}")
    begins, ends = (datetime(day.year, day.month, day.day, tzinfo=UTC) for day in (since, until))
    links = f'<{successor}>; rel="successor-version", </docs/versions#deprecation>; rel="deprecation"'

    def announce(response: Response) -> Response:
        response.headers["Deprecation"] = f"@{int(begins.timestamp())}"
        response.headers["Sunset"] = format_datetime(ends, usegmt=True)
        response.headers.add("Link", links)
        return response

    def decorate(view: View) -> View:
        @wraps(view)
        def announced(*arguments: Any, **named: Any) -> Any:
            after_this_request(announce)  # errors of the view have the headers too
            return view(*arguments, **named)

        vars(announced)[DOCUMENTATION] = {**vars(view).get(DOCUMENTATION, {}), "deprecated": True}
        return announced

    return decorate
