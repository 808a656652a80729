"""A deadline for a whole call to Redis.

A socket timeout bounds the wait for each piece of a reply. A reply that arrives in many small pieces, as
through a throttling proxy, could take far longer than the timeout in total.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

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
