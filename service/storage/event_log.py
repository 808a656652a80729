"""The history of a game, as its log tells it."""

from __future__ import annotations

from collections.abc import Sequence

from service.matches.errors import Problem
from service.matches.match import Change, Match
from service.storage.codec import Unreadable, decode_changes
from service.storage.store import Entry


def changes_of(table: Match, after: int, entries: Sequence[Entry]) -> list[Change]:
    """Return the changes that have led to a table and hold events beyond number `after`.

    :raises Problem: game_unreadable, when they are damaged or not all there.
    """
    try:
        logged = [change for entry in entries for change in decode_changes(entry.stored)]
    except Unreadable as error:
        raise Problem("game_unreadable", f"{str(error).capitalize()}.") from error
    changes = [change for change in logged if change.version <= table.version]
    reached = after
    for change in changes:
        if change.first_event > reached + 1:
            break
        reached = max(reached, change.last_event)
    if reached < table.last_event:
        raise Problem("game_unreadable", f"Of the game's log, what follows event {reached} is lost.")
    return changes
