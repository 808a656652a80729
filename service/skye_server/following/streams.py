"""What the streams of games and of players share: intervals, heartbeats, the end, the wait of a long poll."""

from __future__ import annotations

import threading
import time
from typing import Final, NamedTuple

from skye_server.cooperative_yield import has_disconnected, release_slot
from skye_server.games.stream_ends import StreamEndReason, StreamResume

HEARTBEAT_S = 3.0
"""Seconds without a message after which a stream sends a heartbeat. nginx ends a stream that is silent for
longer (`proxy_read_timeout` in deploy/nginx), so that its client reconnects to another instance."""

CHECK_S = 10.0
"""Seconds without a change after which a game or a player's events are read without a notification."""

OUTAGE_S = 0.5
"""Pause before the log is read again while the store fails, in seconds."""

_DISCONNECT_CHECK_S: Final = 1.0
"""How often a waiting request checks whether its client has disconnected, in seconds."""


class Idle(NamedTuple):
    """An item without changes: a heartbeat, or a failure of the store."""

    reason: str


HEARTBEAT: Final = Idle("heartbeat")
STORE_FAILS: Final = Idle("the store does not respond")


class StreamEnded(NamedTuple):
    """The end of a stream, after event number `last_event` or the event of a player with this id."""

    reason: str
    resume: StreamResume
    last_event: int | str


_RESUME: Final[dict[str, StreamResume]] = {
    StreamEndReason.RESTART: StreamResume.RECONNECT,
    StreamEndReason.HISTORY_LOST: StreamResume.RELOAD,
}


def stream_ended(reason: str, last_event: int | str) -> StreamEnded:
    """Return the end of a stream for a reason.

    >>> stream_ended("restart", 4).resume, stream_ended("finished", 4).resume
    (<StreamResume.RECONNECT: 'reconnect'>, <StreamResume.STOP: 'stop'>)
    """
    return StreamEnded(reason, _RESUME.get(reason, StreamResume.STOP), last_event)


def wait(event: threading.Event, timeout_s: float) -> bool:
    """Wait for an event until a timeout, or until the client has disconnected; return whether it is set."""
    release_slot()
    until = time.monotonic() + timeout_s
    while (left_s := until - time.monotonic()) > 0:
        if event.wait(min(left_s, _DISCONNECT_CHECK_S)):
            return True
        if has_disconnected():
            return False
    return event.is_set()
