"""The metrics of the service, in Prometheus's text format.

All counters are allocated when the application is built, in the same order in every worker process, so that
each worker can add up the counters of all (see `shared_counters`). CONTRIBUTING.md compares this with
`prometheus_client`.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from service.matches.errors import ERROR_CODES
from service.matches.match import Status
from service.observability.shared_counters import Tally

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

BUCKETS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""The upper bounds of the histogram of durations, in seconds."""

_STATUSES: Final = tuple(sorted({200, 201, 204, 304} | {kind.status for kind in ERROR_CODES.values()}))

_MILESTONES: Final[dict[Status | None, tuple[str, ...]]] = {
    None: (),
    Status.LOBBY: ("created",),
    Status.PLAYING: ("created", "started"),
    Status.FINISHED: ("created", "started", "finished"),
    Status.ABORTED: ("created", "aborted"),
}
"""The events of a game with this status; an aborted game may have been started before."""

Series: TypeAlias = Iterable[tuple[str, float]]
"""The rest of each line after the name of the metric (usually labels), and the value."""


class _Requests(NamedTuple):
    """The counters of the requests of one route and method.

    `other` counts unexpected statuses; `buckets` is the first bucket of the histogram.
    """

    labels: str
    statuses: dict[int, int]
    other: int
    buckets: int
    seconds: int


class Metrics:
    """The counters of an application.

    :param routes: the rule and method of each route.
    :param descriptor: that of the memory that the worker processes share, see `Tally`.
    """

    def __init__(self, routes: Iterable[tuple[str, str]] = (), descriptor: int | None = None) -> None:
        cells = itertools.count()
        self._unmatched = _laid_out("", "", cells)
        self._requests = {route: _laid_out(*route, cells) for route in sorted(set(routes))}
        self._refusals = {code: next(cells) for code in ERROR_CODES}
        self._games = {event: next(cells) for event in ("created", "started", "finished", "aborted")}
        self._conflicts = next(cells)
        self._matches = {event: next(cells) for event in ("sought", "formed")}
        self._streams, self._player_streams = next(cells), next(cells)
        self._tally = Tally(next(cells), descriptor, current=[self._streams, self._player_streams])

    def answered(self, rule: str, method: str, status: int, seconds: float) -> None:
        """Count a response; `rule` is the URL rule that matched, empty if none did."""
        cells = self._requests.get((rule, method), self._unmatched)
        self._tally.add(cells.statuses.get(status, cells.other))
        self._tally.add(cells.buckets + bisect_left(BUCKETS_S, seconds))
        self._tally.add(cells.seconds, seconds)

    def refused(self, code: str) -> None:
        """Count an error response by its problem code."""
        self._tally.add(self._refusals[code])

    def game_changed(self, before: Status | None, after: Status) -> None:
        """Count the change of a game's status; `before` is None for a new game."""
        for event in _MILESTONES[after]:
            if event not in _MILESTONES[before]:
                self._tally.add(self._games[event])

    def commit_conflicted(self) -> None:
        """Count a commit that failed because another request had changed the game first."""
        self._tally.add(self._conflicts)

    def match_sought(self) -> None:
        """Count a request for a quick match."""
        self._tally.add(self._matches["sought"])

    def match_formed(self) -> None:
        """Count a game that begins as a quick match."""
        self._tally.add(self._matches["formed"])

    def stream_opened(self, *, of_player: bool) -> None:
        """Count one more open stream.

        :param of_player: whether it follows all games of a player.
        """
        self._tally.add(self._streams)
        self._tally.add(self._player_streams, of_player)

    def stream_closed(self, *, of_player: bool) -> None:
        """Count one closed stream; see `stream_opened`."""
        self._tally.add(self._streams, -1)
        self._tally.add(self._player_streams, -of_player)

    def text(self, listed: Mapping[Status, int] | None, seekers: int | None = None) -> str:
        """Return everything in Prometheus's text format.

        :param listed: the number of games of each status in the store's index; None without the store.
        :param seekers: the number of requests that wait for a quick match; None without the store.
        """
        totals = self._tally.totals()
        requests = (self._unmatched, *self._requests.values())
        lines = [
            *_family("requests_total", _answers(requests, totals)),
            *_family("request_duration_seconds", _durations(requests, totals)),
            *_family("refusals_total", _labelled("code", self._refusals, totals)),
            *_family("games_total", _labelled("event", self._games, totals)),
            *_family("commit_conflicts_total", [("", totals[self._conflicts])]),
            *_family("matches_total", _labelled("event", self._matches, totals)),
            *_family("open_streams", [("", totals[self._streams])]),
            *_family("open_player_streams", [("", totals[self._player_streams])]),
            *_family("listed_games", ((f'{{status="{status}"}}', n) for status, n in (listed or {}).items())),
            *_family("waiting_seekers", [] if seekers is None else [("", seekers)]),
            *_family("store_up", [("", listed is not None)]),
        ]
        return "\n".join(lines) + "\n"


