"""The histories of players: their past games, and statistics of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from skye_server.games.past_games import PastGame
from skye_server.players.codec import past_games
from skye_server.settings import Settings
from skye_server.store.codec import StoredFormatError
from skye_server.store.game_index import Place, next_places
from skye_server.store.history_store import HistoryStore


class PlayerHistory:
    """The histories of all players of a store."""

    def __init__(self, store: HistoryStore, settings: Settings, now_ms: Callable[[], int]) -> None:
        self._store = store
        self._ttl_ms = 1000 * settings.history_ttl_s
        self._now_ms = now_ms

    def page(
        self, player: str, limit: int, after: Place | None
    ) -> tuple[list[tuple[str, PastGame]], Place | None]:
        """Return up to `limit` past games of a player with their ids, the last to finish first.

        :param after: the place of the game before the first one.
        :returns: the games, and the place of the last one if there are more.
        :raises Problem: store_unavailable.
        """
        oldest_ms = self._now_ms() - self._ttl_ms
        found = next_places(partial(self._store.newest, player), limit + 1, after)
        places = [place for place in found if place[0] > oldest_ms]
        ids = [game_id for _, game_id in places[:limit]]
        records = self._store.records(player, ids)
        games = [
            (game_id, past)
            for game_id, record in zip(ids, records, strict=True)
            if record is not None and (past := _readable(record)) is not None
        ]
        return games, places[limit - 1] if len(places) > limit else None

    def statistics(self, player: str) -> Mapping[str, int]:
        """Return the counters of a player's statistics; see `games.past_games`.

        :raises Problem: store_unavailable.
        """
        return self._store.statistics(player)

    def count(self, player: str) -> int:
        """Return how many past games the history of a player has.

        :raises Problem: store_unavailable.
        """
        return self._store.count(player)


def _readable(record: bytes) -> PastGame | None:
    """Return a stored past game, None if it is corrupt or of a newer format."""
    try:
        return past_games.decode(record)
    except StoredFormatError:
        return None
