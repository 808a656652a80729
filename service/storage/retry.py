"""RetryPolicy with a Redis that is away, loading, electing or read-only: trying again, for a while.

Who must be told at once asks without patience. Whatever goes wrong in the end is a refusal that says so.
"""

from __future__ import annotations

import logging
import math
import random
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, TypeVar

import redis
from redis.exceptions import AuthenticationError, AuthorizationError, BusyLoadingError

from service.matches.errors import Problem
from service.observability.logs import facts

_log = logging.getLogger(__name__)

T = TypeVar("T")

_FIRST_PAUSE_S: Final = 0.02
_LONGEST_PAUSE_S: Final = 0.5
_QUIET_S: Final = 5.0

_PASSING: Final = re.compile(
    r"\b(LOADING|MASTERDOWN|READONLY|NOREPLICAS|BUSY|UNBLOCKED|CLUSTERDOWN|TRYAGAIN|MOVED|ASK)\b"
)
"""What a Redis says that cannot serve just now. Full memory, a full disk and wrong passwords do not pass."""

_spent_s: ContextVar[list[float] | None] = ContextVar("spent_s", default=None)
"""How long the request under way has waited for Redis already, as its one element."""


class TooFewReplicas(redis.RedisError):
    """Not as many replicas as wanted have a change."""


def is_passing(error: redis.RedisError) -> bool:
    """Whether what went wrong may be over in a moment, or be otherwise on another server."""
    if isinstance(error, AuthenticationError | AuthorizationError):
        return False
    if isinstance(error, redis.ConnectionError | redis.TimeoutError | BusyLoadingError | TooFewReplicas):
        return True
    # Some errors lose their class on the way through a script, but none its word.
    kinds = redis.ReadOnlyError, redis.exceptions.ClusterDownError, redis.exceptions.TryAgainError
    moving = redis.exceptions.AskError
    return isinstance(error, (*kinds, moving)) or bool(_PASSING.search(str(error)))


class RetryPolicy:
    """Tries again what failed in passing, until `wait_s` seconds have gone.

    All the calls for one request share that time, so that a request that asks Redis many things waits no
    longer than one that asks one.
    """

    def __init__(self, wait_s: float) -> None:
        self._wait_s = wait_s
        self._told_at: dict[str, float] = {}

    def call(self, attempt: Callable[[], T], *, patient: bool = True) -> T:
        """Return what `attempt` returns, once it does.

        :raises Problem: store_unavailable, when it fails for good.
        """
        started = time.monotonic()
        try:
            answer = attempt()
        except redis.RedisError as error:
            return self._again(attempt, error, started, self._wait_s if patient else 0.0)
        spent_s = _spent_s.get()
        if spent_s is not None:
            spent_s[0] += time.monotonic() - started
        return answer

    def _again(self, attempt: Callable[[], T], error: redis.RedisError, started: float, wait_s: float) -> T:
        spent_s = _spent_s.get() or [0.0]
        until = started + wait_s - spent_s[0]
        pause_s = _FIRST_PAUSE_S
        try:
            while True:
                self._tell(error)
                pause = pause_s * random.uniform(0.5, 1.0)  # noqa: S311 - jitter, not secrets
                if not is_passing(error) or time.monotonic() + pause > until:
                    raise Problem("store_unavailable") from error
                time.sleep(pause)
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
                try:
                    return attempt()
                except redis.RedisError as another:
                    error = another
        finally:
            spent_s[0] += time.monotonic() - started

    def _tell(self, error: redis.RedisError) -> None:
        """Leave word for the operator of what goes wrong, but of each kind only now and then."""
        kind, now = type(error).__name__, time.monotonic()
        if now - self._told_at.get(kind, -_QUIET_S) >= _QUIET_S:
            self._told_at[kind] = now
            _log.warning("Redis fails: %s", str(error)[:300], extra=facts(kind=kind))


def start_budget() -> None:
    """Give the request that begins all its time to wait."""
    _spent_s.set([0.0])


def clear_budget(_error: BaseException | None = None) -> None:
    """Let what comes after a request count its time by itself."""
    _spent_s.set(None)


@contextmanager
def without_retries() -> Iterator[None]:
    """Let what is called meanwhile fail at once: for whoever has its own way of coming back."""
    before = _spent_s.set([math.inf])
    try:
        yield
    finally:
        _spent_s.reset(before)
