"""Bug hunts of a lab server: the API with known defects, which testers look for and report.

A hunt has an API of its own (`skye_hunts.apps`). Its id is its credential, as testers share it; what
ends it, and shows what the testers look for, needs its key.
"""

from __future__ import annotations

import hmac
import random
import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import msgspec

from skye_hunts.enums import DEFECT_CLASSES, Difficulty, Verdict
from skye_hunts.store import HuntStore
from skye_server.commands.attempts import id_from
from skye_server.error_codes import Problem
from skye_server.games.authorization import hash_token
from skye_server.games.views.game import timestamp

HUNT_TTL_S: Final = 86_400
MAX_HUNTS: Final = 500
"""How many hunts a server has at once."""

MAX_REPORTS: Final = 1_000
"""How many reports a hunt takes."""

HUNTS_PATH: Final = "/v1/lab/hunts"
_KEY_PREFIX: Final = "skye_hunt_"

_CORRECT: Final = (Verdict.ACCEPTED, Verdict.ALREADY_FOUND)
"""The verdicts on reports that name a defect of the hunt."""


@dataclass(frozen=True, slots=True)
class Defect:
    """A known defect, and how it is shown.

    :param kind: its class, one of `DEFECT_CLASSES`.
    :param operation: the operation whose response shows it.
    :param changes: the operations whose views it wraps.
    :param wrapper: the wrapper of these views (`skye_hunts.seams`).
    :param breaks: the sentence of the contract or of the rules that it breaks.
    :param witness: the requests that show it, in the form of a report's evidence; the last response shows it.
    :param shows: the part of that response that differs from a correct one: `status`, `slow`, a header after
        `header:`, or a JSON pointer into the body; empty for all of the body.
    """

    name: str
    kind: str
    difficulty: Difficulty
    operation: str
    changes: Sequence[str]
    wrapper: Callable[..., Any]
    breaks: str
    witness: Sequence[dict[str, Any]]
    shows: str


class Hunt(msgspec.Struct, frozen=True):
    """A hunt, as it is stored.

    :param key: the hash of the key that reveals it.
    :param copy_of: the hunt of which it has the defects.
    :param revealed_ms: when it was revealed, None before.
    """

    id: str
    name: str
    key: str
    copy_of: str | None
    seed: str
    defects: list[str]
    opened_ms: int
    revealed_ms: int | None = None

    @property
    def expires_ms(self) -> int:
        """When the hunt expires."""
        return self.opened_ms + 1000 * HUNT_TTL_S

    @property
    def api(self) -> str:
        """The path under which its API is."""
        return f"{HUNTS_PATH}/{self.id}/api"


class Judgement(NamedTuple):
    """What the replay of a report has shown: the defect, if it shows one, and the verdict."""

    verdict: Verdict
    detail: str
    defect: str | None = None


class Report(msgspec.Struct, frozen=True):
    """A report of a hunt, as it is stored."""

    at_ms: int
    operation: str
    kind: str
    verdict: Verdict
    defect: str | None


