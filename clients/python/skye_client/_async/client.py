"""The entry point of the client."""

from __future__ import annotations

from types import TracebackType
from typing import Self

import httpx

from skye_client._async.leagues import AsyncLeagues
from skye_client._async.player import AsyncPlayer
from skye_client._async.resources import AsyncCatalogue, AsyncGame, AsyncGames
from skye_client._async.transport import AsyncTransport
from skye_client.retry import RetryPolicy


class AsyncSkye:
    """A client for one server. Use it in a `with` block, or close it with `aclose`.

    :param url: the address of the server, such as `http://127.0.0.1:8000`.
    :param retry: how requests are retried.
    :param timeout_s: how long one attempt may wait for the server, in seconds.
    :param http: an httpx client to use, for proxies, certificates or tests; it stays the caller's to close.
    """

    def __init__(
        self,
        url: str,
        *,
        retry: RetryPolicy | None = None,
        timeout_s: float = 15.0,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self.transport = AsyncTransport(url, retry=retry, timeout_s=timeout_s, http=http)
        self.games = AsyncGames(self.transport)
        self.leagues = AsyncLeagues(self.transport)
        self.catalogue = AsyncCatalogue(self.transport)

    def game(self, game_id: str, token: str | None = None) -> AsyncGame:
        """Return one game, for the holder of a token or for a spectator."""
        return AsyncGame(self.transport, game_id, token)

    def player(self, key: str | None = None) -> AsyncPlayer:
        """Return the holder of a player key; without `key`, of a new random one."""
        return AsyncPlayer(self.transport, key)

    async def aclose(self) -> None:
        """Close the connections."""
        await self.transport.aclose()

    async def __aenter__(self) -> Self:
        """Return the client; leaving the block closes its connections."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        await self.aclose()
