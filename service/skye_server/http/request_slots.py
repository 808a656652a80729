"""Request slots: a worker handles a few requests of one address at a time, and further ones wait (bulkhead).

Each step of a request waits for the event loop to run all greenlets that are ready. Without slots, an address
with 200 connections makes each step of all others wait for a hundred requests.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from skye_server.cooperative_yield import pause
from skye_server.http.client_address import network

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

MAX_HANDLED: Final = 4
"""The number of requests of one address that a worker handles at a time."""

CROWD: Final = 16
"""With more concurrent requests in a worker, an address gets its 429 late."""

MAX_WAIT_S: Final = 1.0
"""The longest wait for a slot; then the request takes that of the oldest holder. So requests that are stuck,
such as slow uploads, do not lock out others of their address."""

SLOT: Final = "skye.request_slot"
"""The key of the request's slot in the WSGI environment."""


@dataclass(slots=True)
class _Address:
    """The requests of one address: `holders` have a slot, `present` have not been answered."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    present: int = 0
    holders: list[RequestSlot] = field(default_factory=list)
    waiting: deque[tuple[RequestSlot, threading.Event]] = field(default_factory=deque)

    @property
    def has_free_slot(self) -> bool:
        """Whether another request of the address may begin."""
        return len(self.holders) < MAX_HANDLED


class RequestSlot:
    """The slot of one request; creating it waits for the slot."""

    __slots__ = ("_address",)

    def __init__(self, address: _Address) -> None:
        self._address = address
        with address.lock:
            if address.has_free_slot:
                address.holders.append(self)
                return
            waiting = self, threading.Event()
            address.waiting.append(waiting)
        waiting[1].wait(MAX_WAIT_S)
        with address.lock:
            if waiting in address.waiting:
                address.waiting.remove(waiting)
                del address.holders[0]
                address.holders.append(self)

    @property
    def concurrent_requests(self) -> int:
        """The number of requests of the address in this worker that have not been answered."""
        return self._address.present

    def end(self) -> None:
        """Release the slot; first yield to other addresses if another request waits for it."""
        if self._address.waiting and self in self._address.holders:
            pause()
        self.release()

    def release(self) -> None:
        """Let the request begin that has waited longest: this one waits for something, or has ended."""
        address = self._address
        with address.lock:
            if self in address.holders:
                address.holders.remove(self)
            while address.waiting and address.has_free_slot:
                slot, granted = address.waiting.popleft()
                address.holders.append(slot)
                granted.set()


class RequestSlots:
    """WSGI middleware that gives each request a slot of its client's address."""

    def __init__(self, application: WSGIApplication) -> None:
        self._application = application
        self._addresses: dict[str, _Address] = {}

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Respond to a request once it has a slot."""
        name = network(environ.get("REMOTE_ADDR"))
        address = self._addresses.setdefault(name, _Address())
        address.present += 1
        try:
            slot = environ[SLOT] = RequestSlot(address)
            try:
                return self._application(environ, start_response)
            finally:
                slot.end()
        finally:
            address.present -= 1
            if not address.present:
                del self._addresses[name]
