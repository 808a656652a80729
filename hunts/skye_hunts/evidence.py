"""The evidence of a report: recorded requests, in the form of the API or of an HTTP Archive (HAR 1.2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qs, urlsplit

from skye_hunts.enums import Verdict
from skye_hunts.hunts import HUNTS_PATH, Hunt

_MAX_TOGETHER: Final = 3
_MAX_WAIT_MS: Final = 1000
_API: Final = re.compile(r"/v1(?:/.*)?|/openapi[-.\w]*|/docs(?:/.*)?")
_NOT_REPLAYED: Final = re.compile("^/v1/lab|/webhooks")
"""A replay neither opens hunts nor sends requests to others; it refuses bots at URLs, as a hunt does."""

_IN_HUNT: Final = re.compile(rf"({HUNTS_PATH}/([^/]+)/api)(?:\1)*(/.*)")
_OF_CONNECTION: Final = frozenset(
    {"accept-encoding", "connection", "content-length", "cookie", "host", "origin", "referer", "te"}
    | {"trailer", "transfer-encoding", "upgrade", "user-agent", "x-forwarded-for", "x-forwarded-host"}
    | {"x-forwarded-proto", "skye-fault"}
)
"""Headers that are not replayed."""


class RecordedRequest(NamedTuple):
    """A request of the evidence.

    :param path: the path within the hunt, with the query.
    :param together: whether it is sent at the same time as the one before.
    :param status: the recorded status, None if there is none; so too `response_body`.
    """

    method: str
    path: str
    headers: Sequence[tuple[str, str]]
    body: str | None
    together: bool = False
    status: int | None = None
    response_body: str | None = None


class InvalidEvidence(Exception):
    """The evidence cannot be replayed; the message says why. `verdict` is that of the report."""

    def __init__(self, verdict: Verdict, detail: str) -> None:
        super().__init__(detail)
        self.verdict = verdict


def requests_of(hunt: Hunt, evidence: Any) -> list[RecordedRequest]:
    """Return the requests of the evidence of a report about a hunt.

    :raises InvalidEvidence: when they cannot be replayed.
    """
    recorded = evidence if isinstance(evidence, list) else map(_from_har, evidence["log"]["entries"])
    found = [
        RecordedRequest(**each | {"path": _path_in(hunt, each["path"]), "headers": _sent(each["headers"])})
        for each in recorded
    ]
    together = [number for number, request in enumerate(found) if request.together]
    if together and (together[0] == 0 or together[-1] - together[0] + 2 > _MAX_TOGETHER):
        raise InvalidEvidence(
            Verdict.INVALID_EVIDENCE, "At most three requests, in one group, are sent together."
        )
    return found


def _from_har(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry of an archive in the form of the API."""
    request, response = entry["request"], entry["response"] or {"status": 0, "content": None}
    return {
        "method": request["method"],
        "path": request["url"],
        "headers": request["headers"],
        "body": (request["post_data"] or {}).get("text"),
        "status": response["status"] or None,
        "response_body": (response["content"] or {}).get("text"),
    }


def _sent(headers: list[dict[str, str]]) -> list[tuple[str, str]]:
    """Return the headers to replay: without those of HTTP/2 and of the connection."""
    pairs = [(header["name"], header["value"]) for header in headers]
    named = [(name, value) for name, value in pairs if re.fullmatch(r"[A-Za-z0-9-]{1,100}", name)]
    return [(name, value) for name, value in named if name.lower() not in _OF_CONNECTION]


def _path_in(hunt: Hunt, url: str) -> str:
    """Return the path of a URL within a hunt, with its query.

    :raises InvalidEvidence: when it is not within this hunt.
    """
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise InvalidEvidence(Verdict.INVALID_EVIDENCE, "A URL is not valid.") from error
    path = parts.path
    if found := _IN_HUNT.fullmatch(path):
        if found[2] != hunt.id:
            raise InvalidEvidence(Verdict.OTHER_HUNT, f"The evidence is of the hunt {found[2][:20]}.")
        path = found[3]
    if not _API.fullmatch(path):
        raise _no_path(path)
    return f"{path}?{parts.query}" if parts.query else path


def check_replayable(path: str, query: str) -> None:
    """Check a request, with its references filled, as the application is about to read it.

    :param path: the decoded path.
    :raises InvalidEvidence: when it is not to be replayed.
    """
    if _NOT_REPLAYED.search(path):
        raise _no_path(path)
    waits = parse_qs(query).get("wait_ms", ())
    if any(re.fullmatch("[0-9]+", wait) and int(wait[:10]) > _MAX_WAIT_MS for wait in waits):
        raise InvalidEvidence(
            Verdict.INVALID_EVIDENCE, f"A replay waits {_MAX_WAIT_MS} ms at most: `wait_ms`."
        )


def _no_path(path: str) -> InvalidEvidence:
    return InvalidEvidence(Verdict.INVALID_EVIDENCE, f"{path[:100]} is no path of the API of a hunt.")
