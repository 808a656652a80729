"""Open streams of events beside the load of actions: what they cost it, and how soon events arrive."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from bench.client import Answered, Ask, drive, middle_and_tail
from bench.followers import following
from bench.load import Contender, Load
from bench.positions import Copies, Position, answer_to, find
from bench.rows import Row, in_turn, row
from bench.servers import cpu_seconds
from bench.subjects import Place, act, load_rows
from service.storage.lua_scripts import CHANGES_CHANNEL

GAMES = 250
"""So many games are acted on; streams are spread over them, so that 1,000 streams are four for each game."""

RATE = 200
"""Actions a second while it is measured how long their events take."""

_MESSAGES = 20_000
_EARS = 50
_WAIT_S = 60.0


class Seen(NamedTuple):
    """A load with streams open; then, at a pace, how long events took (ms), and CPU for each action (us)."""

    load: Load
    p50: float
    p99: float
    cpu: float
    redis_cpu: float


def stream_rows(place: Place) -> list[Row]:
    """Measure actions with no streams and with several numbers of them, in turn."""
    copies = Copies("strm", find(place.games, 4, "set_offer", last=False), GAMES)
    copies.store(place.store)
    asks = copies.asks(act("set_offer"))
    streams = copies.asks(stream_of)
    contenders = {
        number: _beside(place, asks, [streams[at % GAMES].path for at in range(number)])
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
    return [*rows, *_overheard_rows(place, streams[0].path), *_delivered_rows(place)]


def _event_rows(most: int, seen: Mapping[int, Sequence[Seen]]) -> list[Row]:
    """Tell what one event at one stream costs: what actions cost more when the most streams are open."""
    each_action = most / min(most, GAMES)
    rows = []
    for whose, part in (("the API", "cpu"), ("Redis", "redis_cpu")):
        both = zip(seen[most], seen[0], strict=True)
        more = [(getattr(many, part) - getattr(none, part)) / each_action for many, none in both]
        rows.append(row(f"an event at one stream: CPU of {whose}", more, "us/event"))
    return rows


def stream_of(position: Position) -> Ask:
    """Follow the game from here."""
    return Ask("GET", f"/v1/games/{position.game}/events/stream?after={position.stored.last_event}")


def _beside(place: Place, asks: Sequence[Ask], paths: Sequence[str]) -> Callable[[], Seen]:
    # Of few streams, too, enough must be heard; but no game is acted on all the time.
    followed = min(len(paths), GAMES)
    order = [at // 10 % followed if followed and at % 10 == 0 else at for at in range(GAMES)]
    paced = [asks[game] for game in order]

    def run() -> Seen:
        leave_behind(place)
        with following(place.ours.base, paths) as followers:
            load = Contender(place.ours, asks).runner(place.plan)()
            until_quiet(place)
            followers.arrivals()
            before, redis_before = cpu_seconds(place.ours.workers), cpu_seconds([place.ours.redis_pid])
            answered = drive(place.ours.base, paced, place.plan.paced_seconds, rate=RATE)
            acts = {(order[each.ask], version_of(each)): each.sent for each in answered}
            sent = {act: at for act, at in acts.items() if act[0] < followed}
            each_game = {game: len(range(game, len(paths), GAMES)) for game in range(GAMES)}
            delays = delays_of(sent, followers.arrivals, each_game) or [0.0]
            spent = cpu_seconds(place.ours.workers) - before
            redis_spent = cpu_seconds([place.ours.redis_pid]) - redis_before
            each_us = 1e6 / len(answered)
            return Seen(load, *middle_and_tail(delays), spent * each_us, redis_spent * each_us)

    return run


def leave_behind(place: Place) -> None:
    """Wait until the workers have noticed which streams were closed, or the next load would pay for them.

    :raises RuntimeError: when they do not in a minute.
    """
    until = time.monotonic() + _WAIT_S
    while _open_streams(place):
        if time.monotonic() > until:
            raise RuntimeError("streams that were closed still count as open")
        time.sleep(0.1)
    until_quiet(place)


def _open_streams(place: Place) -> int:
    with answer_to(place.ours.base, Ask("GET", "/metrics")) as answer:
        return int(float(answer.read().partition(b"\nskye_open_streams ")[2].split()[0]))


def delays_of(
    sent: dict[tuple[int, int], float],
    arrivals: Callable[[], list[tuple[int, int, float]]],
    streams: Mapping[int, int],
) -> list[float]:
    """Return how long after its action was sent each event arrived at each stream of its game, in ms.

    :param streams: how many there are of each game; stream `n` is of game `n % len(streams)`.
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


def version_of(answered: Answered) -> int:
    """Return the version of the game that an answer shows."""
    return int(answered.head.lower().partition(b'etag: "')[2].split(b'"')[0])


def _overheard_rows(place: Place, path: str) -> list[Row]:
    """Tell what it costs a worker to hear of a change of a game that nobody follows there."""
    with following(place.ours.base, [path] * 8):  # so that either worker listens
        taken = [_overheard(place) for _ in range(place.plan.runs)]
    name = "a change of another game, heard and passed over"
    return [
        row(f"{name}: CPU of the API", [each * 1e6 for each in taken], "us/worker"),
        row(f"{name}: so many keep a worker busy", [1 / each for each in taken], "changes/s"),
    ]


def _overheard(place: Place) -> float:
    """Publish changes, and return the seconds of CPU time that one took each worker."""
    number = max(200, int(_MESSAGES * min(1.0, place.plan.seconds)))
    before = cpu_seconds(place.ours.workers)
    heard = 0
    for _ in range(number // 200):
        with place.store.pipeline(transaction=False) as pipeline:
            for _ in range(200):
                pipeline.publish(CHANGES_CHANNEL, "nobody:1")
            heard += sum(pipeline.execute())
    until_quiet(place)
    return (cpu_seconds(place.ours.workers) - before) / heard


def _delivered_rows(place: Place) -> list[Row]:
    """Tell what it costs Redis to hand a message on to one more subscriber."""
    number = max(200, int(_MESSAGES * min(1.0, place.plan.seconds) / 20))
    alone = [_publishing(place, number) for _ in range(place.plan.runs)]
    ears = [place.store.pubsub() for _ in range(_EARS)]
    for ear in ears:
        ear.subscribe("bench:heard")
        ear.get_message(timeout=_WAIT_S)
    crowded = [_publishing(place, number) for _ in range(place.plan.runs)]
    for ear in ears:
        ear.close()
    taken = [1e6 * (many - none) / _EARS for many, none in zip(crowded, alone, strict=True)]
    return [row("a change told to one more subscriber: CPU of Redis", taken, "us")]


def _publishing(place: Place, number: int) -> float:
    """Publish messages one by one, and return the seconds of CPU time that one took Redis."""
    before = cpu_seconds([place.ours.redis_pid])
    for _ in range(number):
        place.store.publish("bench:heard", "bench:12345")
    return (cpu_seconds([place.ours.redis_pid]) - before) / number


def until_quiet(place: Place) -> None:
    """Wait until the workers have worked off what they were sent."""
    until, last = time.monotonic() + _WAIT_S, -1.0
    while (spent := cpu_seconds(place.ours.workers)) - last > 0.002 and time.monotonic() < until:
        last = spent
        time.sleep(0.1)
