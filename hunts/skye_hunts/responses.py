"""The responses of bug hunts."""

from collections.abc import Sequence
from typing import Annotated, TypeAlias, TypedDict

from skye.fields import Component, Count, Keywords
from skye_hunts.enums import Difficulty, Verdict
from skye_hunts.requests import MAX_DEFECTS, MAX_EVIDENCE, MAX_RECORDED_TEXT
from skye_server.games.views.fields import Timestamp

_Class: TypeAlias = Annotated[str, Component("DefectClass"), "The class."]
_Difficulty: TypeAlias = Annotated[Difficulty, "The difficulty."]
_Text: TypeAlias = Annotated[str, Keywords(maxLength=500)]
_Operation: TypeAlias = Annotated[str, Keywords(maxLength=60), "The `operationId` of the operation."]
_HuntId: TypeAlias = Annotated[str, Keywords(maxLength=256), "The id of the hunt."]
_HuntName: TypeAlias = Annotated[str, Keywords(maxLength=40), "The name of the hunt."]
_Defects: TypeAlias = Annotated[Count, Keywords(maximum=MAX_DEFECTS), "The number of defects."]
_Seconds: TypeAlias = Annotated[Count, "The seconds since the hunt was opened."]
_Bytes: TypeAlias = Annotated[str, Keywords(maxLength=MAX_RECORDED_TEXT)]

DescribedDefectClass = TypedDict(
    "DescribedDefectClass",
    {"class": _Class, "description": Annotated[_Text, "The meaning of the class."]},
)
DescribedDefectClass.__doc__ = "A class of defects."


class DefectClassList(TypedDict):
    """The classes of defects."""

    classes: Annotated[
        Sequence[DescribedDefectClass],
        Keywords(maxItems=100),
        "The classes.",
    ]


class BugHunt(TypedDict):
    """A bug hunt."""

    id: _HuntId
    name: _HuntName
    api: Annotated[_Text, "The path under which the API of the hunt is."]
    contract: Annotated[_Text, "The path of its contract, which is that of a server without defects."]
    copy_of: Annotated[_HuntId | None, "The hunt whose defects it has; null if it is no copy."]
    defects: _Defects
    opened_at: Annotated[Timestamp, "When it was opened."]
    expires_at: Annotated[Timestamp, "When it expires, with all its games."]
    revealed_at: Annotated[Timestamp | None, "When it was revealed; null before."]


class OpenedBugHunt(BugHunt):
    """A bug hunt that was just opened, with its key."""

    key: Annotated[
        str | None,
        Keywords(maxLength=256),
        "The key that reveals the hunt and its copies, and exports their scores; the server shows it only "
        "here. Null for a copy.",
    ]
    seed: Annotated[str | None, Keywords(maxLength=100), "The seed of the defects; null for a copy."]


FoundDefect = TypedDict(
    "FoundDefect",
    {"class": _Class, "operation": _Operation, "difficulty": _Difficulty, "seconds": _Seconds},
)
FoundDefect.__doc__ = "A defect that a report has found."

DefectsLeft = TypedDict("DefectsLeft", {"class": _Class, "defects": _Defects})
DefectsLeft.__doc__ = "How many defects of a class no report has found."


class HuntScore(TypedDict):
    """The score of a hunt."""

    hunt: _HuntId
    name: _HuntName
    defects: _Defects
    found: Annotated[Sequence[FoundDefect], Keywords(maxItems=MAX_DEFECTS), "The defects that were found."]
    left: Annotated[Sequence[DefectsLeft], Keywords(maxItems=100), "The defects that are left, by class."]
    false_reports: Annotated[Count, "How many reports were rejected, other than as found already."]
    seconds: Annotated[Count, "The seconds from the opening to the last defect, to the reveal, or to now."]


class ReportResult(TypedDict):
    """The result of a report."""

    accepted: Annotated[bool, "Whether the report has found a defect."]
    verdict: Annotated[Verdict, "What the replay has shown."]
    detail: Annotated[_Text, "The verdict in a sentence."]
    score: Annotated[HuntScore, "The score after the report."]


class EvidenceHeader(TypedDict):
    """A header of a request."""

    name: Annotated[str, Keywords(maxLength=100), "The name."]
    value: Annotated[str, Keywords(maxLength=2000), "The value."]


class EvidenceRequest(TypedDict):
    """A request that shows a defect; see `RecordedRequest` for `{{N/a/b}}`."""

    method: Annotated[str, Component("RecordedMethod"), "The method."]
    path: Annotated[str, Keywords(maxLength=2000), "The path with the query, within the hunt."]
    headers: Annotated[Sequence[EvidenceHeader], Keywords(maxItems=50), "The headers."]
    body: Annotated[_Bytes | None, "The body; null for none."]
    together: Annotated[bool, "Whether it is sent at the same time as the one before."]


RevealedDefect = TypedDict(
    "RevealedDefect",
    {
        "name": Annotated[str, Keywords(maxLength=60), "The name of the defect."],
        "class": _Class,
        "difficulty": _Difficulty,
        "operation": _Operation,
        "breaks": Annotated[_Text, "The sentence of the contract or of the rules that the defect breaks."],
        "found": Annotated[bool, "Whether a report has found it."],
        "evidence": Annotated[
            Sequence[EvidenceRequest],
            Keywords(maxItems=MAX_EVIDENCE),
            "The shortest requests that show it; the last response does.",
        ],
    },
)
RevealedDefect.__doc__ = "A defect of a hunt that was revealed."


class RevealedHunt(TypedDict):
    """The end of a hunt."""

    score: Annotated[HuntScore, "The score."]
    defects: Annotated[Sequence[RevealedDefect], Keywords(maxItems=MAX_DEFECTS), "The defects."]


class HuntScores(TypedDict):
    """The scores of a hunt and of its copies."""

    scores: Annotated[Sequence[HuntScore], Keywords(maxItems=1000), "The scores."]
