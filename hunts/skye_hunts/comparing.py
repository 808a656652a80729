"""Compare the responses of two replays, or of a replay with recorded ones.

Ids and tokens are random: a comparison looks at the order in which they appear.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from skye_hunts.evidence import RecordedRequest
from skye_hunts.replay import RANDOM, Answer, pairs
from skye_server.contract.objects import json_or_none

SLOW_S: Final = 0.25
"""A response that takes longer is slow; those of a correct server to one of these requests take less."""

_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_IGNORED: Final = frozenset(
    {"date", "x-request-id", "content-length", "access-control-allow-origin"}
    | {"access-control-expose-headers", "skye-lab"}
)

_LISTS: Final = ("/v1/games", "/v1/records")
"""Paths of lists of all games: the hunt may have had others than a new copy."""


def differs_from_record(request: RecordedRequest, answer: Answer) -> bool:
    """Return whether a response is not the recorded one, apart from ids, tokens and times."""
    if request.status is not None and request.status != answer.status:
        return True
    is_of_all_games = request.method == "GET" and answer.path.partition("?")[0] in _LISTS
    is_stream = answer.headers.get("content-type", "").startswith("text/event-stream")
    if not request.response_body or is_of_all_games or is_stream:
        return False
    recorded = json_or_none(request.response_body)
    if recorded is None:
        recorded = request.response_body
    value = answer.body if isinstance(recorded, str) and answer.json is None else answer.json
    return any(_plain(old) != _plain(new) for old, new in pairs(recorded, value))


def _plain(value: Any) -> Any:
    return _TIME.sub("TIME", RANDOM.sub("ID", value)) if isinstance(value, str) else value


def comparable(requests: Sequence[RecordedRequest], answers: Iterable[Answer]) -> list[dict[str, Any]]:
    """Return responses in a form in which those of two replays can be compared."""
    numbers: dict[str, str] = {}

    def numbered(text: str) -> str:
        return RANDOM.sub(lambda found: numbers.setdefault(found[0], f"<{len(numbers)}>"), text)

    compared = []
    for request, answer in zip(requests, answers, strict=True):
        headers = {
            name: numbered(value)
            for name, value in sorted(answer.headers.items())
            if name not in _IGNORED or (name == "content-length" and request.method == "HEAD")
        }
        compared.append(
            {
                "status": answer.status,
                "headers": headers,
                "body": numbered(answer.body),
                "slow": answer.seconds > SLOW_S,
            }
        )
    return compared
