"""Request slots: a worker handles a few requests of one address at a time, and further ones wait (bulkhead).

Each step of a request waits for the event loop to run all greenlets that are ready. Without slots, an address
with 200 connections makes each step of all others wait for a hundred requests.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from skye_server.client_address import network
from skye_server.cooperative_yield import pause

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

MAX_HANDLED: Final = 2
"""The number of requests of one address that a worker handles at a time."""

CROWD: Final = 16
"""With more concurrent requests in a worker, an address gets its 429 late."""

MAX_HELD_S: Final = 1.0
"""How long a request keeps its slot while others wait for one. So requests that are stuck do not lock out
others of their address."""

SLOT: Final = "skye.request_slot"
"""The key of the request's slot in the WSGI environment."""


@dataclass(slots=True)
class _Address:
    """The requests of one address: `holders` have a slot since a time, `present` have not been answered."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    present: int = 0
    holders: dict[RequestSlot, float] = field(default_factory=dict)
    waiting: deque[tuple[RequestSlot, threading.Event]] = field(default_factory=deque)

    def grant(self) -> None:
        """Let the requests begin that have waited longest, as far as slots are free."""
        while self.waiting and len(self.holders) < MAX_HANDLED:
            slot, granted = self.waiting.popleft()
            self.holders[slot] = time.monotonic()
            granted.set()

    def free_stuck(self) -> None:
        """Free the slots of requests that are stuck."""
        now = time.monotonic()
        for slot in [slot for slot, since in self.holders.items() if now - since >= MAX_HELD_S]:
            del self.holders[slot]
        self.grant()


class RequestSlot:
    """The slot of one request; creating it waits for the slot."""

    __slots__ = ("_address",)

    def __init__(self, address: _Address) -> None:
        self._address = address
        self.acquire()

    def acquire(self) -> None:
        """Wait for the slot."""
        address, granted = self._address, threading.Event()
        with address.lock:
            address.waiting.append((self, granted))
            address.grant()
        while not granted.wait(MAX_HELD_S):
            with address.lock:
                address.free_stuck()

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
            address.holders.pop(self, None)
            address.grant()


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
