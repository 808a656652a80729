"""Sends requests to one server, with retries."""

from __future__ import annotations

import time
from typing import Any, Unpack

import anyio
import httpx

from skye_client._async.bodies import whole
from skye_client.concurrency import AsyncPerLoop, AsyncSlots
from skye_client.errors import UnexpectedResponseError
from skye_client.messages import (
    checked_path,
    checked_url,
    encoded,
    final_error,
    query_of,
    read_json,
    request_headers,
    response_error,
)
from skye_client.options import FAULT_HEADER, RequestOptions
from skye_client.proxies import client_options, proxy_for
from skye_client.retry import RetryPolicy


class AsyncTransport:
    """Sends requests to one server. Every write has an `Idempotency-Key`, so a retry has no second effect.

    The arguments are those of `AsyncSkye`.
    """

    def __init__(  # noqa: PLR0913 - options, by keyword
        self,
        url: str,
        *,
        retry: RetryPolicy | None,
        timeout_s: float,
        concurrency: int,
        proxy: str | None,
        http: httpx.AsyncClient | None,
    ) -> None:
        self.url = checked_url(url)
        if http and proxy is not None:
            raise ValueError("`http` has a proxy of its own: leave out `proxy`")
        self.proxy = None if http else proxy_for(self.url, proxy)
        """The proxy of the httpx clients that this object makes."""
        self.retry = retry or RetryPolicy()
        self.timeout_s = timeout_s
        self._owned = http is None
        self._slots = AsyncPerLoop(lambda _first: AsyncSlots(concurrency))
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=concurrency)

        def client(first: httpx.AsyncClient | None) -> httpx.AsyncClient:
            hooks = first.event_hooks if first else None
            return httpx.AsyncClient(
                timeout=timeout_s, limits=limits, event_hooks=hooks, **client_options(self.proxy)
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
        :raises UnexpectedResponseError: when something other than the API responds: with a redirect, no JSON,
            or a body over 16 MiB.
        """
        return read_json(await self.send(method, path, **options))

    async def text(self, method: str, path: str, **options: Unpack[RequestOptions]) -> str:
        """Send a request, with retries; return the text of the response. It raises what `json` does."""
        return (await self.send(method, path, **options)).text

    async def send(self, method: str, path: str, **options: Unpack[RequestOptions]) -> httpx.Response:
        """Send a request, with retries; return the response, which is successful.

        :raises ApiError: when the server returns an error.
        :raises ConnectionFailedError: when no complete response arrives within all retries.
        :raises UnexpectedResponseError: when something other than the API responds.
        :raises InvalidAddressError: when the path does not begin with a slash.
        """
        method = method.upper()
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
                error: Exception = response_error(response, self.proxy)
                if isinstance(error, UnexpectedResponseError):
                    raise error
            except httpx.TransportError as failure:
                error = failure
            request.headers.pop(FAULT_HEADER, None)
            delay = policy.delay(attempt, error, time.monotonic() - started)
            if delay is None:
                raise final_error(method, self.url, path, error, self.proxy) from error.__cause__
            await anyio.sleep(delay)

    async def _sent(self, request: httpx.Request, *, is_waiting: bool) -> httpx.Response:
        """Send a request once; a long poll, which waits at the server, at once."""
        if is_waiting:
            return await self._exchanged(request)
        async with self._slots.current:
            return await self._exchanged(request)

    async def _exchanged(self, request: httpx.Request) -> httpx.Response:
        """Send a request; return the response with its body.

        :raises UnexpectedResponseError: when the body is too large.
        """
        response = await self.http.send(request, stream=True, follow_redirects=False)
        return await whole(response)
