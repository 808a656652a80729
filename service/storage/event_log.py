"""The history of a game, as its log tells it."""

from __future__ import annotations

from collections.abc import Sequence

from service.matches.errors import Problem
from service.matches.match import Change, Match
from service.storage.codec import StoredFormatError, decode_changes
from service.storage.store import LogEntry


def changes_from_log(
    table: Match, after: int, entries: Sequence[LogEntry], limit: int | None = None
) -> list[Change]:
    """Return the changes that have led to a table and hold events beyond number `after`.

    With `limit` the log was read up to that many entries, and its end may be missing.

    :raises Problem: game_unreadable, when they are damaged or not all there.
    """
    try:
        logged = [change for entry in entries for change in decode_changes(entry.stored)]
    except StoredFormatError as error:
        raise Problem("game_unreadable", f"{str(error).capitalize()}.") from error
    changes = [change for change in logged if change.version <= table.version]
    reached = after
    for change in changes:
        if change.first_event > reached + 1:
            break
        reached = max(reached, change.last_event)
    is_cut = limit is not None and len(entries) >= limit and reached > after
    if reached < table.last_event and not is_cut:
        raise Problem("game_unreadable", f"Of the game's log, what follows event {reached} is lost.")
    return changes
