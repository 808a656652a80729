"""The metrics of the service, by `prometheus_client`.

Under gunicorn each worker counts in its own files, as does each dispatcher that `serve` starts; the scraped
worker adds up the files of all (`skye_server.observability.worker_metrics`). Other processes count in memory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final, NamedTuple

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from skye_server.error_codes import ERROR_CODES
from skye_server.features import installed, merged
from skye_server.games.game import Status
from skye_server.observability.metrics_folder import FOLDER_VARIABLE
from skye_server.observability.worker_metrics import WorkerFiles
from skye_server.setting_parsers import Address

CONTENT_TYPE: Final = prometheus_client.exposition.CONTENT_TYPE_PLAIN_0_0_4

BUCKETS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""The upper bounds of the histogram of durations, in seconds."""

_STATUSES: Final = {200, 201, 204, 304} | {kind.status for kind in ERROR_CODES.values()}

_MILESTONES: Final[dict[Status | None, tuple[str, ...]]] = {
    None: (),
    Status.LOBBY: ("created",),
    Status.PLAYING: ("created", "started"),
    Status.FINISHED: ("created", "started", "finished"),
    Status.ABORTED: ("created", "aborted"),
}
"""The events of a game with this status; an aborted game may have been started before."""

CONSUMERS: Final = ("lists", "players", "history")
"""What the relay writes; see `skye_server.relay`."""

prometheus_client.disable_created_metrics()  # a second series for each counter


