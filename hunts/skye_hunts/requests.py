"""The request bodies of bug hunts."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import EXCLUDE, Schema, fields, validate

from skye_hunts.enums import DefectClass, DefectDifficulty, RecordedMethod
from skye_server.contract.fields import Boolean, Integer, Name
from skye_server.contract.objects import ListOf, NestedObject, Object, Variants

MAX_DEFECTS = 100
"""More than a hunt can have."""

MAX_EVIDENCE = 100
"""How many requests the evidence of a report can have."""

MAX_RECORDED_TEXT: Final = 65_536
"""The maximum length of a body in evidence."""


def _text(description: str, most: int = MAX_RECORDED_TEXT, **kwargs: Any) -> fields.String:
    """Return a field for a text; by default it may be null."""
    kwargs = kwargs or {"load_default": None, "allow_none": True}
    limit = validate.Length(max=most, error="This has more than {max} characters.")
    return fields.String(validate=limit, metadata={"description": description}, **kwargs)


class HuntToOpen(Object):
    """A bug hunt to open. All fields are optional."""

    name = Name("The name of the hunt, such as that of the tester.", load_default="Hunt")
    classes = ListOf(
        DefectClass("A class of defects."),
        "The classes of the defects; all if left out.",
        length=(0, 20),
        load_default=list,
    )
    difficulty = DefectDifficulty("The difficulty of the defects; any if left out.", load_default=None)
    count = Integer(1, MAX_DEFECTS, "The number of defects; fewer if there are not so many.", load_default=5)
    seed = Name(
        "The same seed, with the same choices, gives the same defects; random if left out.",
        most=100,
        allow_none=True,
    )
    copy_of = _text(
        "The id of the hunt whose defects the new one has, instead of the other choices. The key of that "
        "hunt reveals the copy; the copy has no key of its own.",
        256,
        load_default=None,
        allow_none=True,
    )


class RecordedHeader(Object):
    """A header of a recorded request."""

    name = _text("The name.", 100, required=True)
    value = _text("The value.", 2000, required=True)


class RecordedRequest(Object):
    """A request that was sent to a hunt, and what came back.

    In `path`, the values of headers and `body`, `{{N/a/b}}` stands for the value at the JSON pointer `/a/b`
    of the response to request number N of the list, from 1.
    """

    method = RecordedMethod("The method; `GET` if left out.", load_default="GET")
    path = _text("The path with the query, or the URL, within the hunt.", 2000, required=True)
    headers = ListOf(
        RecordedHeader,
        "The headers of the request, without those of the connection.",
        length=(0, 50),
        load_default=list,
    )
    body = _text("The body as it was sent.")
    together = Boolean(
        "Whether the request was sent at the same time as the one before, without waiting for its response.",
        load_default=False,
    )
    status = Integer(100, 599, "The status that came back.", load_default=None, allow_none=True)
    response_body = _text("The body that came back.")


class _OfArchive(Object):
    """A part of an HTTP Archive; other fields are ignored."""

    class Meta:
        """The options of the schema."""

        unknown = EXCLUDE


class HarPostData(_OfArchive):
    """The body of a request in an HTTP Archive."""

    text = _text("The body as it was sent.")


class HarContent(_OfArchive):
    """The body of a response in an HTTP Archive."""

    text = _text("The body that came back.")


class HarHeader(_OfArchive):
    """A header in an HTTP Archive."""

    name = fields.String(required=True, metadata={"description": "The name.", "maxLength": 200})
    value = fields.String(required=True, metadata={"description": "The value.", "maxLength": 8000})


class HarRequest(_OfArchive):
    """A request in an HTTP Archive."""

    method = fields.String(
        required=True,
        validate=validate.Regexp("^[A-Z]{1,10}$", error="This is not a method."),
        metadata={"description": "The method.", "maxLength": 10},
    )
    url = fields.String(required=True, metadata={"description": "The URL.", "maxLength": 4000})
    headers = ListOf(HarHeader, "The headers.", length=(0, 100), load_default=list)
    post_data = NestedObject(HarPostData, "The body.", load_default=None, data_key="postData")


class HarResponse(_OfArchive):
    """A response in an HTTP Archive."""

    status = Integer(0, 999, "The status; 0 if none came back.", load_default=0)
    content = NestedObject(HarContent, "The body.", load_default=None)


class HarEntry(_OfArchive):
    """A request and its response in an HTTP Archive."""

    request = NestedObject(HarRequest, "The request.", required=True)
    response = NestedObject(HarResponse, "The response.", load_default=None)


class HarLog(_OfArchive):
    """The entries of an HTTP Archive."""

    entries = ListOf(HarEntry, "The requests, in order.", length=(1, MAX_EVIDENCE), required=True)


class HttpArchive(_OfArchive):
    """An HTTP Archive (HAR 1.2), as browsers and proxies write it."""

    log = NestedObject(HarLog, "The log.", required=True)


class _Report(Object):
    """What every report of a defect has."""

    kind = DefectClass("The class of the defect.", required=True, data_key="class")
    operation = fields.String(
        required=True,
        validate=validate.Regexp("^[a-z_]{1,60}$", error="This is no `operationId`."),
        metadata={
            "description": "The `operationId` of the operation with the defect.",
            "maxLength": 60,
            "examples": ["get_game"],
        },
    )


class ReportWithRequests(_Report):
    """A report of a defect with recorded requests."""

    evidence = ListOf(
        RecordedRequest,
        "Requests that show the defect on a new hunt, in order.",
        length=(1, MAX_EVIDENCE),
        required=True,
    )


class ReportWithArchive(_Report):
    """A report of a defect with an HTTP Archive."""

    evidence = NestedObject(HttpArchive, "Requests that show the defect on a new hunt.", required=True)


class DefectReport(Variants):
    """A report of a defect, with the requests that show it: a list, or an HTTP Archive."""

    variants = (ReportWithRequests, ReportWithArchive)  # a union of lists and objects is no valid Java

    def variant(self, data: dict[str, Any]) -> type[Schema]:
        """Return the form that has evidence of the type sent."""
        return ReportWithArchive if isinstance(data.get("evidence"), dict) else ReportWithRequests
