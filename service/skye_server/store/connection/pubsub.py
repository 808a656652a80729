"""Pub/sub subscriber: reports changes on the channels that this process watches, and on no others.

Each game, each player and each shard has a channel, in the slot of its keys (see `store.shards`). Servers
with sharded pub/sub (Redis 7, Valkey) publish a change where the game is, to the subscribers of its channel;
on older servers the channels are plain ones.

A notification may be lost with a connection. So each new subscription is itself reported as a change.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Final
from weakref import WeakSet

import redis

from skye_server.observability.logs import facts
from skye_server.store.connection.failures import PROTOCOL_ERRORS
from skye_server.store.connection.topology import Topology

_POLL_S: Final = 1.0
_OUTAGE_S: Final = 0.5
"""Pause before new subscriptions after a server failed, in seconds."""

_LINGER_S: Final = 10.0
"""How long a subscription is kept at least when nobody watches: long polls follow each other."""

_NO_SHARDS: Final = ("unknown command", "no permissions")
"""Error replies of a server, or to a user, without sharded pub/sub: the scripts publish to plain channels."""

_log = logging.getLogger(__name__)


class _Connection:
    """The connection to one server, and the channels that are subscribed there.

    Its reader closes it, while no other thread sends on it: the pool may give a closed one to a caller,
    who would read the reply to a request that is sent later.
    """

    def __init__(self, server: redis.Redis, *, is_sharded: bool) -> None:
        self.server = server
        self.channels: set[str] = set()
        self.is_sharded = is_sharded
        self.pubsub: Any = server.pubsub()  # type: ignore[no-untyped-call]  # redis-py's
        self._lock = threading.Lock()
        self._is_closed = False

    def subscribe(self, channel: str) -> None:
        """Request a subscription; the server confirms it with a message."""
        self._send(self.pubsub.ssubscribe if self.is_sharded else self.pubsub.subscribe, channel)

    def unsubscribe(self, channel: str) -> None:
        """End a subscription."""
        self._send(self.pubsub.sunsubscribe if self.is_sharded else self.pubsub.unsubscribe, channel)

    def _send(self, command: Callable[[str], None], channel: str) -> None:
        with self._lock:
            if not self._is_closed:
                command(channel)

    def close(self) -> None:
        """End all subscriptions, and return the connection to the pool."""
        with self._lock:
            self._is_closed = True
            self.pubsub.close()


class ChangeSubscriber:
    """Subscribes to watched channels: one thread subscribes, another for each server reads messages.

    :param on_change: called with a channel on which a change may have been published; it must not block.
    """

    def __init__(self, topology: Topology, on_change: Callable[[str], None]) -> None:
        self._topology = topology
        self._on_change = on_change
        self._lock = threading.Lock()
        self._connections: dict[redis.Redis, _Connection] = {}
        self._subscribed: dict[str, _Connection] = {}
        self._missing: set[str] = set()
        self._unwatched: dict[str, float] = {}
        self._without_shards: WeakSet[redis.Redis] = WeakSet()
        self._is_running = False
        self._failed_at = -_OUTAGE_S
        self._wakes = threading.Event()
        self._stopped = threading.Event()

    def watch(self, channel: str) -> None:
        """Subscribe to a channel, unless it is subscribed."""
        with self._lock:
            self._unwatched.pop(channel, None)
            if channel in self._subscribed or channel in self._missing:
                return
            self._missing.add(channel)
            if not self._is_running and not self._stopped.is_set():
                self._is_running = True
                threading.Thread(target=self._run, name="change-subscriber", daemon=True).start()
        self._wakes.set()

    def unwatch(self, channel: str) -> None:
        """End the subscription to a channel after a while, unless it is watched again."""
        with self._lock:
            self._unwatched[channel] = time.monotonic()

    def stop(self) -> None:
        """End all subscriptions."""
        self._stopped.set()
        self._wakes.set()

    def _run(self) -> None:
        try:
            while True:
                self._wakes.clear()
                if self._stopped.wait(max(self._failed_at + _OUTAGE_S - time.monotonic(), 0)):
                    return
                try:
                    self._unsubscribe_unwatched()
                    self._subscribe_missing()
                except (redis.RedisError, *PROTOCOL_ERRORS) as error:
                    self._fail(error)
                    continue
                self._wakes.wait(_LINGER_S if self._unwatched else None)
        finally:
            with self._lock:
                self._is_running = False

    def _fail(self, error: Exception) -> None:
        self._failed_at = time.monotonic()
        self._topology.invalidate()
        _log.info("subscriptions fail: %s", error, extra=facts(kind=type(error).__name__))

    def _subscribe_missing(self) -> None:
        """Subscribe to the channels that are not subscribed.

        :raises redis.RedisError: when a server does not respond.
        """
        while self._missing and not self._stopped.is_set():
            with self._lock:
                channel = next(iter(self._missing))
            server = self._topology.connection_for(channel)
            with self._lock:
                connection = self._connections.get(server)
                is_new = connection is None
                if connection is None:
                    connection = _Connection(server, is_sharded=server not in self._without_shards)
                    self._connections[server] = connection
                self._missing.discard(channel)
                self._subscribed[channel] = connection
                connection.channels.add(channel)
            try:
                self._send(connection, connection.subscribe, channel)
            finally:
                if is_new:
                    threading.Thread(
                        target=self._read, args=(connection,), name="change-reader", daemon=True
                    ).start()

    def _unsubscribe_unwatched(self) -> None:
        now = time.monotonic()
        with self._lock:
            expired = [channel for channel, since in self._unwatched.items() if now - since >= _LINGER_S]
            ended = []
            for channel in expired:
                del self._unwatched[channel]
                self._missing.discard(channel)
                if (connection := self._subscribed.pop(channel, None)) is not None:
                    connection.channels.discard(channel)
                    ended.append((connection, channel))
        for connection, channel in ended:
            self._send(connection, connection.unsubscribe, channel)

    def _send(self, connection: _Connection, send: Callable[[str], None], channel: str) -> None:
        """Send a request; drop the connection if that fails, or if the reader has dropped it meanwhile.

        :raises redis.RedisError: when the server does not respond.
        """
        try:
            send(channel)
        except (redis.RedisError, *PROTOCOL_ERRORS):
            self._drop(connection)
            raise
        if self._connections.get(connection.server) is not connection:
            self._drop(connection)

    def _read(self, connection: _Connection) -> None:
        """Report the messages of a server until it fails, is replaced, or has no more subscriptions."""
        self._without_shards.discard(connection.server)  # it may be upgraded by the next connection
        try:
            self._read_messages(connection)
        except (redis.RedisError, *PROTOCOL_ERRORS) as error:
            if connection.is_sharded and any(text in str(error).lower() for text in _NO_SHARDS):
                self._without_shards.add(connection.server)
            else:
                self._fail(error)
        self._drop(connection)
        connection.close()

    def _read_messages(self, connection: _Connection) -> None:
        is_pinged = False
        while not self._stopped.is_set() and self._connections.get(connection.server) is connection:
            message = connection.pubsub.get_message(timeout=_POLL_S)
            if message is not None:
                is_pinged = False
                self._handle(connection, message)
            elif is_pinged and connection.channels:
                raise redis.TimeoutError("the server of the subscriptions does not respond")
            elif self._is_over(connection):
                return
            else:
                is_pinged = True
                connection.pubsub.ping()

    def _handle(self, connection: _Connection, message: dict[str, Any]) -> None:
        match message["type"]:
            case "smessage" | "message" | "ssubscribe" | "subscribe":
                self._on_change(message["channel"].decode())
            case "sunsubscribe" if (channel := message["channel"].decode()) in connection.channels:
                # The slot has moved to another server.
                self._topology.invalidate()
                with self._lock:
                    connection.channels.discard(channel)
                    if self._subscribed.pop(channel, None) is not None:
                        self._missing.add(channel)
                self._wakes.set()

    def _is_over(self, connection: _Connection) -> bool:
        """Return whether a server holds nothing that is watched any more."""
        channel = next(iter(connection.channels), None)
        return channel is None or self._topology.connection_for(channel) is not connection.server

    def _drop(self, connection: _Connection) -> None:
        """Use a connection no longer; its channels are subscribed again."""
        with self._lock:
            if self._connections.get(connection.server) is connection:
                del self._connections[connection.server]
            for channel in connection.channels:
                if self._subscribed.get(channel) is connection:
                    del self._subscribed[channel]
                    self._missing.add(channel)
        self._wakes.set()