class Metrics:
    """The metrics of an application."""

    def __init__(self) -> None:
        registry = CollectorRegistry()
        self._requests = Counter(
            "skye_requests",
            "Responses, by route, method and status; without a route, no path matched.",
            ("route", "method", "status"),
            registry=registry,
        )
        self._durations = Histogram(
            "skye_request_duration_seconds",
            "From a request's arrival to the head of its response: "
            "the wait of a long poll, not a stream's life.",
            ("route", "method"),
            buckets=BUCKETS_S,
            registry=registry,
        )
        self._request = cache(self._request_series)  # `labels` formats and locks each time
        self._errors = _counters(
            registry, "skye_errors", "Error responses, by the code of the problem.", "code", ERROR_CODES
        )
        milestones = ("created", "started", "finished", "aborted")
        self._games = _counters(
            registry,
            "skye_games",
            "Games that this server has created, started, finished or aborted.",
            "event",
            milestones,
        )
        self._conflicts = Counter(
            "skye_commit_conflicts",
            "Commits retried because another request had changed the game first.",
            registry=registry,
        )
        self._matchmaking = _counters(
            registry,
            "skye_matchmaking",
            "Matchmaking: tickets created, and games that began with tickets.",
            "event",
            ("ticket", "game"),
        )
        self._relay_failures = _counters(
            registry,
            "skye_relay_failures",
            "Games that could not be relayed to lists, players, histories or ladders, by which failed.",
            "consumer",
            (*CONSUMERS, *(name for feature in installed() for name in feature.consumers)),
        )
        self._streams = Gauge(
            "skye_open_streams",
            "Open streams of server-sent events.",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self._player_streams = Gauge(
            "skye_open_player_streams",
            "Open streams of player events.",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self._clock = Gauge(
            "skye_clock_difference_seconds",
            "By how much the clock of this machine differs from that of Redis, which counts.",
            registry=registry,
            multiprocess_mode="livemax",
        )
        folder = os.environ.get(FOLDER_VARIABLE)
        self._collector: Collector = registry if folder is None else WorkerFiles(folder)

    def serve(self, address: Address) -> None:
        """Serve these metrics at an address, in a thread of this process.

        :raises OSError: if the address cannot be bound.
        """
        prometheus_client.start_http_server(address.port, address.host, registry=self._collector)

    def answered(self, rule: str, method: str, status: int, seconds: float) -> None:
        """Count a response; `rule` is the URL rule that matched, empty if none did."""
        counter, durations = self._request(rule, method if rule else "", status)
        counter.inc()
        durations.observe(seconds)

    def _request_series(self, rule: str, method: str, status: int) -> tuple[Counter, Histogram]:
        route = pattern(rule)
        counter = self._requests.labels(route, method, status if status in _STATUSES else "other")
        return counter, self._durations.labels(route, method)

    def error_sent(self, code: str) -> None:
        """Count an error response by its problem code."""
        self._errors[code].inc()

    def game_changed(self, before: Status | None, after: Status) -> None:
        """Count the change of a game's status; `before` is None for a new game."""
        for event in _MILESTONES[after]:
            if event not in _MILESTONES[before]:
                self._games[event].inc()

    def relay_failed(self, consumer: str) -> None:
        """Count a game that could not be relayed to a consumer."""
        self._relay_failures[consumer].inc()

    def commit_conflicted(self) -> None:
        """Count a commit that failed because another request had changed the game first."""
        self._conflicts.inc()

    def ticket_created(self) -> None:
        """Count a matchmaking ticket."""
        self._matchmaking["ticket"].inc()

    def game_matched(self) -> None:
        """Count a game that begins with matchmaking tickets."""
        self._matchmaking["game"].inc()

    def stream_opened(self, *, of_player: bool) -> None:
        """Count one more open stream.

        :param of_player: whether it follows all games of a player.
        """
        self._streams.inc()
        self._player_streams.inc(of_player)

    def stream_closed(self, *, of_player: bool) -> None:
        """Count one closed stream; see `stream_opened`."""
        self._streams.dec()
        self._player_streams.dec(of_player)

    def clock_read(self, difference_s: float) -> None:
        """Record by how many seconds the clock of this process is ahead of that of Redis, or behind it."""
        self._clock.set(abs(difference_s))

    def text(self, stored: StoreState | None) -> bytes:
        """Return all metrics in Prometheus's text format.

        :param stored: None if the store does not respond.
        """
        return generate_latest(self._collector) + generate_latest(_StoreGauges(stored))


class StoreState(NamedTuple):
    """What the store reports for one scrape.

    :param listed: the number of games of each status in the index.
    :param dispatchers: the number of dispatchers that are alive.
    :param due: for each kind of due work the number of entries, and by how many seconds the first is overdue.
    :param of_features: the values of the gauges of features, by their names.
    :param sign_age_s: how old the last sign of life of a worker is, in seconds; 0 without one.
    :param outages: the number of outages in the list.
    :param memory_used: the largest part of its `maxmemory` that a master uses; None if that is not known.
    """

    listed: Mapping[Status, int]
    dispatchers: int
    due: Mapping[str, tuple[int, float]]
    of_features: Mapping[str, int]
    sign_age_s: float
    outages: int
    memory_used: float | None = None


class UncountedMetrics(Metrics):
    """Metrics that count nothing: for the applications below a path of that of the server."""

    def __init__(self) -> None:
        """Create no counters: those of a worker are shared by name."""

    def _count_nothing(self, *_: object, **_named: object) -> None: ...

    answered = error_sent = game_changed = commit_conflicted = _count_nothing
    relay_failed = _count_nothing
    ticket_created = game_matched = stream_opened = stream_closed = clock_read = _count_nothing


class _StoreGauges(Collector):
    """The gauges that the store reports for one scrape."""

    def __init__(self, stored: StoreState | None) -> None:
        self._stored = stored

    def collect(self) -> Iterable[Metric]:
        """Yield the gauges; those that the store has not reported have no samples."""
        stored = self._stored
        yield _labelled(
            "skye_listed_games",
            "Public games in the index that all instances share, by status; some may have expired unnoticed.",
            "status",
            stored.listed.items() if stored else (),
        )
        for name, gauge in merged("gauges").items():
            yield GaugeMetricFamily(name, gauge.meaning, value=stored.of_features[name] if stored else None)
        yield GaugeMetricFamily(
            "skye_dispatchers",
            "Dispatchers of all instances that are alive.",
            value=stored.dispatchers if stored else None,
        )
        yield GaugeMetricFamily(
            "skye_sign_age_seconds",
            "How long ago a worker of any instance could last commit to all games; 0 if none ever could.",
            value=stored.sign_age_s if stored else None,
        )
        yield GaugeMetricFamily(
            "skye_outages",
            "Outages in the list: games that began before one get its time added.",
            value=stored.outages if stored else None,
        )
        yield GaugeMetricFamily(
            "skye_store_memory_ratio",
            "The largest part of its maxmemory that a master of Redis uses; 0 if none has one.",
            value=(stored.memory_used or 0.0) if stored else None,
        )
        due = stored.due.items() if stored else ()
        yield _labelled(
            "skye_due_entries",
            "Entries in the due queue, by kind.",
            "kind",
            [(kind, entries) for kind, (entries, _) in due],
        )
        yield _labelled(
            "skye_due_delay_seconds",
            "By how much the first entry of the due queue is overdue, by kind.",
            "kind",
            [(kind, delay_s) for kind, (_, delay_s) in due],
        )
        yield GaugeMetricFamily(
            "skye_store_up", "Whether the store responded to this scrape.", value=stored is not None
        )


def _labelled(name: str, meaning: str, label: str, values: Iterable[tuple[str, float]]) -> Metric:
    """Return a gauge with one label."""
    gauge = GaugeMetricFamily(name, meaning, labels=[label])
    for value, number in values:
        gauge.add_metric([value], number)
    return gauge


@cache
def pattern(rule: str) -> str:
    """Return a URL rule in the notation of the contract.

    >>> pattern("/v1/games/<game>/players/<seat:seat>")
    '/v1/games/{game}/players/{seat}'
    """
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule)


def _counters(
    registry: CollectorRegistry, name: str, meaning: str, label: str, values: Iterable[str]
) -> dict[str, Counter]:
    """Return the counter of each value of a label; all of them are exported, also at 0."""
    counter = Counter(name, meaning, (label,), registry=registry)
    return {value: counter.labels(value) for value in values}
