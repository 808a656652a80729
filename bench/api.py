"""The API: gunicorn as deployed on a real Redis, beside fixed ceilings of the stack and boardgame.io.

Requests per second depend on other work of the machine, CPU time per request much less.
"""

from __future__ import annotations

from bench.boardgame_io import NAME, move_runners, not_installed
from bench.load import Contender
from bench.plan import Plan
from bench.positions import fetch
from bench.rows import Row, in_turn, row
from bench.subjects import (
    HOT,
    Place,
    Subject,
    act,
    action_subjects,
    load_rows,
    ours,
    place_to_measure,
    read_subjects,
    stored_copies,
)

CEILING = "its fixed ceiling"


def api_rows(plan: Plan) -> list[Row]:
    """Measure the API."""
    with place_to_measure(plan) as place:
        if place is None:
            return [Row("the API", None, "requests/s", "no redis-server or no wrk: not measured")]
        rows = []
        for subject in [*read_subjects(place), *action_subjects(place)]:
            rows += beside_ceiling(place, subject)
        return [*rows, *boardgame_io_rows(place)]


def beside_ceiling(place: Place, subject: Subject) -> list[Row]:
    """Measure a request in turn with its ceiling."""
    subject.copies.store(place.store)
    contender = ours(place, subject)
    slug = _store_response(place, subject)
    requests = [
        request._replace(path=f"/{subject.calls}/{slug}/{game}")
        for request, game in zip(contender.requests, subject.copies.ids, strict=True)
    ]
    contenders = {subject.name: contender, CEILING: Contender(place.theirs, requests)}
    loads = in_turn({name: each.runner(place.plan) for name, each in contenders.items()}, place.plan.runs)
    return load_rows(subject.name, loads[subject.name], (CEILING, loads[CEILING]), subject.goal)


def _store_response(place: Place, subject: Subject) -> str:
    """Store a response of the API that the ceiling returns; return its name."""
    slug = "".join(letter if letter.isalnum() else "-" for letter in subject.name)
    request = subject.copies.requests(subject.answered_like or subject.of)[0]
    with fetch(place.ours.base, request) as received:
        response = {
            "status": received.status,
            "type": received.headers["Content-Type"],
            "body": received.read(),
        }
    place.store.hset(f"bench:answer:{slug}", mapping=response)
    return slug


def boardgame_io_rows(place: Place) -> list[Row]:
    """Measure an action in turn with the moves of boardgame.io, with its matches in memory and in files."""
    if (reason := not_installed()) is not None:
        return [Row(f"{NAME}: a move", None, "moves/s", reason)]
    copies = stored_copies(place, "move", HOT)
    action = "an action beside boardgame.io"
    contender = ours(place, Subject(action, copies, act("set_offer"), changes=True)).runner(place.plan)
    moves = in_turn({action: contender, **move_runners(place.plan)}, place.plan.runs)
    with_redis = [load.cpu + load.redis_cpu for load in moves.pop(action)]
    rows = []
    for (name, seen), goal in zip(moves.items(), ("<= 2.5", "<= 0.25"), strict=True):
        theirs = [each.cpu for each in seen]
        rows.append(row(f"{name}: moves", [each.rate for each in seen], "moves/s"))
        rows.append(row(f"{name}: CPU of its server", theirs, "us/move"))
        against = name, theirs
        rows.append(row(f"{action}: CPU with Redis", with_redis, "us/request", against=against, goal=goal))
    return rows
