"""The API: gunicorn as deployed on a real Redis, each request beside what the stack itself can do.

The load comes from `wrk` (Debian has it), one thread and 16 connections that stay open; without it from a
client of our own. Requests per second depend on what else the machine does; the CPU time per request, in the
next column, depends on it far less.
"""

from __future__ import annotations

from bench.boardgame_io import boardgame_io_rows
from bench.compared import decision_rows, pace_rows, player_rows, round_rows
from bench.load import Contender
from bench.plan import Plan
from bench.positions import answer_to
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
        rows += [*round_rows(place), *player_rows(place), *decision_rows(place), *pace_rows(place)]
    return [*rows, *boardgame_io_rows(plan)]


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
