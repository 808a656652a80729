"""The cost of open event streams under a load of actions, and the latency of their events."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from bench.client import Exchange, Request, drive, middle_and_tail
from bench.followers import open_streams
from bench.load import Contender, Load
from bench.positions import Copies, Position, fetch, find
from bench.rows import Row, in_turn, row
from bench.servers import cpu_seconds
from bench.subjects import Place, act, load_rows
from skye_server.store.shards import key_of

GAMES = 250
"""The number of games that receive actions; 1,000 streams are 4 streams for each game."""

RATE = 200
"""The rate of actions while the latency of events is measured, in actions per second."""

_MESSAGES = 20_000
_SUBSCRIBERS = 50
_WAIT_S = 60.0


class StreamRun(NamedTuple):
    """One run with open streams.

    :param load: the load at full speed.
    :param p50: the median latency of events in milliseconds, at `RATE`.
    :param p99: their 99th percentile.
    :param cpu: the CPU time of the API for each action in microseconds, at `RATE`.
    :param redis_cpu: that of Redis.
    """

    load: Load
    p50: float
    p99: float
    cpu: float
    redis_cpu: float


def stream_rows(place: Place) -> list[Row]:
    """Measure actions without streams and with several numbers of streams, in turn."""
    copies = Copies("strm", find(place.games, 4, "set_offer", last=False), GAMES)
    copies.store(place.store)
    requests = copies.requests(act("set_offer"))
    streams = copies.requests(stream_of)
    contenders = {
        number: _load_with_streams(place, requests, [streams[at % GAMES].path for at in range(number)])
        for number in (0, *place.plan.streams)
    }
    seen = in_turn(contenders, place.plan.runs)
    none = [each.load for each in seen[0]]
    rows = [row("set prices, no streams open", [load.rate for load in none], "requests/s")]
    for number in place.plan.streams:
        found = seen[number]
        streams_open = f"{number:,} stream{'s' if number > 1 else ''} open"
        loads = [each.load for each in found]
        goal = ">= 0.7" if number == 1000 else None
        rows += load_rows(f"set prices, {streams_open}", loads, ("no streams", none), goal)[:2]
        title = f"{streams_open}, {RATE} actions/s: from action to event"
        rows.append(row(f"{title}, p50", [each.p50 for each in found], "ms"))
        rows.append(row(f"{title}, p99", [each.p99 for each in found], "ms"))
    rows += _event_rows(max(contenders), seen)
    return [*rows, *_other_game_rows(place, streams[0].path), *_delivery_rows(place)]


def _event_rows(most: int, seen: Mapping[int, Sequence[StreamRun]]) -> list[Row]:
    """Return the cost of one event at one stream: the difference between most streams and none."""
    each_action = most / min(most, GAMES)
    rows = []
    for whose, part in (("the API", "cpu"), ("Redis", "redis_cpu")):
        both = zip(seen[most], seen[0], strict=True)
        more = [(getattr(many, part) - getattr(none, part)) / each_action for many, none in both]
        rows.append(row(f"an event at one stream: CPU of {whose}", more, "us/event"))
    return rows


def stream_of(position: Position) -> Request:
    """Return the request that opens a stream of the game after a position."""
    return Request("GET", f"/v1/games/{position.game}/events/stream?after={position.stored.last_event}")


def _load_with_streams(
    place: Place, requests: Sequence[Request], paths: Sequence[str]
) -> Callable[[], StreamRun]:
    # Games with streams get more actions, so that few streams also receive enough events.
    followed = min(len(paths), GAMES)
    order = [at // 10 % followed if followed and at % 10 == 0 else at for at in range(GAMES)]
    paced = [requests[game] for game in order]

    def run() -> StreamRun:
        wait_until_streams_are_closed(place)
        with open_streams(place.ours.base, paths) as clients:
            load = Contender(place.ours, requests).runner(place.plan)()
            wait_until_idle(place)
            clients.arrivals()
            before, redis_before = cpu_seconds(place.ours.workers), cpu_seconds([place.ours.redis_pid])
            exchanges = drive(place.ours.base, paced, place.plan.paced_seconds, rate=RATE)
            acts = {(order[each.number], version_of(each)): each.sent for each in exchanges}
            sent = {act: at for act, at in acts.items() if act[0] < followed}
            each_game = {game: len(range(game, len(paths), GAMES)) for game in range(GAMES)}
            delays = delays_of(sent, clients.arrivals, each_game) or [0.0]
            spent = cpu_seconds(place.ours.workers) - before
            redis_spent = cpu_seconds([place.ours.redis_pid]) - redis_before
            each_us = 1e6 / len(exchanges)
            return StreamRun(load, *middle_and_tail(delays), spent * each_us, redis_spent * each_us)

    return run


def wait_until_streams_are_closed(place: Place) -> None:
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


def delays_of(
    sent: dict[tuple[int, int], float],
    arrivals: Callable[[], list[tuple[int, int, float]]],
    streams: Mapping[int, int],
) -> list[float]:
    """Return the latency of each event at each stream of its game, in milliseconds.

    :param sent: the time at which each action was sent, by game and version.
    :param arrivals: returns the events that have arrived since the last call.
    :param streams: the number of streams of each game; stream `n` is of game `n % len(streams)`.
    :raises RuntimeError: when events do not arrive in time.
    """
    expected = sum(streams[game] for game, _ in sent)
    taken: dict[tuple[int, int], float] = {}
    until = time.monotonic() + _WAIT_S
    while len(taken) < expected:
        if time.monotonic() > until:
            raise RuntimeError(f"{expected - len(taken)} of {expected} events have not arrived")
        for stream, version, at in arrivals():
            act_ = stream % len(streams), version
            if act_ in sent:
                taken.setdefault((stream, version), 1000 * (at - sent[act_]))
        time.sleep(0.01)
    return list(taken.values())


def version_of(exchange: Exchange) -> int:
    """Return the version of the game in the `ETag` of a response."""
    return int(exchange.head.lower().partition(b'etag: "')[2].split(b'"')[0])


def _other_game_rows(place: Place, path: str) -> list[Row]:
    """Measure the cost of a change of a game that nobody watches, and of one that nobody watches any more."""
    game = path.split("/")[3]
    runs = range(place.plan.runs)
    unwatched = [_cost_of_changes(place, "nobody") for _ in runs]
    left = []
    for _ in runs:
        with open_streams(
            place.ours.base, [path] * 8
        ):  # so that both workers subscribe, and stay for a while
            wait_until_idle(place)
        left.append(_cost_of_changes(place, game))
    return [
        row("a change of a game that nobody watches: CPU of a worker", unwatched, "us"),
        row("a change of a game whose watchers have left: CPU of a worker", left, "us"),
    ]


def _cost_of_changes(place: Place, game: str) -> float:
    """Publish changes of a game; return the CPU time of each worker for one of them in microseconds."""
    number = max(200, int(_MESSAGES * min(1.0, place.plan.seconds)))
    before = cpu_seconds(place.ours.workers)
    for _ in range(number // 200):
        with place.store.pipeline(transaction=False) as pipeline:
            for _ in range(200):
                pipeline.execute_command("SPUBLISH", key_of(game, "changes"), "")
            pipeline.execute()
    wait_until_idle(place)
    return 1e6 * (cpu_seconds(place.ours.workers) - before) / (number * len(place.ours.workers))


def _delivery_rows(place: Place) -> list[Row]:
    """Measure the cost for Redis of sending a message to one more subscriber."""
    number = max(200, int(_MESSAGES * min(1.0, place.plan.seconds) / 20))
    alone = [_publishing(place, number) for _ in range(place.plan.runs)]
    subscribers = [place.store.pubsub() for _ in range(_SUBSCRIBERS)]
    for subscriber in subscribers:
        subscriber.subscribe("bench:messages")
        subscriber.get_message(timeout=_WAIT_S)
    subscribed = [_publishing(place, number) for _ in range(place.plan.runs)]
    for subscriber in subscribers:
        subscriber.close()
    taken = [1e6 * (many - none) / _SUBSCRIBERS for many, none in zip(subscribed, alone, strict=True)]
    return [row("a change told to one more subscriber: CPU of Redis", taken, "us")]


def _publishing(place: Place, number: int) -> float:
    """Publish messages one by one; return the CPU time of Redis for one of them in seconds."""
    before = cpu_seconds([place.ours.redis_pid])
    for _ in range(number):
        place.store.publish("bench:messages", "bench:12345")
    return (cpu_seconds([place.ours.redis_pid]) - before) / number


def wait_until_idle(place: Place) -> None:
    """Wait until the workers use no CPU time any more."""
    until, last = time.monotonic() + _WAIT_S, -1.0
    while (spent := cpu_seconds(place.ours.workers)) - last > 0.002 and time.monotonic() < until:
        last = spent
        time.sleep(0.1)
