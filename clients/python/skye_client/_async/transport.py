"""Sends requests to one server, with retries."""

from __future__ import annotations

import time
from typing import Any, Unpack

import anyio
import httpx

from skye_client.concurrency import AsyncPerLoop, AsyncSlots
from skye_client.messages import (
    api_error,
    checked_path,
    checked_url,
    encoded,
    final_error,
    query_of,
    read_json,
    request_headers,
)
from skye_client.options import FAULT_HEADER, RequestOptions
from skye_client.retry import RetryPolicy
from skye_client.tls import tls_context


class AsyncTransport:
    """Sends requests to one server. Every write has an `Idempotency-Key`, so a retry has no second effect.

    The arguments are those of `AsyncSkye`.
    """

    def __init__(
        self,
        url: str,
        *,
        retry: RetryPolicy | None,
        timeout_s: float,
        concurrency: int,
        http: httpx.AsyncClient | None,
    ) -> None:
        self.url = checked_url(url)
        self.retry = retry or RetryPolicy()
        self.timeout_s = timeout_s
        self._owned = http is None
        self._slots = AsyncPerLoop(lambda _first: AsyncSlots(concurrency))
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=concurrency)

        def client(first: httpx.AsyncClient | None) -> httpx.AsyncClient:
            hooks = first.event_hooks if first else None
            return httpx.AsyncClient(
                timeout=timeout_s, verify=tls_context(), limits=limits, event_hooks=hooks
            )

        self._clients = AsyncPerLoop(lambda first: http or client(first))

    @property
    def http(self) -> httpx.AsyncClient:
        """The httpx client: that of the caller, otherwise one for each event loop."""
        return self._clients.current

    async def aclose(self) -> None:
        """Close the connections, unless the httpx client was passed in."""
        if self._owned:
            await self.http.aclose()

    async def json(self, method: str, path: str, **options: Unpack[RequestOptions]) -> Any:
        """Send a request, with retries; return the JSON of the response.

        :returns: the decoded body; None for an empty one.
        :raises ApiError: when the server returns an error.
        :raises ConnectionFailedError: when no complete response arrives within all retries.
        :raises UnexpectedResponseError: when a successful response is not JSON.
        """
        return read_json(await self.send(method, path, **options))

    async def text(self, method: str, path: str, **options: Unpack[RequestOptions]) -> str:
        """Send a request, with retries; return the text of the response. It raises what `json` does."""
        return (await self.send(method, path, **options)).text

    async def send(self, method: str, path: str, **options: Unpack[RequestOptions]) -> httpx.Response:
        """Send a request, with retries; return the response, which is successful.

        :raises ApiError: when the server returns an error.
        :raises ConnectionFailedError: when no complete response arrives within all retries.
        :raises InvalidAddressError: when the path does not begin with a slash.
        """
        policy = options.get("retry") or self.retry
        request = self.http.build_request(
            method,
            self.url + checked_path(path),
            headers=request_headers(method, options),
            content=encoded(options.get("body")),
            params=query_of(options) or None,  # an empty mapping would remove the query of `path`
            timeout=options.get("timeout_s") or self.timeout_s,
        )
        started = time.monotonic()
        attempt = 0
        while True:
            attempt += 1
            try:
                response = await self._sent(request, is_waiting="wait_ms" in request.url.params)
                if response.is_success:
                    return response
                error: Exception = api_error(response)
            except httpx.TransportError as failure:
                error = failure
            request.headers.pop(FAULT_HEADER, None)
            delay = policy.delay(attempt, error, time.monotonic() - started)
            if delay is None:
                raise final_error(method, self.url, path, error) from error.__cause__
            await anyio.sleep(delay)

    async def _sent(self, request: httpx.Request, *, is_waiting: bool) -> httpx.Response:
        """Send a request once; a long poll, which waits at the server, at once."""
        if is_waiting:
            return await self.http.send(request)
        async with self._slots.current:
            return await self.http.send(request)
