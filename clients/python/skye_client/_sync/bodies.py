"""Read the bodies of responses, up to a size."""

from __future__ import annotations

from collections.abc import Iterator

import httpx

from skye_client.messages import MAX_BODY_BYTES, too_large, without_encoding


def whole(response: httpx.Response) -> httpx.Response:
    """Read a response that was opened as a stream; return it with its body, and close it.

    :raises UnexpectedResponseError: when the body has more than 16 MiB, decompressed.
    """
    body = bytearray()
    try:
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > MAX_BODY_BYTES:
                raise too_large(response)
    finally:
        response.close()
    return httpx.Response(
        response.status_code,
        headers=without_encoding(response),
        content=bytes(body),
        request=response.request,
    )


class Pieces(httpx.SyncByteStream):
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

    def __iter__(self) -> Iterator[bytes]:
        """Yield the body, decompressed.

        :raises UnexpectedResponseError: when a line or message has more than 16 MiB.
        """
        for chunk in self._opened.iter_bytes():
            self._bytes += len(chunk)
            if self._bytes > MAX_BODY_BYTES:
                raise too_large(self._opened)
            yield chunk
