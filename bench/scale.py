"""Scalability: many stored games, streams and profiles, the sizes of games and requests, and the start."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from functools import partial
from typing import Any

import redis

from bench.ladder import ladder_rows
from bench.load import Request, at_full_speed
from bench.plan import Plan
from bench.positions import Copies, fetch, find, played
from bench.rows import Row, in_turn, row
from bench.servers import ROOT, free_port, wait_for_answer
from bench.streams import spectator_rows, stream_rows
from bench.subjects import HOT, Place, Subject, act, fresh_place, ours, place_to_measure, stored_copies, view
from skye import BASE
from skye_server.server.processes import stop
from skye_server.setting_parsers import Address
from skye_server.store.shards import key_of

_PLAYING, _VERSIONS = "skye:{index}:playing", "skye:{index}:versions"

_FILL = """
for number = ARGV[1], ARGV[2] do
  local game = string.format('fill%08d', number)
  redis.call('SET', 'skye:{s0}:' .. game .. ':game', ARGV[3], 'EX', 2592000)
  redis.call('ZADD', 'skye:{index}:playing', number, game)
  redis.call('HSET', 'skye:{index}:versions', game, 100)
end
"""
_BATCH_SIZE = 5000
_REWRITE_TIMEOUT_S = 600


def scale_rows(plan: Plan) -> list[Row]:
    """Measure scalability."""
    with place_to_measure(plan) as place:
        if place is None:
            return [Row("scale", None, "", "no redis-server or no wrk: not measured")]
        return [
            *stored_rows(place),
            *stream_rows(place),
            *spectator_rows(place),
            *ladder_rows(place),
            *cost_rows(place),
            *_start_rows(plan),
        ]


def stored_rows(place: Place) -> list[Row]:
    """Compare a Redis with many stored games with one that has only the games of the requests."""
    rows: list[Row] = []
    for number in place.plan.stored:
        game = find(place.games, 4, "set_offer", last=False)[0].game
        with fresh_place(place, partial(_fill, number=number, game=game)) as full:
            rows += _beside_full(place, full, number)
            index = sum(full.store.memory_usage(key, samples=0) for key in (_PLAYING, _VERSIONS))
            entry = index / full.store.zcard(_PLAYING)
            rows.append(row(f"{number:,} stored games: memory of the index for each", [entry], "bytes"))
    return rows


def _fill(store: redis.Redis, number: int, game: bytes) -> None:
    """Store copies of a game that receive no requests; wait until the append-only file has them."""
    store.config_set("appendonly", "no")
    fill = store.register_script(_FILL)
    for first in range(0, number, _BATCH_SIZE):
        fill(args=[first, min(first + _BATCH_SIZE, number) - 1, game])
    store.config_set("appendonly", "yes")
    until = time.monotonic() + _REWRITE_TIMEOUT_S
    while _rewriting(store):
        if time.monotonic() > until:
            raise RuntimeError("Redis has not rewritten its append-only file")
        time.sleep(0.1)


def _rewriting(store: redis.Redis) -> bool:
    state: Any = store.info("persistence")
    return bool(state["aof_rewrite_in_progress"] or state["aof_rewrite_scheduled"])


def _beside_full(few: Place, many: Place, number: int) -> list[Row]:
    copies = Copies("kept", find(few.games, 4, "set_offer", last=False), few.plan.copies)
    other, goal = "only the games of the requests", "<= 1.1" if number >= 10**6 else None
    rows = []
    for name, of, changes in (
        ("game view", view, False),
        ("set prices", act("set_offer"), True),
        ("list games", lambda _: Request("GET", "/v1/games?status=playing&limit=20"), False),
    ):
        contenders = {}
        for place in (few, many):
            copies.store(place.store)
            place.store.zadd(_PLAYING, {game: 2**40 + at for at, game in enumerate(copies.ids[:50])})
            subject = Subject("", copies, of, changes=changes)
            contenders[place.ours.base] = ours(place, subject).runner(few.plan)
        loads_few, loads_many = in_turn(contenders, few.plan.runs).values()
        for what, figure in (
            ("time", lambda load: 1e6 / load.rate),
            ("CPU with Redis", lambda load: load.cpu + load.redis_cpu),
        ):
            values, against = list(map(figure, loads_many)), (other, list(map(figure, loads_few)))
            title = f"{name}, {number:,} stored games: {what}"
            rows.append(row(title, values, "us/request", against=against, goal=goal))
    return rows


def cost_rows(place: Place, players: Iterable[int] = BASE.players) -> list[Row]:
    """Measure what requests and games cost, in a Redis to which nothing else writes.

    :param players: the numbers of players of the games.
    """
    with fresh_place(place, application="bench.quiet:app") as quiet:
        return [*_request_rows(quiet), *_size_rows(quiet, players)]


def _request_rows(place: Place) -> list[Row]:
    """Measure requests in Redis: commands, bytes over the network, bytes of the append-only file."""
    copies = stored_copies(place, "cost", HOT)
    rows = []
    for name, of in (("game view", view), ("set prices", act("set_offer"))):
        requests = copies.requests(of)
        at_full_speed(place.ours.base, requests, place.plan.seconds)
        before = _counted(place.store)
        number = at_full_speed(place.ours.base, requests, place.plan.seconds)[0] * place.plan.seconds
        for what, count in _counted(place.store).items():
            unit = "calls/request" if what == "commands" else "bytes/request"
            rows.append(row(f"{name}: {what} of Redis", [(count - before[what]) / number], unit))
        with fetch(place.ours.base, requests[0]) as answer:
            sent = len(str(answer.headers)) + len(answer.read())
        rows.append(row(f"{name}: the response with its head", [sent], "bytes/request"))
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


def _size_rows(place: Place, players: Iterable[int]) -> list[Row]:
    """Measure the memory of a game in Redis: its maximum, and at the end of the game."""
    rows = []
    for number in players:
        largest, last = {"game": 0, "log": 0}, ""
        written = _counted(place.store)["append-only file"]
        for position in played(place.ours.base, place.store, number, 7):
            last = position.id
            largest = {part: max(size, largest[part]) for part, size in _sizes(place.store, last).items()}
        written = _counted(place.store)["append-only file"] - written
        assert written > 0  # otherwise Redis has rewritten the file
        name, at_end = f"a game of {number}", sum(_sizes(place.store, last).values())
        rows += [
            row(f"{name}, in play: the stored game at most", [largest["game"]], "bytes", goal="<= 3072"),
            row(f"{name}, in play: game and log at most", [sum(largest.values())], "bytes"),
            row(f"{name}, finished: game and log", [at_end], "bytes", goal="<= 8192"),
            row(f"{name}: all that it writes to the append-only file", [written], "bytes"),
        ]
    return [*rows, _record_row(place)]


def _sizes(store: redis.Redis, game: str) -> dict[str, int]:
    usage = {part: store.memory_usage(key_of(game, part), samples=0) for part in ("game", "log")}
    return {part: int(size or 0) for part, size in usage.items()}


def _record_row(place: Place) -> Row:
    """Measure the memory of the idempotency record of an action."""
    requests = stored_copies(place, "keys", HOT).requests(act("set_offer"))
    with fetch(place.ours.base, requests[0], {"Idempotency-Key": "bench"}):
        pass
    # The record and the index of records.
    keys = list(place.store.scan_iter("skye:*:keys*:record*", count=1000))
    size = sum(int(place.store.memory_usage(key, samples=0) or 0) for key in keys)
    return row("the idempotency record of an action", [size], "bytes", goal="<= 400")


def _start_rows(plan: Plan) -> list[Row]:
    """Measure the time from the start of the command to the first response of `/v1/games`."""
    _start()  # compiles modules that have changed
    seconds = [_start() for _ in range(plan.runs)]
    return [row("start to first response", seconds, "s", goal="<= 1.0")]


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
