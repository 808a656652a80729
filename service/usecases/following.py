"""Following games as they happen: waiting for changes, and streams of server-sent events.

One reader in each process listens to what the store publishes and wakes those who wait for a game, so that a
thousand idle streams cost no connection of their own. What wakes them carries nothing: each reads the log
from where it stands, and so can neither miss an event nor see one twice, whatever is lost on the way.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import msgspec

from service.matches import views
from service.matches.cooperative_yield import has_disconnected
from service.matches.errors import ERROR_CODES, Problem
from service.matches.match import Change, Status
from service.observability.metrics import Metrics
from service.settings import Settings
from service.storage import retry
from service.storage.store import Store
from service.usecases.games import Games, Seen

HEARTBEAT_S = 10.0
"""Seconds after which a stream without news sends a comment, and looks by itself."""

_RETRY_MS = 500
_OUTAGE_S = 0.5
_DISCONNECT_CHECK_S = 1.0


class Bell:
    """Wakes those who wait for a game to change."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._waiting: dict[str, set[threading.Event]] = {}
        self._listening = False
        self._stopped = threading.Event()

    @property
    def stopped(self) -> bool:
        """Whether the process is about to end, and streams with it."""
        return self._stopped.is_set()

    @contextmanager
    def listening_for(self, game_id: str) -> Iterator[threading.Event]:
        """Give an event that is set whenever the game may have changed."""
        rung = threading.Event()
        with self._lock:
            self._waiting.setdefault(game_id, set()).add(rung)
            if not self._listening:
                self._listening = True
                threading.Thread(target=self._listen, name="bell", daemon=True).start()
        try:
            yield rung
        finally:
            with self._lock:
                self._waiting[game_id].discard(rung)
                if not self._waiting[game_id]:
                    del self._waiting[game_id]

    def stop(self) -> None:
        """Wake everybody for good: the process is about to end."""
        self._stopped.set()
        self._ring(None)

    def _listen(self) -> None:
        try:
            while not self.stopped:
                with suppress(Problem):
                    # Whatever was published before the ear was open is looked up by all who wait.
                    for game_id in self._store.subscribe_to_changes(self._stopped):
                        self._ring(game_id)
                self._stopped.wait(_OUTAGE_S)
        finally:
            with self._lock:
                self._listening = False  # should it end by a fault, who waits next begins it again

    def _ring(self, game_id: str | None) -> None:
        with self._lock:
            names = list(self._waiting) if game_id is None else [game_id]
            rung = [event for name in names for event in self._waiting.get(name, ())]
        for event in rung:
            event.set()


