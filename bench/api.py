"""The API: gunicorn as deployed on a real Redis; each request is compared with a ceiling of the stack.

The load comes from `wrk` (a Debian package) with one thread and 16 persistent connections; without `wrk`,
from `bench.client`. Requests per second depend on other work of the machine, CPU time per request much less.
"""

from __future__ import annotations

from bench.boardgame_io import boardgame_io_rows
from bench.compared import decision_rows, hunt_rows, key_rows, pace_rows, player_rows, round_rows
from bench.load import Contender
from bench.plan import Plan
from bench.positions import fetch
from bench.rows import Row, in_turn, row
from bench.subjects import (
    Place,
    Subject,
    action_subjects,
    load_rows,
    ours,
    place_to_measure,
    read_subjects,
)

CEILING = "Flask + the same calls of Redis"


def api_rows(plan: Plan) -> list[Row]:
    """Measure the API."""
    with place_to_measure(plan) as place:
        if place is None:
            return [Row("the API", None, "requests/s", "no redis-server: not measured")]
        rows = []
        for subject in [*read_subjects(place), *action_subjects(place)]:
            rows += beside_ceilings(place, subject)
        rows += [
            *round_rows(place),
            *player_rows(place),
            *decision_rows(place),
            *hunt_rows(place),
            *key_rows(place),
            *pace_rows(place),
        ]
    return [*rows, *boardgame_io_rows(plan)]


def beside_ceilings(place: Place, subject: Subject) -> list[Row]:
    """Measure a request in turn with two ceilings: the same Redis commands, and none."""
    subject.copies.store(place.store)
    name = subject.name
    contenders = {name: ours(place, subject)}
    slug = _store_response(place, subject)
    for calls in (subject.calls, "bare"):
        paths = [f"/{calls}/{slug}/{game}" for game in subject.copies.ids]
        requests = [
            request._replace(path=path)
            for request, path in zip(contenders[name].requests, paths, strict=True)
        ]
        contenders[calls] = Contender(place.theirs, requests)
    loads = in_turn({name: each.runner(place.plan) for name, each in contenders.items()}, place.plan.runs)
    rates = {each: [load.rate for load in seen] for each, seen in loads.items()}
    against = (CEILING, loads[subject.calls])
    beside = ("bare Flask, the same bytes", rates["bare"])
    return [
        *load_rows(name, loads[name], against, subject.goal),
        row(f"{name}: beside bare Flask", rates[name], "requests/s", against=beside),
        row(f"{name}: its ceiling", rates[subject.calls], "requests/s", against=beside),
    ]


def _store_response(place: Place, subject: Subject) -> str:
    """Store a response of the API that the ceilings return; return its name."""
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
