"""A small client that keeps connections open: as fast as it can, or at a pace that does not wait for answers.

At a pace, the latency of a request counts from the moment at which it was due, not from when a connection
was free for it: a server that stalls is not spared the requests that others would have sent meanwhile.
"""

from __future__ import annotations

import itertools
import random
import select
import socket
import statistics
import time
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

CONNECTIONS = 16
_PATIENCE_S = 60.0


class Ask(NamedTuple):
    """A request to send: `etag` is for `If-None-Match`."""

    method: str
    path: str
    token: str = ""
    etag: str = ""
    body: str = ""

    def encoded(self) -> bytes:
        """Return the request as it is sent."""
        lines = [f"{self.method} {self.path} HTTP/1.1", "Host: bench", "Content-Type: application/json"]
        lines += [f"Authorization: Bearer {self.token}"] if self.token else []
        lines += [f"If-None-Match: {self.etag}"] if self.etag else []
        body = self.body.encode()
        if body or self.method != "GET":
            lines.append(f"Content-Length: {len(body)}")
        return "\r\n".join([*lines, "", ""]).encode() + body


class Load(NamedTuple):
    """What a run measured: requests per second, and latencies in milliseconds."""

    rate: float
    p50: float
    p99: float


class Answered(NamedTuple):
    """A request that was answered: its place among the asks, and when it was due, sent, answered."""

    ask: int
    due: float
    sent: float
    ended: float
    head: bytes


class _Line:
    """One connection."""

    def __init__(self, base: str) -> None:
        place = urlsplit(base)
        self.socket = socket.create_connection((place.hostname, place.port), timeout=_PATIENCE_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.ask, self.due, self.sent = 0, 0.0, 0.0
        self._got = b""

    def fileno(self) -> int:
        """Return the socket's number, for `select`."""
        return self.socket.fileno()

    def send(self, ask: int, request: bytes, due: float) -> None:
        self.ask, self.due, self._got = ask, due, b""
        self.sent = time.monotonic()
        self.socket.sendall(request)

    def receive(self) -> bytes | None:
        """Take what has come; return the answer's head once all of it is there."""
        got = self.socket.recv(262_144)
        if not got:
            raise RuntimeError("the server has closed a connection")
        self._got += got
        head, end, body = self._got.partition(b"\r\n\r\n")
        if not end:
            return None
        _, named, length = head.lower().partition(b"content-length: ")
        wanted = int(length.split(b"\r\n")[0]) if named and not head.startswith(b"HTTP/1.1 304") else 0
        return head if len(body) >= wanted else None


def _pace(rate: float, random_gaps: bool) -> Iterator[float]:
    """Yield when requests are due, in seconds from the start."""
    dice, due = random.Random(1), 0.0
    while True:
        yield due
        due += dice.expovariate(rate) if random_gaps else 1 / rate


def drive(
    base: str,
    asks: Sequence[Ask],
    seconds: float,
    *,
    rate: float | None = None,
    random_gaps: bool = False,
) -> list[Answered]:
    """Send requests in turn, over and over; without a rate each connection sends when it has its answer.

    :raises RuntimeError: when a request is refused, or not answered in time.
    """
    requests = [ask.encoded() for ask in asks]
    lines = [_Line(base) for _ in range(CONNECTIONS)]
    try:
        answered = _drive(lines, requests, seconds, None if rate is None else _pace(rate, random_gaps))
    finally:
        for line in lines:
            line.socket.close()
    for each in answered:
        if each.head[9:10] not in b"23":
            raise RuntimeError(f"{asks[each.ask]}: {each.head!r}")
    return answered


def _drive(
    lines: list[_Line], requests: list[bytes], seconds: float, pace: Iterator[float] | None
) -> list[Answered]:
    answered: list[Answered] = []
    free, busy, owed = deque(lines), set[_Line](), deque[float]()
    turns = itertools.cycle(range(len(requests)))
    start = now = time.monotonic()
    end = start + seconds
    following = end if pace is None else start + next(pace)
    while now < end or following < end or busy or owed:
        if now > end + _PATIENCE_S:
            raise RuntimeError(f"{len(busy) + len(owed)} requests were not answered in time")
        while pace is not None and following <= now and following < end:
            owed.append(following)
            following = start + next(pace)
        while free and (owed or (pace is None and now < end)):
            line, ask = free.popleft(), next(turns)
            line.send(ask, requests[ask], owed.popleft() if owed else now)
            busy.add(line)
        wait = min(following, end) - now if now < end and pace is not None else 0.1
        for line in select.select(busy, (), (), max(wait, 0.0))[0]:
            head = line.receive()
            if head is not None:
                answered.append(Answered(line.ask, line.due, line.sent, time.monotonic(), head))
                busy.discard(line)
                free.append(line)
        now = time.monotonic()
    return answered


def load_of(answered: Sequence[Answered]) -> Load:
    """Sum a run up."""
    taken = [1000 * (each.ended - each.due) for each in answered]
    lasted = max(each.ended for each in answered) - min(each.due for each in answered)
    return Load(len(answered) / lasted, *middle_and_tail(taken))


def middle_and_tail(values: Sequence[float]) -> tuple[float, float]:
    """Return the 50th and the 99th percentile."""
    cuts = statistics.quantiles(values, n=100) if len(values) > 1 else list(values) * 99
    return cuts[49], cuts[98]
