"""Many spectators of one game: what an event costs for each of them, how soon it arrives, and memory."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bench.client import drive, middle_and_tail
from bench.followers import following
from bench.positions import Copies, find
from bench.rows import Row, in_turn, row
from bench.servers import Server, cpu_seconds
from bench.streams import delays_of, leave_behind, stream_of, until_quiet, version_of
from bench.subjects import Place, act, fresh_place, view

RATE = 5
"""Actions a second on the game that is watched."""

LIMIT_MS = 250
"""Within so many milliseconds of an action its events should reach a spectator."""


class _Seen(NamedTuple):
    """A run: CPU seconds of the API and of Redis, and how long after its action each event arrived (ms)."""

    cpu: float
    redis_cpu: float
    delays: list[float]


def spectator_rows(place: Place) -> list[Row]:
    """Measure one game that has no spectators and many, in turn."""
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


def _watched(place: Place, number: int) -> Callable[[], _Seen]:
    copies = Copies("spec", find(place.games, 4, "set_offer", last=False), 1)
    (stream,) = copies.asks(stream_of)

    def run() -> _Seen:
        asks = copies.asks(act("set_offer"))
        leave_behind(place)
        copies.store(place.store)
        with following(place.ours.base, [stream.path] * number) as followers:
            until_quiet(place)
            followers.arrivals()
            before, redis_before = cpu_seconds(place.ours.workers), cpu_seconds([place.ours.redis_pid])
            answered = drive(place.ours.base, asks, max(place.plan.paced_seconds, 1 / RATE), rate=RATE)
            sent = {(0, version_of(each)): each.sent for each in answered}
            delays = delays_of(sent, followers.arrivals, {0: number}) if number else []
            until_quiet(place)
            cpu = cpu_seconds(place.ours.workers) - before
            return _Seen(cpu, cpu_seconds([place.ours.redis_pid]) - redis_before, delays)

    return run


def _memory_row(place: Place, number: int) -> Row:
    """Measure the memory of a stream in which nothing happens, in workers that were just started."""
    with fresh_place(place) as fresh:
        copies = Copies("idle", find(place.games, 4, "set_offer", last=False), number)
        copies.store(fresh.store)
        paths = [ask.path for ask in copies.asks(stream_of)]
        drive(fresh.ours.base, copies.asks(view), place.plan.seconds)  # fills the cache of decoded games
        with following(fresh.ours.base, paths[: max(1, number // 20)]):
            before = _memory(fresh.ours)
            with following(fresh.ours.base, paths):
                time.sleep(0.5)
                taken = (_memory(fresh.ours) - before) / number
    return row("an idle stream of a game of its own: memory of the worker", [taken], "bytes", goal="<= 30720")


def _memory(server: Server) -> int:
    """Return the memory that the workers share with nobody, in bytes."""
    pages = [Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in server.workers]
    kilobytes = [
        int(size) for page in pages for size in re.findall(r"^Private_\w+:\s+(\d+)", page, re.MULTILINE)
    ]
    return 1024 * sum(kilobytes)
