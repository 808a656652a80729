"""A client's connection with timeouts for sending a request and for receiving a response.

gunicorn has no timeout for the head of a request, its body, and the client's reading of the response.
"""

from __future__ import annotations

import errno
import re
import socket
import struct
from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import suppress
from time import monotonic
from typing import Any, Final

from gevent.socket import wait_read
from gunicorn.http.errors import InvalidRequestLine, LimitRequestHeaders, ParseException
from gunicorn.http.message import Request

from skye_server.worker.parked_streams import ParkedStream, ParkedStreams

MAX_HEAD_BYTES: Final = 2**15
"""The maximum size of a request line with all headers; a head may exceed it by one read."""

MAX_DISCARDED_BYTES: Final = 8 * 2**20
MAX_DISCARDING_S: Final = 5.0
"""How much input is read and discarded after a request that is refused, and for how long."""

CHUNK_BYTES: Final = 2**16
"""The part of a response that a client must receive within the timeout; also the size of a read."""

MAX_REFUSED_HEAD_BYTES: Final = 2**18
MAX_HEAD_REST_S: Final = 1.0
"""How much of the head of a request that is refused is read, and for how long, to find its `Origin`."""

_ORIGIN: Final = re.compile(rb"\r\norigin:[ \t]*([!-~]{1,300})[ \t]*\r\n", re.IGNORECASE)
_TLS_HANDSHAKE: Final = 0x16


class RequestTimeout(ParseException):
    """The head of a request has not arrived within the timeout."""


