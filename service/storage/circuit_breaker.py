"""Circuit breakers with one circuit per server, with a half-open probe, and the deadline of a whole call.

A server that did not reply in time is probed by one call at a time. All other calls to it fail at once,
instead of each holding a connection until its own timeout; the retry policy repeats them.

A socket timeout bounds the wait for each piece of a reply. A reply that arrives in many small pieces, as
through a throttling proxy, could take far longer than the timeout in total: hence the deadline.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Final
from weakref import WeakKeyDictionary

import gevent
import redis
from gevent.monkey import is_module_patched

_IS_COOPERATIVE: Final = is_module_patched("socket")
"""Whether gevent can interrupt a wait for a socket; without it the socket timeout is the only bound."""

_NO_DEADLINE: Final = nullcontext()


def call_deadline(seconds: float | None, error: Exception | None = None) -> AbstractContextManager[Any]:
    """Return a context that is interrupted after some seconds; None sets no deadline.

    redis-py closes the connection of an interrupted call.

    :param error: what to raise instead of a `redis.TimeoutError`.
    :raises redis.TimeoutError: inside the context.
    """
    if seconds is None or not _IS_COOPERATIVE:
        return _NO_DEADLINE
    return gevent.Timeout(seconds, error or redis.TimeoutError("Timeout: the call exceeded its deadline"))


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
