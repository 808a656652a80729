"""Read the changes of a game from its event log."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Final

from skye_server.cooperative_yield import Computation
from skye_server.error_codes import Problem
from skye_server.games.game import Change, Game
from skye_server.store.codec import decode_entry
from skye_server.store.commit import LogEntry

_LARGE_LOG_BYTES: Final = 8_192
"""Entries of this size together are decoded in time slices; a game has about 100 bytes for each change."""


def changes_from_log(
    game: Game, after: int, entries: Sequence[LogEntry], limit: int | None = None
) -> list[Change]:
    """Return the changes of a game that have events after number `after`.

    :param limit: the maximum number of entries that were read; the end of the log may then be missing.
    :raises Problem: data_corrupt, data_newer, when an entry is corrupt or missing; server_busy, bad_request.
    """
    changes = [change for change in _decoded(entries) if change.version <= game.version]
    reached = after
    for change in changes:
        if change.first_event > reached + 1:
            break
        reached = max(reached, change.last_event)
    is_cut = limit is not None and len(entries) >= limit and reached > after
    if reached < game.last_event and not is_cut:
        raise Problem("data_corrupt", f"Of the game's log, the events after {reached} are missing.")
    return [change for change in changes if change.last_event > after]


def _decoded(entries: Sequence[LogEntry]) -> list[Change]:
    """Return the changes of log entries, in time slices if they are many.

    :raises StoredFormatError: when an entry is corrupt or of a newer format.
    :raises Problem: server_busy, bad_request.
    """
    is_large = sum(len(entry.data) for entry in entries) > _LARGE_LOG_BYTES
    changes = []
    with Computation() if is_large else nullcontext() as computation:
        for entry in entries:
            for change in decode_entry(entry):
                changes.append(change)
                if computation is not None:
                    computation.checkpoint()
    return changes
