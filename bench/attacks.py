"""Reads and actions of one client while others attack, and the CPU time of expensive requests.

The server has the rate limits of one for strangers. The first attacks come from many addresses, so that no
limit refuses them; those on 200 connections come from one address that has its whole budget.
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import re
import secrets
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import redis

from bench.load import HAS_WRK, middle_and_tail
from bench.plan import Plan
from bench.rows import Row, in_turn, row
from bench.servers import Server, cpu_seconds, gunicorn, redis_server
from skye_server.server.embedded_redis import RedisServer
from skye_server.server.processes import stop
from skye_server.server.server_programs import find_program
from skye_server.settings import Settings

CONCURRENCY = 30
"""The number of concurrent requests from many addresses."""

CONNECTIONS = 200
"""The number of connections from one address."""

GOALS = {"read": "<= 150", "action": "<= 250", "price": "<= 10", "stored": "<= 1000"}
"""In milliseconds: the 99th percentiles during attacks, and the CPU time for each request charged; in bytes
what Redis holds for each kilobyte charged."""

FILLED_KB = 2_000
"""The budget of a day of the address that fills Redis: a tenth of the default."""

CHARGED = "CPU time for each request charged"
ATTACKED = f"on {CONNECTIONS} connections of one address: p99 of an action of another"

_ROUNDS, _TIMES, _GAP_S, _RECOVERY_S = 5, 8, 0.02, 1.5
_PAIR = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True}
_BOTS = {"players": [{"bot": "greedy"}] * 5, "auto_start": True}
_BAD_ACTION = {"round": 9, "phase": "", "seat": 9, "type": "place", "tile": "XX", "x": "a", "y": "b"}
_RECORD = {
    "format": 3,
    "players": [{"name": name, "color": color, "bot": None} for name, color in (("a", "red"), ("b", "blue"))],
    "options": {
        "seed": "x",
        "scoring_tiles": None,
        "first_seat": None,
        "tie_break": "leftover_gold",
        "open_gold": False,
    },
    "actions": [_BAD_ACTION] * 2_000,
}

BODIES: dict[str, Any] = {
    "creations of games of five greedy bots": _BOTS,
    "records of 2,000 bad actions": {"record": _RECORD},
    "bodies of 20,000 unknown keys": {f"k{number}": 1 for number in range(20_000)},
}


class Sent(NamedTuple):
    """A request."""

    method: str
    path: str
    body: Any = None
    token: str = ""


def attack_rows(plan: Plan) -> list[Row]:
    """Measure reads in turn with and without each attack, then expensive requests."""
    program = find_program()
    if program is None or not HAS_WRK:
        return [Row("attacks", None, "", "no redis-server or no wrk: not measured")]
    limits = {"SKYE_LIMITS": "on", "SKYE_TRUSTED_PROXIES": "1"}
    with (
        tempfile.TemporaryDirectory() as folder,
        redis_server(program, Path(folder)) as stored,
        gunicorn("skye_server.wsgi:app", stored, **limits) as server,
    ):
        path = f"/v1/games/{_created(server.base, _PAIR)['game']['id']}"
        contenders = {
            kind: lambda kind=kind: _reads(server.base, path, plan.reads // _ROUNDS, kind)
            for kind in (None, *BODIES)
        }
        taken = in_turn(contenders, _ROUNDS)
        return [
            *(_read_row(kind, list(itertools.chain.from_iterable(runs))) for kind, runs in taken.items()),
            *price_rows(server),
            *_one_address_rows(server, plan.paced_seconds),
            filling_row(stored),
        ]


def filling_row(stored: RedisServer) -> Row:
    """Let one address store lobbies of new keys until it is refused, and a stranger create a game then."""
    limits = {
        "SKYE_LIMITS": "on",
        "SKYE_TRUSTED_PROXIES": "1",
        "SKYE_LIMIT_STORED_KB_PER_DAY": str(FILLED_KB),
    }
    rates = {"SKYE_LIMIT_GAMES_PER_MINUTE": "0", "SKYE_LIMIT_REQUESTS_PER_MINUTE": "0"}
    lobby = {"players": [{"name": 40 * "x"}]}
    with (
        gunicorn("skye_server.wsgi:app", stored, **limits, **rates) as server,
        redis.Redis.from_url(stored.url) as client,
    ):
        _created(server.base, _PAIR)
        before = client.info("memory")["used_memory"]
        with contextlib.suppress(RuntimeError):
            while True:
                key = f"skye_key_{secrets.token_urlsafe(24)}"
                _send(server.base, Sent("POST", "/v1/games", lobby, key), "203.0.113.77")
        grown = client.info("memory")["used_memory"] - before
        _created(server.base, _PAIR)
    name = "memory of Redis for each kilobyte charged to one address that fills it"
    return row(name, [grown / FILLED_KB], "B", goal=GOALS["stored"])


def _read_row(kind: str | None, taken: list[float]) -> Row:
    _, tail = middle_and_tail(taken)
    if kind is None:
        return row("game view, no attack: p99", [tail], "ms")
    return row(f"game view during {CONCURRENCY} {kind}: p99", [tail], "ms", goal=GOALS["read"])


def _reads(base: str, path: str, number: int, kind: str | None) -> list[float]:
    """Return the times of reads in milliseconds; each uses a new connection, so any worker accepts it."""
    attack = contextlib.nullcontext()
    if kind is not None:
        attack = _attack(base, Sent("POST", "/v1/games", BODIES[kind]), CONCURRENCY, "198.18.%d.%d")
    with attack:
        return [_milliseconds(base, Sent("GET", path), f"192.0.2.{count % 250}") for count in range(number)]


def _milliseconds(base: str, request: Sent, address: str) -> float:
    """Send a request, then pause; return the time until its response was complete."""
    begun = time.perf_counter()
    _send(base, request, address)
    taken = 1000 * (time.perf_counter() - begun)
    time.sleep(_GAP_S)
    return taken


def _send(base: str, request: Sent, address: str) -> tuple[http.client.HTTPResponse, bytes]:
    """Send a request from a new connection; return its response and its body.

    :raises RuntimeError: when the response is an error.
    """
    place = urlsplit(base)
    headers = {"Content-Type": "application/json", "X-Forwarded-For": address}
    headers |= {"Authorization": f"Bearer {request.token}"} if request.token else {}
    body = None if request.body is None else json.dumps(request.body)
    connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=60)
    with contextlib.closing(connection):
        connection.request(request.method, request.path, body, headers)
        answer = connection.getresponse()
        text = answer.read()
    if answer.status >= 400:
        raise RuntimeError(f"{request.method} {request.path}: {answer.status} {text!r}")
    return answer, text


def _created(base: str, body: Any) -> Any:
    return json.loads(_send(base, Sent("POST", "/v1/games", body), "192.0.2.251")[1])


def expensive_requests(base: str) -> dict[str, Sent]:
    """Return by name the requests that compute, read or send the most, and some that are not limited."""
    long = _created(base, {"scenario": "undo_limit"})
    large = f"/v1/games/{_created(base, {'scenario': 'largest_territory'})['game']['id']}/players/0"
    path, token = f"/v1/games/{long['game']['id']}", long["players"][0]["token"]
    before = long["game"]["last_event"] - 1
    tiles = json.loads(_send(base, Sent("GET", f"{large}/territory"), "192.0.2.251")[1])["tiles"]
    scored = {"territories": [{"tiles": tiles}] * 5}
    listed = {f"L{number:02}" for number in range(1, 40)} - {each["tile"] for each in tiles}
    free = "&".join(f"tile={tile}" for tile in sorted(listed)[:8])
    return {
        "a game at an earlier event": Sent(
            "GET", f"{path}?at_event={before}", token=long["players"][0]["token"]
        ),
        "1,000 events": Sent("GET", f"{path}/events?limit=1000"),
        "the rounds of a game": Sent("GET", f"{path}/rounds"),
        "a record": Sent("GET", f"{path}/record", token=token),
        "a large territory as SVG": Sent("GET", f"{large}/territory/picture.svg"),
        "places of a large territory": Sent("GET", f"{large}/places?{free}"),
        "scores of five large territories": Sent("POST", "/v1/scoring", scored),
        "a game of five greedy bots": Sent("POST", "/v1/games", _BOTS),
        "an offer": _own_action(base),
        "the contract": Sent("GET", "/openapi.json"),
        "a health check": Sent("GET", "/healthz"),
        "metrics": Sent("GET", "/metrics"),
    }


def _own_action(base: str) -> Sent:
    """Return an action that can be repeated: an offer that is set again."""
    created = _created(base, _PAIR)
    token = created["players"][0]["token"]
    path = f"/v1/games/{created['game']['id']}/players/0/actions"
    action = json.loads(_send(base, Sent("GET", path, token=token), "192.0.2.251")[1])["actions"][0]
    return Sent(action["method"], action["href"], action["body"], token)


def price_rows(server: Server) -> list[Row]:
    """Measure the CPU time of each request, divided by what the rate limit charged for it.

    A game counts as as many requests as the limits of a minute allow for one. Each request comes from
    another address, so that the `RateLimit` header of its response shows its price.
    """
    settings, addresses = Settings(), (f"198.18.{n // 250}.{n % 250}" for n in itertools.count())
    requests_of_a_game = settings.limit_requests_per_minute // settings.limit_games_per_minute
    rows = []
    for name, request in expensive_requests(server.base).items():
        for _ in range(_TIMES):  # warms the caches of the workers
            _send(server.base, request, next(addresses))
        costs = []
        for _ in range(_TIMES):
            before = cpu_seconds(server.workers)
            answer, _ = _send(server.base, request, next(addresses))
            spent_ms = 1000 * (cpu_seconds(server.workers) - before)
            costs.append(spent_ms / _price(answer.headers, requests_of_a_game))
        rows.append(row(f"{name}: {CHARGED}", costs, "ms", goal=GOALS["price"]))
    return rows


def _price(headers: http.client.HTTPMessage, requests_of_a_game: int) -> int:
    if "RateLimit" not in headers:  # it is not counted
        return 1
    quota = re.search(r'"(\w+)";q=(\d+)', headers["RateLimit-Policy"])
    left = re.search(r";r=(\d+)", headers["RateLimit"])
    assert quota is not None
    assert left is not None
    price = int(quota[2]) - int(left[1])
    return max(1, price * (requests_of_a_game if quota[1] == "games" else 1))


def _one_address_rows(server: Server, seconds: float) -> Iterator[Row]:
    """Measure actions of one client while one other address sends a request on many connections."""
    for number, (name, request) in enumerate(expensive_requests(server.base).items()):
        action, until = _own_action(server.base), time.monotonic() + seconds
        with _attack(server.base, request, CONNECTIONS, f"203.0.113.{number}"):
            taken: list[float] = []
            while time.monotonic() < until:
                taken.append(_milliseconds(server.base, action, f"192.0.2.{len(taken) % 250}"))
        yield row(f"{name} {ATTACKED}", [middle_and_tail(taken)[1]], "ms", goal=GOALS["action"])


@contextlib.contextmanager
def _attack(base: str, request: Sent, connections: int, address: str) -> Iterator[None]:
    """Send a request on many connections; at the end wait until the server has recovered.

    :param address: the address of the attacker, in which each `%d` is replaced by a changing number.
    """
    headers = {"Content-Type": "application/json"}
    headers |= {"Authorization": f"Bearer {request.token}"} if request.token else {}
    lines = [f"wrk.headers[{json.dumps(name)}] = {json.dumps(value)}" for name, value in headers.items()]
    body = "nil" if request.body is None else f"[==[{json.dumps(request.body)}]==]"
    lines.append(
        f"""local at, body = 0, {body}
function request()
  at = at + 1
  wrk.headers["X-Forwarded-For"] = string.format("{address}", math.floor(at / 250) % 250, at % 250)
  return wrk.format({json.dumps(request.method)}, {json.dumps(request.path)}, nil, body)
end"""
    )
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write("\n".join(lines))
        script.flush()
        options = ["-t1", f"-c{connections}", "-d600s", "--timeout", "600s", "-s", script.name]
        process = subprocess.Popen(["wrk", *options, base], stdout=subprocess.DEVNULL)
        try:
            yield
        finally:
            stop(process, 10)
            time.sleep(_RECOVERY_S)
