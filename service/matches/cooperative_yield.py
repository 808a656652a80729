"""Cooperative scheduling of long computations: bots and replayed records.

A gevent worker serves many requests in one thread, and nothing preempts a request that computes. So a worker
runs one long computation at a time. It computes for one time slice, lets the worker serve other requests, and
then goes to the end of the queue of computations.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Final, Self

from service.matches.error_codes import Problem

_SLICE_S: Final = 0.002
"""Longest computation without a yield, in seconds."""

_PAUSE_S: Final = 1e-4
"""Duration of a yield: gevent polls no socket during a `sleep(0)`."""

MAX_QUEUED: Final = 64
"""Computations that wait in one worker; further ones fail with server_busy."""

MAX_WAIT_S: Final = 10.0
"""Longest wait for one time slice."""

client_disconnected: ContextVar[Callable[[], bool]] = ContextVar("client_disconnected")
"""Returns whether the client of the current request has closed its connection."""

permit = threading.Semaphore(1)
queued: set[object] = set()


class Computation:
    """A long computation, as a context manager: one at a time holds the worker's permit to compute.

    :raises Problem: server_busy, if too many computations wait; bad_request, if the client has disconnected.
    """

    def __init__(self) -> None:
        self._has_permit = False
        self._ends = 0.0

    def __enter__(self) -> Self:
        """Wait for the first time slice."""
        self._begin_slice()
        return self

    def __exit__(self, *_error: object) -> None:
        """Release the permit; first yield to the event loop if the time slice has expired."""
        if time.monotonic() > self._ends:
            self._pause()
        self._release()

    def checkpoint(self) -> None:
        """Yield to the event loop and to other computations if the time slice has expired."""
        if time.monotonic() <= self._ends:
            return
        self._pause()
        self._release()
        time.sleep(0)  # the semaphore is not fair: without this the same computation acquires it again
        self._begin_slice()

    def _pause(self) -> None:
        """Yield with the permit: the worker serves requests, but no other computation runs."""
        if self._has_permit:
            time.sleep(_PAUSE_S)

    def _release(self) -> None:
        if self._has_permit:
            self._has_permit = False
            permit.release()

    def _begin_slice(self) -> None:
        if not permit.acquire(blocking=False):
            self._wait()
        self._has_permit = True
        if has_disconnected():
            self._release()
            raise Problem("bad_request", "The client has disconnected.")
        self._ends = time.monotonic() + _SLICE_S

    def _wait(self) -> None:
        if len(queued) >= MAX_QUEUED:
            raise Problem("server_busy")
        queued.add(self)
        try:
            if not permit.acquire(timeout=MAX_WAIT_S):
                raise Problem("server_busy")
        finally:
            queued.discard(self)


def pause() -> None:
    """Let the worker serve other requests between the parts of a request that are too short to queue for."""
    time.sleep(_PAUSE_S)


def has_disconnected() -> bool:
    """Return whether the client of the current request has closed its connection."""
    return disconnect_check()()


def disconnect_check() -> Callable[[], bool]:
    """Return a function that checks whether the client of the current request has disconnected."""
    return client_disconnected.get(_never)


def _never() -> bool:
    return False
