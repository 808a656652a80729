"""A limit for a whole call of a server.

The timeout of a socket bounds the wait for each piece of an answer. Who sends one in many pieces, as a proxy
may that lets little pass at a time, would hold a call up for as long as they take together.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

import gevent
import redis
from gevent.monkey import is_module_patched

_CAN_BREAK_OFF: Final = is_module_patched("socket")
"""Whether who waits for a socket can be interrupted; else the timeout of the socket is all there is."""

_NO_LIMIT: Final = nullcontext()


def within(seconds: float | None) -> AbstractContextManager[Any]:
    """Return a context that is broken off after so many seconds; None: never.

    The connection that is waited for is closed then, by redis-py, as after whatever else breaks in.

    :raises redis.TimeoutError: within the context.
    """
    if seconds is None or not _CAN_BREAK_OFF:
        return _NO_LIMIT
    return gevent.Timeout(seconds, redis.TimeoutError("Timeout: the call has not ended in time"))
