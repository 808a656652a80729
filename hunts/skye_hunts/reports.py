"""Judge reports: replay the evidence with and without defects, and compare."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import permutations
from typing import TYPE_CHECKING, Any, Final

import msgspec

from skye_hunts.comparing import SLOW_S, comparable, differs_from_record
from skye_hunts.defects import DEFECTS
from skye_hunts.enums import Verdict
from skye_hunts.evidence import InvalidEvidence, RecordedRequest, requests_of
from skye_hunts.hunts import Hunt, Judgement
from skye_hunts.replay import Answer, Clock, group_of, replay
from skye_server.contract.objects import json_or_none
from skye_server.cooperative_yield import Slot, client_address
from skye_server.error_codes import Problem
from skye_server.http.framework import collaborators
from skye_server.http.rate_limits import Budget, RateLimiter

if TYPE_CHECKING:
    from skye_hunts.apps import HuntApps

_MAX_REPLAY_S: Final = 20.0
"""How long the replays of a report may take."""

_REPLAYS: Final = Budget("replays", 20_000)
"""How many milliseconds of a minute the replays of an address may take."""

_REPORT_MS: Final = 250
"""What a report costs at least."""

_MAX_WAIT_S: Final = 30.0
_MAX_QUEUED: Final = 8
"""How long a report waits for others, and how many of an address wait."""

_DETAILS: Final = {
    Verdict.ACCEPTED: "A defect of this class, at this operation.",
    Verdict.ALREADY_FOUND: "A report has found this defect before.",
    Verdict.NO_DIFFERENCE: "A server without defects sends the same responses.",
    Verdict.OTHER_CLASS: "The responses differ from those of a server without defects, but no defect of this "
    "class does it.",
    Verdict.OTHER_OPERATION: "A defect of this class shows in the evidence, but in no response of this "
    "operation.",
    Verdict.NOT_REPRODUCIBLE: "Two replays differ: give each game a seed (`options.seed`), and do not use "
    "matchmaking.",
}


class Judge:
    """Judges the reports of a worker, one at a time: addresses take turns, and each has a budget of time."""

    def __init__(self, apps: HuntApps) -> None:
        self.apps = apps
        self._slot = Slot(_MAX_WAIT_S)
        self._limiter = RateLimiter(apps.host.store)

    def __call__(self, hunt: Hunt, report: dict[str, Any], found: set[str]) -> Judgement:
        """Return the verdict on a report.

        :param found: the names of the defects that other reports have found.
        :raises Problem: too_many_requests, server_busy, bad_request, store_unavailable.
        """
        try:
            requests = requests_of(hunt, report["evidence"])
            with self._turn() as seconds:
                replays = Replays(self.apps, self._with_seeds(hunt, requests), seconds)
                with replays:
                    verdict, defect = _verdict(replays, hunt, report, found)
        except InvalidEvidence as error:
            return Judgement(error.verdict, str(error))
        return Judgement(verdict, replays.edited or _DETAILS[verdict], defect)

    @contextmanager
    def _turn(self) -> Iterator[float]:
        """Wait for the turn of the client's address, and charge its budget for the time that is used.

        Yields how long the replays may take, in seconds.

        :raises Problem: server_busy; too_many_requests, when the budget is used up before or during the turn.
        """
        address = client_address()
        self._slot.acquire(address, _MAX_QUEUED)
        try:
            allowance = self._limiter.spend(_REPLAYS, address, _REPORT_MS)
            if not allowance.allowed:
                raise _too_much_time(allowance.wait_s)
            left = (allowance.left + _REPORT_MS) / 1000
            begun = time.monotonic()
            try:
                yield min(_MAX_REPLAY_S, left)
            except InvalidEvidence as error:
                if error.verdict != Verdict.TOO_SLOW or left >= _MAX_REPLAY_S:
                    raise
                raise _too_much_time(math.ceil(_REPLAYS.window_s)) from error
            finally:
                used_ms = round((time.monotonic() - begun) * 1000)
                self._limiter.overdraw(_REPLAYS, address, max(0, used_ms - _REPORT_MS))
        finally:
            self._slot.release()

    def _with_seeds(self, hunt: Hunt, requests: list[RecordedRequest]) -> list[RecordedRequest]:
        """Return requests whose new games have the seeds that the hunt has drawn for them."""
        games = collaborators(self.apps.build(self.apps.store.prefix(hunt.id), ())[0]).games
        seeded = []
        for request in requests:
            if request.method == "POST" and request.path == "/v1/games" and request.response_body:
                with suppress(Problem, RecursionError, KeyError, TypeError, AttributeError):
                    body = json_or_none(request.body or "{}")
                    game_id = json_or_none(request.response_body)["game"]["id"]
                    if not {"record", "position", "scenario"} & body.keys():
                        seed = games.stored.read(game_id).options.seed
                        body["options"] = {"seed": seed, **body.get("options", {})}
                        request = request._replace(body=msgspec.json.encode(body).decode())  # noqa: PLW2901 - the request, seeded
            seeded.append(request)
        return seeded


def _too_much_time(wait_s: int) -> Problem:
    detail = f"The replays of an address may take {_REPLAYS.limit // 1000} seconds of a minute."
    return Problem("too_many_requests", detail, headers={"Retry-After": str(max(1, wait_s))})


class Replays:
    """Replays of the same requests on new copies of a hunt, each with other defects.

    As a context manager, it deletes what the copies have stored.

    :param seconds: how long all replays may take.
    """

    def __init__(
        self, apps: HuntApps, requests: Sequence[RecordedRequest], seconds: float = _MAX_REPLAY_S
    ) -> None:
        self.apps = apps
        self.requests = requests
        self._prefix = apps.store.begin_replay()
        self._number = 0
        self._started_at = time.time()
        self._deadline = time.monotonic() + seconds
        group = group_of(requests)
        self._orders: list[tuple[int, ...] | None] = list(permutations(group)) or [None]
        self.edited: str | None = None

    def __enter__(self) -> Replays:  # noqa: PYI034 - it has no subclasses
        return self

    def __exit__(self, *_: object) -> None:
        self.apps.store.end_replay(self._prefix)

    def run(self, defects: Sequence[str], order: tuple[int, ...] | None = None) -> list[Answer]:
        """Return the responses with defects.

        :raises InvalidEvidence: when the evidence cannot be replayed, or takes too long.
        """
        self._number += 1
        clock = Clock(self._started_at)
        _, app = self.apps.build(f"{self._prefix}{self._number}:", defects, clock)
        return replay(app, self.requests, clock, order=order, deadline=self._deadline)

    def correct(self) -> list[list[dict[str, Any]]] | None:
        """Return the responses of a correct server, in each order of requests that were sent together.

        :returns: None if two replays differ.
        """
        found = []
        for order in self._orders:
            first, second = self.run((), order), self.run((), order)
            fastest = _fastest(first, second)
            if comparable(self.requests, fastest) != comparable(self.requests, _fastest(second, first)):
                return None
            found.append(comparable(self.requests, fastest))
        return found

    def defective(self, defects: Sequence[str]) -> list[Answer]:
        """Return the responses with defects; slow ones are confirmed by a second replay."""
        answers = self.run(defects)
        if any(answer.seconds > SLOW_S for answer in answers):
            return _fastest(answers, self.run(defects))
        return answers

    def differing(self, answers: Sequence[Answer], correct: list[list[dict[str, Any]]]) -> set[int]:
        """Return the numbers of the responses that no order of requests on a correct server explains."""
        found = comparable(self.requests, answers)
        if found in correct:
            return set()
        differing = [
            {number for number, answer in enumerate(found) if answer != other[number]} for other in correct
        ]
        return set.intersection(*differing) or set.union(*differing)


def _fastest(answers: Sequence[Answer], others: Sequence[Answer]) -> list[Answer]:
    """Return the first answers, each with the time of the faster of two."""
    pairs = zip(answers, others, strict=True)
    return [answer._replace(seconds=min(answer.seconds, other.seconds)) for answer, other in pairs]


def _verdict(
    replays: Replays, hunt: Hunt, report: dict[str, Any], found: set[str]
) -> tuple[Verdict, str | None]:
    """Return the verdict on a report, and the defect that it has found."""
    correct = replays.correct()
    if correct is None:
        return Verdict.NOT_REPRODUCIBLE, None
    recorded = replays.defective(hunt.defects)
    # What follows requests that are sent together depends on the order in which the server handles them.
    in_order = min(group_of(replays.requests), default=len(recorded))
    for number, (request, answer) in enumerate(zip(replays.requests[:in_order], recorded, strict=False)):
        if differs_from_record(request, answer):
            replays.edited = f"The hunt does not send the recorded response to request {number + 1}."
            return Verdict.EDITED, None
    if not replays.differing(recorded, correct):
        return Verdict.NO_DIFFERENCE, None
    shown = Verdict.OTHER_CLASS
    for name in hunt.defects:
        if DEFECTS[name].kind != report["kind"]:
            continue
        answers = replays.defective([name])
        differing = replays.differing(answers, correct)
        operations = {
            replays.apps.operation(replays.requests[number].method, answers[number].path)
            for number in differing
        }
        if report["operation"] in operations:
            if name not in found:
                return Verdict.ACCEPTED, name
            shown = Verdict.ALREADY_FOUND
        elif operations and shown == Verdict.OTHER_CLASS:
            shown = Verdict.OTHER_OPERATION
    return shown, None
