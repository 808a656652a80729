"""The API: gunicorn as deployed on a real Redis, each request beside what the stack itself can do.

The load comes from `wrk` (Debian has it), one thread and 16 connections that stay open; without it from a
client of our own. Requests a second depend on what else the machine does; the CPU time a request takes, which
is told beside them, depends on it far less.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import redis

from bench.client import Ask, drive, load_of
from bench.load import Contender, Load
from bench.plan import Plan
from bench.positions import Copies, Position, answer_to, find, played
from bench.rows import Row, in_turn, row
from bench.servers import Server, gunicorn, redis_server
from service.embedded import find_program

HOT = 64
"""So many games are asked about over and over, as those are that are being played."""

CEILING = "Flask + the same calls of Redis"

SHARE = 0.7
"""How much of what a server can bear is offered when latencies are compared."""


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


def api_rows(plan: Plan) -> list[Row]:
    """Measure the API."""
    with place_to_measure(plan) as place:
        if place is None:
            return [Row("the API", None, "requests/s", "no redis-server: not measured")]
        rows = []
        for subject in [*read_subjects(place), *action_subjects(place)]:
            rows += beside_ceilings(place, subject)
        return [*rows, *_round_rows(place), *_player_rows(place), *_pace_rows(place)]


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


def _seat(position: Position, rest: str = "") -> str:
    return f"/v1/games/{position.game}/players/{position.seat}{rest}"


def view(position: Position) -> Ask:
    """Read the game."""
    return Ask("GET", f"/v1/games/{position.game}", position.tokens[position.seat])


def _view_again(position: Position) -> Ask:
    return view(position)._replace(etag=f'"{position.stored.version}"')


def _legal(position: Position) -> Ask:
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
        Subject("legal actions, pricing", pricing, _legal, "read"),
        Subject("legal actions, building", building, _legal, "read"),
        Subject("events poll, the last three", building, _events, "read-log"),
        Subject("territory as SVG, round 6", last, _svg, "read"),
        Subject("create a game of four", pricing, _create, "create"),
        Subject("set prices, again and again", pricing, act("set_offer"), "act", ">= 0.6"),
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
        ("finish building, the last: the round ends", "finish_building", True),
    ]
    subjects = []
    for name, kind, last in kinds:
        found = find(place.games, 4, kind, last=last)
        copies = Copies("acts", found, place.plan.copies)
        subjects.append(Subject(name, copies, act(kind), "act", ">= 0.6", once=True))
    return subjects


def ours(place: Place, subject: Subject) -> Contender:
    """Return the load of a subject on our API."""
    prepare = (lambda: subject.copies.store(place.store)) if subject.once else None
    return Contender(place.ours, subject.copies.asks(subject.of), prepare)


def beside_ceilings(place: Place, subject: Subject) -> list[Row]:
    """Measure a request in turn with what makes the same calls, and with what makes none."""
    subject.copies.store(place.store)
    name = subject.name
    contenders = {name: ours(place, subject)}
    slug = _keep_answer(place, subject)
    for calls in (subject.calls, "bare"):
        paths = [f"/{calls}/{slug}/{game}" for game in subject.copies.ids]
        asks = [ask._replace(path=path) for ask, path in zip(contenders[name].asks, paths, strict=True)]
        contenders[calls] = Contender(place.theirs, asks)
    loads = in_turn({name: each.runner(place.plan) for name, each in contenders.items()}, place.plan.runs)
    rates = {each: [load.rate for load in seen] for each, seen in loads.items()}
    against = (CEILING, loads[subject.calls])
    beside = ("bare Flask, the same bytes", rates["bare"])
    return [
        *load_rows(name, loads[name], against, subject.goal),
        row(f"{name}: beside bare Flask", rates[name], "requests/s", against=beside),
        row(f"{name}: its ceiling", rates[subject.calls], "requests/s", against=beside),
    ]


def _keep_answer(place: Place, subject: Subject) -> str:
    """Store an answer of ours for the ceilings to give; return its name."""
    slug = "".join(letter if letter.isalnum() else "-" for letter in subject.name)
    ask = subject.copies.asks(subject.answered_like or subject.of)[0]
    with answer_to(place.ours.base, ask) as answer:
        kept = {"status": answer.status, "type": answer.headers["Content-Type"], "body": answer.read()}
    place.store.hset(f"bench:answer:{slug}", mapping=kept)
    return slug


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


def _round_rows(place: Place) -> list[Row]:
    """Compare the last round with the first."""
    rows = []
    for name, kind, of, once in (
        ("game view", "set_offer", view, False),
        ("legal actions, building", "place", _legal, False),
        ("set prices", "set_offer", act("set_offer"), True),
        ("place", "place", act("place"), True),
    ):
        subjects = {}
        for round_ in (1, 6):
            positions = find(place.games, round_, kind, last=False)
            copies = Copies(f"round{round_}", positions, place.plan.copies)
            copies.store(place.store)
            subjects[f"{name}, round {round_}"] = Subject("", copies, of, "", once=once)
        rows += _compared(place, subjects, f"{name}, round 1", "<= 1.3")
    return rows


def _player_rows(place: Place) -> list[Row]:
    """Compare games of two to five."""
    rows = []
    games = {n: [list(played(place.ours.base, place.store, n, 99))] for n in (2, 3, 5)} | {4: place.games}
    for name, of, once in (("game view", view, False), ("set prices", act("set_offer"), True)):
        subjects = {}
        for number in sorted(games):
            positions = find(games[number], 4, "set_offer", last=False)
            copies = Copies(f"n{number}", positions, place.plan.copies)
            copies.store(place.store)
            subjects[f"{name}, {number} players"] = Subject("", copies, of, "", once=once)
        rows += _compared(place, subjects, f"{name}, 4 players", None)
    return rows


def _compared(place: Place, subjects: dict[str, Subject], with_: str, goal: str | None) -> list[Row]:
    """Tell what requests take beside one of them: by the clock under full load, and of CPU."""
    contenders = {name: ours(place, subject).runner(place.plan) for name, subject in subjects.items()}
    loads = in_turn(contenders, place.plan.runs)
    taken = {name: [1e6 / load.rate for load in seen] for name, seen in loads.items()}
    rows = []
    for name, seen in loads.items():
        other, mark = (None, None) if name == with_ else ((with_, taken[with_]), goal)
        rows.append(row(f"{name}: time", taken[name], "us/request", against=other, goal=mark))
        rows.append(load_rows(name, seen, None if other is None else (with_, loads[with_]))[1])
    return rows


def _pace_rows(place: Place) -> list[Row]:
    """Offer a share of what the API can bear, evenly and at random, and compare p99 with p50."""
    pricing = hot(place, "pace", 4, "set_offer")
    reads, acts = pricing.asks(view), pricing.asks(act("set_offer"))
    legal = pricing.asks(_legal)
    mixed = [ask for four in zip(reads, legal, acts, reads, strict=True) for ask in four]
    rows = []
    for name, asks in (("game view", reads), ("set prices", acts), ("play: an action to three reads", mixed)):
        for gaps, goal in (("evenly", "<= 5"), ("at random", None)):
            seen = [_paced(place, asks, random_gaps=gaps != "evenly") for _ in range(min(3, place.plan.runs))]
            title = f"{name}, {SHARE:.0%} load {gaps}"
            half = [load.p50 for load in seen]
            rows.append(row(f"{title}: p50", half, "ms"))
            p99 = [load.p99 for load in seen]
            rows.append(row(f"{title}: p99", p99, "ms", against=("its p50", half), goal=goal))
    return rows


def _paced(place: Place, asks: Sequence[Ask], *, random_gaps: bool) -> Load:
    """Find out what the API can bear from this client, then offer it a share of that."""
    seconds = place.plan.paced_seconds
    most = load_of(drive(place.ours.base, asks, seconds / 2)).rate
    seen = load_of(drive(place.ours.base, asks, seconds, rate=SHARE * most, random_gaps=random_gaps))
    return Load(*seen, 0.0, 0.0)
