"""Cooperative scheduling of long computations: bots, replayed records, long logs and large bodies.

A gevent worker serves many requests in one thread, and nothing preempts a request that computes. So a worker
runs one long computation at a time. It computes for one time slice, lets the worker serve other requests, and
then goes to the end of the queue of its client's address. The addresses take turns (round robin), so one
address can delay a computation of another by one time slice for each of its own. The CPU time of a
computation is reported to the rate limits.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass
from typing import Final

from skye.bots import on_checkpoint
from skye_server.error_codes import Problem

_SLICE_S: Final = 0.002
"""Longest computation without a yield, in seconds."""

_PAUSE_S: Final = 1e-4
"""Duration of a yield: gevent polls no socket during a `sleep(0)`."""

MAX_QUEUED: Final = 64
"""Computations of one address that wait in one worker; further ones fail with server_busy."""

MAX_WAIT_S: Final = 5.0
"""Longest wait for one time slice: with challenges of webhooks, less than a proxy waits for a response."""

cpu_time = time.thread_time
"""Returns the CPU time of this thread in seconds: no other greenlet runs within a time slice."""


@dataclass(slots=True)
class ComputingClient:
    """The client that a request computes for.

    :param address: the address whose queue the computations wait in.
    :param has_disconnected: returns whether the client has closed its connection.
    :param spend: called with the CPU seconds of each computation when it ends.
    :param release_slot: called when the request begins to wait for something other than the server.
    :param store: called with the kilobytes that the request is to store; raises a problem if these are too
        many.
    """

    address: str = ""
    has_disconnected: Callable[[], bool] = lambda: False
    spend: Callable[[float], None] = lambda _seconds: None
    release_slot: Callable[[], None] = lambda: None
    store: Callable[[int], None] = lambda _kilobytes: None


computing_client: ContextVar[ComputingClient] = ContextVar("computing_client")
"""The client of the current request."""


class Slot:
    """A slot of this worker, for one holder at a time: addresses take turns, each has a queue.

    :param max_wait_s: the longest wait for it.
    """

    def __init__(self, max_wait_s: float) -> None:
        self._max_wait_s = max_wait_s
        self._lock = threading.Lock()
        self._is_taken = False
        self._queues: OrderedDict[str, deque[threading.Event]] = OrderedDict()

    @property
    def queued(self) -> int:
        """How many computations wait."""
        with self._lock:
            return sum(map(len, self._queues.values()))

    def acquire(self, address: str, max_queued: int | None = None) -> None:
        """Wait for the slot.

        :param max_queued: how many of the address may wait already; None: any number.
        :raises Problem: server_busy.
        """
        with self._lock:
            if not self._is_taken:
                self._is_taken = True
                return
            if max_queued is not None and len(self._queues.get(address, ())) >= max_queued:
                raise Problem("server_busy")
            turn = threading.Event()
            self._queues.setdefault(address, deque()).append(turn)
        is_granted = False
        try:
            is_granted = turn.wait(self._max_wait_s)
        finally:
            if not is_granted:
                self._abandon(address, turn)
        if not is_granted:
            raise Problem("server_busy")

    def release(self) -> None:
        """Pass the slot on to the address whose turn it is."""
        with self._lock:
            if not self._queues:
                self._is_taken = False
                return
            address, queue = self._queues.popitem(last=False)
            queue.popleft().set()
            if queue:
                self._queues[address] = queue

    def _abandon(self, address: str, turn: threading.Event) -> None:
        """Stop waiting; pass the slot on if it was granted at the same moment."""
        with self._lock:
            queue = self._queues.get(address, deque())
            if turn in queue:
                queue.remove(turn)
                if not queue:
                    del self._queues[address]
                return
        self.release()


slot = Slot(MAX_WAIT_S)
"""The slot for computing."""

_current: ContextVar[Computation] = ContextVar("computation")
"""The computation that holds the slot for this request."""


class Computation:
    """A long computation, as a context manager: one at a time holds the worker's slot for computing.

    A computation within another one is part of it.

    The engine's bots and pictures yield at checkpoints of their own (`skye.bots.on_checkpoint`).

    :raises Problem: server_busy, if too many computations of the address wait; bad_request, if the client has
        disconnected.
    """

    def __init__(self) -> None:
        self._client = _client()
        self._on_checkpoint: Token[Callable[[], None]] | None = None
        self._as_current: Token[Computation] | None = None
        self._has_slot = False
        self._ends = self._began_at = self._used_s = 0.0

    def __enter__(self) -> Computation:  # noqa: PYI034 - it may be the outer one
        """Wait for the first time slice; return the computation that this one is part of, or itself."""
        outer = _current.get(None)
        if outer is not None:
            return outer
        slot.acquire(self._client.address, MAX_QUEUED)
        self._begin_slice()
        self._on_checkpoint = on_checkpoint.set(self.checkpoint)
        self._as_current = _current.set(self)
        return self

    def __exit__(self, *_error: object) -> None:
        """Release the slot; first yield to the event loop if the time slice has expired."""
        if self._on_checkpoint is None or self._as_current is None:
            return
        _current.reset(self._as_current)
        on_checkpoint.reset(self._on_checkpoint)
        if self._has_slot:
            self._end_slice()
        self._client.spend(self._used_s)

    def checkpoint(self) -> None:
        """Yield to the event loop and to other computations if the time slice has expired."""
        if time.monotonic() <= self._ends:
            return
        self._end_slice()
        slot.acquire(self._client.address)
        self._begin_slice()

    def _begin_slice(self) -> None:
        self._has_slot = True
        self._began_at = cpu_time()
        self._ends = time.monotonic() + _SLICE_S
        if self._client.has_disconnected():
            self._end_slice()
            raise Problem("bad_request", "The client has disconnected.")

    def _end_slice(self) -> None:
        """Count the CPU time; the worker serves other requests before it begins another computation."""
        self._used_s += cpu_time() - self._began_at
        self._has_slot = False
        try:
            if time.monotonic() > self._ends:
                time.sleep(_PAUSE_S)
        finally:
            slot.release()


def pause() -> None:
    """Let the worker serve other requests between the parts of a request that are too short to queue for."""
    time.sleep(_PAUSE_S)


@contextmanager
def pausing() -> Iterator[None]:
    """Pause at the engine's checkpoints; for work that is done once for all clients, as `pauser`."""
    reset = on_checkpoint.set(pauser())
    try:
        yield
    finally:
        on_checkpoint.reset(reset)


def pauser() -> Callable[[], None]:
    """Return a function that pauses if a time slice has passed since the last pause.

    It is for work that is done once for all clients: unlike a `Computation` it is never refused or cancelled.
    """
    ends = time.monotonic() + _SLICE_S

    def pause_if_due() -> None:
        nonlocal ends
        if time.monotonic() > ends:
            pause()
            ends = time.monotonic() + _SLICE_S

    return pause_if_due


def client_address() -> str:
    """Return the address of the client of the current request, as its computations are counted."""
    return _client().address


def has_disconnected() -> bool:
    """Return whether the client of the current request has closed its connection."""
    return _client().has_disconnected()


def release_slot() -> None:
    """Let the worker begin another request of the client's address, because the current one will wait."""
    _client().release_slot()


def charge_stored(kilobytes: int) -> None:
    """Charge the client of the current request for what it is about to store.

    :raises Problem: too_many_requests.
    """
    _client().store(kilobytes)


def disconnect_check() -> Callable[[], bool]:
    """Return a function that checks whether the client of the current request has disconnected."""
    return _client().has_disconnected


def _client() -> ComputingClient:
    return computing_client.get(None) or ComputingClient()
