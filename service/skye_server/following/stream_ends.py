"""The end of a stream, and what its client does next."""

from __future__ import annotations

from typing import Final, NamedTuple

_RESUME: Final = {"restart": "reconnect", "history_lost": "reload"}


class StreamEnded(NamedTuple):
    """The end of a stream, after event number `last_event` or the event of a player with this id."""

    reason: str
    resume: str
    last_event: int | str


def stream_ended(reason: str, last_event: int | str) -> StreamEnded:
    """Return the end of a stream for a reason.

    >>> stream_ended("restart", 4).resume, stream_ended("finished", 4).resume
    ('reconnect', 'stop')
    """
    return StreamEnded(reason, _RESUME.get(reason, "stop"), last_event)
