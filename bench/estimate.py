"""Estimates of the resources for a number of games a day, from measured figures: for deploy/scale.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bench.rows import Row

DAY_S = 24 * 60 * 60
LOADS = (10**4, 10**6, 10**8)
"""Numbers of games a day."""

_GB = 10**9


@dataclass(frozen=True, slots=True)
class Assumptions:
    """The assumptions about games of four players and about the utilization of machines."""

    actions: int = 130
    """Actions of each game: 120 decisions, and some that are taken back."""
    reads: float = 3
    """Reads for each action: the legal actions, and views of the game."""
    hours: float = 0.75
    """The duration of a game."""
    peak: float = 3
    """The load of the busiest hour, as a multiple of the average."""
    streams: float = 4
    """Open streams of each game in play: one for each player."""
    keyed: float = 1
    """The share of actions with an idempotency key."""
    response_ttl_s: float = 3600
    """The lifetime of a stored response in seconds."""
    finished_days: float = 30
    """The lifetime of a finished game in days."""
    api_busy: float = 0.6
    redis_busy: float = 0.5
    shard_gb: float = 16
    """The data in one Redis, which needs up to twice that memory while it rewrites its append-only file."""
    worker_streams: int = 2000
    linger_s: float = 20
    """How long a worker stays subscribed to a game at most after the last of its streams."""


NAMES: Final = {
    "action_us": "set prices: CPU of the API",
    "read_us": "game view, each time another game: CPU of the API",
    "event_us": "an event at one stream: CPU of the API",
    "event_redis_us": "an event at one stream: CPU of Redis",
    "action_redis_us": "set prices: CPU of Redis",
    "read_redis_us": "game view, each time another game: CPU of Redis",
    "play_bytes": "a game of 4, in play: table and log at the most",
    "over_bytes": "a game of 4, finished: table and log",
    "answer_bytes": "an action with an Idempotency-Key: the answer kept",
    "entry_bytes": "10,000 stored games: memory of the index for each",
    "aof_bytes": "a game of 4: append-only file, all of it",
    "action_in": "set prices: bytes in of Redis",
    "action_out": "set prices: bytes out of Redis",
    "read_in": "game view: bytes in of Redis",
    "read_out": "game view: bytes out of Redis",
    "answer_net": "game view: the answer with its head",
    "other_game_us": "a change of a game that nobody watches: CPU of a worker",
    "left_game_us": "a change of a game whose watchers have left: CPU of a worker",
    "publish_us": "a change told to one more subscriber: CPU of Redis",
}
"""The rows of the benchmark on which the estimates depend."""


CURED: Final = Assumptions(response_ttl_s=600, finished_days=2, worker_streams=10_000)
"""Responses stored for ten minutes, finished games for two days, and more streams for each worker."""


class Figures:
    """The measured figures on which the estimates depend.

    :raises LookupError: when one was not measured.
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        found = {each.name: each for each in rows if each.value is not None}
        missing = [name for name in NAMES.values() if name not in found]
        if missing:
            raise LookupError(f"measure all parts first: bench/latest.json lacks {', '.join(missing)}")
        value = {short: float(found[name].value or 0) for short, name in NAMES.items()}
        self.action_us, self.read_us = value["action_us"], value["read_us"]
        self.action_redis_us, self.read_redis_us = value["action_redis_us"], value["read_redis_us"]
        self.other_game_us, self.left_game_us = max(value["other_game_us"], 0), value["left_game_us"]
        self.publish_us = value["publish_us"]
        # On average a game in play has half its maximum size, since a log grows from nothing.
        self.play_bytes, self.over_bytes = value["play_bytes"] / 2, value["over_bytes"]
        self.answer_bytes, self.entry_bytes = value["answer_bytes"], value["entry_bytes"]
        self.aof_bytes, self.answer_net = value["aof_bytes"], value["answer_net"]
        self.action_net = value["action_in"] + value["action_out"]
        self.read_net = value["read_in"] + value["read_out"]
        self.event_us, self.event_redis_us = value["event_us"], value["event_redis_us"]


