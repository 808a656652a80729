"""Batching: commands of concurrent requests share one round trip to Redis.

A round trip costs a worker about as much CPU time as the rest of a read, and hardly more for ten commands
than for one. A command that finds none in flight becomes the leader: it lets the requests run that are ready,
and sends what they have queued with it in one pipeline. While commands are in flight, later ones queue; then
the first in the queue becomes the leader. No command queues longer than `max_wait_s`.

Each caller gets its own reply, its own error reply, or the connection error as if it had sent its command
alone. Every command is sent at most once. A caller may queue several commands together.

Reads and other commands have separate batches: a Redis that is paused for writes (by `CLIENT PAUSE
WRITE`, `FAILOVER` or `CLUSTER FAILOVER`) replies to no read behind a write on the same connection.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, Final, TypeAlias

import redis

_MAX_WAIT_S: Final = 0.1
"""How long a command queues before it uses a separate connection."""

_MAX_BATCH: Final = 32

READS: Final = frozenset(
    {"EXISTS", "GET", "GETRANGE", "HGET", "HGETALL", "HKEYS", "HMGET", "INFO", "LRANGE", "MGET", "PING"}
    | {
        "PTTL",
        "SCAN",
        "TIME",
        "XRANGE",
        "ZCARD",
        "ZCOUNT",
        "ZRANGE",
        "ZRANGEBYSCORE",
        "ZREVRANGE",
        "ZREVRANGEBYSCORE",
        "ZREVRANK",
        "ZSCAN",
    }
)
"""The commands that are batched as reads."""

_Command: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]
"""The arguments and the options of a command, as redis-py takes them."""


class _Queued:
    """Commands of one caller in the queue; `done` is released when they have replies or become the leader.

    :param replies: one for each command; an error where there is none.
    """

    __slots__ = ("commands", "done", "is_leader", "is_sent", "replies")

    def __init__(self, commands: Sequence[_Command]) -> None:
        self.commands = commands
        self.is_leader = False
        self.is_sent = False
        self.replies: list[Any] = []
        self.done = threading.Lock()
        self.done.acquire()


class _Batcher:
    """The queue of one kind of commands.

    :param send: sends commands in one round trip and returns their replies, including error replies.
    """

    def __init__(self, send: Callable[[Sequence[_Command]], list[Any]], max_wait_s: float) -> None:
        self._send = send
        self._max_wait_s = max_wait_s
        self._mutex = threading.Lock()
        self._in_flight = False
        self._queue: list[_Queued] = []

    @property
    def queued(self) -> int:
        """How many callers are in the queue."""
        return len(self._queue)

    def send(self, commands: Sequence[_Command]) -> list[Any]:
        """Send the commands of one caller, alone or in a batch, and return their replies.

        :raises redis.RedisError: the first error among the replies.
        """
        queued = _Queued(commands)
        with self._mutex:
            queued.is_leader = not self._in_flight
            self._in_flight = True
            self._queue.append(queued)
        replies = self._gather(queued) if queued.is_leader else self._wait(queued)
        for reply in replies:
            if isinstance(reply, Exception):
                raise reply
        return replies

    def _gather(self, queued: _Queued) -> list[Any]:
        """Let the requests run that are ready, then send their commands together with this one's."""
        try:
            time.sleep(0)
        except BaseException:  # the deadline of the caller
            self._abandon(queued)
            raise
        self._send_batch(self._take_batch(queued))
        return queued.replies

    def _wait(self, queued: _Queued) -> list[Any]:
        try:
            is_done = queued.done.acquire(timeout=self._max_wait_s)
        except BaseException:  # the deadline of the caller
            self._abandon(queued)
            raise
        batch = self._take_batch(queued)
        if batch:
            self._send_batch(batch)
        elif not queued.is_sent:
            return self._send(queued.commands)
        elif not is_done:
            queued.done.acquire()  # the leader is sending it
        return queued.replies

    def _take_batch(self, queued: _Queued) -> list[_Queued]:
        """Return the batch that a leader sends; any other caller leaves the queue."""
        with self._mutex:
            if queued.is_leader:
                batch, self._queue = self._queue[:_MAX_BATCH], self._queue[_MAX_BATCH:]
                for each in batch:
                    each.is_sent = True
                return batch
            if not queued.is_sent:
                self._queue.remove(queued)
            return []

    def _abandon(self, queued: _Queued) -> None:
        """Leave the queue without a reply; a leader appoints the next one."""
        with self._mutex:
            if queued in self._queue:
                self._queue.remove(queued)
        if queued.is_leader:
            self._appoint_leader()

    def _send_batch(self, batch: list[_Queued]) -> None:
        """Send a batch, the leader's commands first, and distribute the replies."""
        commands = [command for queued in batch for command in queued.commands]
        interrupted = redis.ConnectionError("the sender of the batch was interrupted")
        replies: list[Any] = [interrupted] * len(commands)
        try:
            replies = self._send(commands)
        except redis.RedisError as error:
            replies = [error] * len(commands)
        finally:
            self._appoint_leader()
            rest = iter(replies)
            for queued in batch:
                queued.replies = list(islice(rest, len(queued.commands)))
                if not queued.is_leader:
                    queued.done.release()

    def _appoint_leader(self) -> None:
        """Make the first command in the queue the leader of the next batch."""
        with self._mutex:
            self._in_flight = bool(self._queue)
            if self._queue:
                self._queue[0].is_leader = True
                self._queue[0].done.release()


class BatchingRedis(redis.Redis):
    """A client that batches concurrent commands. Pipelines are sent unchanged."""

    def __init__(self, *, max_wait_s: float = _MAX_WAIT_S, **options: Any) -> None:
        super().__init__(**options)
        self._reads = _Batcher(self._send, max_wait_s)
        self._others = _Batcher(self._send, max_wait_s)

    @property
    def queued(self) -> int:
        """How many callers are in the queues."""
        return self._reads.queued + self._others.queued

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Return the reply to a command."""
        batcher = self._reads if args[0] in READS else self._others
        return batcher.send([(args, options)])[0]

    def read_together(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return the replies to several commands that are all batched as reads, in one round trip.

        :raises redis.RedisError: the first error among the replies.
        """
        return self._reads.send([(command, {}) for command in commands])

    def _send(self, commands: Sequence[_Command]) -> list[Any]:
        if len(commands) == 1:
            args, options = commands[0]
            try:
                return [super().execute_command(*args, **options)]  # type: ignore[no-untyped-call]  # redis-py's
            except redis.ResponseError as error:
                return [error]
        pipeline: Any = self.pipeline(transaction=False)
        for args, options in commands:
            pipeline.execute_command(*args, **options)
        replies: list[Any] = pipeline.execute(raise_on_error=False)
        return replies


def read_together(server: redis.Redis, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Return the replies to several reads, which a `BatchingRedis` sends in one round trip.

    :raises redis.RedisError: the first error among the replies.
    """
    if isinstance(server, BatchingRedis):
        return server.read_together(commands)
    execute: Any = server.execute_command  # redis-py leaves it untyped
    return [execute(*command) for command in commands]
