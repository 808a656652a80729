"""The cost of a game and of a request in Redis, and the time that the API takes to start."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from typing import Any

import redis

from bench.client import drive
from bench.plan import Plan
from bench.positions import fetch, played
from bench.rows import Row, row
from bench.servers import ROOT, free_port, wait_for_answer
from bench.subjects import Place, act, hot, view
from skye import PLAYERS
from skye_server.server.processes import stop
from skye_server.setting_parsers import Address
from skye_server.store.shards import key_of


def cost_rows(place: Place) -> list[Row]:
    """Measure requests in Redis: commands, bytes over the network, bytes of the append-only file."""
    copies = hot(place, "cost", 4, "set_offer")
    rows = []
    for name, of in (("game view", view), ("set prices", act("set_offer"))):
        requests = copies.requests(of)
        drive(place.ours.base, requests, 0.2)
        before = _counted(place.store)
        number = len(drive(place.ours.base, requests, place.plan.paced_seconds))
        for what, count in _counted(place.store).items():
            unit = "calls/request" if what == "commands" else "bytes/request"
            rows.append(row(f"{name}: {what} of Redis", [(count - before[what]) / number], unit))
        with fetch(place.ours.base, requests[0]) as answer:
            sent = len(str(answer.headers)) + len(answer.read())
        rows.append(row(f"{name}: the answer with its head", [sent], "bytes/request"))
    return rows


def _counted(store: redis.Redis) -> dict[str, float]:
    stats: Any = store.info("stats")
    persistence: Any = store.info("persistence")
    return {
        "commands": stats["total_commands_processed"],
        "bytes in": stats["total_net_input_bytes"],
        "bytes out": stats["total_net_output_bytes"],
        "append-only file": persistence["aof_current_size"],
    }


def size_rows(place: Place, players: Iterable[int] = PLAYERS) -> list[Row]:
    """Measure the memory of a game in Redis: its maximum, and at the end of the game."""
    rows = []
    for number in players:
        largest, last, decisions = {"game": 0, "log": 0}, "", 0
        written = _counted(place.store)["append-only file"]
        for position in played(place.ours.base, place.store, number, 7):
            last = position.game
            decisions += 1
            largest = {part: max(size, largest[part]) for part, size in _sizes(place.store, last).items()}
        written = _counted(place.store)["append-only file"] - written
        assert written > 0  # otherwise Redis has rewritten the file
        at_end = _sizes(place.store, last)
        name = f"a game of {number}"
        rows += [
            row(f"{name}, in play: its table at the most", [largest["game"]], "bytes", goal="<= 3072"),
            row(f"{name}, in play: its log at the most", [largest["log"]], "bytes"),
            row(f"{name}, in play: table and log at the most", [sum(largest.values())], "bytes"),
            row(f"{name}, finished: its table", [at_end["game"]], "bytes"),
            row(f"{name}, finished: table and log", [sum(at_end.values())], "bytes", goal="<= 8192"),
            row(f"{name}: append-only file, all of it", [written], "bytes"),
            row(f"{name}: decisions of a random game", [decisions], "decisions"),
        ]
    return [*rows, _answer_row(place)]


def _sizes(store: redis.Redis, game: str) -> dict[str, int]:
    usage = {part: store.memory_usage(key_of(game, part), samples=0) for part in ("game", "log")}
    return {part: int(size or 0) for part, size in usage.items()}


def _answer_row(place: Place) -> Row:
    """Measure the memory of the idempotency record of an action."""
    requests = hot(place, "keys", 4, "set_offer").requests(act("set_offer"))
    with fetch(place.ours.base, requests[0], {"Idempotency-Key": "bench"}):
        pass
    # The record and the index of records.
    keys = list(place.store.scan_iter("skye:*:keys*:record*", count=1000))
    size = sum(int(place.store.memory_usage(key, samples=0) or 0) for key in keys)
    return row("an action with an Idempotency-Key: the answer kept", [size], "bytes", goal="<= 400")


def start_rows(plan: Plan) -> list[Row]:
    """Measure the time from the start of the command to the first response of `/v1/games`."""
    _start()  # compiles modules that have changed
    seconds = [_start() for _ in range(plan.starts)]
    return [row("start to first answer", seconds, "s", goal="<= 1.0")]


def _start() -> float:
    with tempfile.TemporaryDirectory() as folder:
        address = Address("127.0.0.1", free_port())
        environment = os.environ | {"SKYE_BIND": str(address), "SKYE_DATA_DIR": folder}
        # As in the Makefile; otherwise each start would compile the modules.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, "-m", "skye_server.cli", "serve"]
        started = time.monotonic()
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
        try:
            wait_for_answer(address, "/v1/games", process)
            return time.monotonic() - started
        finally:
            stop(process, 30)
