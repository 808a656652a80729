"""The error responses that the worker sends before the application sees a request, from a live server."""

import tempfile
from pathlib import Path

from tests.support.launcher import launching
from tests.system.raw import connect, get, post, send_and_read

_REQUESTS = {
    "headers_too_large": ("A header of more than 8,190 bytes.", get("/v1/tiles", f"A: {'b' * 8200}")),
    "request_timeout": (
        "A request that breaks off.",
        post("/v1/games", {"name": "Isle"})[:-1],
    ),
    "uri_too_long": ("A path of more than 8,190 bytes.", get("/" + "a" * 9000)),
}
CODES = tuple(_REQUESTS)
_INSTANCE = "urn:skye:request:9f2c4b7a1d3e5f60"
"""A fixed id instead of that of the request, which differs from run to run."""


def recorded():
    """Return an example of each code that only the server sends, by its code."""
    with tempfile.TemporaryDirectory() as folder, launching(Path(folder)) as start:
        url = start(GUNICORN_CMD_ARGS="--keep-alive 3").url
        return {code: _problem(url, summary, sent) for code, (summary, sent) in _REQUESTS.items()}


def _problem(url, summary, sent):
    with connect(url) as connection:
        _, problem = send_and_read(connection, sent)
    return {"summary": summary, "value": problem | {"instance": _INSTANCE}}
