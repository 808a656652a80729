"""Many spectators of one game: the cost and latency of an event for each, and the memory of a stream."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bench.client import drive, middle_and_tail
from bench.followers import open_streams
from bench.positions import Copies, find
from bench.rows import Row, in_turn, row
from bench.servers import Server, cpu_seconds
from bench.streams import delays_of, stream_of, version_of, wait_until_idle, wait_until_streams_are_closed
from bench.subjects import Place, act, fresh_place, view

RATE = 5
"""The rate of actions in the game, in actions per second."""

LIMIT_MS = 250
"""The goal for the latency of an event at a spectator, in milliseconds."""


class _Run(NamedTuple):
    """One run: CPU seconds of the API and of Redis, and the latency of each event in milliseconds."""

    cpu: float
    redis_cpu: float
    delays: list[float]


def spectator_rows(place: Place) -> list[Row]:
    """Measure one game without spectators and with many, in turn."""
    number = max(place.plan.streams)
    contenders = {each: _watched(place, each) for each in (0, number)}
    seen = in_turn(contenders, place.plan.runs)
    title = f"{number:,} spectators of one game"
    rows = []
    for part, field in (("the API", "cpu"), ("Redis", "redis_cpu")):
        both = zip(seen[number], seen[0], strict=True)
        more = [1e6 * (getattr(many, field) - getattr(none, field)) / len(many.delays) for many, none in both]
        goal = "<= 60" if field == "cpu" else None
        rows.append(row(f"{title}, an event at one: CPU of {part}", more, "us/event", goal=goal))
    soon = [sum(delay <= LIMIT_MS for delay in each.delays) / len(each.delays) for each in seen[number]]
    rows.append(row(f"{title}: events within {LIMIT_MS} ms of the action", soon, "", goal=">= 0.99"))
    for place_, name in enumerate(("p50", "p99")):
        taken = [middle_and_tail(each.delays)[place_] for each in seen[number]]
        rows.append(row(f"{title}: from action to event, {name}", taken, "ms"))
    return [*rows, _memory_row(place, number)]


def _watched(place: Place, number: int) -> Callable[[], _Run]:
    copies = Copies("spec", find(place.games, 4, "set_offer", last=False), 1)
    (stream,) = copies.requests(stream_of)

    def run() -> _Run:
        requests = copies.requests(act("set_offer"))
        wait_until_streams_are_closed(place)
        copies.store(place.store)
        with open_streams(place.ours.base, [stream.path] * number) as clients:
            wait_until_idle(place)
            clients.arrivals()
            before, redis_before = cpu_seconds(place.ours.workers), cpu_seconds([place.ours.redis_pid])
            exchanges = drive(place.ours.base, requests, max(place.plan.paced_seconds, 1 / RATE), rate=RATE)
            sent = {(0, version_of(each)): each.sent for each in exchanges}
            delays = delays_of(sent, clients.arrivals, {0: number}) if number else []
            wait_until_idle(place)
            cpu = cpu_seconds(place.ours.workers) - before
            return _Run(cpu, cpu_seconds([place.ours.redis_pid]) - redis_before, delays)

    return run


def _memory_row(place: Place, number: int) -> Row:
    """Measure the memory of an idle stream in new workers."""
    with fresh_place(place) as fresh:
        copies = Copies("idle", find(place.games, 4, "set_offer", last=False), number)
        copies.store(fresh.store)
        paths = [request.path for request in copies.requests(stream_of)]
        drive(fresh.ours.base, copies.requests(view), place.plan.seconds)  # fills the cache of decoded games
        with open_streams(fresh.ours.base, paths[: max(1, number // 20)]):
            before = _memory(fresh.ours)
            with open_streams(fresh.ours.base, paths):
                time.sleep(0.5)
                taken = (_memory(fresh.ours) - before) / number
    return row("an idle stream of a game of its own: memory of the worker", [taken], "bytes", goal="<= 30720")


def _memory(server: Server) -> int:
    """Return the private memory of the workers in bytes."""
    pages = [Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in server.workers]
    kilobytes = [
        int(size) for page in pages for size in re.findall(r"^Private_\w+:\s+(\d+)", page, re.MULTILINE)
    ]
    return 1024 * sum(kilobytes)
