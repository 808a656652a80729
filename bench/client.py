"""A load generator with persistent connections: at full speed (closed loop), or at a rate (open loop).

At a rate, the latency of a request counts from the time at which it was due, not from the time at which a
connection was free. Otherwise a server that stalls would receive fewer requests (coordinated omission).
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
_TIMEOUT_S = 60.0


class Request(NamedTuple):
    """A request.

    :param token: the bearer token; empty for none.
    :param etag: the value of `If-None-Match`; empty for none.
    """

    method: str
    path: str
    token: str = ""
    etag: str = ""
    body: str = ""

    def encoded(self) -> bytes:
        """Return the bytes of the request."""
        lines = [f"{self.method} {self.path} HTTP/1.1", "Host: bench", "Content-Type: application/json"]
        lines += [f"Authorization: Bearer {self.token}"] if self.token else []
        lines += [f"If-None-Match: {self.etag}"] if self.etag else []
        body = self.body.encode()
        if body or self.method != "GET":
            lines.append(f"Content-Length: {len(body)}")
        return "\r\n".join([*lines, "", ""]).encode() + body


class Load(NamedTuple):
    """The result of a run: requests per second, and latencies in milliseconds."""

    rate: float
    p50: float
    p99: float


class Exchange(NamedTuple):
    """A request and its response.

    :param number: the index of the request.
    :param due: the time at which the request was due.
    :param sent: the time at which it was sent.
    :param ended: the time at which its response was complete.
    :param head: the status line and the headers of the response.
    """

    number: int
    due: float
    sent: float
    ended: float
    head: bytes


class _Connection:
    """One connection."""

    def __init__(self, base: str) -> None:
        address = urlsplit(base)
        self.socket = socket.create_connection((address.hostname, address.port), timeout=_TIMEOUT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.number, self.due, self.sent = 0, 0.0, 0.0
        self._received = b""

    def fileno(self) -> int:
        """Return the file descriptor of the socket, for `select`."""
        return self.socket.fileno()

    def send(self, number: int, request: bytes, due: float) -> None:
        self.number, self.due, self._received = number, due, b""
        self.sent = time.monotonic()
        self.socket.sendall(request)

    def receive(self) -> bytes | None:
        """Receive data; return the head of the response when all of it has arrived."""
        data = self.socket.recv(262_144)
        if not data:
            raise RuntimeError("the server has closed a connection")
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        if not end:
            return None
        _, named, length = head.lower().partition(b"content-length: ")
        expected = int(length.split(b"\r\n")[0]) if named and not head.startswith(b"HTTP/1.1 304") else 0
        return head if len(body) >= expected else None


def _pace(rate: float, random_gaps: bool) -> Iterator[float]:
    """Yield the times at which requests are due, in seconds from the start."""
    dice, due = random.Random(1), 0.0
    while True:
        yield due
        due += dice.expovariate(rate) if random_gaps else 1 / rate


def drive(
    base: str,
    requests: Sequence[Request],
    seconds: float,
    *,
    rate: float | None = None,
    random_gaps: bool = False,
) -> list[Exchange]:
    """Send requests repeatedly, in turn.

    :param rate: requests per second; None for full speed.
    :param random_gaps: whether the gaps between requests are exponentially distributed instead of equal.
    :raises RuntimeError: when a response is an error, or does not arrive in time.
    """
    encoded = [request.encoded() for request in requests]
    connections = [_Connection(base) for _ in range(CONNECTIONS)]
    try:
        exchanges = _drive(connections, encoded, seconds, None if rate is None else _pace(rate, random_gaps))
    finally:
        for connection in connections:
            connection.socket.close()
    for each in exchanges:
        if each.head[9:10] not in b"23":
            raise RuntimeError(f"{requests[each.number]}: {each.head!r}")
    return exchanges


def _drive(
    connections: list[_Connection], encoded: list[bytes], seconds: float, pace: Iterator[float] | None
) -> list[Exchange]:
    exchanges: list[Exchange] = []
    free, busy, due_times = deque(connections), set[_Connection](), deque[float]()
    numbers = itertools.cycle(range(len(encoded)))
    start = now = time.monotonic()
    end = start + seconds
    next_due = end if pace is None else start + next(pace)
    while now < end or next_due < end or busy or due_times:
        if now > end + _TIMEOUT_S:
            raise RuntimeError(f"{len(busy) + len(due_times)} requests were not answered in time")
        while pace is not None and next_due <= now and next_due < end:
            due_times.append(next_due)
            next_due = start + next(pace)
        while free and (due_times or (pace is None and now < end)):
            connection, number = free.popleft(), next(numbers)
            connection.send(number, encoded[number], due_times.popleft() if due_times else now)
            busy.add(connection)
        wait = min(next_due, end) - now if now < end and pace is not None else 0.1
        for connection in select.select(busy, (), (), max(wait, 0.0))[0]:
            head = connection.receive()
            if head is not None:
                exchanges.append(
                    Exchange(connection.number, connection.due, connection.sent, time.monotonic(), head)
                )
                busy.discard(connection)
                free.append(connection)
        now = time.monotonic()
    return exchanges


def load_of(exchanges: Sequence[Exchange]) -> Load:
    """Return the rate and the latencies of a run."""
    taken = [1000 * (each.ended - each.due) for each in exchanges]
    lasted = max(each.ended for each in exchanges) - min(each.due for each in exchanges)
    return Load(len(exchanges) / lasted, *middle_and_tail(taken))


def middle_and_tail(values: Sequence[float]) -> tuple[float, float]:
    """Return the 50th and the 99th percentile; of a few values, the latter is close to the largest."""
    cuts = statistics.quantiles(values, n=100, method="inclusive") if len(values) > 1 else list(values) * 99
    return cuts[49], cuts[98]
