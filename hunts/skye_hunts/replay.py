"""Replay recorded requests on an application.

Ids and tokens are random. A replay puts its own in place of those that the recorded responses have, or of
references such as `{{1/game/id}}`.
"""

from __future__ import annotations

import contextvars
import re
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import flask
from werkzeug.test import EnvironBuilder, run_wsgi_app

from skye_hunts.enums import Verdict
from skye_hunts.evidence import InvalidEvidence, RecordedRequest, check_replayable
from skye_hunts.seams import TOGETHER
from skye_server.contract.objects import json_or_none
from skye_server.cooperative_yield import has_disconnected, pause
from skye_server.error_codes import Problem

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

_REFERENCE: Final = re.compile(r"\{\{(\d{1,3})(/[^{}]*)?\}\}")
RANDOM: Final = re.compile(
    r"skye_(?:[a-z]+_)?[A-Za-z0-9_-]{22}(?![A-Za-z0-9_-])"  # tokens; player keys are the client's
    r"|\b\d{1,19}-\d{4,19}\b"  # ids of events of players
    r"|(?<![A-Za-z0-9_-])(?:[0-9a-f]{16,64}|[a-km-np-z2-9]{12}|[a-km-np-z2-9]{24})(?![A-Za-z0-9_-])"
)
_UNREPEATED: Final = ("fairness", "now", "instance", "detail")
"""Members of recorded responses that a replay need not repeat."""


class Answer(NamedTuple):
    """A response of a replay.

    :param path: the path of the request, with the ids of the replay.
    """

    path: str
    status: int
    headers: dict[str, str]
    body: str
    seconds: float

    @property
    def json(self) -> Any:
        """The body as JSON, None if it is none."""
        return json_or_none(self.body)


class Clock:
    """A clock that stands still during a request, so that two replays have the same times."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        """Return the time, in seconds since 1970."""
        return self.now


class _Connection:
    """The connection of a replayed request: it takes over a stream that waits for events, and ends it."""

    request: Any = None

    def __init__(self) -> None:
        self._socket, other = socket.socketpair()
        self._other = other
        self.request = self

    def force_close(self) -> None:
        """See gunicorn's request: the connection is never used again."""

    def fileno(self) -> int:
        """Return the number of the socket, for checks whether the client has disconnected."""
        return self._socket.fileno()

    def park(self, frames: Any, on_close: Callable[[], None]) -> Callable[[], None]:
        """End a stream."""
        frames.close()
        on_close()
        return lambda: None

    def close(self) -> None:
        """Close the sockets."""
        self._socket.close()
        self._other.close()


def replay(
    app: WSGIApplication,
    requests: Sequence[RecordedRequest],
    clock: Clock,
    *,
    order: Sequence[int] | None = None,
    deadline: float = float("inf"),
) -> list[Answer]:
    """Return the responses of an application to recorded requests.

    :param order: the order in which to send those that were sent together; None: together.
    :param deadline: the time of `time.monotonic` after which no request is sent.
    :raises InvalidEvidence: at a reference to nothing, or after the deadline.
    :raises Problem: bad_request, when the client of the report has disconnected.
    """
    answers: dict[int, Answer] = {}
    own: dict[str, str] = {}
    app = _from_client(app)
    for group in _groups(requests):
        pause()  # as between requests that clients send
        if has_disconnected():
            raise Problem("bad_request", "The client has disconnected.")
        if time.monotonic() > deadline:
            raise InvalidEvidence(Verdict.TOO_SLOW, "The replay takes too long.")
        clock.now += 0.01
        numbers = sorted(group, key=order.index) if order and len(group) > 1 else group
        ready = {number: _with_own(requests[number], answers, own) for number in group}
        if len(group) == 1 or order:
            for number in numbers:
                answers[number] = _send(app, ready[number])
        else:
            answers |= _send_together(app, ready)
        for number in group:
            _learn(own, requests[number].response_body, answers[number])
    return [answers[number] for number in range(len(requests))]


