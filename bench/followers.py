"""Clients that hold streams of events open, in a process of their own, and note when each event arrives."""

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

_PATIENCE_S = 60.0
_AT_ONCE = 50  # opened together: a thousand would wait for each other, and none is measured here
_VERSION = re.compile(rb'"version":(\d+)')


class Followers:
    """Streams that are open; `arrivals` tells what has come since it was asked the last time."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe

    def arrivals(self) -> list[tuple[int, int, float]]:
        """Return the place of the path, the version of the game and the time of each event."""
        self._pipe.send("tell")
        if not self._pipe.poll(_PATIENCE_S):
            raise RuntimeError("the followers do not answer")
        arrived: list[tuple[int, int, float]] = self._pipe.recv()
        return arrived


@contextlib.contextmanager
def following(base: str, paths: Sequence[str]) -> Iterator[Followers]:
    """Open a stream for each path, and wait until all have begun.

    :raises RuntimeError: when they do not in a minute.
    """
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_follow, args=(there, base, list(paths)))
    process.start()
    try:
        if not here.poll(_PATIENCE_S) or here.recv() != "open":
            raise RuntimeError(f"{len(paths)} streams could not be opened")
        yield Followers(here)
        here.send("end")
    finally:
        process.join(5)
        process.kill()
        process.join()


def _follow(pipe: Connection, base: str, paths: list[str]) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    streams: list[socket.socket] = []
    for first in range(0, len(paths), _AT_ONCE):
        opened = [_opened(base, path) for path in paths[first : first + _AT_ONCE]]
        for stream in opened:
            begins = stream.recv(65536)
            if not begins.startswith(b"HTTP/1.1 200 "):
                raise RuntimeError(f"a stream could not be opened: {begins!r}")
        streams += opened
    pipe.send("open")
    _note(pipe, {stream.fileno(): (place, stream) for place, stream in enumerate(streams)})


def _note(pipe: Connection, streams: dict[int, tuple[int, socket.socket]]) -> None:
    """Note what arrives, and tell it whenever asked, until told to end."""
    ears = select.epoll()
    for number in (pipe.fileno(), *streams):
        ears.register(number, select.EPOLLIN)
    arrived: list[tuple[int, int, float]] = []
    while True:
        for number, _ in ears.poll(_PATIENCE_S):
            if number == pipe.fileno():
                if pipe.recv() == "end":
                    return
                pipe.send(arrived)
                arrived = []
                continue
            place, stream = streams[number]
            came, now = stream.recv(65536), time.monotonic()
            if not came:
                raise RuntimeError("a stream has ended")
            arrived += [(place, int(version), now) for version in _VERSION.findall(came)]


def _opened(base: str, path: str) -> socket.socket:
    place = urlsplit(base)
    stream = socket.create_connection((place.hostname, place.port), timeout=_PATIENCE_S)
    stream.sendall(f"GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n".encode())
    return stream
