"""Reads and actions of one client while others attack, and the prices of expensive requests.

During the first attacks, another client sends the most expensive requests, 30 concurrently.

`python -m bench.attacks BASE KIND` is the attacker, a separate process. Each batch comes from another
address, so that rate limits do not refuse it.
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.client import middle_and_tail
from bench.one_address import one_address_rows
from bench.operations import Sent
from bench.plan import Plan
from bench.rows import Row, in_turn, row
from bench.servers import ROOT, gunicorn, redis_server
from bench.worst_requests import Send, sender, worst_request_rows, worst_requests
from skye_server.server.processes import stop
from skye_server.server.server_programs import find_program

CONCURRENCY = 30
GOAL = "<= 150"
"""The goal for the 99th percentile of the reads, in milliseconds."""

_ROUNDS = 5
_GAP_S = 0.02
_PLAYERS = [{"name": name, "color": color, "bot": None} for name, color in (("a", "red"), ("b", "blue"))]
_OPTIONS = {
    "seed": "x",
    "scoring_tiles": None,
    "first_seat": None,
    "tie_break": "leftover_gold",
    "open_gold": False,
}
_BAD_ACTION = {"round": 9, "phase": "", "seat": 9, "type": "place", "tile": "XX", "x": "a", "y": "b"}

BODIES: dict[str, Any] = {
    "creations of games of five greedy bots": {"players": [{"bot": "greedy"}] * 5, "auto_start": True},
    "records of 2,000 bad actions": {
        "record": {"format": 2, "players": _PLAYERS, "options": _OPTIONS, "actions": [_BAD_ACTION] * 2_000}
    },
    "bodies of 20,000 unknown keys": {f"k{number}": 1 for number in range(20_000)},
}


def attack_rows(plan: Plan) -> list[Row]:
    """Measure reads in turn with and without each attack."""
    program = find_program()
    if program is None:
        return [Row("attacks", None, "", "no redis-server: not measured")]
    limits = {"SKYE_LIMITS": "on", "SKYE_TRUSTED_PROXIES": "1"}
    with (
        tempfile.TemporaryDirectory() as folder,
        redis_server(program, Path(folder)) as redis,
        gunicorn("skye_server.wsgi:app", redis, **limits) as server,
    ):
        path = _new_game(server.base)
        contenders = {
            kind: lambda kind=kind: _reads(server.base, path, plan.reads // _ROUNDS, kind)
            for kind in (None, *BODIES)
        }
        taken = in_turn(contenders, _ROUNDS)
        costs = worst_request_rows(server)
        send = sender(server)
        seconds, requests = plan.paced_seconds, worst_requests(send)
        attacked = list(one_address_rows(server, partial(_own_action, send), requests, seconds))
    reads = [_row(kind, list(itertools.chain.from_iterable(runs))) for kind, runs in taken.items()]
    return [*reads, *costs, *attacked]


def _own_action(send: Send) -> Sent:
    """Return an action that can be repeated: an offer that is set again."""
    body = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True}
    created = json.loads(send(Sent("POST", "/v1/games", body))[1])
    token = created["players"][0]["token"]
    path = f"/v1/games/{created['game']['id']}/players/0/actions"
    action = json.loads(send(Sent("GET", path, token=token))[1])["actions"][0]
    return Sent(action["method"], action["href"], action["body"], token)


def _row(kind: str | None, taken: list[float]) -> Row:
    _, tail = middle_and_tail(taken)
    if kind is None:
        return row("game view, no attack: p99", [tail], "ms")
    return row(f"game view during {CONCURRENCY} {kind}: p99", [tail], "ms", goal=GOAL)


def _reads(base: str, path: str, number: int, kind: str | None) -> list[float]:
    """Return the times of reads in milliseconds; each uses a new connection, so any worker accepts it."""
    taken = []
    with _attacker(base, kind):
        for count in range(number):
            begun = time.perf_counter()
            status, _ = _send(base, "GET", path, None, f"192.0.2.{count % 250}")
            taken.append(1000 * (time.perf_counter() - begun))
            if status != 200:
                raise RuntimeError(f"a read has status {status}")
            time.sleep(_GAP_S)
    return taken


@contextlib.contextmanager
def _attacker(base: str, kind: str | None) -> Iterator[None]:
    """Run an attack; wait until it has begun, and at the end until the server has recovered."""
    if kind is None:
        yield
        return
    command = [sys.executable, "-m", "bench.attacks", base, kind]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        yield
    finally:
        stop(process, 10)
        time.sleep(1)


def _attack(base: str, kind: str) -> None:
    body = json.dumps(BODIES[kind]).encode()
    print("attacking", flush=True)
    with ThreadPoolExecutor(CONCURRENCY) as pool:
        for number in itertools.count():
            address = f"198.51.{number // 250 % 250}.{number % 250}"
            for sent in [
                pool.submit(_send, base, "POST", "/v1/games", body, address) for _ in range(CONCURRENCY)
            ]:
                sent.result()


def _send(base: str, method: str, path: str, body: bytes | None, address: str) -> tuple[int, bytes]:
    place = urlsplit(base)
    connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=60)
    with contextlib.closing(connection):
        headers = {"Content-Type": "application/json", "X-Forwarded-For": address}
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()


def _new_game(base: str) -> str:
    body = json.dumps({"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True}).encode()
    _, answer = _send(base, "POST", "/v1/games", body, "192.0.2.251")
    return f"/v1/games/{json.loads(answer)['game']['id']}"


if __name__ == "__main__":
    _attack(sys.argv[1], sys.argv[2])
