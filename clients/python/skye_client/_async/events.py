"""Iterate over the events of a game or a player; reconnect after a lost connection or a restart."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import anyio
import httpx
from httpx_sse import EventSource, SSEError

from skye_client._async.bodies import AsyncPieces, whole
from skye_client._async.transport import AsyncTransport
from skye_client.errors import ApiError, ConnectionFailedError, HistoryLostError, UnexpectedResponseError
from skye_client.following import SILENCE_S, BrokenStreamError, Follower, is_final
from skye_client.messages import authorization, response_error
from skye_client.retry import RetryPolicy, backoff

_ONCE = RetryPolicy(attempts=1)
_RETRIED = (
    ApiError,
    BrokenStreamError,
    ConnectionFailedError,
    SSEError,
    UnexpectedResponseError,
    httpx.TransportError,
    ValueError,
)
_BASE_S, _MAX_S = 0.1, 10.0


async def events(
    transport: AsyncTransport, path: str, token: str | None, follower: Follower, silence_s: float = SILENCE_S
) -> AsyncGenerator[Any, None]:
    """Yield each event once and in order, until the game is over.

    :param path: the path of the game, or of the player.
    :param follower: the state of the iteration, with the last event that the caller has.
    :param silence_s: a stream without a byte for this many seconds is half-open and replaced.
    :raises HistoryLostError: when the server has lost events that were already delivered.
    :raises ApiError: when the game or the token does not exist any more.
    :raises InvalidCredentialError: when the token cannot be one.
    :raises UnexpectedResponseError: when something other than the API answers, and the API has not yet.
    """
    while not follower.over:
        after = follower.after
        try:
            source = _stream if follower.streams else _poll
            async with aclosing(source(transport, path, token, follower, silence_s)) as batch:
                async for event in batch:
                    yield event
            if after == follower.after and not follower.over:
                await anyio.sleep(backoff(1, _BASE_S, _MAX_S))
        except _RETRIED as error:
            if isinstance(error, ApiError) and error.code == "history_lost":
                raise HistoryLostError from error
            if is_final(error) or (isinstance(error, UnexpectedResponseError) and not follower.has_responded):
                raise
            follower.failed()
            retry_after_s = error.retry_after_s if isinstance(error, ApiError) else None
            await anyio.sleep(retry_after_s or backoff(follower.failures, _BASE_S, _MAX_S))


async def _stream(
    transport: AsyncTransport, path: str, token: str | None, follower: Follower, silence_s: float
) -> AsyncGenerator[Any, None]:
    headers = {"Accept": "text/event-stream", **follower.stream_opening(), **authorization(token)}
    timeout = httpx.Timeout(transport.timeout_s, read=silence_s)
    async with transport.http.stream(
        "GET",
        f"{transport.url}{path}/events/stream",
        headers=headers,
        timeout=timeout,
        follow_redirects=False,
    ) as response:
        if response.status_code == 204:  # the caller has every event of a game that is over
            follower.over = True
            return
        if not response.is_success:
            raise response_error(await whole(response), transport.proxy)
        pieces = AsyncPieces(response)
        async for message in EventSource(pieces.response).aiter_sse():
            pieces.begin()
            if not message.data:  # httpx-sse yields a heartbeat after an id as a message without data
                continue
            data = json.loads(message.data)
            if message.event == "end":
                follower.end(data["reason"], data["resume"])
                return
            for event in follower.message(message.event, data):
                yield event
        raise BrokenStreamError("The stream has no end.")


async def _poll(
    transport: AsyncTransport, path: str, token: str | None, follower: Follower, _silence_s: float
) -> AsyncGenerator[Any, None]:
    query = follower.poll_opening()
    wait_s = query["wait_ms"] / 1000 + transport.timeout_s
    page = await transport.json(
        "GET", f"{path}/events", token=token, query=query, timeout_s=wait_s, retry=_ONCE
    )
    for event in follower.page(page):
        yield event
