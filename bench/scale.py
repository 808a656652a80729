"""Scalability: many stored games, many open streams, and the cost of games and requests."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import redis

from bench.client import Request
from bench.costs import cost_rows, size_rows, start_rows
from bench.load import Load
from bench.plan import Plan
from bench.positions import Copies, find
from bench.rows import Row, in_turn, row
from bench.servers import gunicorn, redis_server
from bench.spectators import spectator_rows
from bench.streams import stream_rows
from bench.subjects import Place, Subject, act, ours, place_to_measure, view
from skye_server.server.server_programs import find_program

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
            return [Row("scale", None, "", "no redis-server: not measured")]
        return [
            *_stored_rows(place),
            *stream_rows(place),
            *spectator_rows(place),
            *cost_rows(place),
            *size_rows(place),
            *start_rows(plan),
        ]


def _stored_rows(place: Place) -> list[Row]:
    """Compare a Redis with many stored games with one that has only the games of the requests."""
    rows: list[Row] = []
    for number in place.plan.stored:
        with _full_place(place, number) as (full, bytes_each):
            rows.append(row(f"{number:,} stored games: memory of Redis for each", [bytes_each], "bytes"))
            rows += _beside_full(place, full, number)
            index = sum(full.store.memory_usage(key, samples=0) for key in (_PLAYING, _VERSIONS))
            entry = index / full.store.zcard(_PLAYING)
            rows.append(row(f"{number:,} stored games: memory of the index for each", [entry], "bytes"))
    return rows


@contextmanager
def _full_place(place: Place, number: int) -> Iterator[tuple[Place, float]]:
    """Yield the place with another Redis, which has a number of additional games, and the bytes of each."""
    program = find_program()
    assert program is not None
    with tempfile.TemporaryDirectory() as folder, redis_server(program, Path(folder)) as server:
        store = redis.Redis.from_url(server.url)
        before = store.info("memory")["used_memory"]
        _fill(store, number, find(place.games, 4, "set_offer", last=False)[0].table)
        bytes_each = (store.info("memory")["used_memory"] - before) / number
        with gunicorn("skye_server.wsgi:app", server) as ours:
            yield place._replace(ours=ours, store=store), bytes_each


def _fill(store: redis.Redis, number: int, table: bytes) -> None:
    """Store copies of a game that receive no requests; wait until the append-only file has them."""
    store.config_set("appendonly", "no")
    fill = store.register_script(_FILL)
    for first in range(0, number, _BATCH_SIZE):
        fill(args=[first, min(first + _BATCH_SIZE, number) - 1, table])
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
    first = find(few.games, 4, "set_offer", last=False)
    copies = Copies("kept", first, few.plan.copies)
    rows = []
    for name, of, once in (
        ("game view", view, False),
        ("set prices", act("set_offer"), True),
        ("list games", lambda _: Request("GET", "/v1/games?status=playing&limit=20"), False),
    ):
        contenders = {}
        for which, place in (("few", few), ("many", many)):
            copies.store(place.store)
            listed = {game: 2**40 + at for at, game in enumerate(copies.ids[:50])}
            place.store.zadd(_PLAYING, listed)
            contender = ours(place, Subject("", copies, of, "", once=once))
            contenders[which] = contender.runner(few.plan)
        loads = in_turn(contenders, few.plan.runs)
        rows += _slower(f"{name}, {number:,} stored games", loads, "<= 1.1" if number >= 10**6 else None)
    return rows


def _slower(name: str, loads: dict[str, list[Load]], goal: str | None) -> list[Row]:
    taken = {which: [1e6 / load.rate for load in seen] for which, seen in loads.items()}
    cpu = {which: [load.cpu + load.redis_cpu for load in seen] for which, seen in loads.items()}
    other = "no games but those asked about"
    return [
        row(f"{name}: time", taken["many"], "us/request", against=(other, taken["few"]), goal=goal),
        row(f"{name}: CPU with Redis", cpu["many"], "us/request", against=(other, cpu["few"])),
    ]
