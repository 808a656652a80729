"""The ladders of a server, and the public pages of players."""

from __future__ import annotations

from typing import Unpack, cast
from urllib.parse import quote

from skye_client import models as m
from skye_client._async.transport import AsyncTransport
from skye_client.options import ReadOptions


class AsyncLadders:
    """The ladders of a server; no token is needed."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self, **options: Unpack[ReadOptions]) -> list[m.Ladder]:
        """Return the ladders: their games and sizes."""
        found = await self._transport.json("GET", "/v1/ladders", **options)
        return cast("m.LadderList", found)["ladders"]

    async def get(
        self,
        ladder: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[ReadOptions],
    ) -> m.StandingList:
        """Return a page of a ladder, the player with the highest rating first.

        :param ladder: such as `live_2`.
        :param limit: the maximum number of players.
        :param cursor: the `next_cursor` of the page before.
        """
        query = {"limit": limit, "cursor": cursor}
        path = f"/v1/ladders/{quote(ladder, safe='')}"
        return cast("m.StandingList", await self._transport.json("GET", path, query=query, **options))

    async def player(self, name: str, **options: Unpack[ReadOptions]) -> m.PlayerPage:
        """Return the profile of a player, the ratings and the last rated games.

        :raises ApiError: `profile_not_found`.
        """
        path = f"/v1/players/{quote(name, safe='')}"
        return cast("m.PlayerPage", await self._transport.json("GET", path, **options))
