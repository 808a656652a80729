"""Request slots: a worker handles a few requests of one address at a time, and further ones wait (bulkhead).

Each step of a request waits for the event loop to run all greenlets that are ready. Without slots, an address
with 200 connections makes each step of all others wait for a hundred requests.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from skye_server.cooperative_yield import pause
from skye_server.http.client_address import network

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

MAX_HANDLED: Final = 4
"""The number of requests of one address that a worker handles at a time."""

MAX_WAIT_S: Final = 1.0
"""The longest wait for a slot; then the request is handled without one. So requests that are stuck, such as
slow uploads, cannot lock out others of their address."""

SLOT: Final = "skye.request_slot"
"""The key of the request's slot in the WSGI environment."""


class _Address:
    """The requests of one address: `handled` hold a slot, `present` have not been answered."""

    __slots__ = ("_lock", "handled", "present", "waiting")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.handled = self.present = 0
        self.waiting: deque[threading.Event] = deque()

    def enter(self) -> None:
        """Wait for a slot."""
        with self._lock:
            if self.handled < MAX_HANDLED:
                self.handled += 1
                return
            granted = threading.Event()
            self.waiting.append(granted)
        granted.wait(MAX_WAIT_S)
        with self._lock:
            if granted in self.waiting:
                self.waiting.remove(granted)
                self.handled += 1

    def leave(self) -> None:
        """Pass the slot on to the request that has waited longest."""
        with self._lock:
            if self.waiting and self.handled <= MAX_HANDLED:
                self.waiting.popleft().set()
            else:
                self.handled -= 1


class RequestSlot:
    """The slot of one request."""

    __slots__ = ("_address", "_is_held")

    def __init__(self, address: _Address) -> None:
        self._address = address
        address.enter()
        self._is_held = True

    @property
    def concurrent_requests(self) -> int:
        """The number of requests of the address in this worker that have not been answered."""
        return self._address.present

    def end(self) -> None:
        """Release the slot; first yield to other addresses if another request waits for it."""
        if self._is_held and self._address.waiting:
            pause()
        self.release()

    def release(self) -> None:
        """Let another request of the address begin: this one waits, or has ended."""
        if self._is_held:
            self._is_held = False
            self._address.leave()


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
