"""The index of public games on Redis.

By status, a sorted set `skye:index:STATUS` of ids by time (see `commands.listing`). The index may be stale
when a process ends between two writes; listing compares it with the games and repairs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import redis

from skye_server.storage.connection.redis_calls import RedisCalls
from skye_server.storage.connection.retry import expect_int


class GameIndex:
    """The ids of public games by status, with scores. Every method raises Problem store_unavailable."""

    def __init__(self, calls: RedisCalls) -> None:
        self._calls = calls

    def add(self, status: str, game_id: str, score: float) -> None:
        """Add a public game to the index of a status."""
        key = _key(status)
        self._calls.call(key, lambda server: server.zadd(key, {game_id: score}), writes=True)

    def remove(self, status: str, game_ids: Sequence[str]) -> None:
        """Remove games from the index of a status."""
        key = _key(status)
        self._calls.call(key, lambda server: server.zrem(key, *game_ids), writes=True)

    def newest(self, status: str, highest: float | None, limit: int) -> list[tuple[str, float]]:
        """Return ids and scores of the games of a status up to a score, highest score first."""
        return highest_first(self._calls, _key(status), highest, limit)

    def sample(self, status: str, number: int) -> list[tuple[str, float]]:
        """Return ids and scores of up to `number` games of a status, chosen at random."""
        key = _key(status)

        def read(server: redis.Redis) -> list[tuple[str, float]]:
            chosen: Any = server.zrandmember(key, number)
            scores: Any = server.zmscore(key, chosen) if chosen else []
            found = zip(chosen, scores, strict=True)
            return [(game_id.decode(), score) for game_id, score in found if score is not None]

        return self._calls.call(key, read, retries=False)

    def sizes(self, statuses: Sequence[str]) -> list[int]:
        """Return how many games the index of each status holds."""
        keys = [_key(status) for status in statuses]

        def read(reply: Any) -> int:
            return 0 if reply is None else expect_int(reply)  # None: a value of another type

        return self._calls.call_each(keys, lambda server, key: server.zcard(key), read, retries=False)


def highest_first(calls: RedisCalls, key: str, highest: float | None, limit: int) -> list[tuple[str, float]]:
    """Return ids and scores of a sorted set up to a score, highest score first."""
    top = "+inf" if highest is None else repr(highest)

    def read(server: redis.Redis) -> list[tuple[str, float]]:
        found: Any = server.zrevrangebyscore(key, top, "-inf", start=0, num=limit, withscores=True)
        return [(game_id.decode(), float(score)) for game_id, score in found]

    return calls.call(key, read)


def _key(status: str) -> str:
    return f"skye:index:{status}"