def measured_table(rows: Sequence[Row]) -> str:
    """Return the figures as a Markdown table."""
    of = Figures(rows)
    lines = [
        ("an action, CPU of the API / of Redis", f"{of.action_us:,.0f} / {of.action_redis_us:,.0f} us"),
        ("a read of a game, CPU of the API / of Redis", f"{of.read_us:,.0f} / {of.read_redis_us:,.0f} us"),
        (
            "an event at one stream, CPU of the API / of Redis",
            f"{of.event_us:,.0f} / {of.event_redis_us:,.0f} us",
        ),
        (
            "a change of a game that nobody watches / whose watchers have left, CPU of a worker",
            f"{of.other_game_us:.1f} / {of.left_game_us:.1f} us",
        ),
        ("a change published to one more worker, CPU of Redis", f"{of.publish_us:.1f} us"),
        ("a game in Redis: in play, on average / finished", _pair(of.play_bytes, of.over_bytes)),
        (
            "an answer kept for an idempotency key / a game in an index",
            _pair(of.answer_bytes, of.entry_bytes),
        ),
        ("the append-only file, of one whole game", f"{of.aof_bytes / 1000:,.0f} KB"),
        ("between the API and Redis: an action / a read", _pair(of.action_net, of.read_net)),
        ("to a client: an answer with its head", f"{of.answer_net / 1000:.1f} KB"),
    ]
    return "\n".join(["| measured | |", "|---|---|", *(f"| {name} | {value} |" for name, value in lines)])


def _pair(one: float, other: float) -> str:
    return f"{one / 1000:.1f} / {other / 1000:.1f} KB"


def estimated_table(rows: Sequence[Row], given: Assumptions | None = None) -> str:
    """Return the resources for each of `LOADS` as a Markdown table.

    :param given: other assumptions than the default; then the table has only the lines that they change.
    """
    of, default = Figures(rows), Assumptions()
    lines = _estimated_lines(of, given or default)
    if given:
        lines = [line for line in lines if line not in _estimated_lines(of, default)]
    head = "| games a day | " + " | ".join(f"{games:,}" for games in LOADS) + " |"
    return "\n".join([head, "|---|" + "---|" * len(LOADS), *lines])


def _estimated_lines(of: Figures, given: Assumptions) -> list[str]:
    columns = [_estimate(games, of, given) for games in LOADS]
    return [f"| {name} | " + " | ".join(column[name] for column in columns) + " |" for name in columns[0]]


def _estimate(games: int, of: Figures, given: Assumptions) -> dict[str, str]:
    actions = games * given.actions / DAY_S * given.peak
    reads = actions * given.reads
    in_play = games * given.hours / 24 * given.peak
    streams = in_play * given.streams
    events = actions * given.streams
    work = (actions * of.action_us + reads * of.read_us + events * of.event_us) / 1e6
    redis = (actions * of.action_redis_us + reads * of.read_redis_us + events * of.event_redis_us) / 1e6
    cores = work / given.api_busy
    workers = max(2.0, cores, streams / given.worker_streams)
    memory = {
        "in play": in_play * of.play_bytes,
        "finished": games * given.finished_days * of.over_bytes,
        "answers": actions * given.keyed * min(given.response_ttl_s, DAY_S / given.peak) * of.answer_bytes,
        "index": games * given.finished_days * of.entry_bytes,
    }
    # A worker hears of other games only while it is still subscribed to those that its streams have left.
    left = events / workers * given.linger_s / (given.hours * 3600)
    others_us = actions * of.other_game_us + left * of.left_game_us
    held = sum(memory.values()) / _GB
    network = (actions * of.action_net + (reads + events) * of.read_net) * 8 / 1e6
    return {
        "actions a second, on average / at the peak": f"{_short(actions / given.peak)} / {_short(actions)}",
        "reads a second at the peak": _short(reads),
        "games in play / streams open at the peak": f"{_short(in_play)} / {_short(streams)}",
        "cores for the API, 60 % busy": _short(cores),
        "workers, for cores or streams": _short(workers),
        "cores that Redis needs": _short(redis),
        "shards by CPU, half busy": _short(max(1.0, redis / given.redis_busy)),
        **{f"memory of Redis: {what}": f"{_short(size / _GB)} GB" for what, size in memory.items()},
        "shards by memory, 16 GB each": _short(max(1.0, held / given.shard_gb)),
        "append-only files, a day": f"{_short(games * of.aof_bytes / _GB)} GB",
        "append-only files at the peak": f"{_short(actions / given.actions * of.aof_bytes / 1e6)} MB/s",
        "network of Redis / to clients, at the peak": f"{_short(network)} / "
        f"{_short((actions + reads) * of.answer_net * 8 / 1e6)} Mbit/s",
        "a worker's time spent on changes of other games": f"{others_us / 1e6:.2%}",
        "cores that all Redis need to notify workers": _short(
            actions * min(workers, given.streams) * of.publish_us / 1e6
        ),
    }


def _short(number: float) -> str:
    """Return a number rounded to two digits."""
    if number >= 100:
        digits = 10 ** (len(str(int(number))) - 2)
        return f"{round(number / digits) * digits:,}"
    if number >= 0.01:
        return f"{number:.0f}" if number >= 10 else f"{number:.2g}"
    return "0.00"
