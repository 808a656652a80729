"""The collection of games: the public ones, or those of a player."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Unpack, cast

from skye_client import models as m
from skye_client._sync.iteration import Iteration
from skye_client._sync.transport import Transport
from skye_client.options import CallOptions, ReadOptions


class Games:
    """The public games."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, body: m.GameToCreate | None = None, **options: Unpack[CallOptions]) -> m.CreatedGame:
        """Create a game; return it with its tokens, which the server does not send again.

        :param body: the body of `POST /v1/games`; by default a lobby without players. `Skye.request` sends
            bodies that a program builds as other dictionaries.
        """
        created = self._transport.json("POST", "/v1/games", body=body or {}, **options)
        return cast(m.CreatedGame, created)

    def list(
        self,
        *,
        status: m.ListedStatus | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[ReadOptions],
    ) -> m.GameList:
        """Return one page of the public games, newest first."""
        query = {"status": status, "limit": limit, "cursor": cursor}
        return cast(m.GameList, self._transport.json("GET", "/v1/games", query=query, **options))

    def all(
        self, *, status: m.ListedStatus | None = None, **options: Unpack[ReadOptions]
    ) -> Iteration[m.GameSummary]:
        """Yield all public games, newest first, page by page."""
        return Iteration(_games(lambda cursor: self.list(status=status, cursor=cursor, **options)))


class OwnGames:
    """The games of a player."""

    def __init__(self, transport: Transport, key: str) -> None:
        self._transport = transport
        self._key = key

    def create(self, body: m.GameToCreate | None = None, **options: Unpack[CallOptions]) -> m.CreatedGame:
        """Create a game; the player has the first seat of `players` without a bot."""
        created = self._transport.json("POST", "/v1/games", body=body or {}, token=self._key, **options)
        return cast(m.CreatedGame, created)

    def list(
        self, *, limit: int | None = None, cursor: str | None = None, **options: Unpack[ReadOptions]
    ) -> m.OwnGameList:
        """Return one page of the player's games; those that wait for the player come first."""
        query = {"limit": limit, "cursor": cursor}
        page = self._transport.json("GET", "/v1/me/games", query=query, token=self._key, **options)
        return cast(m.OwnGameList, page)

    def all(self, **options: Unpack[ReadOptions]) -> Iteration[m.OwnGame]:
        """Yield all games of the player, page by page."""
        return Iteration(_games(lambda cursor: self.list(cursor=cursor, **options)))

    def list_past(
        self, *, limit: int | None = None, cursor: str | None = None, **options: Unpack[ReadOptions]
    ) -> m.PastGameList:
        """Return one page of the player's finished games, also expired ones; the last end first."""
        query = {"limit": limit, "cursor": cursor}
        page = self._transport.json("GET", "/v1/me/records", query=query, token=self._key, **options)
        return cast(m.PastGameList, page)

    def all_past(self, **options: Unpack[ReadOptions]) -> Iteration[m.PastGame]:
        """Yield all finished games of the player, also those that have expired, page by page."""
        return Iteration(_games(lambda cursor: self.list_past(cursor=cursor, **options)))


def _games(load: Callable[[str | None], Any]) -> Generator[Any, None, None]:
    """Yield the games of all pages; `load` returns the page of a cursor."""
    cursor = None
    while True:
        page = load(cursor)
        for game in page["games"]:
            yield game
        cursor = page["next_cursor"]
        if not cursor:
            return
