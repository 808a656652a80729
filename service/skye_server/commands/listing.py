"""The list of public games by status, with cursor pagination.

Games in the lobby and in play are in the order of their creation, finished ones in the order of their end.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from functools import partial
from typing import Final

from skye_server.games.game import Game, OriginType, Status, name_key
from skye_server.store.game_index import FinishedGames, Place, cursor_of, next_places, place_of
from skye_server.store.games import readable_games
from skye_server.store.redis_store import RedisStore

LISTED = (Status.LOBBY, Status.PLAYING, Status.FINISHED)
"""The statuses that are listed; aborted games are not."""

_UNITS_PER_MS: Final = 1000
"""How much higher a score is of a game a millisecond later; the id decides the rest."""


class Listing:
    """The lists of public games, which the relay writes."""

    def __init__(self, store: RedisStore, hidden_names: Sequence[str] = ()) -> None:
        self._store = store
        self._hidden = [name_key(name) for name in hidden_names]
        self._index = store.index

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
        *,
        ruleset: str,
    ) -> tuple[list[Game], str | None]:
        """Return up to `limit` public games, newest first, and the cursor of the next page if there is one.

        :param origin: list games that began from this; None for games that began with a new game.
        :param ruleset: list games of this ruleset.
        """
        after = place_of(cursor)
        indexes = [index_name(listed, origin) for listed in (LISTED if status is None else (status,))]
        games: dict[str, Game] = {}
        places: list[Place] = []
        while True:
            missing = limit + 1 - len(games)
            found = self._newest(indexes, after, missing)
            for place, game in zip(found, self._load(found), strict=True):
                # A game that has just changed its status may be found under both.
                if (
                    game is not None
                    and index_of(game) in indexes
                    and game.options.ruleset == ruleset
                    and game.id not in games
                    and not self._has_hidden_name(game)
                ):
                    games[game.id] = game
                    places.append(place)
            if len(games) > limit:
                return list(games.values())[:limit], cursor_of(places[limit - 1])
            if len(found) < missing:
                return list(games.values()), None
            after = found[-1]

    def finished(self, ruleset: str) -> FinishedGames:
        """Return the finished games of a ruleset that began with a new game, on the clock of the server."""
        index = index_name(Status.FINISHED, None)

        def load(places: Sequence[Place]) -> list[Game | None]:
            games = self._load(places)
            return [
                game
                if game is not None
                and index_of(game) == index
                and game.options.ruleset == ruleset
                and not _has_own_clock(game)
                and not self._has_hidden_name(game)
                else None
                for game in games
            ]

        return FinishedGames(partial(self._index.newest, index), load, units_per_ms=_UNITS_PER_MS)

    def _has_hidden_name(self, game: Game) -> bool:
        if not self._hidden:
            return False
        shown = [name_key(name) for name in (game.name, *(seat.name for _, seat in game.taken))]
        return any(word in name for name in shown for word in self._hidden)

    def _newest(self, indexes: list[str], after: Place | None, limit: int) -> list[Place]:
        found = [
            place
            for index in indexes
            for place in next_places(partial(self._index.newest, index), limit, after)
        ]
        return heapq.nlargest(limit, found)

    def _load(self, found: Sequence[Place]) -> list[Game | None]:
        """Load listed games, None for each that cannot be shown."""
        games = readable_games(self._store, [game_id for _, game_id in found])
        return [None if game is None or game.private else game for game in games]


def index_of(game: Game) -> str:
    """Return the name of the index that lists a game."""
    return index_name(game.status, None if game.origin is None else game.origin.type)


def index_name(status: Status, origin: OriginType | None) -> str:
    """Return the name of the index of the games of a status that began from an origin.

    >>> index_name(Status.PLAYING, None), index_name(Status.FINISHED, OriginType.POSITION)
    ('playing', 'finished:position')
    """
    return str(status) if origin is None else f"{status}:{origin}"


def score_of(game: Game, end_ms: int | None = None) -> float:
    """Return the end of a game, or its creation, in microseconds; the last three digits derive from the id.

    A host could advance a clock of its own so far that the game stays the first of the list.
    """
    at_ms = game.created_ms if end_ms is None or _has_own_clock(game) else end_ms
    return at_ms * _UNITS_PER_MS + int.from_bytes(game.id[-4:].encode(), "big") % _UNITS_PER_MS


def _has_own_clock(game: Game) -> bool:
    return game.clock_ms is not None
