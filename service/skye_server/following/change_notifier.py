"""Change notifier: wakes the waiters of a game when the store publishes that it changed (pub/sub).

Each process has one subscriber thread, so idle streams hold no connections to Redis. A notification carries
no data: each waiter reads the log from its own position, and so neither misses an event nor gets one twice,
even if notifications are lost.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final
from weakref import WeakMethod

from skye_server.error_codes import Problem
from skye_server.storage.store import Store

_OUTAGE_S: Final = 0.5
"""Pause before a new subscription after the store failed, in seconds."""


class ChangeNotifier:
    """Wakes the waiters of a game when it changes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._waiters: dict[str, set[Callable[[], None]]] = {}
        self._listeners: list[WeakMethod[Callable[[str | None], None]]] = []
        self._subscribed = False
        self._stopped = threading.Event()

    @property
    def stopped(self) -> bool:
        """Whether the process is shutting down, and its streams with it."""
        return self._stopped.is_set()

    @contextmanager
    def changes_of(self, game_id: str) -> Iterator[threading.Event]:
        """Yield an event that is set whenever the game may have changed."""
        changed = threading.Event()
        with self.calling(game_id, changed.set):
            yield changed

    @contextmanager
    def calling(self, game_id: str, wake: Callable[[], None]) -> Iterator[None]:
        """Call a function whenever the game may have changed; it must not block."""
        with self._lock:
            self._waiters.setdefault(game_id, set()).add(wake)
        self.start()
        try:
            yield
        finally:
            with self._lock:
                self._waiters[game_id].discard(wake)
                if not self._waiters[game_id]:
                    del self._waiters[game_id]

    def listen(self, listener: Callable[[str | None], None]) -> None:
        """Call a method with the id of each game that changes, None for all games; it must not block.

        Until its object is garbage: an application of a bug hunt ends before the process.
        """
        self._listeners = [known for known in self._listeners if known() is not None]
        self._listeners.append(WeakMethod(listener))

    def start(self) -> None:
        """Subscribe to the changes of all games, unless this process is subscribed."""
        with self._lock:
            if not self._subscribed:
                self._subscribed = True
                threading.Thread(target=self._subscribe, name="change-notifier", daemon=True).start()

    def stop(self) -> None:
        """Wake all waiters, because the process is shutting down; later waits end at once."""
        self._stopped.set()
        self._wake(None)

    def _subscribe(self) -> None:
        try:
            while not self.stopped:
                with suppress(Problem):
                    # The first message is None: changes published before the subscription may be missed.
                    for game_id in self._store.subscribe_to_changes(self._stopped):
                        self._wake(game_id)
                self._stopped.wait(_OUTAGE_S)
        finally:
            with self._lock:
                self._subscribed = False  # if the thread fails, the next waiter starts another

    def _wake(self, game_id: str | None) -> None:
        """Wake the waiters of a game, or all when it is None."""
        with self._lock:
            names = list(self._waiters) if game_id is None else [game_id]
            waiters = [wake for name in names for wake in self._waiters.get(name, ())]
        for wake in waiters:
            wake()
        for listener in [known() for known in self._listeners]:
            if listener is not None:
                listener(game_id)
