"""Parked streams: their connections need no greenlet while there is nothing to send.

The stack, the request and its parser would take most of the memory of an idle stream. So the request ends
when the stream has nothing to send for the first time. From then on each `wake` starts a greenlet, which
sends the available data and ends.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from contextlib import ExitStack
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

import gevent

if TYPE_CHECKING:
    from skye_server.worker.client_connection import Connection

_LAST_CHUNK = b"0\r\n\r\n"

_log = logging.getLogger(__name__)


class ParkedStreams:
    """The parked streams of a worker.

    :param limit: the maximum number.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._streams: set[ParkedStream] = set()

    @property
    def is_full(self) -> bool:
        """Whether no further stream may be parked."""
        return len(self._streams) >= self._limit

    def add(self, client: Connection, frames: Generator[bytes], *, is_chunked: bool) -> ParkedStream:
        """Park a stream."""
        stream = ParkedStream(client, frames, is_chunked=is_chunked)
        self._streams.add(stream)
        stream.at_end(self._streams.discard, stream)
        return stream

    def join(self, timeout_s: float) -> None:
        """Wait until all streams have ended."""
        until = monotonic() + timeout_s
        while self._streams and monotonic() < until:
            gevent.sleep(0.05)


class ParkedStream:
    """A stream whose request has ended.

    :param frames: yields data to send, and `b""` when there is none until the stream is woken.
    :param is_chunked: whether the body is sent in chunks (RFC 9112, section 7.1).
    """

    __slots__ = ("_at_end", "_client", "_frames", "_is_chunked", "_is_sending")

    def __init__(self, client: Connection, frames: Generator[bytes], *, is_chunked: bool) -> None:
        self._client = client
        self._frames = frames
        self._is_chunked = is_chunked
        self._is_sending = False
        self._at_end: list[Callable[[], object]] = []

    def at_end(self, function: Callable[..., object], *arguments: object) -> None:
        """Call a function when the stream has ended."""
        self._at_end.append(partial(function, *arguments))

    def wake(self) -> None:
        """Send the available data in a new greenlet, unless one is sending."""
        if not self._is_sending:
            self._is_sending = True
            gevent.spawn_raw(self._run)

    def _run(self) -> None:
        try:
            is_over = self._send()
        except OSError:  # the client has disconnected, or receives too slowly
            is_over = True
        except Exception:  # noqa: BLE001 - any error: the client reconnects
            _log.exception("a stream has failed")
            is_over = True
        self._is_sending = is_over
        if is_over:
            self._close()

    def _send(self) -> bool:
        """Send the available data; return whether the stream is over."""
        for frame in self._frames:
            if not frame:
                return False
            self._client.send(b"%x\r\n%b\r\n" % (len(frame), frame) if self._is_chunked else frame)
        if self._is_chunked:
            self._client.send(_LAST_CHUNK)
        return True

    def _close(self) -> None:
        with ExitStack() as stack:
            for function in (*self._at_end, self._frames.close, self._client.disconnect):
                stack.callback(function)
