"""The list of public games by status, with cursor pagination.

Games in the lobby and in play are in the order of their creation, finished ones in the order of their end.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from typing import Final, NamedTuple

from skye_server.commands.finished_games import FinishedGames, Place, cursor_of, end_of, next_places, place_of
from skye_server.error_codes import Problem
from skye_server.games.game import Change, Game, OriginType, Status
from skye_server.storage.codec import StoredFormatError, decode_game
from skye_server.storage.connection import retry
from skye_server.storage.event_log import changes_from_log
from skye_server.storage.redis_store import RedisStore

LISTED = (Status.LOBBY, Status.PLAYING, Status.FINISHED)
"""The statuses that are listed; aborted games are not."""

_SWEEP_SIZE = 64
_SWEEP_PROBABILITY = 1 / 16
"""How likely a change of a game's status sweeps the index; the sweep checks `_SWEEP_SIZE` games."""

_GRACE_MS = 60_000
"""How long a game may be listed that is not stored yet, in milliseconds."""

_UNITS_PER_MS: Final = 1000
"""How much higher a score is of a game a millisecond later; the id decides the rest."""


class Listing:
    """The index of public games, which is separate from the games and repaired when it lags behind them."""

    def __init__(self, store: RedisStore, now_ms: Callable[[], int]) -> None:
        self._store = store
        self._index = store.index
        self._now_ms = now_ms

    def update(self, before: Game | None, after: Game, changes: Sequence[Change]) -> None:
        """Update the index after a change of a game's status; a private game is never in it.

        A new game is listed before it is stored. The change of an older one is already stored, so an
        unreachable index does not fail it: `page` repairs the index later, and so does `sweep`. A game that
        the index has lost returns to it with one of its next moves.

        :param changes: the changes that led from `before` to `after`.
        :raises Problem: store_unavailable, for a new game.
        """
        if after.private:
            return
        index = index_of(after)
        with nullcontext() if before is None else suppress(Problem):
            if after.status in LISTED:
                self._index.add(index, after.id, _score(after, end_of(changes)))
            if before is not None:
                self._index.remove(index_of(before), [after.id])
        if after.status in LISTED and random.random() < _SWEEP_PROBABILITY:  # noqa: S311 - no secret
            self.sweep(index)

    def relist(self, game: Game) -> None:
        """Add a public game that is not over to the index again: a fault of the store may have removed it."""
        if not game.private:
            with suppress(Problem), retry.without_retries():
                self._index.add(index_of(game), game.id, _score(game))

    def remove(self, game: Game) -> None:
        """Remove a game that is about to be deleted.

        :raises Problem: store_unavailable.
        """
        if game.status in LISTED and not game.private:
            self._index.remove(index_of(game), [game.id])

    def forget(self, game_id: str) -> None:
        """Remove a game that has expired, whatever it was."""
        for status in LISTED:
            for origin in (None, *OriginType):
                self._index.remove(index_name(status, origin), [game_id])

    def sweep(self, index: str) -> None:
        """Repair one index for some of its games, chosen at random.

        No process is notified when a game expires, and few requests list old games. At this rate less than a
        third of the games in the index have expired.
        """
        with suppress(Problem):
            chosen = self._index.sample(index, _SWEEP_SIZE)
            self._load([_Entry(score, game_id, index) for game_id, score in chosen])

    def sizes(self) -> dict[Status, int]:
        """Return how many games the index has of each status; it may lag behind.

        :raises Problem: store_unavailable.
        """
        names = [index_name(status, None) for status in LISTED]
        return dict(zip(LISTED, self._index.sizes(names), strict=True))

    def page(
        self,
        status: Status | None,
        limit: int,
        cursor: str | None = None,
        origin: OriginType | None = None,
    ) -> tuple[list[Game], str | None]:
        """Return up to `limit` public games, newest first, and the cursor of the next page if there is one.

        :param origin: list games that began from this; None for games that began with a new game.
        """
        after = place_of(cursor)
        indexes = [index_name(listed, origin) for listed in (LISTED if status is None else (status,))]
        games: dict[str, Game] = {}
        places: list[Place] = []
        while True:
            missing = limit + 1 - len(games)
            found = self._newest(indexes, after, missing)
            for entry, game in zip(found, self._load(found), strict=True):
                # A game that has just changed its status may be found under both.
                if game is not None and index_of(game) in indexes and game.id not in games:
                    games[game.id] = game
                    places.append((entry.score, entry.game_id))
            if len(games) > limit:
                return list(games.values())[:limit], cursor_of(places[limit - 1])
            if len(found) < missing:
                return list(games.values()), None
            after = found[-1].score, found[-1].game_id

    def finished(self) -> FinishedGames:
        """Return the finished games that began with a new game, on the clock of the server."""
        index = index_name(Status.FINISHED, None)

        def load(places: Sequence[Place]) -> list[Game | None]:
            games = self._load([_Entry(score, game_id, index) for score, game_id in places])
            return [
                None if game is None or index_of(game) != index or _has_own_clock(game) else game
                for game in games
            ]

        return FinishedGames(partial(self._index.newest, index), load, units_per_ms=_UNITS_PER_MS)

    def _newest(self, indexes: list[str], after: Place | None, limit: int) -> list[_Entry]:
        found = [
            _Entry(score, game_id, index)
            for index in indexes
            for score, game_id in next_places(partial(self._index.newest, index), limit, after)
        ]
        return heapq.nlargest(limit, found)

    def _end_score(self, game_id: str, otherwise: float) -> float:
        """Return the score of a finished game by its log; `otherwise` if it cannot be read."""
        stored, entries = self._store.load_with_log(game_id)
        try:
            game = None if stored is None else decode_game(stored)
            return otherwise if game is None else _score(game, end_of(changes_from_log(game, 0, entries)))
        except Problem:
            return otherwise

    def _load(self, found: list[_Entry]) -> list[Game | None]:
        """Load listed games, None for each that cannot be shown, and repair the index where it is wrong."""
        games: list[Game | None] = []
        stored = self._store.load_many([entry.game_id for entry in found])
        for entry, of_game in zip(found, stored, strict=True):
            try:
                game = decode_game(of_game) if of_game is not None else None
            except StoredFormatError:
                games.append(None)
                continue
            with suppress(Problem), retry.without_retries():  # a later call repairs what fails now
                self._repair(entry, game)
            games.append(None if game is None or game.private else game)
        return games

    def _repair(self, entry: _Entry, game: Game | None) -> None:
        if game is None:
            if entry.score < (self._now_ms() - _GRACE_MS) * 1000:
                self._index.remove(entry.list_name, [entry.game_id])
            return
        if game.private or index_of(game) != entry.list_name:
            if game.status in LISTED and not game.private:
                score = _score(game)
                if game.status is Status.FINISHED:
                    score = self._end_score(game.id, score)
                self._index.add(index_of(game), game.id, score)
            self._index.remove(entry.list_name, [entry.game_id])


class _Entry(NamedTuple):
    """A game in the index."""

    score: float
    game_id: str
    list_name: str


def index_of(game: Game) -> str:
    """Return the name of the index that lists a game."""
    return index_name(game.status, None if game.origin is None else game.origin.type)


def index_name(status: Status, origin: OriginType | None) -> str:
    """Return the name of the index of the games of a status that began from an origin.

    >>> index_name(Status.PLAYING, None), index_name(Status.FINISHED, OriginType.POSITION)
    ('playing', 'finished:position')
    """
    return str(status) if origin is None else f"{status}:{origin}"


def _score(game: Game, end_ms: int | None = None) -> float:
    """Return the end of a game, or its creation, in microseconds; the last three digits derive from the id.

    A host could advance a clock of its own so far that the game stays the first of the list.
    """
    at_ms = game.created_ms if end_ms is None or _has_own_clock(game) else end_ms
    return at_ms * _UNITS_PER_MS + int.from_bytes(game.id[-4:].encode(), "big") % _UNITS_PER_MS


def _has_own_clock(game: Game) -> bool:
    return game.clock_ms is not None
