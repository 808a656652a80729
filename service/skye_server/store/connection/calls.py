"""Calls of Redis, from the key to the reply. Read from `RedisCalls.call` downwards.

A call is made in attempts. Each asks the topology for the server of its key (`topology`), within one deadline
for the lookup, the connection and the whole reply, and passes the circuit breaker of this server. A late
reply may come from a master that was suspended, replaced and resumed: the attempt then looks the server up
again before it trusts the reply (fencing). After a temporary error (`failures`) the topology is invalidated,
and the retry policy makes another attempt, within a budget that all calls of a request share. The last error
becomes the `Problem` store_unavailable.
"""

from __future__ import annotations

import logging
import math
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from itertools import count
from operator import index
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

import redis

from skye_server.error_codes import Problem
from skye_server.observability.logs import facts
from skye_server.store.connection.failures import (
    PROTOCOL_ERRORS,
    TooFewReplicas,
    as_redis_error,
    call_deadline,
    is_retryable,
)
from skye_server.store.connection.topology import Topology
from skye_server.store.lua_scripts import MinReplicas, Script

T = TypeVar("T")
T2 = TypeVar("T2")

_log = logging.getLogger(__name__)

_LATE_REPLY_S: Final = 0.1
"""A server that replies later may have been suspended: it then replies before it detects the failover."""

_FIRST_BACKOFF_S: Final = 0.02
_MAX_BACKOFF_S: Final = 0.5
_LOG_INTERVAL_S: Final = 5.0

UNKNOWN_OUTCOME: Final = (
    "The store broke off, or has fewer copies than wanted; the change may have happened. "
    "Send it again with the same Idempotency-Key, or look."
)

REFUSED: Final = "The store refused the change, perhaps because it is full; nothing was changed. Retry later."

_UNKNOWN: Final = (redis.ConnectionError, redis.TimeoutError, TooFewReplicas)
"""Errors after which a change may have been applied; any other is an error reply, which refuses it."""

_spent_s: ContextVar[list[float] | None] = ContextVar("spent_s", default=None)
"""How much of its retry budget the current request has spent, in seconds, as a list of one."""


class MasterReplaced(redis.ConnectionError):
    """The server that replied no longer holds the key, and may not have held it when it replied."""


