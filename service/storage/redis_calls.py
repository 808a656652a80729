"""Calls of Redis: at whichever server holds the keys, made again while that may help, each failure told."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, TypeVar

import redis

from service.storage.circuit_breaker import CircuitBreaker
from service.storage.protocol_errors import PROTOCOL_ERRORS, as_redis_error
from service.storage.retry import RetryPolicy, is_passing
from service.storage.topology import MasterReplaced, Servers

T = TypeVar("T")

_LATE_S: Final = 0.1
"""Who answers later has been frozen, perhaps: then it answers when it wakes, before it hears what has become
of it meanwhile."""


class Calls:
    """Makes calls of `servers`, with patience, each of which may take `timeout_s` seconds in all.

    Each raises Problem: store_unavailable, when it fails for good.
    """

    def __init__(self, servers: Servers, patience: RetryPolicy, timeout_s: float | None = None) -> None:
        self._servers = servers
        self._patience = patience
        self._frozen = CircuitBreaker(timeout_s)

    def ask(
        self, key: str, command: Callable[[redis.Redis], T], *, patient: bool = True, certain: bool = False
    ) -> T:
        """Return what the server that holds a key answers; `certain`: that still held it when it had."""
        return self._patiently(lambda: self._answered(key, command, certain), patient)

    def ask_each(
        self,
        keys: Sequence[str],
        command: Callable[[Any, str], Any],
        read: Callable[[Any], T],
        *,
        patient: bool = True,
    ) -> list[T]:
        """Return what is read from each key's answer, asking each server that holds some of them once.

        A key of another Redis type is read as if it were missing: it must not fail the other keys.
        """

        def piped(places: list[int], server: redis.Redis) -> list[Any]:
            pipeline = server.pipeline(transaction=False)
            for place in places:
                command(pipeline, keys[place])
            return [_none_for_wrong_type(answer) for answer in pipeline.execute(raise_on_error=False)]

        def answers_by_place() -> list[T]:
            by_server: dict[redis.Redis, list[int]] = {}
            for place, key in enumerate(keys):
                by_server.setdefault(self._servers.holding(key), []).append(place)
            answers: list[Any] = [None] * len(keys)
            for server, places in by_server.items():
                told = self._frozen.call(server, partial(piped, places))
                for place, answer in zip(places, told, strict=True):
                    answers[place] = read(answer)
            return answers

        return self._patiently(answers_by_place, patient)

    def _answered(self, key: str, command: Callable[[redis.Redis], T], certain: bool) -> T:
        server = self._servers.holding(key)
        begun = time.monotonic()
        answer = self._frozen.call(server, command)
        answered = time.monotonic()
        is_late = answered - begun > _LATE_S
        if (certain or is_late) and self._servers.holding(key, since=answered) is not server:
            raise MasterReplaced("a server has answered that has been replaced")
        return answer

    def _patiently(self, work: Callable[[], T], patient: bool) -> T:
        def attempt() -> T:
            try:
                return work()
            except (redis.RedisError, *PROTOCOL_ERRORS) as error:
                failure = self.failed(error)
                raise failure from failure.__cause__

        return self._patience.call(attempt, patient=patient)

    def failed(self, error: Exception) -> redis.RedisError:
        """Return what has failed, and look anew for the servers if that may help."""
        failure = as_redis_error(error)
        if is_passing(failure):
            self._servers.doubt(failure)
        return failure


def _none_for_wrong_type(reply: Any) -> Any:
    """Return a reply, None for WRONGTYPE; raise any other error."""
    if isinstance(reply, redis.ResponseError) and str(reply).startswith("WRONGTYPE"):
        return None
    if isinstance(reply, Exception):
        raise reply
    return reply
