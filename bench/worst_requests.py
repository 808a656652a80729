"""The CPU time of the most expensive requests for each unit of the rate limit that they are charged.

Each request comes from another address, so that the `RateLimit` header of its response shows its price. A
game counts as as many requests as the limits of a minute allow for one.
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import re
from collections.abc import Callable
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from bench.operations import Sent, operation_requests
from bench.rows import Row, row
from bench.servers import Server, cpu_seconds
from skye_server.settings import Settings

GOAL = "<= 10"
"""The goal for the CPU time of a unit, in milliseconds."""

CHARGED = "CPU time for each request charged"
"""The end of the name of these rows."""

TIMES = 8
_BOTS = {"players": [{"bot": "greedy"}] * 5, "auto_start": True}

Send: TypeAlias = Callable[[Sent], tuple[int, bytes]]
"""Sends a request, and returns its price in requests and the body of its response."""


def worst_request_rows(server: Server) -> list[Row]:
    """Measure each request after it has warmed the caches of the workers."""
    send = sender(server)
    return [_row(server, send, name, request) for name, request in worst_requests(send).items()]


def worst_requests(send: Send) -> dict[str, Sent]:
    """Return an expensive request for each operation by its name, and more of those that have several."""

    def decoded(request: Sent) -> Any:
        return json.loads(send(request)[1])

    found = dict(operation_requests(decoded))
    created = decoded(Sent("POST", "/v1/games", {"scenario": "undo_limit"}))
    actions = f"/v1/games/{created['game']['id']}/players/0/actions"
    token = created["players"][0]["token"]
    for key in ("once", ""):
        action = decoded(Sent("GET", actions, token=token))["actions"][0]
        request = Sent(action["method"], action["href"], action["body"], token, key)
        decoded(request)
        if key:
            found["a replayed Idempotency-Key"] = request
    found["POST /v1/games, five greedy bots"] = Sent("POST", "/v1/games", _BOTS)
    return found


def _row(server: Server, send: Send, name: str, request: Sent) -> Row:
    for _ in range(TIMES):
        send(request)
    costs = []
    for _ in range(TIMES):
        before = cpu_seconds(server.workers)
        price, _ = send(request)
        costs.append(1000 * (cpu_seconds(server.workers) - before) / max(price, 1))
    return row(f"{name}: {CHARGED}", costs, "ms", goal=GOAL)


def sender(server: Server) -> Send:
    """Return a function that sends a request from a new address, and returns its price and its body."""
    place, addresses = urlsplit(server.base), (f"198.18.{n // 250}.{n % 250}" for n in itertools.count())
    settings = Settings()
    requests_of_a_game = settings.limit_requests_per_minute // settings.limit_games_per_minute

    def send(request: Sent) -> tuple[int, bytes]:
        headers = {"Content-Type": "application/json", "X-Forwarded-For": next(addresses)}
        headers |= {"Authorization": f"Bearer {request.token}"} if request.token else {}
        headers |= {"Idempotency-Key": request.key} if request.key else {}
        body = None if request.body is None else json.dumps(request.body)
        connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=60)
        with contextlib.closing(connection):
            connection.request(request.method, request.path, body, headers)
            answer = connection.getresponse()
            is_stream = answer.headers["Content-Type"] == "text/event-stream"
            text = b"" if is_stream else answer.read()
        if answer.status >= 500:
            raise RuntimeError(f"{request.method} {request.path}: {answer.status} {text!r}")
        if "RateLimit" not in answer.headers:  # it is not counted
            return 0, text
        kind, quota = _members(str(answer.headers["RateLimit-Policy"]), "q")
        _, left = _members(str(answer.headers["RateLimit"]), "r")
        return (quota - left) * (requests_of_a_game if kind == "games" else 1), text

    return send


def _members(header: str, name: str) -> tuple[str, int]:
    found = re.match(rf'"(\w+)";{name}=(\d+)', header)
    assert found is not None, header
    return found[1], int(found[2])
