"""What a client does after the end of a stream."""

from __future__ import annotations

from typing import Final

_RESUME: Final = {"restart": "reconnect", "history_lost": "reload"}


def resume_after(reason: str) -> str:
    """Return what a client does after a stream that has ended for a reason.

    >>> resume_after("restart"), resume_after("finished")
    ('reconnect', 'stop')
    """
    return _RESUME.get(reason, "stop")
