"""The servers of a measurement, the games that were played on them, and the measured requests."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import redis

from bench.load import HAS_WRK, Contender, Load, Request
from bench.plan import Plan
from bench.positions import Copies, Position, find, played
from bench.rows import Row, row
from bench.servers import Server, gunicorn, redis_server
from skye_server.games.authorization import Caller
from skye_server.http.responses import etag
from skye_server.server.server_programs import find_program

ROUND_END = "finish building, the last: the round ends"

HOT = 64
"""The number of games that receive repeated requests, as games in play do."""


class Place(NamedTuple):
    """The servers of a measurement.

    :param plan: the size of the benchmark.
    :param ours: the API.
    :param theirs: the ceilings.
    :param store: the Redis of both.
    :param games: games that were played, by position.
    """

    plan: Plan
    ours: Server
    theirs: Server
    store: redis.Redis
    games: list[list[Position]]


class Subject(NamedTuple):
    """A request to measure.

    :param name: the name of its rows.
    :param copies: the games.
    :param of: returns the request of a position.
    :param calls: the view of its ceiling (see `ceilings`).
    :param goal: the goal for the ratio to the ceiling.
    :param changes: whether it changes the games: they are restored before each run, since a game allows some
        actions once, and others as often as its seats have revisions.
    :param answered_like: returns the request whose response the ceiling sends, instead of its own.
    """

    name: str
    copies: Copies
    of: Callable[[Position], Request]
    calls: str = ""
    goal: str | None = None
    changes: bool = False
    answered_like: Callable[[Position], Request] | None = None


@contextlib.contextmanager
def place_to_measure(plan: Plan) -> Iterator[Place | None]:
    """Start the servers and play some games; yield None if there is no Redis or no wrk."""
    program = find_program()
    if program is None or not HAS_WRK:
        yield None
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        redis_server(program, Path(folder)) as server,
        gunicorn("skye_server.wsgi:app", server) as ours,
        gunicorn("bench.ceilings:app", server) as theirs,
    ):
        store = redis.Redis.from_url(server.url)
        games = [list(played(ours.base, store, 4, seed)) for seed in range(plan.recorded)]
        yield Place(plan, ours, theirs, store, games)


@contextlib.contextmanager
def fresh_place(
    place: Place,
    fill: Callable[[redis.Redis], None] = lambda _: None,
    application: str = "skye_server.wsgi:app",
) -> Iterator[Place]:
    """Start the API once more, with new workers and a Redis of its own.

    :param fill: called with the empty Redis before the API starts.
    :param application: the API, or a form of it.
    """
    program = find_program()
    assert program is not None
    with tempfile.TemporaryDirectory() as folder, redis_server(program, Path(folder)) as server:
        store = redis.Redis.from_url(server.url)
        fill(store)
        with gunicorn(application, server) as ours:
            yield place._replace(ours=ours, store=store)


def _seat(position: Position, rest: str = "") -> str:
    return f"/v1/games/{position.id}/players/{position.seat}{rest}"


def view(position: Position) -> Request:
    """Return the request for the view of the seat that decides."""
    return Request("GET", f"/v1/games/{position.id}", position.tokens[position.seat])


def _view_again(position: Position) -> Request:
    return view(position)._replace(etag=etag(position.decoded.version, Caller(position.seat)))


def legal(position: Position) -> Request:
    """Return the request for the legal actions of the seat that decides."""
    return Request("GET", _seat(position, "/actions"), position.tokens[position.seat])


def _events(position: Position) -> Request:
    return Request("GET", f"/v1/games/{position.id}/events?after={position.decoded.last_event - 3}")


def stream_of(position: Position) -> Request:
    """Return the request that opens a stream of the game after a position."""
    return Request("GET", f"/v1/games/{position.id}/events/stream?after={position.decoded.last_event}")


def _svg(position: Position) -> Request:
    return Request("GET", _seat(position, "/territory/picture.svg"))


def _create(position: Position) -> Request:
    players = [{"name": f"Player {number}"} for number in range(len(position.tokens))]
    body = {"visibility": "private", "players": players, "auto_start": True}
    return Request("POST", "/v1/games", body=json.dumps(body))


def act(kind: str) -> Callable[[Position], Request]:
    """Return a function that returns the request of the first action of a type."""

    def request(position: Position) -> Request:
        action = position.action(kind)
        assert action is not None
        return position.request_for(action)

    return request


def stored_copies(place: Place, name: str, number: int, round_: int = 4, kind: str = "set_offer") -> Copies:
    """Store a number of games in a round, before an action of a type; return them."""
    copies = Copies(name, find(place.games, round_, kind, last=False), number)
    copies.store(place.store)
    return copies


def read_subjects(place: Place) -> list[Subject]:
    """Return the reads, a creation, and one repeated action."""
    pricing, building = stored_copies(place, "hotp", HOT), stored_copies(place, "hotb", HOT, 4, "place")
    last = stored_copies(place, "hotl", HOT, 6, "take_back")
    many = stored_copies(place, "many", place.plan.copies)
    return [
        Subject("game view", pricing, view, "read", ">= 0.9"),
        Subject("game view, 304", pricing, _view_again, "read", ">= 0.9", answered_like=view),
        Subject("game view, each time another game", many, view, "read", ">= 0.75"),
        Subject("legal actions, building", building, legal, "read"),
        Subject("events poll, the last three", building, _events, "read-log", ">= 0.8"),
        Subject("territory as SVG, round 6", last, _svg, "read", ">= 0.7"),
        Subject("create a game of four", pricing, _create, "create", ">= 0.5"),
        Subject("set prices, again and again", pricing, act("set_offer"), "act", ">= 0.65", changes=True),
    ]


def action_subjects(place: Place) -> list[Subject]:
    """Return each kind of action, sent once to each of many games."""
    kinds = [
        ("set prices", "set_offer", False),
        ("set prices, the last: all are revealed", "set_offer", True),
        ("buy", "buy", False),
        ("place", "place", False),
        (ROUND_END, "finish_building", True),
    ]
    subjects = []
    for name, kind, last in kinds:
        copies = Copies("acts", find(place.games, 4, kind, last=last), place.plan.copies)
        goal = ">= 0.45" if name == ROUND_END else ">= 0.65"
        subjects.append(Subject(name, copies, act(kind), "act", goal, changes=True))
    return subjects


def ours(place: Place, subject: Subject) -> Contender:
    """Return the load of a subject on the API."""
    prepare = (lambda: subject.copies.store(place.store)) if subject.changes else None
    return Contender(place.ours, subject.copies.requests(subject.of), prepare)


def load_rows(
    name: str, seen: Sequence[Load], against: tuple[str, Sequence[Load]], goal: str | None = None
) -> list[Row]:
    """Return the rows of a load: requests per second, CPU time, latencies.

    :param against: the name and the runs of another load, which ran in turn with it.
    """

    def figure(what: str, unit: str, field: str, goal: str | None = None) -> Row:
        other = against[0], [getattr(load, field) for load in against[1]]
        return row(name + what, [getattr(load, field) for load in seen], unit, against=other, goal=goal)

    return [
        figure("", "requests/s", "rate", goal),
        figure(": CPU of the API", "us/request", "cpu"),
        figure(": CPU of Redis", "us/request", "redis_cpu"),
        row(f"{name}: p50", [load.p50 for load in seen], "ms"),
        row(f"{name}: p99", [load.p99 for load in seen], "ms"),
    ]
