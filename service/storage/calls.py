"""Calls of Redis: at whichever server holds the keys, made again while that may help, each failure told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import redis

from service.storage.connections import Servers
from service.storage.frozen import Frozen
from service.storage.patience import Patience, is_passing
from service.storage.sense import SENSELESS, failure_in

T = TypeVar("T")


class Calls:
    """Makes calls of `servers`, with patience.

    Each raises Problem: store_unavailable, when it fails for good.
    """

    def __init__(self, servers: Servers, patience: Patience) -> None:
        self._servers = servers
        self._patience = patience
        self._frozen = Frozen()

    def ask(self, key: str, command: Callable[[redis.Redis], T], *, patient: bool = True) -> T:
        """Return what the server that holds a key answers."""

        def attempt() -> T:
            try:
                return self._frozen.call(self._servers.holding(key), command)
            except (redis.RedisError, *SENSELESS) as error:
                failure = self.failed(error)
                raise failure from failure.__cause__

        return self._patience.call(attempt, patient=patient)

    def ask_each(
        self,
        keys: Sequence[str],
        command: Callable[[Any, str], Any],
        read: Callable[[Any], T],
        *,
        patient: bool = True,
    ) -> list[T]:
        """Return what is read from each key's answer, asking each server that holds some of them once."""

        def piped(places: list[int], server: redis.Redis) -> list[Any]:
            pipeline = server.pipeline(transaction=False)
            for place in places:
                command(pipeline, keys[place])
            answers: list[Any] = pipeline.execute()
            return answers

        def attempt() -> list[T]:
            try:
                by_server: dict[redis.Redis, list[int]] = {}
                for place, key in enumerate(keys):
                    by_server.setdefault(self._servers.holding(key), []).append(place)
                answers: list[Any] = [None] * len(keys)
                for server, places in by_server.items():
                    told = self._frozen.call(server, partial(piped, places))
                    for place, answer in zip(places, told, strict=True):
                        answers[place] = read(answer)
            except (redis.RedisError, *SENSELESS) as error:
                failure = self.failed(error)
                raise failure from failure.__cause__
            return answers

        return self._patience.call(attempt, patient=patient)

    def failed(self, error: Exception) -> redis.RedisError:
        """Return what has failed, and look anew for the servers if that may help."""
        failure = failure_in(error)
        if is_passing(failure):
            self._servers.doubt(failure)
        return failure
