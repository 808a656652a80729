"""Games as they were at an earlier version or event, rebuilt from the log (event sourcing)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

from skye_server.error_codes import Problem
from skye_server.games.game import Change, Game, Status
from skye_server.games.replay import empty_game, replay_changes, seat_before
from skye_server.store.codec import changes_from_log
from skye_server.store.redis_games import RedisGames

KEEP_EVERY: Final = 64
"""The number of changes between two kept games, and so the most that one more replay repeats."""

_MAX_KEPT: Final = 512

_Number: TypeAlias = Callable[[Change], int]
"""Returns the version of a change, or the number of its first event."""

_version: Final[_Number] = attrgetter("version")
_first_event: Final[_Number] = attrgetter("first_event")


class _Kept(NamedTuple):
    """A change, and the game after it."""

    change: Change
    game: Game


class _KeptGames:
    """Past games that were rebuilt before (LRU); the versions that are kept are multiples of a number."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, int], _Kept] = OrderedDict()

    def keep(self, change: Change, game: Game) -> None:
        """Keep a game if its version is one of those that are kept."""
        if change.version % KEEP_EVERY == 0:
            self._kept[game.id, change.version] = _Kept(change, game)
            if len(self._kept) > _MAX_KEPT:
                self._kept.popitem(last=False)

    def nearest(self, game_id: str, number_of: _Number, number: int) -> _Kept | None:
        """Return the last kept game whose change has at most a number; no version exceeds its events."""
        for version in range(number // KEEP_EVERY * KEEP_EVERY, 0, -KEEP_EVERY):
            kept = self._kept.get((game_id, version))
            if kept is not None and number_of(kept.change) <= number:
                self._kept.move_to_end((game_id, version))
                return kept
        return None

    def forget(self, game_id: str) -> None:
        """Forget all versions of a game, also those above its present version: it may have lost changes."""
        for key in list(self._kept):
            if key[0] == game_id:
                self._kept.pop(key, None)


class GameHistory:
    """The past of all games of a store."""

    def __init__(self, games: RedisGames) -> None:
        self._games = games
        self._kept = _KeptGames()

    def changes(self, game: Game, after: int = 0, limit: int | None = None) -> list[Change]:
        """Return the changes of a game; if it has changed since it was loaded, a commit will fail.

        :param after: the number of the event after which the changes have events.
        :param limit: the maximum number of log entries to read; each has at least one event.
        """
        stored, entries = self._games.load_with_log(game.id, after, limit)
        return [] if stored is None else changes_from_log(game, after, entries, limit)

    def at_version(self, game: Game, version: int) -> Game:
        """Return a game as it was at an earlier version.

        :raises Problem: data_corrupt, data_newer, when its log is lost.
        """
        if version == game.version:
            return game
        past = self._replayed(game, _version, version)
        if past.version != version:
            raise Problem("data_corrupt", f"Version {version} of the game is lost.")
        return past

    def at_event(self, game: Game, event: int) -> Game:
        """Return a game as it was when event number `event` had happened.

        :raises Problem: event_not_found.
        """
        if event > game.last_event:
            last = game.last_event
            raise Problem("event_not_found", f"The last event of the game is number {last}.", last_event=last)
        past = self._replayed(game, _first_event, event)
        if past.last_event < event:
            raise Problem("data_corrupt", f"Event {event} of the game is lost.")
        return past

    def seat_at(self, past: Game, game: Game, seat: int | None) -> int | None:
        """Return the number that a seat of a game had in its past; None if its player had not joined yet."""
        if past.status is not Status.LOBBY or seat is None:  # seats move up only in the lobby
            return seat
        later = [each for each in self.changes(game, past.last_event) if each.version > past.version]
        return seat_before(later, seat)

    def _replayed(self, game: Game, number_of: _Number, number: int) -> Game:
        """Return a game after its changes up to a number, replayed from the nearest game that was kept.

        A kept game is used only if the log has its change: Redis may have lost changes, and made others.
        """
        kept = self._kept.nearest(game.id, number_of, number)
        changes, past = None, empty_game(game)
        if kept is not None:
            limit = number - number_of(kept.change) + 1
            read = self.changes(game, kept.change.last_event - 1, limit)
            read = [each for each in read if each.version >= kept.change.version]
            if read[:1] == [kept.change]:
                changes, past = read[1:], kept.game
            else:
                self._kept.forget(game.id)
        if changes is None:
            changes = self.changes(game, 0, number)
        due = [change for change in changes if number_of(change) <= number]
        return replay_changes(past, due, self._kept.keep)
