"""Circuit breaker per server, with a half-open probe.

A server that did not reply in time is probed by one call at a time. All other calls to it fail at once,
instead of each holding a connection until its own timeout; the retry policy repeats them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

import redis

from service.storage.call_deadline import call_deadline


class CircuitBreaker:
    """The circuits of all servers; each is closed until a call exceeds `timeout_s` seconds."""

    def __init__(self, timeout_s: float | None = None) -> None:
        self._timeout_s = timeout_s
        # Weak keys: nothing else would remove a server that was replaced.
        self._probes: WeakKeyDictionary[redis.Redis, threading.Lock] = WeakKeyDictionary()

    @contextmanager
    def guard(self, server: redis.Redis) -> Iterator[None]:
        """Guard a call to a server.

        :raises redis.TimeoutError: when the circuit is open and another call is probing the server, or when
            the call exceeds its deadline.
        """
        probe = self._probes.get(server)
        if probe is not None and not probe.acquire(blocking=False):
            raise redis.TimeoutError("circuit open: the server did not reply in time, another call probes it")
        try:
            with call_deadline(self._timeout_s):
                yield
        except redis.TimeoutError:
            self._probes.setdefault(server, threading.Lock())
            raise
        except redis.RedisError:  # an error reply, or a refused connection: calls do not hang
            self._close(server, probe)
            raise
        else:
            self._close(server, probe)
        finally:
            if probe is not None:
                probe.release()

    def _close(self, server: redis.Redis, probe: threading.Lock | None) -> None:
        """Close the circuit, if this call was the probe."""
        if probe is not None:
            self._probes.pop(server, None)