class Hunts:
    """The bug hunts of a store.

    :param defects: all defects by their names.
    :param judge: replays the evidence of a report about a hunt.
    :param clock: the real clock, in seconds since 1970.
    """

    def __init__(
        self,
        store: HuntStore,
        defects: Mapping[str, Defect],
        judge: Callable[[Hunt, dict[str, Any], set[str]], Judgement],
        clock: Callable[[], float],
    ) -> None:
        self._store = store
        self._defects = defects
        self.judge = judge
        self._clock = clock

    def open(self, body: dict[str, Any]) -> dict[str, Any]:
        """Open a hunt, or a copy of one, and return its view with its key.

        :raises Problem: hunt_not_found, hunt_ended, too_many_hunts, store_unavailable.
        """
        original = self.running(body["copy_of"]) if body["copy_of"] else None
        if self._store.number() >= MAX_HUNTS:
            raise Problem("too_many_hunts")
        seed = body.get("seed") or secrets.token_hex(8)
        key = _KEY_PREFIX + secrets.token_urlsafe(16)
        hunt = Hunt(
            id=id_from(secrets.token_bytes(12)),
            name=body["name"],
            key=hash_token(key) if original is None else original.key,
            copy_of=None if original is None else original.copy_of or original.id,
            seed=seed if original is None else "",
            defects=self._chosen(body, seed) if original is None else original.defects,
            opened_ms=self._now_ms(),
        )
        self._put(hunt)
        return self.view(hunt) | {"key": None if original else key, "seed": hunt.seed or None}

    def _chosen(self, body: dict[str, Any], seed: str) -> list[str]:
        """Return the names of the defects of a new hunt: the same for the same seed and choices."""
        found = [
            name
            for name, defect in sorted(self._defects.items())
            if (not body["classes"] or defect.kind in body["classes"])
            and body["difficulty"] in (None, defect.difficulty)
        ]
        number = min(body["count"], len(found))
        return sorted(random.Random(seed).sample(found, number))  # noqa: S311 - the same for a class

    def hunt(self, hunt_id: str) -> Hunt:
        """Return a hunt.

        :raises Problem: hunt_not_found, store_unavailable.
        """
        stored = self._store.hunt(hunt_id)
        if stored is None:
            raise Problem("hunt_not_found")
        return msgspec.json.decode(stored, type=Hunt)

    def running(self, hunt_id: str) -> Hunt:
        """Return a hunt that has not been revealed.

        :raises Problem: hunt_not_found, hunt_ended, store_unavailable.
        """
        hunt = self.hunt(hunt_id)
        if hunt.revealed_ms is not None:
            raise Problem("hunt_ended")
        return hunt

    def view(self, hunt: Hunt) -> dict[str, Any]:
        """Return a hunt as JSON, without its defects."""
        return {
            "id": hunt.id,
            "name": hunt.name,
            "api": hunt.api,
            "contract": f"{hunt.api}/openapi.yaml",
            "copy_of": hunt.copy_of,
            "defects": len(hunt.defects),
            "opened_at": timestamp(hunt.opened_ms),
            "expires_at": timestamp(hunt.expires_ms),
            "revealed_at": None if hunt.revealed_ms is None else timestamp(hunt.revealed_ms),
        }

    def report(self, hunt_id: str, body: dict[str, Any]) -> dict[str, Any]:
        """Replay the evidence of a report, store its verdict, and return it.

        :raises Problem: hunt_not_found, hunt_ended, too_many_reports, invalid_body, store_unavailable.
        """
        hunt = self.running(hunt_id)
        judgement = None
        while True:
            reports = self._reports(hunt)
            if len(reports) >= MAX_REPORTS:
                raise Problem("too_many_reports")
            if judgement is None or judgement.defect in _found(reports):
                judgement = self.judge(hunt, body, _found(reports))
            verdict, detail, defect = judgement
            report = Report(self._now_ms(), body["operation"], body["kind"], verdict, defect)
            if self._store.add_report(hunt.id, msgspec.json.encode(report), len(reports), self._ttl_s(hunt)):
                return {
                    "accepted": verdict == Verdict.ACCEPTED,
                    "verdict": verdict,
                    "detail": detail,
                    "score": self.score(hunt),
                }

    def score(self, hunt: Hunt) -> dict[str, Any]:
        """Return what has been found in a hunt, how many defects are left in each class, and the time.

        :raises Problem: store_unavailable.
        """
        reports = self._reports(hunt)
        accepted = [report for report in reports if report.verdict == Verdict.ACCEPTED]
        left = Counter(self._defects[name].kind for name in set(hunt.defects) - _found(reports))
        until = accepted[-1].at_ms if accepted and not left else hunt.revealed_ms or self._now_ms()
        return {
            "hunt": hunt.id,
            "name": hunt.name,
            "defects": len(hunt.defects),
            "found": [self._found_view(hunt, report) for report in accepted],
            "left": [{"class": kind, "defects": left[kind]} for kind in DEFECT_CLASSES if left[kind]],
            "false_reports": sum(report.verdict not in _CORRECT for report in reports),
            "seconds": max(0, until - hunt.opened_ms) // 1000,
        }

    def _found_view(self, hunt: Hunt, report: Report) -> dict[str, Any]:
        assert report.defect is not None
        return {
            "class": report.kind,
            "operation": report.operation,
            "difficulty": self._defects[report.defect].difficulty,
            "seconds": (report.at_ms - hunt.opened_ms) // 1000,
        }

    def scores(self, hunt_id: str, key: str | None) -> list[dict[str, Any]]:
        """Return the scores of a hunt and of its copies.

        :raises Problem: hunt_not_found, hunt_key_required, store_unavailable.
        """
        hunt = self._with_key(hunt_id, key)
        names = [hunt.id, *self._store.copies(hunt.id)]
        stored = [found for name in names if (found := self._store.hunt(name)) is not None]
        return [self.score(msgspec.json.decode(found, type=Hunt)) for found in stored]

    def reveal(self, hunt_id: str, key: str | None) -> dict[str, Any]:
        """End a hunt, delete what its API has stored, and return its defects.

        :raises Problem: hunt_not_found, hunt_key_required, store_unavailable.
        """
        hunt = self._with_key(hunt_id, key)
        if hunt.revealed_ms is None:
            hunt = msgspec.structs.replace(hunt, revealed_ms=self._now_ms())
            self._put(hunt)
        self._store.delete_below(self._store.prefix(hunt.id))
        found = _found(self._reports(hunt))
        defects = [self._revealed(name, is_found=name in found) for name in hunt.defects]
        return {"score": self.score(hunt), "defects": defects}

    def _revealed(self, name: str, *, is_found: bool) -> dict[str, Any]:
        defect = self._defects[name]
        return {
            "name": name,
            "class": defect.kind,
            "difficulty": defect.difficulty,
            "operation": defect.operation,
            "breaks": defect.breaks,
            "found": is_found,
            "evidence": list(defect.witness),
        }

    def _with_key(self, hunt_id: str, key: str | None) -> Hunt:
        hunt = self.hunt(hunt_id)
        if key is None or not hmac.compare_digest(hash_token(key), hunt.key):
            raise Problem("hunt_key_required")
        return hunt

    def _reports(self, hunt: Hunt) -> list[Report]:
        return [msgspec.json.decode(report, type=Report) for report in self._store.reports(hunt.id)]

    def _put(self, hunt: Hunt) -> None:
        self._store.put(hunt.id, msgspec.json.encode(hunt), self._ttl_s(hunt), hunt.copy_of)

    def _ttl_s(self, hunt: Hunt) -> int:
        return max(1, (hunt.expires_ms - self._now_ms()) // 1000)

    def _now_ms(self) -> int:
        return int(self._clock() * 1000)


def _found(reports: Sequence[Report]) -> set[str]:
    """Return the names of the defects that reports have found."""
    accepted = [report.defect for report in reports if report.verdict is Verdict.ACCEPTED]
    return {defect for defect in accepted if defect is not None}
