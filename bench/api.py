"""The API: gunicorn as deployed on a real Redis, each request beside what the stack itself can do.

The load comes from `wrk` (Debian has it), one thread and 16 connections that stay open.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import redis

from bench.plan import Plan
from bench.rows import Row, in_turn, row
from service.embedded import RedisServer, find_program
from service.settings import Address

HERE = Path(__file__).parent
GAMES = 64
SECONDS = 2
CONNECTIONS = 16


class Ask(NamedTuple):
    """A request to send: `etag` is for `If-None-Match`."""

    method: str
    path: str
    token: str = ""
    etag: str = ""
    body: str = ""


class Load(NamedTuple):
    """What a run of wrk measured: requests per second, and latencies in milliseconds."""

    rate: float
    p50: float
    p99: float


def api_rows(plan: Plan) -> list[Row]:
    """Measure the API."""
    program = find_program()
    if program is None or shutil.which("wrk") is None:
        print("the API is not measured: this needs a redis-server and wrk")
        return []
    with (
        tempfile.TemporaryDirectory() as folder,
        _redis(program, Path(folder)) as url,
        _gunicorn("service.wsgi:app", url) as ours,
        _gunicorn("bench.ceilings:app", url) as theirs,
    ):
        return [*_request_rows(url, ours, theirs, plan.runs), *_size_rows(url)]


@contextlib.contextmanager
def _redis(program: Path, folder: Path) -> Iterator[str]:
    server = RedisServer(program, folder, Address("127.0.0.1", _free_port()))
    server.start()
    try:
        server.wait_until_ready()
        yield server.url
    finally:
        server.stop()


@contextlib.contextmanager
def _gunicorn(application: str, redis_url: str) -> Iterator[str]:
    """Serve an application with the settings that we deploy with; yield its address."""
    address = f"127.0.0.1:{_free_port()}"
    environment = os.environ | {"SKYE_REDIS_URL": redis_url, "SKYE_BIND": address, "SKYE_WORKERS": "2"}
    command = [sys.executable, "-m", "gunicorn", "--config", "deploy/gunicorn.conf.py", application]
    process = subprocess.Popen(command, env=environment, cwd=HERE.parent)
    try:
        _wait_for(address)
        yield f"http://{address}"
    finally:
        process.terminate()
        process.wait(timeout=30)


def _wait_for(address: str) -> None:
    host, port = address.split(":")
    for _ in range(200):
        with contextlib.suppress(OSError), socket.create_connection((host, int(port)), timeout=1):
            return
        time.sleep(0.05)
    raise RuntimeError(f"nothing listens at {address}")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


class Game(NamedTuple):
    """A game to ask about: its id, the tokens of its seats, its view at seat 0."""

    id: str
    tokens: list[str]
    view: dict


def _send(base: str, ask: Ask) -> dict:
    headers = {"Content-Type": "application/json"} | (
        {"Authorization": f"Bearer {ask.token}"} if ask.token else {}
    )
    sent = urllib.request.Request(base + ask.path, ask.body.encode() or None, headers, method=ask.method)
    with urllib.request.urlopen(sent) as answer:
        return json.load(answer)


def _game_in(base: str, number: int, rounds: int, phase: str) -> Game:
    """Play a 4-player game by its legal actions up to a phase of a round."""
    body = {
        "players": [{"name": f"Player {n}"} for n in range(4)],
        "start": True,
        "options": {"seed": str(number)},
    }
    created = _send(base, Ask("POST", "/v1/games", body=json.dumps(body)))
    game, tokens = created["game"], [player["token"] for player in created["players"]]
    while (game["round"], game["phase"]) != (rounds, phase):
        seat = game["waiting_for"][0]
        path = f"/v1/games/{game['id']}/players/{seat}/actions"
        actions = _send(base, Ask("GET", path, tokens[seat]))["actions"]
        action = actions[number % len(actions)] if actions[0]["type"] in ("buy", "place") else actions[0]
        if action["type"] == "take_back":
            action = actions[0]
        body_sent = json.dumps(action["body"]) if action["body"] is not None else ""
        game = _send(base, Ask(action["method"], action["href"], tokens[seat], body=body_sent))
    view = _send(base, Ask("GET", f"/v1/games/{game['id']}", tokens[0]))
    return Game(game["id"], tokens, view)


def _offer(game: Game) -> str:
    one, two, three = (drawn["tile"] for drawn in game.view["players"][0]["tiles_drawn"])
    return json.dumps({"discard": one, "prices": {two: 1, three: 1}})


def _request_rows(url: str, ours: str, theirs: str, runs: int) -> list[Row]:
    pricing = [_game_in(ours, number, 4, "pricing") for number in range(GAMES)]
    building = [_game_in(ours, number, 6, "building") for number in range(GAMES, GAMES + 16)]
    first = [_game_in(ours, number, 1, "pricing") for number in range(GAMES)]
    store = redis.Redis.from_url(url)
    for game in pricing:
        store.set(f"bench:{game.id}", json.dumps(game.view))
    store.set("bench:answer", json.dumps(pricing[0].view))
    seat = "/v1/games/{0}/players/0"
    loads: dict[str, tuple[str, list[Ask]]] = {
        "bare Flask view": (theirs, [Ask("GET", "/bare")]),
        "Flask + one read": (theirs, [Ask("GET", f"/one/{game.id}") for game in pricing]),
        "Flask + read and write": (
            theirs,
            [Ask("PUT", f"/two/{game.id}", body=_offer(game)) for game in pricing],
        ),
        "game view, round 4": (ours, [Ask("GET", f"/v1/games/{g.id}", g.tokens[0]) for g in pricing]),
        "game view, round 1": (ours, [Ask("GET", f"/v1/games/{g.id}", g.tokens[0]) for g in first]),
        "game view, 304": (
            ours,
            [Ask("GET", f"/v1/games/{g.id}", g.tokens[0], f'"{g.view["version"]}"') for g in first],
        ),
        "legal actions, building, round 6": (
            ours,
            [Ask("GET", seat.format(g.id) + "/actions", g.tokens[0]) for g in building],
        ),
        "set an offer, round 4": (
            ours,
            [Ask("PUT", seat.format(g.id) + "/offer", g.tokens[0], body=_offer(g)) for g in pricing],
        ),
        "territory as SVG, round 6": (
            ours,
            [Ask("GET", seat.format(g.id) + "/territory.svg") for g in building],
        ),
        "events, the last few": (
            ours,
            [Ask("GET", f"/v1/games/{g.id}/events?after={g.view['last_event'] - 3}") for g in building],
        ),
        "create a game": (ours, [Ask("POST", "/v1/games", body='{"private": true}')]),
    }
    measured: dict[str, list[Load]] = {name: [] for name in loads}

    def runner(name: str) -> Callable[[], float]:
        def run() -> float:
            measured[name].append(_wrk(*loads[name]))
            return measured[name][-1].rate

        return run

    rates = in_turn({name: runner(name) for name in loads}, runs)
    ceilings = {
        "game view, round 4": ("Flask + one read", ">= 0.75"),
        "game view, 304": ("Flask + one read", ">= 0.9"),
        "set an offer, round 4": ("Flask + read and write", ">= 0.6"),
        "game view, round 1": ("Flask + one read", None),
        "legal actions, building, round 6": ("Flask + one read", None),
        "Flask + one read": ("bare Flask view", None),
        "Flask + read and write": ("bare Flask view", None),
    }
    rows = []
    for name, values in rates.items():
        against, goal = ceilings.get(name, (None, None))
        other = (against, rates[against]) if against else None
        rows.append(row(name, values, "requests/s", against=other, goal=goal))
        rows.append(row(f"{name}: p50", [load.p50 for load in measured[name]], "ms"))
        rows.append(row(f"{name}: p99", [load.p99 for load in measured[name]], "ms"))
    return rows


def _wrk(base: str, asks: list[Ask]) -> Load:
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
        file.writelines("\t".join(ask) + "\n" for ask in asks)
        file.flush()
        command = [
            "wrk",
            "-t1",
            f"-c{CONNECTIONS}",
            f"-d{SECONDS}s",
            "--timeout",
            "10s",
            "-s",
            HERE / "requests.lua",
            base,
            file.name,
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    result = next(line for line in done.stdout.splitlines() if line.startswith("RESULT"))
    rate, p50, p99, refused, failed = (float(word) for word in result.split()[1:])
    if refused or failed:
        raise RuntimeError(f"{refused:.0f} refused and {failed:.0f} failed of {asks[0]}")
    return Load(rate, p50 / 1000, p99 / 1000)


def _size_rows(url: str) -> list[Row]:
    """Say what the largest game in play takes up in Redis."""
    store = redis.Redis.from_url(url)
    tables = [store.memory_usage(key) for key in store.scan_iter("skye:*:table", count=1000)]
    return [row("a game in play in Redis, the largest", [max(tables)], "bytes")]