class RedisCalls:
    """Calls to the servers of a topology.

    Reads and writes have separate circuits: a server that is paused for writes still replies to reads.

    :param timeout_s: the deadline of each attempt, with its lookups of the topology.
    :param min_replicas: the replicas that must acknowledge each script that writes.
    """

    def __init__(
        self,
        topology: Topology,
        retry_policy: RetryPolicy,
        timeout_s: float | None = None,
        min_replicas: MinReplicas | None = None,
    ) -> None:
        self.min_replicas = min_replicas
        self._topology = topology
        self._retry_policy = retry_policy
        self._timeout_s = timeout_s
        self._read_breaker = CircuitBreaker()
        self._write_breaker = CircuitBreaker()

    def call(
        self,
        key: str,
        command: Callable[[redis.Redis], T],
        *,
        writes: bool = False,
        retries: bool = True,
    ) -> T:
        """Run a command on the server that holds a key, and return the reply.

        :param command: if it writes, it writes all or nothing.
        :param writes: whether it writes: the problem then states whether the change may have been applied.
        :raises Problem: store_unavailable.
        """
        breaker = self._write_breaker if writes else self._read_breaker
        is_unknown = False

        def attempt() -> T:
            nonlocal is_unknown
            with call_deadline(self._timeout_s):
                server = self._topology.connection_for(key)
                started = time.monotonic()
                with breaker.guard(server):
                    try:
                        reply = command(server)
                    except _UNKNOWN:
                        is_unknown = True
                        raise
                replied = time.monotonic()
                is_late = replied - started > _LATE_REPLY_S
                if is_late and self._topology.connection_for(key, since=replied) is not server:
                    is_unknown = True
                    raise MasterReplaced("the server that replied has been replaced")
                return reply

        try:
            return self._retry_policy.run(attempt, retries=retries, on_error=self._topology.invalidate)
        except Problem as problem:
            if writes:
                is_unknown = is_unknown or isinstance(problem.__cause__, (*_UNKNOWN, redis.InvalidResponse))
                problem.detail = UNKNOWN_OUTCOME if is_unknown else REFUSED
            raise

    def run_script(
        self, script: Script, keys: Sequence[str], arguments: Sequence[Any], *, counts_attempts: bool = False
    ) -> int:
        """Run a script that writes; return its result once the write is replicated.

        :param counts_attempts: whether the first argument is how often the script was sent before.
        :raises Problem: store_unavailable.
        """
        attempts = count()

        def run(server: redis.Redis) -> int:
            sent = [next(attempts), *arguments] if counts_attempts else arguments
            return index(script.run(server, keys, sent, self.min_replicas))

        return self.call(keys[0], run, writes=True)

    def call_each(
        self,
        keys: Sequence[str],
        command: Callable[[Any, str], Any],
        read: Callable[[Any], T],
        *,
        retries: bool = True,
    ) -> list[T]:
        """Run a reading command for each key, in one pipeline per server; return `read` of each reply.

        `read` gets None for a key of another Redis type: one such key must not make the others fail.

        :raises Problem: store_unavailable.
        """

        def attempt() -> list[T]:
            with call_deadline(self._timeout_s):
                replies: dict[int, T] = {}
                for server, places in self._places_by_server(keys).items():
                    results = _run_each(
                        server, self._read_breaker, [keys[place] for place in places], command
                    )
                    for place, result in zip(places, results, strict=True):
                        replies[place] = read(_reply(result))
                return [replies[place] for place in range(len(keys))]

        return self._retry_policy.run(attempt, retries=retries, on_error=self._topology.invalidate)

    def write_at_servers(
        self, keys: Sequence[str], command: Callable[[redis.Redis, list[int], int], T]
    ) -> list[tuple[list[int], T]]:
        """Run a command once, without retries, on each server that holds some of the keys.

        :param command: gets the server, the places of its keys in `keys`, and the number of servers.
        :returns: the places and the reply of each server that replied: what it has written must not be lost
            when another server fails.
        :raises Problem: store_unavailable, when no server replied.
        """
        problems: list[Problem] = []

        def run(attempt: Callable[[], T2]) -> T2 | None:
            try:
                return self._retry_policy.run(attempt, retries=False, on_error=self._topology.invalidate)
            except Problem as problem:
                problems.append(problem)
                return None

        def write(server: redis.Redis, places: list[int]) -> tuple[list[int], T]:
            with call_deadline(self._timeout_s), self._write_breaker.guard(server):
                return places, command(server, places, len(by_server))

        by_server = run(partial(self._places_by_server, keys)) or {}
        replies = [run(partial(write, server, places)) for server, places in by_server.items()]
        if problems and not any(replies):
            raise problems[0]
        return [reply for reply in replies if reply is not None]

    def read_at_masters(self, command: Callable[[redis.Redis], T]) -> list[T]:
        """Run a reading command once on each server that holds keys; return the replies that came."""

        def attempt(server: redis.Redis) -> T:
            with call_deadline(self._timeout_s), self._read_breaker.guard(server):
                return command(server)

        def masters() -> list[redis.Redis]:
            with call_deadline(self._timeout_s):
                return self._topology.masters()

        replies: list[T] = []
        with suppress(Problem):
            for server in self._retry_policy.run(masters, retries=False):
                with suppress(Problem):
                    replies.append(self._retry_policy.run(partial(attempt, server), retries=False))
        return replies

    def invalidate(self) -> None:
        """Look the topology up again before the next call: a server no longer holds what it should."""
        self._topology.invalidate()

    def _places_by_server(self, keys: Sequence[str]) -> dict[redis.Redis, list[int]]:
        places: dict[redis.Redis, list[int]] = {}
        for place, key in enumerate(keys):
            places.setdefault(self._topology.connection_for(key), []).append(place)
        return places


class RetryPolicy:
    """Retries attempts after temporary errors, with exponential backoff, until `budget_s` seconds are spent.

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


class CircuitBreaker:
    """One circuit per server, with a half-open probe; it is closed until a call times out.

    A server that did not reply in time is probed by one call at a time. All other calls to it fail at once,
    instead of each holding a connection until its own timeout; the retry policy repeats them.
    """

    def __init__(self) -> None:
        # Weak keys: nothing else would remove a server that was replaced.
        self._probes: WeakKeyDictionary[redis.Redis, threading.Lock] = WeakKeyDictionary()

    @contextmanager
    def guard(self, server: redis.Redis) -> Iterator[None]:
        """Guard a call to a server.

        :raises redis.TimeoutError: when the circuit is open and another call is probing the server.
        """
        probe = self._probes.get(server)
        if probe is not None and not probe.acquire(blocking=False):
            raise redis.TimeoutError("circuit open: the server did not reply in time, another call probes it")
        has_replied = False
        try:
            yield
            has_replied = True
        except redis.TimeoutError:
            self._probes.setdefault(server, threading.Lock())
            raise
        except redis.RedisError:  # an error reply, or a refused connection: calls do not hang
            has_replied = True
            raise
        finally:
            if probe is not None:
                if has_replied:
                    self._probes.pop(server, None)
                probe.release()


def _run_each(
    server: redis.Redis, breaker: CircuitBreaker, keys: Sequence[str], command: Callable[[Any, str], Any]
) -> list[Any]:
    """Run a command for each key in one pipeline; return the replies, also those that are errors."""
    pipeline = server.pipeline(transaction=False)
    for key in keys:
        command(pipeline, key)
    with breaker.guard(server):
        return pipeline.execute(raise_on_error=False)


def _reply(reply: Any) -> Any:
    """Return a reply, None for a value of another Redis type; raise any other error."""
    if isinstance(reply, redis.ResponseError) and "WRONGTYPE" in str(reply):
        return None
    if isinstance(reply, Exception):
        raise reply
    return reply


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
