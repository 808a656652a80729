"""Read the bodies of responses, up to a size."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx

from skye_client.messages import MAX_BODY_BYTES, too_large, without_encoding


async def whole(response: httpx.Response) -> httpx.Response:
    """Read a response that was opened as a stream; return it with its body, and close it.

    :raises UnexpectedResponseError: when the body has more than 16 MiB, decompressed.
    """
    body = bytearray()
    try:
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > MAX_BODY_BYTES:
                raise too_large(response)
    finally:
        await response.aclose()
    return httpx.Response(
        response.status_code,
        headers=without_encoding(response),
        content=bytes(body),
        request=response.request,
    )


class AsyncPieces(httpx.AsyncByteStream):
    """The body of a response that streams lines or messages, each of which has an end.

    `response` is the response to read instead; the caller calls `begin` when it has one line or message.

    :param opened: the response as it was opened.
    """

    def __init__(self, opened: httpx.Response) -> None:
        self._opened = opened
        self._bytes = 0
        headers = without_encoding(opened)
        self.response = httpx.Response(
            opened.status_code, headers=headers, stream=self, request=opened.request
        )

    def begin(self) -> None:
        """Begin the next line or message."""
        self._bytes = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the body, decompressed.

        :raises UnexpectedResponseError: when a line or message has more than 16 MiB.
        """
        async for chunk in self._opened.aiter_bytes():
            self._bytes += len(chunk)
            if self._bytes > MAX_BODY_BYTES:
                raise too_large(self._opened)
            yield chunk
