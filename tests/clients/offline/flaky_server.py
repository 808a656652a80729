"""A server of events in this process, whose connections live for a number of bytes and simulated seconds."""

import json
from dataclasses import dataclass, field
from itertools import chain, cycle
from urllib.parse import parse_qs

import httpx

HEAD_BYTES = 640
"""The size of the head of a response of the real server."""

HEARTBEAT_S = 10


@dataclass
class Clock:
    """The simulated time of a server and its client."""

    now_s: float = 0.0

    def sleep(self, seconds):
        self.now_s += seconds

    async def sleep_async(self, seconds):
        self.now_s += seconds


@dataclass
class FlakyServer(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """A game, or a player, with events that happen at given times; it is over after the last one.

    :param happened_s: when each event happens, in order.
    :param sizes: the number of bytes in each event, in turn.
    :param first: the bytes and seconds for which the first connections live.
    :param repeated: those of all later connections, in turn.
    :param blocked: `stream` or `poll` to cut each of them after `blocked_bytes`.
    :param max_connections: more connections fail the test.
    """

    happened_s: list
    sizes: list
    first: list
    repeated: list
    is_of_player: bool = False
    blocked: str | None = None
    blocked_bytes: int = 0
    max_connections: int = 10_000
    clock: Clock = field(default_factory=Clock)
    connections: int = 0

    def __post_init__(self):
        self._lives = chain(self.first, cycle(self.repeated))

    def handle_request(self, request):
        return self._answer(request)

    async def handle_async_request(self, request):
        return self._answer(request)

    def _answer(self, request):
        self.connections += 1
        assert self.connections <= self.max_connections
        max_bytes, max_s = next(self._lives)
        is_stream = request.url.path.endswith("/stream")
        if self.blocked == ("stream" if is_stream else "poll"):
            max_bytes = self.blocked_bytes
        if max_bytes < HEAD_BYTES:
            raise httpx.RemoteProtocolError("cut in the head")
        after = int(
            (request.headers["Last-Event-ID"] if is_stream else _query(request, "after")).partition("-")[0]
        )
        if is_stream and after == len(self.happened_s) and not self.is_of_player:
            return httpx.Response(204)
        pieces = self._stream(after) if is_stream else self._page(request, after)
        until_s, timeout_s = self.clock.now_s + max_s, request.extensions["timeout"]["read"]
        body = _Body(self.clock, pieces, max_bytes - HEAD_BYTES, until_s, timeout_s)
        kind = "text/event-stream" if is_stream else "application/json"
        return httpx.Response(200, headers={"Content-Type": kind}, stream=body)

    def _id(self, number):
        return f"{number}-7" if self.is_of_player else number

    def _event(self, number):
        return {"id": self._id(number), "padding": "x" * self.sizes[number % len(self.sizes)]}

    def _last(self):
        return sum(happened_s <= self.clock.now_s for happened_s in self.happened_s)

    def _status(self):
        return (
            {}
            if self.is_of_player
            else {"status": "finished" if self._last() == len(self.happened_s) else "playing"}
        )

    def _stream(self, after):
        """Yield the times and bytes of a stream."""
        start = {"last_event": self._id(self._last())}
        yield self.clock.now_s, f"event: stream\ndata: {json.dumps(start)}\n\n".encode()
        sent_s = self.clock.now_s
        for number, happened_s in enumerate(self.happened_s[after:], after + 1):
            while sent_s + HEARTBEAT_S < happened_s:
                sent_s += HEARTBEAT_S
                yield sent_s, b": heartbeat\n\n"
            sent_s = max(sent_s, happened_s)
            yield sent_s, f"id: {self._id(number)}\ndata: {json.dumps(self._event(number))}\n\n".encode()
        if not self.is_of_player:
            yield sent_s, b'event: end\ndata: {"reason": "finished"}\n\n'

    def _page(self, request, after):
        """Yield the time and bytes of a page."""
        until_s = self.clock.now_s + int(_query(request, "wait_ms")) / 1000
        next_s = self.happened_s[after] if after < len(self.happened_s) else self.clock.now_s
        yield min(max(next_s, self.clock.now_s), until_s), b""
        last = self._last()
        numbers = range(after + 1, min(last, after + int(_query(request, "limit"))) + 1)
        page = {
            "events": [self._event(number) for number in numbers],
            "last_event": self._id(last),
            **self._status(),
        }
        yield self.clock.now_s, json.dumps(page).encode()


@dataclass
class _Body(httpx.SyncByteStream, httpx.AsyncByteStream):
    """Pieces of a body at their times, up to a number of bytes and a time."""

    clock: Clock
    pieces: object
    left: int
    until_s: float
    timeout_s: float

    def __iter__(self):
        for at_s, data in self.pieces:
            silent_until_s = self.clock.now_s + self.timeout_s
            if at_s > min(self.until_s, silent_until_s):
                self.clock.now_s = min(self.until_s, silent_until_s)
                raise httpx.ReadTimeout("silent") if silent_until_s < self.until_s else httpx.ReadError("cut")
            self.clock.now_s = max(self.clock.now_s, at_s)
            yield data[: self.left]
            if len(data) > self.left:
                raise httpx.RemoteProtocolError("cut in the body")
            self.left -= len(data)

    async def __aiter__(self):
        for data in self:
            yield data


def _query(request, name):
    return parse_qs(request.url.query.decode())[name][0]
