"""Many games at once: create them with one request, and export the records of finished ones."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any, Unpack, cast

import anyio
import httpx

from skye_client import models as m
from skye_client._async.bodies import AsyncPieces, whole
from skye_client._async.iteration import AsyncIteration
from skye_client._async.transport import AsyncTransport
from skye_client.errors import ApiError
from skye_client.exporting import Export
from skye_client.messages import final_error, response_error
from skye_client.options import CallOptions, waiting

PAGE = 200
"""The number of records in one response. The rate limit of an export counts this number."""

_CREATION_MS = 100_000
"""How long the server may need to create 100 games with bots."""


class AsyncLeagues:
    """Creates games, and exports records.

    :param key: a player key, to create games for this player and export the records of its games. None for
        public games.
    """

    def __init__(self, transport: AsyncTransport, key: str | None = None) -> None:
        self._transport = transport
        self._key = key

    async def create(
        self, games: Sequence[m.GameToCreate], **options: Unpack[CallOptions]
    ) -> Sequence[m.CreatedGameTokens]:
        """Create up to 100 games atomically: all of them, or none if one is refused.

        A later call with the same `idempotency_key` returns the same games and tokens.

        :param games: the body of `POST /v1/games` for each game.
        :returns: the ids and tokens of the games, in the same order. The server does not send the tokens
            again.
        """
        timed = cast("CallOptions", waiting(options, _CREATION_MS, self._transport.timeout_s))
        created = await self._transport.json(
            "POST", "/v1/batches", body={"games": list(games)}, token=self._key, **timed
        )
        return cast("m.CreatedGames", created)["games"]

    def records(
        self,
        *,
        cursor: str | None = None,
        since: str | None = None,
        until: str | None = None,
        fault: str | None = None,
    ) -> AsyncIteration[m.RecordLine]:
        """Yield each finished game once: its `record`, its end (`finished_at`), and the `cursor` after it.

        The last to finish comes first. The iterator resumes after a lost connection or a restart of the
        server.

        :param cursor: yield the lines after the one with this cursor.
        :param since: only games that finished at this time or later (RFC 3339).
        :param until: only games that finished before this time.
        :param fault: the fault to inject into the first request, if the server has `SKYE_LAB=on`.
        :raises ApiError: when the server refuses a request.
        :raises ConnectionFailedError: when no response arrives within all retries.
        """
        export = Export(self._key, cursor, {"since": since, "until": until, "limit": PAGE}, fault)
        return AsyncIteration(self._lines(export))

    async def _lines(self, export: Export) -> AsyncGenerator[m.RecordLine, None]:
        path = "/v1/records" if self._key is None else "/v1/me/games/records"
        while not export.is_complete:
            try:
                async with aclosing(self._page(path, export)) as lines:
                    async for line in lines:
                        yield cast("m.RecordLine", line)
            except (ApiError, httpx.TransportError, ValueError) as error:
                delay = export.delay(self._transport.retry, error)
                if delay is None:
                    raise final_error(
                        "GET", self._transport.url, path, error, self._transport.proxy
                    ) from error.__cause__
                await anyio.sleep(delay)

    async def _page(self, path: str, export: Export) -> AsyncGenerator[Any, None]:
        """Yield the lines of one response."""
        async with self._transport.http.stream(
            "GET",
            self._transport.url + path,
            params=export.query(),
            headers=export.headers(),
            timeout=self._transport.timeout_s,
            follow_redirects=False,
        ) as response:
            if not response.is_success:
                raise response_error(await whole(response), self._transport.proxy)
            pieces = AsyncPieces(response)
            async for line in pieces.response.aiter_lines():
                pieces.begin()
                yield export.received(json.loads(line))
            export.ended()
