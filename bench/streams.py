"""Open event streams: what they cost under a load of actions, when events arrive, and their memory."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.load import Contender, Exchange, Load, Request, at_full_speed, at_rate, middle_and_tail
from bench.positions import fetch
from bench.rows import Row, in_turn, row
from bench.servers import Server, cpu_seconds
from bench.stream_clients import open_streams
from bench.subjects import Place, act, fresh_place, load_rows, stored_copies, stream_of, view

GAMES = 250
"""The number of games that receive actions; 1,000 streams are 4 streams for each game."""

RATE = 200
"""The rate of actions while the latency of events is measured, in actions per second."""

SPECTATED_RATE = 5
"""The same in the one game of the spectators."""

LIMIT_MS = 250
"""The goal for the latency of an event at a spectator, in milliseconds."""

_WAIT_S = 60.0


class Run(NamedTuple):
    """One run with open streams.

    :param load: the load at full speed; None if it was not measured.
    :param delays: the latency of each event at each stream in milliseconds, at a rate.
    :param cpu: the CPU time of the API in microseconds, at that rate.
    :param redis_cpu: the CPU time of Redis.
    :param actions: the number of actions at that rate.
    """

    load: Load | None
    delays: list[float]
    cpu: float
    redis_cpu: float
    actions: int


class Paced(NamedTuple):
    """Actions at a rate, and streams of their games: stream `n` is of game `n % len(requests)`.

    :param requests: an action of each game.
    :param order: the games of the actions, in turn.
    :param rate: the rate of the actions in actions per second.
    :param streams: the number of open streams.
    """

    requests: Sequence[Request]
    order: Sequence[int]
    rate: float
    streams: int


def stream_rows(place: Place) -> list[Row]:
    """Measure actions without streams and with several numbers of streams, in turn."""
    seen = in_turn(
        {number: _with_streams(place, number) for number in (0, *place.plan.streams)}, place.plan.runs
    )
    none = [each.load for each in seen[0] if each.load]
    rows = [row("set prices, no streams open", [load.rate for load in none], "requests/s")]
    for number in place.plan.streams:
        streams_open = f"{number:,} stream{'s' if number > 1 else ''} open"
        loads = [each.load for each in seen[number] if each.load]
        goal = ">= 0.7" if number == 1000 else None
        rows += load_rows(f"set prices, {streams_open}", loads, ("no streams", none), goal)[:2]
        rows += _delay_rows(f"{streams_open}, {RATE} actions/s", seen[number])
    most = max(place.plan.streams)
    each_action = most / min(most, GAMES)
    for whose, part in (("the API", "cpu"), ("Redis", "redis_cpu")):
        taken = [[getattr(run, part) / run.actions for run in seen[number]] for number in (most, 0)]
        more = [(many - none) / each_action for many, none in zip(*taken, strict=True)]
        rows.append(row(f"an event at one stream: CPU of {whose}", more, "us/event"))
    return rows


def spectator_rows(place: Place) -> list[Row]:
    """Measure one game without spectators and with many, in turn, and the memory of an idle stream."""
    most = max(place.plan.streams)
    seen = in_turn({number: _spectated(place, number) for number in (0, most)}, place.plan.runs)
    title, both = f"{most:,} spectators of one game", zip(seen[most], seen[0], strict=True)
    more = [(many.cpu - none.cpu) / len(many.delays) for many, none in both]
    soon = [sum(delay <= LIMIT_MS for delay in each.delays) / len(each.delays) for each in seen[most]]
    return [
        row(f"{title}, an event at one: CPU of the API", more, "us/event", goal="<= 60"),
        row(f"{title}: events within {LIMIT_MS} ms of the action", soon, "", goal=">= 0.99"),
        *_delay_rows(title, seen[most]),
        _memory_row(place, most),
    ]


def _delay_rows(title: str, runs: Sequence[Run]) -> list[Row]:
    cuts = [middle_and_tail(run.delays or [0.0]) for run in runs]
    named = zip(("p50", "p99"), zip(*cuts, strict=True), strict=True)
    return [row(f"{title}: from action to event, {name}", values, "ms") for name, values in named]


def _with_streams(place: Place, number: int) -> Callable[[], Run]:
    """Return a run of actions in many games, at full speed and at a rate."""
    copies = stored_copies(place, "strm", GAMES)
    requests, streams = copies.requests(act("set_offer")), copies.requests(stream_of)
    followed = min(number, GAMES)
    # Games with streams get more actions, so that few streams also receive enough events.
    order = [at // 10 % followed if followed and at % 10 == 0 else at for at in range(GAMES)]

    def run() -> Run:
        _wait_until_streams_are_closed(place)
        copies.store(place.store)
        with open_streams(place.ours.base, [streams[at % GAMES].path for at in range(number)]) as clients:
            load = Contender(place.ours, requests).runner(place.plan)()
            paced = Paced(requests, order, RATE, number)
            return _at_rate(place, paced, clients.arrivals)._replace(load=load)

    return run


def _spectated(place: Place, number: int) -> Callable[[], Run]:
    """Return a run of actions in one game, at a rate."""

    def run() -> Run:
        copies = stored_copies(place, "spec", 1)
        requests, streams = copies.requests(act("set_offer")), copies.requests(stream_of)
        _wait_until_streams_are_closed(place)
        with open_streams(place.ours.base, [streams[0].path] * number) as clients:
            return _at_rate(place, Paced(requests, [0], SPECTATED_RATE, number), clients.arrivals)

    return run


def _at_rate(place: Place, paced: Paced, arrivals: Callable[[], list[tuple[int, int, float]]]) -> Run:
    """Send actions at a rate; wait for their events at all streams."""
    games = len(paced.requests)
    wait_until_idle(place)
    arrivals()
    before, redis_before = cpu_seconds(place.ours.workers), cpu_seconds([place.ours.redis_pid])
    seconds = max(place.plan.paced_seconds, 1 / paced.rate)
    exchanges = at_rate(place.ours.base, [paced.requests[game] for game in paced.order], seconds, paced.rate)
    sent = {(paced.order[each.number], _version_of(each)): each.sent for each in exchanges}
    streams = {game: len(range(game, paced.streams, games)) for game in range(games)}
    delays = _delays_of({act: at for act, at in sent.items() if streams[act[0]]}, arrivals, streams)
    wait_until_idle(place)
    cpu, redis_cpu = cpu_seconds(place.ours.workers) - before, cpu_seconds([place.ours.redis_pid])
    return Run(None, delays, 1e6 * cpu, 1e6 * (redis_cpu - redis_before), len(exchanges))


def _delays_of(
    sent: dict[tuple[int, int], float],
    arrivals: Callable[[], list[tuple[int, int, float]]],
    streams: Mapping[int, int],
) -> list[float]:
    """Return the latency of each event at each stream of its game, in milliseconds.

    :param sent: the time at which each action was sent, by game and version.
    :param streams: the number of streams of each game.
    :raises RuntimeError: when events do not arrive in time.
    """
    expected = sum(streams[game] for game, _ in sent)
    taken: dict[tuple[int, int], float] = {}
    until = time.monotonic() + _WAIT_S
    while len(taken) < expected:
        if time.monotonic() > until:
            raise RuntimeError(f"{expected - len(taken)} of {expected} events have not arrived")
        for stream, version, at in arrivals():
            if (action := (stream % len(streams), version)) in sent:
                taken.setdefault((stream, version), 1000 * (at - sent[action]))
        time.sleep(0.01)
    return list(taken.values())


def _version_of(exchange: Exchange) -> int:
    """Return the version of the game in the `ETag` of a response."""
    return int(exchange.headers["ETag"].split('"')[1])


def _wait_until_streams_are_closed(place: Place) -> None:
    """Wait until the workers have closed the streams of the last run, so that the next load is not affected.

    :raises RuntimeError: when streams are still open after a minute.
    """
    until = time.monotonic() + _WAIT_S
    while _open_streams(place):
        if time.monotonic() > until:
            raise RuntimeError("streams that were closed still count as open")
        time.sleep(0.1)
    wait_until_idle(place)


def _open_streams(place: Place) -> int:
    with fetch(place.ours.base, Request("GET", "/metrics")) as answer:
        return int(float(answer.read().partition(b"\nskye_open_streams ")[2].split()[0]))


def wait_until_idle(place: Place) -> None:
    """Wait until the workers use no CPU time any more."""
    until, last = time.monotonic() + _WAIT_S, -1.0
    while (spent := cpu_seconds(place.ours.workers)) - last > 0.002 and time.monotonic() < until:
        last = spent
        time.sleep(0.1)


def _memory_row(place: Place, number: int) -> Row:
    """Measure the memory of an idle stream in new workers."""
    with fresh_place(place) as fresh:
        copies = stored_copies(fresh, "idle", number)
        paths = [request.path for request in copies.requests(stream_of)]
        # Fills the cache of decoded games.
        at_full_speed(fresh.ours.base, copies.requests(view), place.plan.seconds)
        with open_streams(fresh.ours.base, paths[: max(1, number // 20)]):
            before = _memory(fresh.ours)
            with open_streams(fresh.ours.base, paths):
                time.sleep(0.5)
                taken = (_memory(fresh.ours) - before) / number
    return row("an idle stream of a game of its own: memory of the worker", [taken], "bytes", goal="<= 30720")


def _memory(server: Server) -> int:
    """Return the private memory of the workers in bytes."""
    pages = "".join(Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in server.workers)
    return 1024 * sum(map(int, re.findall(r"^Private_\w+:\s+(\d+)", pages, re.MULTILINE)))