class OpenStreams:
    """The event streams and long polls that are open in this process, limited per token and per address."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self._per_token = settings.limit_streams if settings.limits else 0
        self._per_address = settings.limit_streams_per_address if settings.limits else 0
        self._metrics = metrics
        self._open: Counter[str] = Counter()

    def enter(self, token: str | None, address: str, *, is_stream: bool) -> Callable[[], None]:
        """Count one more.

        :returns: a function that counts it out again; further calls do nothing.
        :raises Problem: too_many_streams.
        """
        owners = {f"address:{address}": self._per_address}
        owners[f"token:{token}" if token else f"tokenless:{address}"] = self._per_token
        for owner, limit in owners.items():
            if limit and self._open[owner] >= limit:
                raise Problem("too_many_streams", f"{limit} streams and long polls are open already.")
        self._open.update(owners.keys())
        if is_stream:
            self._metrics.stream_opened()
        leaving = ExitStack()
        leaving.callback(self._leave, owners.keys(), is_stream=is_stream)
        return leaving.close

    def _leave(self, owners: Iterable[str], *, is_stream: bool) -> None:
        self._open.subtract(owners)
        for owner in owners:
            if not self._open[owner]:
                del self._open[owner]
        if is_stream:
            self._metrics.stream_closed()


@dataclass(frozen=True, slots=True)
class Follower:
    """One client that follows one game."""

    games: Games
    bell: Bell
    game_id: str
    token: str | None

    def read(self, after: int, limit: int | None = None) -> tuple[Seen, list[Change]]:
        """Return the changes that hold events beyond number `after`, with `limit` those of so many events.

        :raises Problem: what `Games.read_with_log` raises.
        """
        return self.games.read_with_log(self.game_id, self.token, after, limit)

    def read_from(self, after: int) -> tuple[Seen, list[Change]]:
        """Return what `read` does, with the change that holds event `after` itself, for `stream`.

        :raises Problem: what `read` raises.
        """
        return self.read(max(after - 1, 0))

    def wait(self, after: int, wait_s: float, limit: int | None = None) -> tuple[Seen, list[Change]]:
        """Return what `read` does, but wait up to `wait_s` seconds for it to be something.

        :raises Problem: what `read` raises.
        """
        until = time.monotonic() + wait_s
        with self.bell.listening_for(self.game_id) as rung:
            while True:
                rung.clear()
                seen, changes = self.read(after, limit)
                left = until - time.monotonic()
                ahead = after > seen.table.last_event
                if changes or _is_over(seen) or ahead or left <= 0 or self.bell.stopped:
                    return seen, changes
                if not _wait(rung, min(left, self._patience(seen))) and has_disconnected():
                    return seen, changes

    def stream(self, first: tuple[Seen, list[Change]], after: int) -> Iterator[bytes]:
        """Write the events beyond number `after` as server-sent events, as they happen, to the game's end.

        `first` is what `read_from` gave when the stream was opened. The stream also ends when the caller may
        no longer read the game, and when the process stops; a client that comes back goes on where it was.
        It ends as well when the store has lost what was told, as by a failover, whatever came instead.
        """
        seen, changes = first
        told: Change | None = None
        with self.bell.listening_for(self.game_id) as rung:
            yield b"retry: %d\n" % _RETRY_MS + _message("stream", _stand(seen, after))
            while True:
                for view in events_after(seen, changes, after):
                    after = view["id"]
                    yield b"id: %d\ndata: %s\n\n" % (after, msgspec.json.encode(view))
                told = changes[-1] if changes else told
                if _is_over(seen) or self.bell.stopped:
                    yield _end(seen.table.status if _is_over(seen) else "restart", after)
                    return
                rung.clear()
                try:
                    with retry.without_retries():
                        seen, changes = self.read_from(after)
                except Problem as problem:
                    if ERROR_CODES[problem.code].status < 500:
                        yield _end(problem.code, after)
                        return
                    yield b": the store does not answer\n\n"
                    rung.wait(_OUTAGE_S)
                    continue
                if told is not None and told not in changes:
                    yield _end("history_lost", after)
                    return
                is_news = bool(changes) and changes[-1].last_event > after
                if not is_news and not _wait(rung, self._patience(seen)):
                    if has_disconnected():
                        return
                    yield b": heartbeat\n\n"

    def _patience(self, seen: Seen) -> float:
        """Return the seconds to wait before looking again: to the heartbeat, or to a deadline before it."""
        if seen.table.deadline_ms is None:
            return HEARTBEAT_S
        left_s = (seen.table.deadline_ms - self.games.now_ms()) / 1000
        return min(HEARTBEAT_S, max(left_s, 0.0) + 0.01)


def events_after(seen: Seen, changes: list[Change], after: int) -> list[dict[str, Any]]:
    """Return the events beyond number `after` as the caller may see them."""
    table, caller = seen
    return [
        view for change in changes for view in views.event_views(table, change, caller) if view["id"] > after
    ]


def _wait(event: threading.Event, timeout_s: float) -> bool:
    """Wait for an event until a timeout, or until the client has disconnected; return whether it is set."""
    until = time.monotonic() + timeout_s
    while (left_s := until - time.monotonic()) > 0:
        if event.wait(min(left_s, _DISCONNECT_CHECK_S)):
            return True
        if has_disconnected():
            return False
    return event.is_set()


def _is_over(seen: Seen) -> bool:
    return seen.table.status in (Status.FINISHED, Status.ABORTED)


def _stand(seen: Seen, after: int) -> dict[str, Any]:
    """Say where a stream begins: an `after` beyond `last_event` has come from another history."""
    table = seen.table
    return {
        "game": table.id,
        "status": table.status,
        "version": table.version,
        "last_event": table.last_event,
        "after": after,
    }


def _end(reason: str, last_event: int) -> bytes:
    return _message("end", {"reason": reason, "last_event": last_event})


def _message(name: str, data: object) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), msgspec.json.encode(data))
