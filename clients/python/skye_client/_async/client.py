"""The entry point of the client."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self, Unpack

import httpx

from skye_client import models as m
from skye_client._async.catalogue import AsyncCatalogue
from skye_client._async.games import AsyncGames
from skye_client._async.ladders import AsyncLadders
from skye_client._async.leagues import AsyncLeagues
from skye_client._async.player import AsyncPlayer
from skye_client._async.resources import AsyncGame, AsyncSeat, seats_of
from skye_client._async.transport import AsyncTransport
from skye_client.concurrency import CONCURRENCY
from skye_client.options import SendOptions
from skye_client.retry import RetryPolicy


class AsyncSkye:
    """A client for one server. Use it in a `with` block, or close it with `aclose`.

    :param url: the address of the server, such as `http://127.0.0.1:8000`.
    :param retry: the retry policy of all requests.
    :param timeout_s: the timeout of one attempt in seconds.
    :param concurrency: the number of requests under way at once; streams and long polls do not count.
    :param proxy: the address of the proxy to use; without one that of the environment (`HTTPS_PROXY` and its
        like), and none for a server of this machine.
    :param http: an httpx client to use instead, for certificates or tests, with its own settings; the caller
        must close it.
    :raises InvalidAddressError: when an address cannot be one, such as one without `http://`.
    :raises InvalidEnvironmentError: when a variable, such as `HTTPS_PROXY`, cannot be used.
    """

    def __init__(  # noqa: PLR0913 - options, by keyword
        self,
        url: str,
        *,
        retry: RetryPolicy | None = None,
        timeout_s: float = 15.0,
        concurrency: int = CONCURRENCY,
        proxy: str | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self.transport = AsyncTransport(
            url, retry=retry, timeout_s=timeout_s, concurrency=concurrency, proxy=proxy, http=http
        )
        self.games = AsyncGames(self.transport)
        self.leagues = AsyncLeagues(self.transport)
        self.ladders = AsyncLadders(self.transport)
        self.catalogue = AsyncCatalogue(self.transport)

    async def request(
        self, method: str, path: str, body: object = None, **options: Unpack[SendOptions]
    ) -> Any:
        """Send any request, such as one whose body a program builds; return the JSON of the response.

        :param path: the whole path, such as `/v1/games`.
        :param body: the JSON body, of any type; None sends none.
        """
        return await self.transport.json(method, path, body=body, **options)

    def game(self, game_id: str, token: str | None = None) -> AsyncGame:
        """Return the resource of one game; sends no request.

        :param token: the token of a seat or of the host; None for a spectator.
        """
        return AsyncGame(self.transport, game_id, token)

    def seats(self, created: m.CreatedGame | m.CreatedGameTokens) -> list[AsyncSeat]:
        """Return the seats of a created game in order, each with its token; sends no request.

        :param created: what created the game returned. The seats of bots have no token, and that of a player
            has the key: see `AsyncPlayer.seats`.
        """
        return seats_of(self.transport, created)

    def seat(self, taken: m.TakenSeat) -> AsyncSeat:
        """Return a seat that was taken, with a token, by joining a game or a rematch; sends no request."""
        return self.game(taken["game"]["id"], taken["token"]).seat(taken["seat"])

    def player(self, key: str | None = None) -> AsyncPlayer:
        """Return the resource of one player; sends no request.

        :param key: the player key; a new random one by default.
        """
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
