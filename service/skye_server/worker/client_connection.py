"""A client's connection, and what a slow client may hold of a worker.

The proxy in front of a public server limits slow clients (`deploy/nginx`). Without one, a client may hold its
connection as long as it sends or receives something now and then, and no other client needs the connection:
when connections or the memory for bodies run short, the worker ends the requests that have waited longest for
their clients.
"""

from __future__ import annotations

import errno
import re
import socket
import struct
from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import Any, Final

import gevent
from gevent.socket import wait_read
from gunicorn.http.errors import InvalidRequestLine, LimitRequestHeaders
from gunicorn.http.message import Request

from skye_server.worker.parked_streams import ParkedStream, ParkedStreams

MAX_HEAD_BYTES: Final = 2**15
"""The maximum size of a request line with all headers; a head may exceed it by one read."""

MAX_DISCARDED_BYTES: Final = 8 * 2**20
MAX_DISCARDING_S: Final = 5.0
"""How much input is read and discarded after a request that is refused, and for how long."""

CHUNK_BYTES: Final = 2**16
"""The size of a read."""

MAX_REFUSED_HEAD_BYTES: Final = 2**18
MAX_HEAD_REST_S: Final = 1.0
"""How much of the head of a request that is refused is read, and for how long, to find its `Origin`."""

_ORIGIN: Final = re.compile(rb"\r\norigin:[ \t]*([!-~]{1,300})[ \t]*\r\n", re.IGNORECASE)
_TLS_HANDSHAKE: Final = b"\x16"


