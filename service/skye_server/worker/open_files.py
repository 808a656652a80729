"""How many connections a worker can serve with its limit of open files."""

from __future__ import annotations

from typing import Final

MAX_CONNECTIONS: Final = 2000
_MIN_CONNECTIONS: Final = 10
_FILES_EACH: Final = 3
"""The connection, one more for a parked stream, and one for a connection to Redis."""
_OTHER_FILES: Final = 150

REMEDY: Final = "Raise it by `ulimit -Hn`, LimitNOFILE or --ulimit of the container"


def connections(max_files: int) -> int:
    """Return how many connections a worker accepts.

    :param max_files: the hard limit of open files, to which a worker raises its own; -1: no limit.

    >>> connections(1024), connections(-1)
    (291, 2000)
    """
    return (
        MAX_CONNECTIONS if max_files < 0 else min(MAX_CONNECTIONS, (max_files - _OTHER_FILES) // _FILES_EACH)
    )


def refusal(max_files: int) -> str | None:
    """Return why no worker can serve with a hard limit of open files, None if one can."""
    if connections(max_files) >= _MIN_CONNECTIONS:
        return None
    return (
        f"A process may open {max_files} files only, by its hard limit; a worker needs 180 or more, "
        f"and 6,150 for 2,000 connections. {REMEDY}"
    )
