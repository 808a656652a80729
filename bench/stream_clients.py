"""Clients of event streams, in a separate process that records the time at which each event arrives."""

from __future__ import annotations

import contextlib
import multiprocessing
import re
import resource
import select
import socket
import time
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from urllib.parse import urlsplit

_TIMEOUT_S = 60.0
_BATCH_SIZE = 50  # streams to open at the same time: a thousand would delay each other
_VERSION = re.compile(rb'"version":(\d+)')


class OpenStreams:
    """Open streams in the other process."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe

    def arrivals(self) -> list[tuple[int, int, float]]:
        """Return the events that have arrived since the last call.

        :returns: for each event the index of its path, the version of the game, and the time of arrival.
        :raises RuntimeError: when the other process does not respond.
        """
        self._pipe.send("report")
        if not self._pipe.poll(_TIMEOUT_S):
            raise RuntimeError("the process of the streams does not respond")
        arrived: list[tuple[int, int, float]] = self._pipe.recv()
        return arrived


@contextlib.contextmanager
def open_streams(base: str, paths: Sequence[str]) -> Iterator[OpenStreams]:
    """Open a stream for each path; wait until all are open.

    :raises RuntimeError: when they are not open after a minute.
    """
    parent, child = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_hold_streams, args=(child, base, list(paths)))
    process.start()
    try:
        if not parent.poll(_TIMEOUT_S) or parent.recv() != "open":
            raise RuntimeError(f"{len(paths)} streams could not be opened")
        yield OpenStreams(parent)
        parent.send("end")
    finally:
        process.join(5)
        process.kill()
        process.join()


def _hold_streams(pipe: Connection, base: str, paths: list[str]) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    streams: list[socket.socket] = []
    for first in range(0, len(paths), _BATCH_SIZE):
        opened = [_open(base, path) for path in paths[first : first + _BATCH_SIZE]]
        for stream in opened:
            head = stream.recv(65536)
            if not head.startswith(b"HTTP/1.1 200 "):
                raise RuntimeError(f"a stream could not be opened: {head!r}")
        streams += opened
    pipe.send("open")
    _record_events(pipe, {stream.fileno(): (place, stream) for place, stream in enumerate(streams)})


def _record_events(pipe: Connection, streams: dict[int, tuple[int, socket.socket]]) -> None:
    """Record events; send them when the parent process requests a report, until it sends `end`."""
    poller = select.epoll()
    for number in (pipe.fileno(), *streams):
        poller.register(number, select.EPOLLIN)
    arrived: list[tuple[int, int, float]] = []
    while True:
        for number, _ in poller.poll(_TIMEOUT_S):
            if number == pipe.fileno():
                if pipe.recv() == "end":
                    return
                pipe.send(arrived)
                arrived = []
                continue
            place, stream = streams[number]
            data, now = stream.recv(65536), time.monotonic()
            if not data:
                raise RuntimeError("a stream has ended")
            arrived += [(place, int(version), now) for version in _VERSION.findall(data)]


def _open(base: str, path: str) -> socket.socket:
    place = urlsplit(base)
    stream = socket.create_connection((place.hostname, place.port), timeout=_TIMEOUT_S)
    stream.sendall(f"GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n".encode())
    return stream
