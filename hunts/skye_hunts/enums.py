"""Enumerations of bug hunts."""

from __future__ import annotations

from typing import Final

from skye_server.contract.fields import Requested, StringEnum

DEFECT_CLASSES: Final = {
    "contract": "A response that the contract does not allow: a field is missing or has another type, an "
    "undocumented status, another media type.",
    "validation": "A request that the contract does not allow is accepted, or one that it allows is refused.",
    "authorization": "A caller does or reads what only another may.",
    "hidden_information": "A response reveals what the rules or the settings of a game hide from the caller.",
    "concurrency": "A change is lost, or applied to another version than the client named.",
    "idempotency": "A request that is sent again has another effect, or gets another response.",
    "caching": "Headers of HTTP, or what depends on them: validators, caches, `HEAD`.",
    "events": "Events are lost, repeated or out of order, or a client resumes at another event.",
    "rules": "The rules of the game or their scoring are not applied as `GET /docs/rules` says.",
    "state": "Time and effects of earlier requests: deadlines, undo, games that share state, slowness.",
}
"""The classes of defects of bug hunts, with their meanings."""


class DefectClass(StringEnum):
    """A class of defects; see `GET /v1/lab/defects/classes`. There may be new ones."""

    requested = Requested("ChosenDefectClass", "A class of defects; see `GET /v1/lab/defects/classes`.")
    choices = DEFECT_CLASSES


_DIFFICULTIES: Final = ("easy", "medium", "hard")


class DefectDifficulty(StringEnum):
    """How hard a defect is to find.

    `easy`: one request shows it. `medium`: it takes a comparison of two responses, or a boundary. `hard`: it
    takes a rare state, a sequence or knowledge of the rules.

    There may be new ones.
    """

    requested = Requested(
        "ChosenDifficulty", "How hard a defect is to find; see DefectDifficulty. `easy`, `medium` or `hard`."
    )
    choices = _DIFFICULTIES


class ReportVerdict(StringEnum):
    """What the replay of a report has shown.

    `accepted`: a defect of this class at this operation. `already_found`: one that a report has found before.
    `no_difference`: a correct server sends the same responses. `other_class`, `other_operation`: the evidence
    shows a defect, but another one than the report says. `edited`: the hunt does not send the recorded
    responses; those to requests sent together, and to requests after them, are not compared.
    `not_reproducible`: two replays on a correct server differ. `other_hunt`: the evidence names another hunt.
    `invalid_evidence`: it cannot be replayed. `too_slow`: the replay takes too long.

    There may be new ones.
    """

    extensible = True
    choices = (
        "accepted",
        "already_found",
        "no_difference",
        "other_class",
        "other_operation",
        "edited",
        "not_reproducible",
        "other_hunt",
        "invalid_evidence",
        "too_slow",
    )


class RecordedMethod(StringEnum):
    """A method of HTTP: `GET`, `HEAD`, `OPTIONS`, `POST`, `PUT`, `PATCH` or `DELETE`.

    There will be no others under `/v1`.
    """

    choices = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
