"""The list of a player's games with cursor pagination, and the finished ones for an export."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from skye_server.games.authorization import Caller, identify_player
from skye_server.games.game import Game, Status
from skye_server.storage.codec import StoredFormatError, decode_game
from skye_server.storage.redis_players import ACTIVE_SCORE
from skye_server.storage.store import Store


class OwnGame(NamedTuple):
    """A game of a player, and the player's role in it."""

    game: Game
    caller: Caller


Place: TypeAlias = tuple[float, str]
"""The position of a game in the list of a player's games: its score, and its id."""


def cursor_of(place: Place) -> str:
    """Return the cursor of the games after a place.

    >>> cursor_of((1_500.0, "g")), place_of("1500-g")
    ('1500-g', (1500.0, 'g'))
    """
    return f"{place[0]:.0f}-{place[1]}"


def place_of(cursor: str | None) -> Place | None:
    """Return the place that a cursor encodes; None without a cursor."""
    if cursor is None:
        return None
    score, _, game_id = cursor.partition("-")
    return float(score), game_id


class PlayerListing:
    """The lists of the games of all players of a store."""

    def __init__(self, store: Store) -> None:
        self._games = store
        self._store = store.players

    def page(self, player: str, limit: int, after: Place | None) -> tuple[list[OwnGame], Place | None]:
        """Return up to `limit` games of a player, and the place of the last one if there are more.

        Those that wait for the player come first, the earliest deadline first; then those in play and in the
        lobby, and those that are over, each by their last change.

        :raises Problem: store_unavailable.
        """
        own: list[OwnGame] = []
        while True:
            found = self._places(player, limit + 1, after)
            games = self._games.load_many([game_id for _, game_id in found])
            for place, stored in zip(found, games, strict=True):
                if len(own) == limit:
                    return own, after
                after = place
                game = None if stored is None else _own_game(stored, player)
                if game is not None:
                    own.append(game)
            if len(found) <= limit:
                return own, None

    def finished(
        self, player: str, batch: int, after: Place | None, since_ms: int, until_ms: int | None
    ) -> Iterator[tuple[Place, Game]]:
        """Yield the finished games of a player with their places, the latest first.

        :param batch: how many games are loaded at once.
        :param after: the place of the game before the first one.
        :param since_ms: only games that ended then or later, in milliseconds since 1970.
        :param until_ms: only games that ended before.
        :raises Problem: store_unavailable.
        """
        before = (ACTIVE_SCORE, "") if until_ms is None else (min(until_ms, ACTIVE_SCORE), "")
        after = before if after is None else min(after, before)
        while places := self._places(player, batch, after):
            games = self._games.load_many([game_id for _, game_id in places])
            for place, stored in zip(places, games, strict=True):
                if place[0] < since_ms:
                    return
                own = None if stored is None else _own_game(stored, player)
                if own is not None and own.game.status is Status.FINISHED:
                    yield place, own.game
            after = places[-1]

    def _places(self, player: str, limit: int, after: Place | None) -> list[Place]:
        """Return the next places in a player's list: games of one score are in the order of their ids."""
        highest, extra = None if after is None else after[0], 0
        while True:
            found = self._store.list_games(player, highest, limit + extra)
            places = [(score, game_id) for game_id, score in found]
            later = [place for place in places if after is None or place < after]
            if len(later) >= limit or len(found) < limit + extra:
                return later[:limit]
            extra += limit


def _own_game(stored: bytes, player: str) -> OwnGame | None:
    """Return a stored game with the player's role, or None if there is no such game, or it is corrupt."""
    try:
        game = decode_game(stored)
    except StoredFormatError:
        return None
    caller = identify_player(game, player)
    return None if caller is None else OwnGame(game, caller)
