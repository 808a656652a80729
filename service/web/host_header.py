"""The `Host` header: a request of HTTP/1.1 without a valid one is refused (RFC 9112, section 3.2)."""

from __future__ import annotations

import re
from typing import Final

from flask import Flask, request

from service.matches.errors import Problem

_HOST: Final = re.compile(
    r"(?:\[[0-9A-Fa-fv.:]+\]"  # an IP literal
    r"|(?:[A-Za-z0-9\-._~!$&'()*+;=]|%[0-9A-Fa-f]{2})*)"  # a name or IPv4 address (RFC 3986), without commas:
    r"(?::[0-9]*)?"  # several Host headers arrive as one value with a comma
)


def register(app: Flask) -> None:
    """Refuse requests to an app that name no valid host."""

    @app.before_request
    def check_host() -> None:
        host = request.environ.get("HTTP_HOST")
        if host is None and request.environ.get("SERVER_PROTOCOL") == "HTTP/1.0":
            return
        if host is None or not _HOST.fullmatch(host):
            raise Problem("bad_request", "The Host header is missing or invalid.")
