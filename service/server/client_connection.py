"""A client's connection, which waits for its client only so long.

gunicorn waits without end for a head, for a body, for an answer to be taken. Here each of these is bounded,
and no timer is started where nothing has to be waited for.
"""

from __future__ import annotations

import errno
import socket
import struct
from collections import OrderedDict
from contextlib import suppress
from time import monotonic
from typing import Any, Final

from gunicorn.http.errors import InvalidRequestLine, LimitRequestHeaders, ParseException
from gunicorn.http.message import Request

LARGEST_HEAD: Final = 2**15
"""Bytes of a request line with all headers; up to what is read at once may be let pass beyond them."""

MOST_UNWANTED: Final = 8 * 2**20
MOST_UNWANTED_S: Final = 2.0
"""How much that nobody wants is taken all the same, in bytes, and for how many seconds."""

PIECE: Final = 2**16
"""Bytes of an answer that a client must take in the time it has; and of what is read at once."""

_TLS_HANDSHAKE: Final = 0x16


class TooSlow(ParseException):
    """The head of a request has not come in time."""


class Bodies:
    """The bodies that the clients of a worker are sending, which together may have `most` bytes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._total = 0
        self._sizes: OrderedDict[Connection, int] = OrderedDict()

    def grow(self, connection: Connection, size: int) -> None:
        """Note how much of a body has come; if all have too much, the one begun first counts as too slow."""
        self._sizes[connection] = self._sizes.get(connection, 0) + size
        self._total += size
        if self._total > self._most:
            slowest, its_size = self._sizes.popitem(last=False)
            self._total -= its_size
            slowest.time_out()

    def forget(self, connection: Connection) -> None:
        """Note that a body is whole, or wanted no more."""
        self._total -= self._sizes.pop(connection, 0)


class Connection:
    """A client's socket as gunicorn uses it; what is not bounded here is the socket's own.

    As a context it is the wait for a request and its head. `waiting` holds all connections that wait, the
    longest first; `bodies` counts what all send. `patience_s` is how long a client may take to send a
    request, and to take each piece of an answer.
    """

    __slots__ = (
        "_bodies",
        "_client",
        "_head",
        "_head_left",
        "_patience_s",
        "_until",
        "_waiting",
        "_wanted",
        "idle_s",
        "request",
    )

    def __init__(
        self, client: Any, patience_s: float, waiting: OrderedDict[Connection, None], bodies: Bodies
    ) -> None:
        self._client = client
        self._bodies = bodies
        self._patience_s = patience_s
        self._waiting = waiting
        self._until: float | None = None  # None: nothing of the request has come
        self._head_left = 0
        self._wanted = True  # a body, not what is left of one
        self._head: bytes | None = None  # of an answer, until there is more of it to send
        self.idle_s = patience_s
        self.request: Request | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def __enter__(self) -> None:
        """Begin to wait for a request, up to `idle_s` seconds."""
        self._until = self.request = self._head = None
        self._head_left = LARGEST_HEAD
        self._wanted = True
        self._waiting[self] = None

    def __exit__(self, *_error: object) -> None:
        """End the wait: the head is there, or will not come."""
        self._waiting.pop(self, None)

    def recv(self, size: int) -> bytes:
        """Return what the client has sent; nothing when it has ended, or has not begun a request in time.

        :raises TooSlow: while a head is read. :raises TimeoutError: while a body is.
        :raises ConnectionResetError: when the client is gone.
        :raises LimitRequestHeaders: when a head is far too large.
        :raises InvalidRequestLine: when the client wants to speak TLS.
        """
        if self.request is None and self._head_left <= 0:
            raise LimitRequestHeaders(f"more than {LARGEST_HEAD} bytes")
        left = self.idle_s if self._until is None else self._until - monotonic()
        try:
            if left <= 0:
                raise TimeoutError
            self._client.timeout = left
            data: bytes = self._client.recv(size)
        except TimeoutError:
            return self._late()
        except OSError as error:  # of whatever kind: gunicorn would log most of them as faults of ours
            raise ConnectionResetError(errno.ECONNRESET, "the client is gone") from error
        if self._until is None:
            self._until = monotonic() + self._patience_s
            if data and data[0] == _TLS_HANDSHAKE:
                raise InvalidRequestLine("TLS is not spoken here")
        if self.request is None:
            self._head_left -= len(data)
        elif self._wanted:
            self._bodies.grow(self, len(data))
            if not data and self._until <= monotonic():
                return self._late()
        return data

    def _late(self) -> bytes:
        if self._until is None:
            return b""
        if self.request is None:
            raise TooSlow
        self.request.force_close()
        raise TimeoutError

    def sendall(self, data: bytes) -> None:
        """Send a part of an answer; the first, which is its head, together with the next.

        :raises BrokenPipeError: what `send` raises.
        """
        if self._head is None:
            self._head = data
        else:
            head, self._head = self._head, b""
            self.send(head + data)

    def flush(self) -> None:
        """Send the head of an answer that has nothing else.

        :raises BrokenPipeError: what `send` raises.
        """
        if self._head:
            self.sendall(b"")

    def send(self, data: bytes) -> int:
        """Send all of some data, if the client takes each piece of it in time; return how much it was.

        :raises BrokenPipeError: when the client does not, or is gone; the connection is then of no more use.
        """
        self._client.timeout = self._patience_s
        try:
            sent = self._client.send(data)
            if sent < len(data):
                self._send_on(memoryview(data), sent)
        except OSError as error:
            with suppress(OSError):  # else the kernel would go on trying to send
                self._client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            raise BrokenPipeError(errno.EPIPE, "the client does not take its answer") from error
        return len(data)

    def _send_on(self, data: memoryview, sent: int) -> None:
        begun = monotonic()
        while sent < len(data):
            left = begun + self._patience_s * (1 + sent // PIECE) - monotonic()
            if left <= 0:
                raise TimeoutError
            self._client.timeout = left
            sent += self._client.send(data[sent:])

    def allow(self, seconds: float) -> None:
        """Let the client send for some more seconds, whatever it took until now, what is then thrown away."""
        self._wanted = False
        self._until = monotonic() + seconds

    def time_out(self) -> None:
        """Let the client send no more: its time is up."""
        self._until = monotonic()
        self.hang_up()

    def hang_up(self) -> None:
        """End the wait for what the client sends; what has come is still read."""
        # By a copy, since gevent would break off the wait for the original.
        with suppress(OSError), self._client.dup() as copy:
            copy.shutdown(socket.SHUT_RD)

    def linger(self) -> None:
        """Take what the client still sends, within bounds: who still sends would miss the answer."""
        left, until = MOST_UNWANTED, monotonic() + MOST_UNWANTED_S
        with suppress(OSError):
            self._client.shutdown(socket.SHUT_WR)
            while left > 0 and (wait := until - monotonic()) > 0:
                self._client.timeout = wait
                if not (data := self._client.recv(PIECE)):
                    break
                left -= len(data)
