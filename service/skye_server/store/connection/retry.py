"""Retry policy for calls to Redis: exponential backoff with jitter, within a budget that a request shares.

Only temporary errors are retried: lost connections, timeouts, failovers, a Redis that is loading. The last
error becomes the `Problem` store_unavailable. Each attempt has a deadline (`call_deadline`).

Protocol errors (malformed replies, because another service listens at the address) count as errors of Redis.
"""

from __future__ import annotations

import logging
import math
import random
import re
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any, Final, TypeVar

import gevent
import redis
from gevent.monkey import is_module_patched
from redis.exceptions import AuthenticationError, AuthorizationError, BusyLoadingError

from skye_server.error_codes import Problem
from skye_server.observability.logs import facts

T = TypeVar("T")

_log = logging.getLogger(__name__)

_FIRST_BACKOFF_S: Final = 0.02
_MAX_BACKOFF_S: Final = 0.5
_LOG_INTERVAL_S: Final = 5.0

_RETRYABLE_REPLY: Final = re.compile(
    r"\b(LOADING|MASTERDOWN|READONLY|NOREPLICAS|BUSY|UNBLOCKED|CLUSTERDOWN|TRYAGAIN|MOVED|ASK)\b"
    r"|non local key"  # within a script, of a slot that moves
)
"""Temporary error replies. Those for full memory and wrong passwords are not temporary."""

PROTOCOL_ERRORS: Final = (TypeError, ValueError, LookupError, AttributeError)
"""What redis-py and this package raise when they read a malformed reply."""

_IS_COOPERATIVE: Final = is_module_patched("socket")
"""Whether gevent can interrupt a wait for a socket; without it the socket timeout is the only bound."""

_NO_DEADLINE: Final = nullcontext()

_spent_s: ContextVar[list[float] | None] = ContextVar("spent_s", default=None)
"""How much of its retry budget the current request has spent, in seconds, as a list of one."""


class TooFewReplicas(redis.RedisError):
    """Fewer replicas than required have acknowledged a write."""


def is_retryable(error: redis.RedisError) -> bool:
    """Return whether an error may be temporary, or absent on another server."""
    if isinstance(error, AuthenticationError | AuthorizationError):
        return False
    if isinstance(error, redis.ConnectionError | redis.TimeoutError | BusyLoadingError | TooFewReplicas):
        return True
    # An error raised within a Lua script loses its class, but keeps its code in the text.
    kinds = redis.ReadOnlyError, redis.exceptions.ClusterDownError, redis.exceptions.TryAgainError
    moving = redis.exceptions.AskError
    return isinstance(error, (*kinds, moving)) or bool(_RETRYABLE_REPLY.search(str(error)))


def as_redis_error(error: Exception) -> redis.RedisError:
    """Return an error of Redis unchanged, and any other as `InvalidResponse`."""
    if isinstance(error, redis.RedisError):
        return error
    malformed = redis.InvalidResponse(f"malformed reply, is this a Redis? {error}")
    malformed.__cause__ = error
    return malformed


def expect_bytes(reply: Any) -> bytes | None:
    """Return a reply of bytes or nil.

    :raises TypeError: for any other type.
    """
    if reply is not None and not isinstance(reply, bytes):
        raise TypeError(f"expected bytes, got {type(reply).__name__}")
    return reply


def expect_int(reply: Any) -> int:
    """Return a reply that is an integer.

    :raises TypeError: for any other type.
    """
    if type(reply) is not int:
        raise TypeError(f"expected an integer, got {type(reply).__name__}")
    return reply


class RetryPolicy:
    """Retries calls after temporary errors until `budget_s` seconds are spent.

    All calls of one request share the budget, so a request that makes many calls waits no longer than one
    that makes a single call.
    """

    def __init__(self, budget_s: float) -> None:
        self._budget_s = budget_s
        self._logged_at: dict[str, float] = {}

    def run(
        self, attempt: Callable[[], T], *, retries: bool = True, on_error: Callable[[], None] = lambda: None
    ) -> T:
        """Make attempts until one succeeds, with pauses between them, and return its result.

        :param retries: whether to make more than one attempt.
        :param on_error: called after each temporary error.
        :raises Problem: store_unavailable, when an error is not temporary or the budget is spent.
        """
        started = time.monotonic()
        spent_s = _spent_s.get()
        until = started + (self._budget_s if retries else 0.0) - (spent_s[0] if spent_s else 0.0)
        backoff_s = _FIRST_BACKOFF_S
        try:
            while True:
                try:
                    return attempt()
                except (redis.RedisError, *PROTOCOL_ERRORS) as raised:
                    error = as_redis_error(raised)
                retryable = is_retryable(error)
                if retryable:
                    on_error()
                self._log(error)
                pause_s = backoff_s * random.uniform(0.5, 1.0)  # noqa: S311 - jitter, not secrets
                if not retryable or time.monotonic() + pause_s > until:
                    raise Problem("store_unavailable") from error
                time.sleep(pause_s)
                backoff_s = min(2 * backoff_s, _MAX_BACKOFF_S)
        finally:
            if spent_s is not None:
                spent_s[0] += time.monotonic() - started

    def _log(self, error: redis.RedisError) -> None:
        """Log an error, each class at most every few seconds."""
        kind, now = type(error).__name__, time.monotonic()
        if now - self._logged_at.get(kind, -_LOG_INTERVAL_S) >= _LOG_INTERVAL_S:
            self._logged_at[kind] = now
            _log.warning("Redis fails: %s", str(error)[:300], extra=facts(kind=kind))


def start_budget() -> None:
    """Start the retry budget of a request."""
    _spent_s.set([0.0])


def clear_budget(_error: BaseException | None = None) -> None:
    """Clear the retry budget of a request that has ended."""
    _spent_s.set(None)


@contextmanager
def without_retries() -> Iterator[None]:
    """Make calls within this context fail at their first error."""
    token = _spent_s.set([math.inf])
    try:
        yield
    finally:
        _spent_s.reset(token)


def call_deadline(seconds: float | None, error: BaseException | None = None) -> AbstractContextManager[Any]:
    """Return a context that is interrupted after some seconds; None sets no deadline.

    A socket timeout bounds only the wait for each piece of a reply: one that arrives in many small pieces, as
    through a throttling proxy, could take far longer in total. redis-py closes the connection of an
    interrupted call.

    :param error: what to raise instead of a `redis.TimeoutError`.
    :raises redis.TimeoutError: inside the context.
    """
    if seconds is None or not _IS_COOPERATIVE:
        return _NO_DEADLINE
    return gevent.Timeout(seconds, error or redis.TimeoutError("Timeout: the call exceeded its deadline"))
