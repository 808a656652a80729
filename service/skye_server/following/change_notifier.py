"""Change notifier: wakes the waiters of a channel when the store publishes a change on it (pub/sub).

Each process subscribes to the channels of games and players that it has waiters for, on one connection to
each server. A notification carries no data: each waiter reads the log from its own position, and so neither
misses an event nor gets one twice, even if notifications are lost.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from weakref import WeakMethod

from skye_server.store.redis_store import RedisStore


class ChangeNotifier:
    """Wakes the waiters of a channel when a change is published on it."""

    def __init__(self, store: RedisStore) -> None:
        self._lock = threading.Lock()
        self._waiters: dict[str, set[Callable[[], None]]] = {}
        self._at_stop: list[WeakMethod[Callable[[], None]]] = []
        self._stopped = threading.Event()
        self._subscriber = store.change_subscriber(self._wake)

    @property
    def stopped(self) -> bool:
        """Whether the process is shutting down, and its streams with it."""
        return self._stopped.is_set()

    @contextmanager
    def changes_of(self, channel: str) -> Iterator[threading.Event]:
        """Yield an event that is set whenever a change may have been published."""
        changed = threading.Event()
        with self.calling(channel, changed.set):
            yield changed

    @contextmanager
    def calling(self, channel: str, wake: Callable[[], None]) -> Iterator[None]:
        """Call a function whenever a change may have been published; it must not block."""
        self.watch(channel, wake)
        try:
            yield
        finally:
            self.unwatch(channel, wake)

    def watch(self, channel: str, wake: Callable[[], None]) -> None:
        """Call a function as `calling` does, until `unwatch`."""
        with self._lock:
            self._waiters.setdefault(channel, set()).add(wake)
            self._subscriber.watch(channel)

    def unwatch(self, channel: str, wake: Callable[[], None]) -> None:
        """End `watch`."""
        with self._lock:
            self._waiters[channel].discard(wake)
            if not self._waiters[channel]:
                del self._waiters[channel]
                self._subscriber.unwatch(channel)

    def stop(self) -> None:
        """Wake all waiters, because the process is shutting down; later waits end at once."""
        self._stopped.set()
        self._subscriber.stop()
        with self._lock:
            channels = list(self._waiters)
        for channel in channels:
            self._wake(channel)
        for method in [known() for known in self._at_stop]:
            if method is not None:
                method()

    def at_stop(self, method: Callable[[], None]) -> None:
        """Call a method when the process shuts down.

        Until its object is garbage: an application of a bug hunt ends before the process.
        """
        self._at_stop = [known for known in self._at_stop if known() is not None]
        self._at_stop.append(WeakMethod(method))

    def _wake(self, channel: str) -> None:
        with self._lock:
            waiters = list(self._waiters.get(channel, ()))
        for wake in waiters:
            wake()