class BufferedBodies:
    """The request bodies that a worker is receiving, with a limit on their total size."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._total = 0
        self._sizes: OrderedDict[Connection, int] = OrderedDict()

    def grow(self, connection: Connection, size: int) -> None:
        """Add received bytes; above the limit, give up the body that began first."""
        self._sizes[connection] = self._sizes.get(connection, 0) + size
        self._total += size
        if self._total > self._limit:
            oldest, its_size = self._sizes.popitem(last=False)
            self._total -= its_size
            oldest.give_up()

    def forget(self, connection: Connection) -> None:
        """Remove a body that is complete or discarded."""
        self._total -= self._sizes.pop(connection, 0)


class Connection:
    """A client's socket as gunicorn uses it; other attributes are those of the socket.

    As a context manager it marks the time in which it waits for the head of the next request.

    :param silence_s: how long a client may send and receive nothing while the worker waits for it.
    :param bodies: the bodies that all connections are receiving.
    :param streams: the parked streams of all connections.
    """

    __slots__ = (
        "_bodies",
        "_client",
        "_head",
        "_head_left",
        "_head_received",
        "_is_given_up",
        "_silence_s",
        "_streams",
        "_yields",
        "head_silence_s",
        "is_discarding",
        "is_health",
        "request",
        "stream",
        "wait_ended_by",
    )

    def __init__(self, client: Any, silence_s: float, bodies: BufferedBodies, streams: ParkedStreams) -> None:
        self._client = client
        self._bodies = bodies
        self._streams = streams
        self._silence_s = self.head_silence_s = silence_s
        self._is_given_up = False
        self._yields = False  # whether the next read yields to other connections
        self._head_left = MAX_HEAD_BYTES
        self._head: bytes | None = None  # the head of a response, held back until its body begins
        self._head_received: bytearray | None = None  # the head of the request, if it is kept
        self.is_discarding = False  # whether the body is read to be discarded, and not counted in `bodies`
        self.is_health = False  # whether it was accepted by the health listener
        self.request: Request | None = None
        self.stream: ParkedStream | None = None  # once it is parked, gunicorn neither sends nor closes
        self.wait_ended_by: int | None = None  # how to shut down the socket; None: no wait for the client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def __enter__(self) -> None:
        """Begin to wait for a request; its client may be silent for `head_silence_s` seconds."""
        self._yields = self.request is not None
        self.request = self._head = None
        self._head_left = MAX_HEAD_BYTES
        self._is_given_up = self.is_discarding = False
        self._client.timeout = self.head_silence_s
        if self._head_received:
            self._head_received.clear()

    def __exit__(self, *_error: object) -> None:
        """End the wait: the head is complete or will not arrive."""
        self._client.timeout = self._silence_s

    def recv(self, size: int) -> bytes:
        """Receive data.

        :returns: nothing when the client has closed the connection, or is silent before the end of a head.
        :raises TimeoutError: when the client is silent in a body, or the worker has given it up.
        :raises ConnectionResetError: when the client has disconnected.
        :raises LimitRequestHeaders: when a head is far too large.
        :raises InvalidRequestLine: when the client begins a TLS handshake.
        """
        if self.request is None and self._head_left <= 0:
            raise LimitRequestHeaders(f"more than {MAX_HEAD_BYTES} bytes")
        try:
            data = self._receive(size)
        except TimeoutError:
            data, self._is_given_up = b"", True
        except OSError as error:  # of whatever kind: gunicorn would log most of them as errors of the service
            raise ConnectionResetError(errno.ECONNRESET, "the client has disconnected") from error
        if self.request is None:
            if self._head_left == MAX_HEAD_BYTES and data.startswith(_TLS_HANDSHAKE):
                raise InvalidRequestLine("TLS is not supported")
            self._head_left -= len(data)
            if self._head_received is not None:
                self._head_received += data
            return data
        if not self.is_discarding:
            self._bodies.grow(self, len(data))
        if self._is_given_up:
            self.request.force_close()
            raise TimeoutError
        return data

    def _receive(self, size: int) -> bytes:
        self.wait_ended_by = socket.SHUT_RD
        try:
            if self._yields:
                # The next request may have arrived already. Without a wait, a client that sends at once would
                # keep the worker from all other connections.
                self._yields = False
                wait_read(self._client.fileno(), self._client.timeout, TimeoutError)
            data: bytes = self._client.recv(size)
            return data
        finally:
            self.wait_ended_by = None

    def give_up(self) -> None:
        """End the request, unless it has arrived and its response is not being sent."""
        self._is_given_up = True
        if self.wait_ended_by is not None:
            # Through a duplicate: gevent would cancel the wait on the original, and not read the rest.
            with suppress(OSError), self._client.dup() as copy:
                copy.shutdown(self.wait_ended_by)
            self.wait_ended_by = None

    def park(self, frames: Generator[bytes], on_end: Callable[[], None]) -> Callable[[], None] | None:
        """Send the rest of the body of a response without its greenlet, and then disconnect.

        :param frames: yields data to send, and `b""` when there is none until the stream is woken.
        :returns: a function that wakes the stream; None if too many streams are parked.
        """
        if self.request is None or self._streams.is_full:
            return None
        self._client = socket.socket(fileno=self._client.detach())  # gevent closes the socket of a greenlet
        self._client.settimeout(self._silence_s)
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
        """Send all data.

        :returns: the number of bytes.
        :raises BrokenPipeError: when the client has disconnected or receives nothing; the connection is then
            reset.
        """
        rest = memoryview(data)
        self.wait_ended_by = socket.SHUT_RDWR
        try:
            while rest:
                rest = rest[self._client.send(rest) :]
        except OSError as error:
            with suppress(OSError):  # otherwise the kernel would go on trying to send
                self._client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            raise BrokenPipeError(errno.EPIPE, "the client does not receive the response") from error
        finally:
            self.wait_ended_by = None
        return len(data)

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
        with suppress(OSError), gevent.Timeout(MAX_HEAD_REST_S, TimeoutError):
            while b"\r\n\r\n" not in head and len(head) < MAX_REFUSED_HEAD_BYTES:
                if not (data := self._receive(CHUNK_BYTES)):
                    break
                head += data
        found = _ORIGIN.search(head)
        return None if found is None else found[1].decode("latin-1")

    def linger(self) -> None:
        """Close with a lingering close: discard what the client still sends, or it could lose the response.

        See RFC 9112, section 9.6.
        """
        left = MAX_DISCARDED_BYTES
        with suppress(OSError), gevent.Timeout(MAX_DISCARDING_S, TimeoutError):
            self._client.shutdown(socket.SHUT_WR)
            while left > 0 and (data := self._receive(CHUNK_BYTES)):
                left -= len(data)
