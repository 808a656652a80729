"""The list of a player's games with cursor pagination, and the finished ones among them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from skye_server.games.authorization import Caller, identify_player
from skye_server.games.game import Game, Status
from skye_server.store.codec import StoredFormatError
from skye_server.store.finished_games import FinishedGames, Place, next_places
from skye_server.store.redis_players import ACTIVE_SCORE
from skye_server.store.redis_store import RedisStore


class OwnGame(NamedTuple):
    """A game of a player, and the player's role in it."""

    game: Game
    caller: Caller


class PlayerListing:
    """The lists of the games of all players of a store."""

    def __init__(self, store: RedisStore) -> None:
        self._games = store
        self._store = store.players

    def page(self, player: str, limit: int, after: Place | None) -> tuple[list[OwnGame], Place | None]:
        """Return up to `limit` games of a player, and the place of the last one if there are more.

        Those that wait for the player come first, the earliest deadline first; then those in play and in the
        lobby, and those that are over, each by their last change.
        """
        own: list[OwnGame] = []
        while True:
            found = next_places(partial(self._store.list_games, player), limit + 1, after)
            for place, game in zip(found, self._load(player, found), strict=True):
                if len(own) == limit:
                    return own, after
                after = place
                if game is not None:
                    own.append(game)
            if len(found) <= limit:
                return own, None

    def finished(self, player: str, ruleset: str) -> FinishedGames:
        """Return the finished games of a player with a ruleset."""

        def load(places: Sequence[Place]) -> list[Game | None]:
            games = [None if own is None else own.game for own in self._load(player, places)]
            return [
                game if game and game.status is Status.FINISHED and game.options.ruleset == ruleset else None
                for game in games
            ]

        return FinishedGames(partial(self._store.list_games, player), load, ACTIVE_SCORE)

    def _load(self, player: str, places: Sequence[Place]) -> list[OwnGame | None]:
        games = self._games.load_many([game_id for _, game_id in places])
        return [None if stored is None else self._own_game(stored, player) for stored in games]

    def _own_game(self, stored: bytes, player: str) -> OwnGame | None:
        """Return a stored game with the player's role, or None if there is none, or it is corrupt."""
        try:
            game = self._games.rulesets.decoded(stored)
        except StoredFormatError:
            return None
        caller = identify_player(game, player)
        return None if caller is None else OwnGame(game, caller)