class BufferedBodies:
    """The request bodies that a worker is receiving, with a limit on their total size."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._total = 0
        self._sizes: OrderedDict[Connection, int] = OrderedDict()

    def grow(self, connection: Connection, size: int) -> None:
        """Add received bytes; above the limit, the body that began first times out."""
        self._sizes[connection] = self._sizes.get(connection, 0) + size
        self._total += size
        if self._total > self._limit:
            oldest, its_size = self._sizes.popitem(last=False)
            self._total -= its_size
            oldest.time_out()

    def forget(self, connection: Connection) -> None:
        """Remove a body that is complete or discarded."""
        self._total -= self._sizes.pop(connection, 0)


class Connection:
    """A client's socket as gunicorn uses it; other attributes are those of the socket.

    As a context manager it marks the time in which it waits for the head of the next request.

    :param timeout_s: how long a client may take to send a request, and to receive each part of a response.
    :param idle: all connections that wait for a request, the longest first.
    :param bodies: the bodies that all connections are receiving.
    :param streams: the parked streams of all connections.
    """

    __slots__ = (
        "_bodies",
        "_client",
        "_deadline",
        "_head",
        "_head_left",
        "_head_received",
        "_idle",
        "_is_discarding",
        "_is_reused",
        "_streams",
        "_timeout_s",
        "idle_timeout_s",
        "is_health",
        "request",
        "stream",
    )

    def __init__(
        self,
        client: Any,
        timeout_s: float,
        idle: OrderedDict[Connection, None],
        bodies: BufferedBodies,
        streams: ParkedStreams,
    ) -> None:
        self._client = client
        self._bodies = bodies
        self._streams = streams
        self._timeout_s = timeout_s
        self._idle = idle
        self._deadline: float | None = None  # None: no byte of the request has arrived
        self._head_left = 0
        self._is_discarding = False
        self._is_reused = False  # whether a request was received before
        self._head: bytes | None = None  # the head of a response, held back until its body begins
        self._head_received: bytearray | None = None  # the head of the request, if it is kept
        self.idle_timeout_s = timeout_s
        self.is_health = False  # whether it was accepted by the health listener
        self.request: Request | None = None
        self.stream: ParkedStream | None = None  # once it is parked, gunicorn neither sends nor closes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def __enter__(self) -> None:
        """Begin to wait for a request, up to `idle_timeout_s` seconds."""
        self._deadline = self.request = self._head = None
        self._head_left = MAX_HEAD_BYTES
        self._is_discarding = False
        self._idle[self] = None
        if self._head_received:
            self._head_received.clear()

    def __exit__(self, *_error: object) -> None:
        """End the wait: the head is complete or will not arrive."""
        self._idle.pop(self, None)

    def recv(self, size: int) -> bytes:
        """Receive data.

        :returns: nothing when the client has closed the connection, or has not begun a request in time.
        :raises RequestTimeout: while reading a head.
        :raises TimeoutError: while reading a body.
        :raises ConnectionResetError: when the client has disconnected.
        :raises LimitRequestHeaders: when a head is far too large.
        :raises InvalidRequestLine: when the client begins a TLS handshake.
        """
        if self.request is None and self._head_left <= 0:
            raise LimitRequestHeaders(f"more than {MAX_HEAD_BYTES} bytes")
        left = self.idle_timeout_s if self._deadline is None else self._deadline - monotonic()
        try:
            data = self._receive(size, left)
        except TimeoutError:
            return self._on_timeout()
        except OSError as error:  # of whatever kind: gunicorn would log most of them as errors of the service
            raise ConnectionResetError(errno.ECONNRESET, "the client has disconnected") from error
        if self._deadline is None:
            self._deadline = monotonic() + self._timeout_s
            self._is_reused = True
            if data and data[0] == _TLS_HANDSHAKE:
                raise InvalidRequestLine("TLS is not supported")
        if self.request is None:
            self._head_left -= len(data)
            if self._head_received is not None:
                self._head_received += data
        elif not self._is_discarding:
            self._bodies.grow(self, len(data))
            if not data and self._deadline <= monotonic():
                return self._on_timeout()
        return data

    def _receive(self, size: int, timeout_s: float) -> bytes:
        if timeout_s <= 0:
            raise TimeoutError
        if self._deadline is None and self._is_reused:
            # The next request may have arrived already. Without a wait, a client that sends at once would
            # keep the worker from all other connections.
            wait_read(self._client.fileno(), timeout_s, TimeoutError)
        self._client.timeout = timeout_s
        data: bytes = self._client.recv(size)
        return data

    def _on_timeout(self) -> bytes:
        if self._deadline is None:
            return b""
        if self.request is None:
            raise RequestTimeout
        self.request.force_close()
        raise TimeoutError

    def park(self, frames: Generator[bytes], on_end: Callable[[], None]) -> Callable[[], None] | None:
        """Send the rest of the body of a response without its greenlet, and then disconnect.

        :param frames: yields data to send, and `b""` when there is none until the stream is woken.
        :returns: a function that wakes the stream; None if too many streams are parked.
        """
        if self.request is None or self._streams.is_full:
            return None
        self._client = socket.socket(fileno=self._client.detach())  # gevent closes the socket of a greenlet
        self.stream = self._streams.add(self, frames, is_chunked=self.request.version != (1, 0))
        self.stream.at_end(on_end)
        self.request = None
        return self.stream.wake

    def close(self) -> None:
        """Close the socket, unless a parked stream has it."""
        if self.stream is None:
            self._client.close()

    def disconnect(self) -> None:
        """Close the socket."""
        self._client.close()

    def sendall(self, data: bytes) -> None:
        """Send a part of a response; the first part, its head, is sent together with the second.

        :raises BrokenPipeError: as `send`.
        """
        if self.stream is not None:
            return
        if self._head is None:
            self._head = data
        else:
            head, self._head = self._head, b""
            self.send(head + data)

    def flush(self) -> None:
        """Send the head of a response that has no body.

        :raises BrokenPipeError: as `send`.
        """
        if self._head:
            self.sendall(b"")

    def send(self, data: bytes) -> int:
        """Send all data; the client must receive each chunk within the timeout.

        :returns: the number of bytes.
        :raises BrokenPipeError: when it does not or has disconnected; the connection is then reset.
        """
        self._client.timeout = self._timeout_s
        try:
            sent = self._client.send(data)
            if sent < len(data):
                self._send_rest(memoryview(data), sent)
        except OSError as error:
            with suppress(OSError):  # otherwise the kernel would go on trying to send
                self._client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            raise BrokenPipeError(errno.EPIPE, "the client does not receive the response") from error
        return len(data)

    def _send_rest(self, data: memoryview, sent: int) -> None:
        start = monotonic()
        while sent < len(data):
            left = start + self._timeout_s * (1 + sent // CHUNK_BYTES) - monotonic()
            if left <= 0:
                raise TimeoutError
            self._client.timeout = left
            sent += self._client.send(data[sent:])

    def start_discarding(self, seconds: float) -> None:
        """Set a new deadline for the rest of a body, which is not counted in `bodies`."""
        self._is_discarding = True
        self._deadline = monotonic() + seconds

    def time_out(self) -> None:
        """Make the deadline of the request expire now."""
        self._deadline = monotonic()
        self.shut_down_reading()

    def shut_down_reading(self) -> None:
        """End a read in progress; data that has arrived is still read."""
        # Through a duplicate: gevent would cancel the read on the original.
        with suppress(OSError), self._client.dup() as copy:
            copy.shutdown(socket.SHUT_RD)

    def keep_heads(self) -> None:
        """Keep the heads of requests, for `read_origin`."""
        self._head_received = bytearray()

    def read_origin(self) -> str | None:
        """Return the `Origin` of a request that is refused; None if it has none, or heads are not kept.

        The rest of the head is read first, for a second at most: the header may be in it.
        """
        head = self._head_received
        if head is None:
            return None
        deadline = monotonic() + MAX_HEAD_REST_S
        with suppress(OSError):
            while b"\r\n\r\n" not in head and len(head) < MAX_REFUSED_HEAD_BYTES:
                self._client.timeout = max(0.0, deadline - monotonic())
                if not (data := self._client.recv(CHUNK_BYTES)):
                    break
                head += data
        found = _ORIGIN.search(head)
        return None if found is None else found[1].decode("latin-1")

    def linger(self) -> None:
        """Close with a lingering close: discard what the client still sends, or it could lose the response.

        See RFC 9112, section 9.6.
        """
        left, deadline = MAX_DISCARDED_BYTES, monotonic() + MAX_DISCARDING_S
        with suppress(OSError):
            self._client.shutdown(socket.SHUT_WR)
            while left > 0 and (wait := deadline - monotonic()) > 0:
                self._client.timeout = wait
                if not (data := self._client.recv(CHUNK_BYTES)):
                    break
                left -= len(data)
