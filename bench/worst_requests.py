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
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from bench.rows import Row, row
from bench.servers import Server, cpu_seconds
from skye_server.settings import Settings

GOAL = "<= 10"
"""The goal for the CPU time of a unit, in milliseconds."""

CHARGED = "CPU time for each request charged"
"""The end of the name of these rows."""

_TIMES = 8
_BOTS = {"players": [{"bot": "greedy"}] * 5, "auto_start": True}
_TILES = "&".join(f"tile=L{number:02}" for number in range(1, 9))


class _Request(NamedTuple):
    method: str
    path: str
    body: Any = None
    token: str | None = None
    key: str | None = None


def worst_request_rows(server: Server) -> list[Row]:
    """Measure each request after it has warmed the caches of the workers."""
    send = _sender(server)
    return [_row(server, send, name, request) for name, request in _requests(send)]


def _requests(send: Callable[[_Request], tuple[int, Any]]) -> Iterator[tuple[str, _Request]]:
    """Yield the requests with their names."""
    long, token = _game(send, "undo_limit")
    large, _ = _game(send, "largest_territory")
    last = _sent(send, _Request("GET", long))["last_event"]
    for rest in (f"?at={last - 1}", "/events?limit=1000", "/record", "/rounds/2", "/scores"):
        yield f"1,500 changes: GET {rest.replace(str(last - 1), 'N')}", _Request("GET", long + rest)
    yield "GET places of 8 tiles", _Request("GET", f"{long}/players/0/places?{_TILES}")
    for rest in ("territory", "territory.svg"):
        yield f"largest {rest}", _Request("GET", f"{large}/players/0/{rest}")
    tiles = _sent(send, _Request("GET", f"{large}/players/0/territory"))["tiles"]
    yield (
        "POST scoring of 5 territories",
        _Request("POST", "/v1/scoring", {"territories": [{"tiles": tiles}] * 5}),
    )
    action = _sent(send, _Request("GET", f"{long}/players/0/actions", token=token))["actions"][0]
    first = _Request(action["method"], action["href"], action["body"], token, "once")
    _sent(send, first)
    later = _sent(send, _Request("GET", f"{long}/players/0/actions", token=token))["actions"][0]
    _sent(send, _Request(later["method"], later["href"], later["body"], token))
    yield "1,500 changes: replayed Idempotency-Key", first
    yield "POST a game of five greedy bots", _Request("POST", "/v1/games", _BOTS)
    yield "POST the scenario undo_limit", _Request("POST", "/v1/games", {"scenario": "undo_limit"})


def _game(send: Callable[[_Request], tuple[int, Any]], scenario: str) -> tuple[str, str]:
    created = _sent(send, _Request("POST", "/v1/games", {"scenario": scenario}))
    return f"/v1/games/{created['game']['id']}", created["players"][0]["token"]


def _sent(send: Callable[[_Request], tuple[int, Any]], request: _Request) -> Any:
    return json.loads(send(request)[1])


def _row(server: Server, send: Callable[[_Request], tuple[int, Any]], name: str, request: _Request) -> Row:
    for _ in range(_TIMES):
        send(request)
    costs = []
    for _ in range(_TIMES):
        before = cpu_seconds(server.workers)
        price, _ = send(request)
        costs.append(1000 * (cpu_seconds(server.workers) - before) / price)
    return row(f"{name}: {CHARGED}", costs, "ms", goal=GOAL)


def _sender(server: Server) -> Callable[[_Request], tuple[int, Any]]:
    """Return a function that sends a request from a new address, and returns its price and its body."""
    place, addresses = urlsplit(server.base), (f"198.18.{n // 250}.{n % 250}" for n in itertools.count())
    settings = Settings()
    requests_of_a_game = settings.limit_requests_per_minute // settings.limit_games_per_minute

    def send(request: _Request) -> tuple[int, Any]:
        headers = {"Content-Type": "application/json", "X-Forwarded-For": next(addresses)}
        headers |= {"Authorization": f"Bearer {request.token}"} if request.token else {}
        headers |= {"Idempotency-Key": request.key} if request.key else {}
        body = None if request.body is None else json.dumps(request.body)
        connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=60)
        with contextlib.closing(connection):
            connection.request(request.method, request.path, body, headers)
            answer = connection.getresponse()
            text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{request.method} {request.path}: {answer.status} {text!r}")
        kind, quota = _members(str(answer.headers["RateLimit-Policy"]), "q")
        _, left = _members(str(answer.headers["RateLimit"]), "r")
        return (quota - left) * (requests_of_a_game if kind == "games" else 1), text

    return send


def _members(header: str, name: str) -> tuple[str, int]:
    found = re.match(rf'"(\w+)";{name}=(\d+)', header)
    assert found is not None, header
    return found[1], int(found[2])
