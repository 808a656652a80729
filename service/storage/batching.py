"""Batching: commands of concurrent requests share one round trip to Redis.

A round trip costs a worker about as much CPU time as the rest of a read, and hardly more for ten commands
than for one. While a command is in flight, later ones queue; then the first in the queue becomes the leader
and sends all of them in one pipeline. A command without company is sent at once, and none queues longer than
`max_wait_s`.

Each caller gets its own reply, its own error reply, or the connection error as if it had sent its command
alone. Every command is sent at most once.

Reads and other commands have batches of their own: a Redis that is paused for writes (by `CLIENT PAUSE
WRITE`, `FAILOVER` or `CLUSTER FAILOVER`) replies to no read behind a write on the same connection.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final

import redis

_MAX_WAIT_S: Final = 0.1
"""How long a command queues before it uses a separate connection."""

_MAX_BATCH: Final = 32

READS: Final = frozenset(
    {"GET", "GETRANGE", "HGET", "HGETALL", "HMGET", "INFO", "LRANGE", "MGET", "PING", "ZCARD", "ZCOUNT"}
    | {"ZMSCORE", "ZRANDMEMBER", "ZRANGEBYSCORE", "ZREVRANGEBYSCORE"}
)
"""The commands that are batched as reads."""


class _Queued:
    """A command in the queue; `done` is released when it has its reply or becomes the leader."""

    __slots__ = ("args", "done", "is_leader", "is_sent", "options", "reply")

    def __init__(self, args: tuple[Any, ...], options: dict[str, Any]) -> None:
        self.args = args
        self.options = options
        self.is_leader = False
        self.is_sent = False
        self.reply: Any = None
        self.done = threading.Lock()
        self.done.acquire()


class _Batcher:
    """The queue of one kind of commands.

    :param send_alone: sends one command and returns its reply.
    :param create_pipeline: returns a pipeline without a transaction.
    """

    def __init__(
        self, send_alone: Callable[..., Any], create_pipeline: Callable[[], Any], max_wait_s: float
    ) -> None:
        self._send_alone = send_alone
        self._create_pipeline = create_pipeline
        self._max_wait_s = max_wait_s
        self._mutex = threading.Lock()
        self._in_flight = False
        self._queue: list[_Queued] = []

    @property
    def queued(self) -> int:
        """How many commands are in the queue."""
        return len(self._queue)

    def send(self, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Send a command, alone or in a batch, and return its reply."""
        with self._mutex:
            queued = _Queued(args, options) if self._in_flight else None
            self._in_flight = True
            if queued is not None:
                self._queue.append(queued)
        if queued is not None:
            return self._wait(queued)
        try:
            return self._send_alone(*args, **options)
        finally:
            self._appoint_leader()

    def _wait(self, queued: _Queued) -> Any:
        try:
            is_done = queued.done.acquire(timeout=self._max_wait_s)
        except BaseException:  # the deadline of the caller
            self._abandon(queued)
            raise
        batch = self._take_batch(queued)
        if batch:
            self._send_batch(batch)
        elif not queued.is_sent:
            return self._send_alone(*queued.args, **queued.options)
        elif not is_done:
            queued.done.acquire()  # the leader is sending it
        if isinstance(queued.reply, Exception):
            raise queued.reply
        return queued.reply

    def _take_batch(self, queued: _Queued) -> list[_Queued]:
        """Return the batch that a leader sends; a command that is not the leader leaves the queue."""
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
        """Leave the queue without a reply; a leader hands over."""
        with self._mutex:
            if queued in self._queue:
                self._queue.remove(queued)
        if queued.is_leader:
            self._appoint_leader()

    def _send_batch(self, batch: list[_Queued]) -> None:
        """Send a batch, the leader's command first, and hand out the replies."""
        replies: list[Any] = [redis.ConnectionError("the sender of the batch was interrupted")] * len(batch)
        try:
            replies = self._replies_to(batch)
        except redis.RedisError as error:
            replies = [error] * len(batch)
        finally:
            self._appoint_leader()
            for queued, reply in zip(batch, replies, strict=True):
                queued.reply = reply
                if not queued.is_leader:
                    queued.done.release()

    def _replies_to(self, batch: list[_Queued]) -> list[Any]:
        if len(batch) == 1:
            return [self._send_alone(*batch[0].args, **batch[0].options)]
        pipeline = self._create_pipeline()
        for queued in batch:
            pipeline.execute_command(*queued.args, **queued.options)
        replies: list[Any] = pipeline.execute(raise_on_error=False)
        return replies

    def _appoint_leader(self) -> None:
        """Make the first command in the queue the leader of the next batch."""
        with self._mutex:
            self._in_flight = bool(self._queue)
            if self._queue:
                self._queue[0].is_leader = True
                self._queue[0].done.release()


class BatchingRedis(redis.Redis):
    """A client that batches concurrent commands. Pipelines are sent as they are."""

    def __init__(self, *, max_wait_s: float = _MAX_WAIT_S, **options: Any) -> None:
        super().__init__(**options)
        self._reads = _Batcher(self._send_alone, self._create_pipeline, max_wait_s)
        self._others = _Batcher(self._send_alone, self._create_pipeline, max_wait_s)

    @property
    def queued(self) -> int:
        """How many commands are in the queues."""
        return self._reads.queued + self._others.queued

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Return the reply to a command."""
        batcher = self._reads if args[0] in READS else self._others
        return batcher.send(args, options)

    def _send_alone(self, *args: Any, **options: Any) -> Any:
        return super().execute_command(*args, **options)  # type: ignore[no-untyped-call]  # redis-py's

    def _create_pipeline(self) -> Any:
        return self.pipeline(transaction=False)
