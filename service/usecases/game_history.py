"""Game history: matches as they were at an earlier version or event, rebuilt from the event log."""

from __future__ import annotations

from service.matches.authorization import Caller
from service.matches.error_codes import Problem
from service.matches.match import Change, Match
from service.matches.past_versions import match_at_version, seat_before
from service.storage.event_log import changes_from_log
from service.storage.store import Store


class GameHistory:
    """The past of all games of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def changes(self, match: Match) -> list[Change]:
        """Return all changes of a match; if it has changed since it was loaded, a commit will fail.

        :raises Problem: game_unreadable, store_unavailable.
        """
        stored, entries = self._store.load_with_log(match.id)
        return [] if stored is None else changes_from_log(match, 0, entries)

    def at_version(self, match: Match, version: int) -> Match:
        """Return a match as it was at an earlier version.

        :raises Problem: game_unreadable, when its log is lost.
        """
        if version == match.version:
            return match
        past = match_at_version(match, self.changes(match), version)
        if past.version != version:
            raise Problem("game_unreadable", f"Version {version} of the game is lost.")
        return past

    def at_event(self, match: Match, caller: Caller, event: int) -> tuple[Match, Caller]:
        """Return a match and the caller's role as they were when event number `event` had happened.

        :raises Problem: event_not_found, game_unreadable.
        """
        if event > match.last_event:
            last = match.last_event
            raise Problem("event_not_found", f"The last event of the game is number {last}.", last_event=last)
        changes = self.changes(match)
        version = next(change.version for change in changes if change.last_event >= event)
        later = [change for change in changes if change.version > version]
        past = match_at_version(match, changes, version)
        return past, caller._replace(seat=seat_before(later, caller.seat))