def _from_client(app: WSGIApplication) -> WSGIApplication:
    """Return an application whose requests come from the client of the report: they compute in its turns."""
    address = flask.request.environ.get("REMOTE_ADDR", "") if flask.has_request_context() else ""

    def respond(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        return app({**environ, "REMOTE_ADDR": address}, start_response)

    return respond


def _groups(requests: Sequence[RecordedRequest]) -> Iterator[list[int]]:
    group: list[int] = []
    for number, request in enumerate(requests):
        if group and not request.together:
            yield group
            group = []
        group.append(number)
    yield group


def group_of(requests: Sequence[RecordedRequest]) -> list[int]:
    """Return the numbers of the requests that are sent together, none if there are none."""
    return next((group for group in _groups(requests) if len(group) > 1), [])


def _send_together(app: WSGIApplication, ready: dict[int, RecordedRequest]) -> dict[int, Answer]:
    together = threading.Barrier(len(ready))
    with ThreadPoolExecutor(len(ready)) as pool:
        answers = pool.map(lambda request: _send(app, request, together), ready.values())
        return dict(zip(ready, answers, strict=True))


def _send(
    app: WSGIApplication, request: RecordedRequest, together: threading.Barrier | None = None
) -> Answer:
    """Return the response to a request, in a context of its own: this thread handles another request.

    :param together: where the requests that are sent together can wait for each other.
    """
    return contextvars.copy_context().run(_respond, app, request, together)


def _respond(app: WSGIApplication, request: RecordedRequest, together: threading.Barrier | None) -> Answer:
    if any("\r" in value or "\n" in value for _, value in request.headers):
        raise InvalidEvidence(Verdict.INVALID_EVIDENCE, "The value of a header has a line break.")
    builder = EnvironBuilder(
        path=request.path.partition("?")[0],
        query_string=request.path.partition("?")[2],
        method=request.method,
        headers=list(request.headers),
        data=None if request.body is None else request.body.encode(),
    )
    if request.body is not None and not any(name.lower() == "content-type" for name, _ in request.headers):
        builder.content_type = "application/json"
    environ = builder.get_environ() | {TOGETHER: together}
    check_replayable(environ["PATH_INFO"], environ["QUERY_STRING"])
    connection = environ["gunicorn.socket"] = _Connection()
    started = time.monotonic()
    try:
        chunks, status, headers = run_wsgi_app(app, environ, buffered=True)
        body = b"".join(chunks).decode("utf-8", "replace")
    finally:
        connection.close()
        builder.close()
    seconds = time.monotonic() - started
    # A header may be repeated, as `Vary` is.
    named = {name.lower(): ", ".join(headers.getlist(name)) for name, _ in headers}
    return Answer(request.path, int(status[:3]), named, body, seconds)


def _with_own(request: RecordedRequest, answers: dict[int, Answer], own: dict[str, str]) -> RecordedRequest:
    """Return a request with the ids and tokens of this replay."""

    def referred(found: re.Match[str]) -> str:
        return _value_at(answers, int(found[1]) - 1, found[2] or "")

    def filled(text: str) -> str:
        text = _REFERENCE.sub(referred, text)
        return RANDOM.sub(lambda found: own.get(found[0], found[0]), text) if own else text

    headers = [(name, filled(value)) for name, value in request.headers]
    body = None if request.body is None else filled(request.body)
    return request._replace(path=filled(request.path), headers=headers, body=body)


def _value_at(answers: dict[int, Answer], number: int, pointer: str) -> str:
    """Return the text at a JSON pointer, or a header after `//`.

    :raises InvalidEvidence: when there is none.
    """
    answer = answers.get(number)
    if answer is not None and pointer.startswith("//"):
        return answer.headers.get(pointer[2:].lower(), "")
    found = None if answer is None else part_of(answer.json, pointer)
    if found is None or isinstance(found, dict | list):
        raise InvalidEvidence(
            Verdict.INVALID_EVIDENCE, f"There is nothing at {{{{{number + 1}{pointer[:60]}}}}}."
        )
    return str(found)


def part_of(value: Any, pointer: str) -> Any:
    """Return the value at a JSON pointer, None if there is none."""
    for name in pointer.split("/")[1:]:
        key: Any = name.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list):
            is_index = re.fullmatch(r"-?\d{1,4}", key) and -len(value) <= int(key) < len(value)
            value = value[int(key)] if is_index else None
        else:
            value = value.get(key) if isinstance(value, dict) else None
    return value


def _learn(own: dict[str, str], recorded: str | None, answer: Answer) -> None:
    """Remember which id or token of the replay stands for a recorded one."""
    if recorded is None:
        return
    for old, new in pairs(json_or_none(recorded), answer.json):
        if isinstance(old, str) and isinstance(new, str):
            own |= zip(RANDOM.findall(old), RANDOM.findall(new), strict=False)


def pairs(left: Any, right: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the leaves of two JSON values at the same places, and unequal values without one."""
    if isinstance(left, dict) and isinstance(right, dict):
        for name in left.keys() | right.keys():
            if name not in _UNREPEATED:
                yield from pairs(left.get(name), right.get(name))
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for pair in zip(left, right, strict=True):
            yield from pairs(*pair)
    else:
        yield left, right
