"""Enumerations of bug hunts."""

from __future__ import annotations

from typing import Final

from skye.words import Word
from skye_server.contract.fields import Requested, StringEnum, listed

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


class Difficulty(Word):
    """How hard a defect is to find."""

    EASY = "easy", "one request shows it."
    MEDIUM = "medium", "it takes a comparison of two responses, or a boundary."
    HARD = "hard", "it takes a rare state, a sequence or knowledge of the rules."


class DefectDifficulty(StringEnum):
    """How hard a defect is to find.

    There may be new ones.
    """

    requested = Requested(
        "ChosenDifficulty",
        f"How hard a defect is to find; see DefectDifficulty. {listed([*Difficulty])}.",
    )
    choices = Difficulty


_OTHER = "the evidence shows a defect, but another one than the report says."


class Verdict(Word):
    """The verdict on a report."""

    ACCEPTED = "accepted", "a defect of this class at this operation."
    ALREADY_FOUND = "already_found", "one that a report has found before."
    NO_DIFFERENCE = "no_difference", "a correct server sends the same responses."
    OTHER_CLASS = "other_class", _OTHER
    OTHER_OPERATION = "other_operation", _OTHER
    EDITED = (
        "edited",
        (
            "the hunt does not send the recorded responses; those to requests sent together, and to requests "
            "after them, are not compared."
        ),
    )
    NOT_REPRODUCIBLE = "not_reproducible", "two replays on a correct server differ."
    OTHER_HUNT = "other_hunt", "the evidence names another hunt."
    INVALID_EVIDENCE = "invalid_evidence", "it cannot be replayed."
    TOO_SLOW = "too_slow", "the replay takes too long."


class ReportVerdict(StringEnum):
    """What the replay of a report has shown.

    There may be new ones.
    """

    extensible = True
    choices = Verdict


class RecordedMethod(StringEnum):
    """A method of HTTP.

    There will be no others under `/v1`.
    """

    choices = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
    are_listed = True
