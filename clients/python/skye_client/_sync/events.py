"""Iterate over the events of a game or a player; reconnect after a lost connection or a restart."""

from __future__ import annotations

import json
import time
from collections.abc import Generator
from contextlib import closing
from typing import Any

import httpx
from httpx_sse import EventSource, SSEError

from skye_client._sync.transport import Transport
from skye_client.errors import ApiError, ConnectionFailedError, HistoryLostError
from skye_client.following import POLL_WAIT_MS, SILENCE_S, Follower, GameFollower, GapError, is_final
from skye_client.messages import api_error
from skye_client.retry import RetryPolicy, backoff

_ONCE = RetryPolicy(attempts=1)
_RETRIED = (ApiError, ConnectionFailedError, GapError, SSEError, httpx.TransportError, ValueError)


def events(
    transport: Transport, path: str, token: str | None, follower: Follower, silence_s: float = SILENCE_S
) -> Generator[Any, None, None]:
    """Yield each event once and in order, until the game is over.

    :param path: the path of the game, or of the player.
    :param follower: the state of the iteration, with the last event that the caller has.
    :param silence_s: a stream without a byte for this many seconds is half-open and replaced.
    :raises HistoryLostError: when the server has lost events that were already delivered.
    :raises ApiError: when the game or the token does not exist any more.
    """
    while not follower.over:
        try:
            source = _stream if follower.streams else _poll
            with closing(source(transport, path, token, follower, silence_s)) as batch:
                for event in batch:
                    yield event
            if not follower.over:
                time.sleep(backoff(1, 0.1, 0.1))
        except _RETRIED as error:
            if isinstance(error, ApiError) and error.code == "history_lost":
                raise HistoryLostError from error
            if is_final(error):
                raise
            follower.failed()
            retry_after_s = error.retry_after_s if isinstance(error, ApiError) else None
            time.sleep(retry_after_s or backoff(follower.failures, 0.5, 15.0))


def _stream(
    transport: Transport, path: str, token: str | None, follower: Follower, silence_s: float
) -> Generator[Any, None, None]:
    headers = {"Accept": "text/event-stream", **follower.stream_opening()}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    timeout = httpx.Timeout(transport.timeout_s, read=silence_s)
    try:
        with transport.http.stream(
            "GET", f"{transport.url}{path}/events/stream", headers=headers, timeout=timeout
        ) as response:
            if response.status_code == 204:  # the caller has every event of a game that is over
                follower.over = True
                return
            if not response.is_success:
                response.read()
                raise api_error(response)
            for message in EventSource(response).iter_sse():
                if not message.data:  # httpx-sse yields a heartbeat after an id as a message without data
                    continue
                for event in follower.message(message.event, json.loads(message.data)):
                    yield event
    except httpx.ConnectError:
        follower.server_unavailable()
        raise
    except ApiError as error:
        if error.status >= 500:
            follower.server_unavailable()
        raise


def _poll(
    transport: Transport, path: str, token: str | None, follower: Follower, _silence_s: float
) -> Generator[Any, None, None]:
    query = {"after": follower.after, "wait_ms": POLL_WAIT_MS}
    wait_s = POLL_WAIT_MS / 1000 + transport.timeout_s
    page = transport.json("GET", f"{path}/events", token=token, query=query, timeout_s=wait_s, retry=_ONCE)
    for event in follower.page(page):
        yield event
    if not page["events"] and isinstance(follower, GameFollower):
        follower.status((transport.json("GET", path, token=token))["status"])