_FAMILIES: Final = {
    "requests_total": (
        "counter",
        "Answers, by route, method and status; no route: the path has matched none.",
    ),
    "request_duration_seconds": (
        "histogram",
        "From a request's arrival to the head of its answer: the wait of a long poll, not a stream's life.",
    ),
    "refusals_total": ("counter", "Answers that told of a problem, by its code."),
    "games_total": ("counter", "What games have gone through here."),
    "commit_conflicts_total": ("counter", "Changes played again because another had changed the game first."),
    "open_streams": ("gauge", "Streams of server-sent events that are open here."),
    "open_player_streams": ("gauge", "Those of them that follow all games of a player."),
    "matches_total": ("counter", "Requests for a quick match, and games that began with them."),
    "waiting_seekers": ("gauge", "Requests of all instances that wait for a quick match."),
    "listed_games": (
        "gauge",
        "Public games in the index that all instances share, by status; some may have expired unnoticed.",
    ),
    "store_up": ("gauge", "Whether the store answered this scrape."),
}
"""The type and the meaning of each metric."""


@cache
def pattern(rule: str) -> str:
    """Return a URL rule in the notation of the contract.

    >>> pattern("/v1/games/<game>/players/<int:seat>")
    '/v1/games/{game}/players/{seat}'
    """
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule)


def _laid_out(rule: str, method: str, cells: Iterator[int]) -> _Requests:
    statuses = {status: next(cells) for status in _STATUSES}
    other, buckets = next(cells), next(cells)
    *_, seconds = itertools.islice(cells, len(BUCKETS_S) + 1)
    return _Requests(f'route="{pattern(rule)}",method="{method}"', statuses, other, buckets, seconds)


def _family(name: str, series: Series) -> Iterator[str]:
    kind, meaning = _FAMILIES[name]
    yield f"# HELP skye_{name} {meaning}"
    yield f"# TYPE skye_{name} {kind}"
    for rest, value in series:
        yield f"skye_{name}{rest} {value:.15g}"


def _labelled(label: str, cells: Mapping[str, int], totals: list[float]) -> Series:
    return ((f'{{{label}="{value}"}}', totals[cell]) for value, cell in cells.items())


def _answers(requests: Iterable[_Requests], totals: list[float]) -> Series:
    """Yield the counters of responses that are not 0; a route uses few of the statuses."""
    for of_route in requests:
        for status, cell in (*of_route.statuses.items(), ("other", of_route.other)):
            if totals[cell]:
                yield f'{{{of_route.labels},status="{status}"}}', totals[cell]


def _durations(requests: Iterable[_Requests], totals: list[float]) -> Series:
    for of_route in requests:
        counts = totals[of_route.buckets : of_route.seconds]
        if not any(counts):
            continue
        for bound, count in zip((*BUCKETS_S, "+Inf"), itertools.accumulate(counts), strict=True):
            yield f'_bucket{{{of_route.labels},le="{bound}"}}', count
        yield f"_sum{{{of_route.labels}}}", totals[of_route.seconds]
        yield f"_count{{{of_route.labels}}}", sum(counts)
