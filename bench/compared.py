"""Comparisons of requests: by round, by number of players, without bug hunts, and latencies at a rate."""

from __future__ import annotations

import time
from collections.abc import Sequence

from msgspec.structs import replace

from bench.client import Request, drive, load_of
from bench.load import Contender, Load
from bench.positions import Copies, Position, find, played
from bench.rows import Row, in_turn, row
from bench.subjects import HOT, Place, Subject, act, hot, legal, load_rows, ours, view
from skye_server.games.authorization import hash_player_key
from skye_server.games.game import Game

SHARE = 0.7
"""The share of the maximum rate at which latencies are measured."""

_PLAIN = "set prices, without player keys and deadline"
_TIMED = "set prices, with player keys and a deadline"
_TURN_MS = 86_400_000

_ONE = "a decision with `include=actions`, one request"
_TWO = "a decision, two requests"


def round_rows(place: Place) -> list[Row]:
    """Compare the last round with the first."""
    rows = []
    for name, kind, of, once in (
        ("game view", "set_offer", view, False),
        ("legal actions, building", "place", legal, False),
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


def player_rows(place: Place) -> list[Row]:
    """Compare games of two to five players."""
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


def hunt_rows(place: Place) -> list[Row]:
    """Compare requests to the API, on a server that is no lab, with an API without the code of bug hunts."""
    copies = hot(place, "hunts", 4, "set_offer")
    rows = []
    for name, of in (("game view", view), ("set prices, again and again", act("set_offer"))):
        here, without = f"{name}, bug hunts off", f"{name}, without the code of bug hunts"
        servers = {without: place.without_hunts, here: place.ours}
        requests = copies.requests(of)
        runners = {title: Contender(server, requests).runner(place.plan) for title, server in servers.items()}
        loads = in_turn(runners, place.plan.runs)
        cpu = {title: [load.cpu for load in seen] for title, seen in loads.items()}
        rows.append(load_rows(here, loads[here], (without, loads[without]))[0])
        against = (without, cpu[without])
        rows.append(row(f"{here}: CPU of the API", cpu[here], "us/request", against=against))
    return rows


def decision_rows(place: Place) -> list[Row]:
    """Compare decisions of one request (`include=actions`) with those that also list the legal actions."""
    pricing = hot(place, "decisions", 4, "set_offer")
    acts, lists = pricing.requests(act("set_offer")), pricing.requests(legal)
    requests = {
        _ONE: [request._replace(path=f"{request.path}?include=actions") for request in acts],
        _TWO: [request for pair in zip(acts, lists, strict=True) for request in pair],
    }
    requests_per_decision = {_ONE: 1, _TWO: 2}
    runners = {name: Contender(place.ours, each).runner(place.plan) for name, each in requests.items()}
    loads = in_turn(runners, place.plan.runs)
    rows = []
    for what, unit, field in (("", "decisions/s", "rate"), (": CPU of the API", "us/decision", "cpu")):
        taken = {
            name: [
                getattr(load, field) * requests_per_decision[name] ** (1 if field == "cpu" else -1)
                for load in seen
            ]
            for name, seen in loads.items()
        }
        rows.append(row(_TWO + what, taken[_TWO], unit))
        rows.append(row(_ONE + what, taken[_ONE], unit, against=(_TWO, taken[_TWO])))
    return rows


def key_rows(place: Place) -> list[Row]:
    """Compare an action in games of player keys with a deadline with one in games of tokens without."""
    positions = find(place.games, 4, "set_offer", last=False)
    subjects = {}
    of_token = act("set_offer")
    for name, changed, of in ((_PLAIN, lambda game: game, of_token), (_TIMED, _with_keys, _by_key)):
        copies = Copies(f"keyed{len(subjects)}", positions, HOT, changed)
        copies.store(place.store)
        subjects[name] = Subject("", copies, of, "")
    return _compared(place, subjects, _PLAIN, "<= 1.1")


def _with_keys(game: Game) -> Game:
    """Return a game whose seats belong to players and which has a deadline."""
    seats = tuple(
        replace(seat, player=hash_player_key(_key(number))) for number, seat in enumerate(game.seats)
    )
    options = replace(game.options, turn_ms=_TURN_MS)
    return replace(game, seats=seats, options=options, deadline_ms=round(time.time() * 1000) + _TURN_MS)


def _by_key(position: Position) -> Request:
    """Return the action of a position, sent with the player key of its seat."""
    return act("set_offer")(position)._replace(token=_key(position.seat))


def _key(seat: int) -> str:
    return f"skye_key_{seat:022}"


def _compared(place: Place, subjects: dict[str, Subject], with_: str, goal: str | None) -> list[Row]:
    """Compare requests with one of them: time at full load, and CPU time."""
    contenders = {name: ours(place, subject).runner(place.plan) for name, subject in subjects.items()}
    loads = in_turn(contenders, place.plan.runs)
    taken = {name: [1e6 / load.rate for load in seen] for name, seen in loads.items()}
    rows = []
    for name, seen in loads.items():
        other, mark = (None, None) if name == with_ else ((with_, taken[with_]), goal)
        rows.append(row(f"{name}: time", taken[name], "us/request", against=other, goal=mark))
        rows.append(load_rows(name, seen, None if other is None else (with_, loads[with_]))[1])
    return rows


def pace_rows(place: Place) -> list[Row]:
    """Measure latencies at a share of the maximum rate, with equal and random gaps; compare p99 with p50."""
    pricing = hot(place, "pace", 4, "set_offer")
    reads, acts = pricing.requests(view), pricing.requests(act("set_offer"))
    mixed = [
        request for four in zip(reads, pricing.requests(legal), acts, reads, strict=True) for request in four
    ]
    rows = []
    for name, requests in (
        ("game view", reads),
        ("set prices", acts),
        ("play: an action to three reads", mixed),
    ):
        for gaps, goal in (("evenly", "<= 5"), ("at random", None)):
            seen = [
                _paced(place, requests, random_gaps=gaps != "evenly") for _ in range(min(3, place.plan.runs))
            ]
            title = f"{name}, {SHARE:.0%} load {gaps}"
            half = [load.p50 for load in seen]
            rows.append(row(f"{title}: p50", half, "ms"))
            p99 = [load.p99 for load in seen]
            rows.append(row(f"{title}: p99", p99, "ms", against=("its p50", half), goal=goal))
    return rows


def _paced(place: Place, requests: Sequence[Request], *, random_gaps: bool) -> Load:
    """Measure the maximum rate of this client, then the latencies at a share of it."""
    seconds = place.plan.paced_seconds
    most = load_of(drive(place.ours.base, requests, seconds / 2)).rate
    seen = load_of(drive(place.ours.base, requests, seconds, rate=SHARE * most, random_gaps=random_gaps))
    return Load(*seen, 0.0, 0.0)
