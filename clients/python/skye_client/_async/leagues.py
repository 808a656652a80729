"""Many games at once: create them with one request, and export the records of finished ones."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any, Unpack, cast

import anyio
import httpx

from skye_client import models as m
from skye_client._async.transport import AsyncTransport
from skye_client.errors import ApiError
from skye_client.exporting import Export
from skye_client.messages import api_error, final_error
from skye_client.options import CallOptions

PAGE = 200
"""How many records one request asks for. An export costs a server as much as its requests ask for."""


class AsyncLeagues:
    """Creates games, and exports records.

    :param key: a player key: games are created for this player, and the records are those of its games;
        None for anybody.
    """

    def __init__(self, transport: AsyncTransport, key: str | None = None) -> None:
        self._transport = transport
        self._key = key

    async def create(
        self, games: Sequence[Mapping[str, Any]], **options: Unpack[CallOptions]
    ) -> Sequence[m.CreatedGameTokens]:
        """Create up to 100 games, all of them or, if one of them is refused, none.

        With an `idempotency_key` that the caller keeps, a later call returns the same games and tokens.

        :param games: each as `POST /v1/games` takes it.
        :returns: the ids and tokens of the games, in the same order. The tokens are sent this once.
        """
        created = await self._transport.json(
            "POST", "/v1/batches", body={"games": list(games)}, token=self._key, **options
        )
        return cast("m.CreatedGames", created)["games"]

    async def records(
        self,
        *,
        cursor: str | None = None,
        since: str | None = None,
        until: str | None = None,
        fault: str | None = None,
    ) -> AsyncGenerator[m.RecordLine, None]:
        """Yield each finished game once: its `record`, when it `finished`, and the `cursor` after it.

        Without a key these are the public games, the newest first; with one the games of the player, the last
        to finish first. The iterator resumes after cuts and restarts of the server.

        :param cursor: yield what comes after the line with this cursor.
        :param since: only games that finished at this time or later, such as `finished` of a line; this needs
            a key, as `until` does.
        :param until: only games that finished before this time.
        :param fault: what a lab server does to the first request.
        :raises ApiError: the server refuses.
        :raises ConnectionFailedError: nothing arrived within all retries.
        """
        path = "/v1/records" if self._key is None else "/v1/me/records"
        export = Export(self._key, cursor, {"since": since, "until": until, "limit": PAGE}, fault)
        while not export.is_complete:
            try:
                async with aclosing(self._page(path, export)) as lines:
                    async for line in lines:
                        yield cast("m.RecordLine", line)
            except (ApiError, httpx.TransportError, ValueError) as error:
                delay = export.delay(self._transport.retry, error)
                if delay is None:
                    raise final_error("GET", path, error) from error.__cause__
                await anyio.sleep(delay)

    async def _page(self, path: str, export: Export) -> AsyncGenerator[Any, None]:
        """Yield the lines of one response."""
        async with self._transport.http.stream(
            "GET",
            self._transport.url + path,
            params=export.query(),
            headers=export.headers(),
            timeout=self._transport.timeout_s,
        ) as response:
            if not response.is_success:
                await response.aread()
                raise api_error(response)
            async for line in response.aiter_lines():
                yield export.received(json.loads(line))
            export.ended()
