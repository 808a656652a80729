"""What is asked of the API: games in real positions, and requests made of them."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import redis

from bench.client import Ask
from bench.load import Contender, Load
from bench.plan import Plan
from bench.positions import Copies, Position, find, played
from bench.rows import Row, row
from bench.servers import Server, gunicorn, redis_server
from service.matches.authorization import Caller
from service.server.server_programs import find_program
from service.web.responses import etag

ROUND_END = "finish building, the last: the round ends"

HOT = 64
"""So many games are asked about over and over, as those are that are being played."""


class Place(NamedTuple):
    """Where it is measured: ours, the ceilings, their Redis, and games played for their positions."""

    plan: Plan
    ours: Server
    theirs: Server
    store: redis.Redis
    games: list[list[Position]]


class Subject(NamedTuple):
    """A request to measure: `of` makes it from a position.

    `calls` are those of its ceiling (see `ceilings`), which answers as ours does, or as ours answers to
    `answered_like`. What can be done only `once` in each game is so: they are put back before each run.
    """

    name: str
    copies: Copies
    of: Callable[[Position], Ask]
    calls: str
    goal: str | None = None
    once: bool = False
    answered_like: Callable[[Position], Ask] | None = None


@contextlib.contextmanager
def place_to_measure(plan: Plan) -> Iterator[Place | None]:
    """Start the servers and play some games; None where there is no Redis."""
    program = find_program()
    if program is None:
        yield None
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        redis_server(program, Path(folder)) as server,
        gunicorn("service.wsgi:app", server) as ours,
        gunicorn("bench.ceilings:app", server) as theirs,
    ):
        store = redis.Redis.from_url(server.url)
        games = [list(played(ours.base, store, 4, seed)) for seed in range(plan.recorded)]
        yield Place(plan, ours, theirs, store, games)


@contextlib.contextmanager
def fresh_place(place: Place) -> Iterator[Place]:
    """Start the same with a Redis of its own, empty, and workers that have served nothing."""
    program = find_program()
    assert program is not None
    with (
        tempfile.TemporaryDirectory() as folder,
        redis_server(program, Path(folder)) as server,
        gunicorn("service.wsgi:app", server) as ours,
    ):
        yield place._replace(ours=ours, store=redis.Redis.from_url(server.url))


def _seat(position: Position, rest: str = "") -> str:
    return f"/v1/games/{position.game}/players/{position.seat}{rest}"


def view(position: Position) -> Ask:
    """Read the game."""
    return Ask("GET", f"/v1/games/{position.game}", position.tokens[position.seat])


def _view_again(position: Position) -> Ask:
    return view(position)._replace(etag=etag(position.stored.version, Caller(position.seat)))


def legal(position: Position) -> Ask:
    """List the legal actions of the seat that decides."""
    return Ask("GET", _seat(position, "/actions"), position.tokens[position.seat])


def _events(position: Position) -> Ask:
    return Ask("GET", f"/v1/games/{position.game}/events?after={position.stored.last_event - 3}")


def _svg(position: Position) -> Ask:
    return Ask("GET", _seat(position, "/territory.svg"))


def _create(position: Position) -> Ask:
    players = [{"name": f"Player {number}"} for number in range(len(position.tokens))]
    return Ask("POST", "/v1/games", body=json.dumps({"private": True, "players": players, "start": True}))


def act(kind: str) -> Callable[[Position], Ask]:
    """Return what makes the first action of a type."""

    def ask(position: Position) -> Ask:
        action = position.action(kind)
        assert action is not None
        return position.asked(action)

    return ask


def hot(place: Place, name: str, round_: int, kind: str) -> Copies:
    """Return a few games in some round, before some kind of action, stored with their logs."""
    copies = Copies(name, find(place.games, round_, kind, last=False), HOT)
    copies.store(place.store)
    return copies


def read_subjects(place: Place) -> list[Subject]:
    """Return the reads, a creation, and one action over and over."""
    pricing, building = hot(place, "hotp", 4, "set_offer"), hot(place, "hotb", 4, "place")
    last = hot(place, "hotl", 6, "take_back")
    many = Copies("many", find(place.games, 4, "set_offer", last=False), place.plan.copies)
    many.store(place.store)
    return [
        Subject("game view", pricing, view, "read", ">= 0.75"),
        Subject("game view, 304", pricing, _view_again, "read", ">= 0.9", answered_like=view),
        Subject("game view, each time another game", many, view, "read", ">= 0.75"),
        Subject("legal actions, pricing", pricing, legal, "read"),
        Subject("legal actions, building", building, legal, "read"),
        Subject("events poll, the last three", building, _events, "read-log"),
        Subject("territory as SVG, round 6", last, _svg, "read"),
        Subject("create a game of four", pricing, _create, "create"),
        Subject("set prices, again and again", pricing, act("set_offer"), "act", ">= 0.65"),
    ]


def action_subjects(place: Place) -> list[Subject]:
    """Return each action of each phase: made once in each of many games, which are put back before a run."""
    kinds = [
        ("set prices", "set_offer", False),
        ("set prices, the last: all are revealed", "set_offer", True),
        ("buy", "buy", False),
        ("pass", "pass", False),
        ("place", "place", False),
        ("take back", "take_back", False),
        ("finish building", "finish_building", False),
        (ROUND_END, "finish_building", True),
    ]
    subjects = []
    for name, kind, last in kinds:
        found = find(place.games, 4, kind, last=last)
        copies = Copies("acts", found, place.plan.copies)
        goal = ">= 0.5" if name == ROUND_END else ">= 0.65"
        subjects.append(Subject(name, copies, act(kind), "act", goal, once=True))
    return subjects


def ours(place: Place, subject: Subject) -> Contender:
    """Return the load of a subject on our API."""
    prepare = (lambda: subject.copies.store(place.store)) if subject.once else None
    return Contender(place.ours, subject.copies.asks(subject.of), prepare)


def load_rows(
    name: str, seen: Sequence[Load], against: tuple[str, Sequence[Load]] | None, goal: str | None = None
) -> list[Row]:
    """Tell of a load: requests per second, latencies, CPU; `against` is another load run in turn with it."""

    def figure(what: str, unit: str, field: str, goal: str | None = None) -> Row:
        other = None if against is None else (against[0], [getattr(load, field) for load in against[1]])
        return row(name + what, [getattr(load, field) for load in seen], unit, against=other, goal=goal)

    return [
        figure("", "requests/s", "rate", goal),
        figure(": CPU of the API", "us/request", "cpu"),
        figure(": CPU of Redis", "us/request", "redis_cpu"),
        row(f"{name}: p50", [load.p50 for load in seen], "ms"),
        row(f"{name}: p99", [load.p99 for load in seen], "ms"),
    ]
