"""The state of an export of records, so that it can resume. No input or output."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from skye_client.messages import authorization
from skye_client.options import FAULT_HEADER
from skye_client.retry import RetryPolicy


class Export:
    """The state of an export.

    :param key: the player key to send.
    :param cursor: the `cursor` of the last line that the caller has.
    :param query: the other parameters; `limit` is the maximum number of lines in one response.
    :param fault: the fault to inject into the first request.
    :raises InvalidCredentialError: when the key cannot be one.
    """

    def __init__(
        self, key: str | None, cursor: str | None, query: Mapping[str, Any], fault: str | None = None
    ) -> None:
        self.is_complete = False
        self._authorization = authorization(key)
        self._cursor = cursor
        self._query = query
        self._fault = fault
        self._lines = 0
        self._failures = 0
        self._failing_since = 0.0

    def headers(self) -> dict[str, str]:
        """Return the headers of the next request; only the first has the fault."""
        headers = {"Accept": "application/x-ndjson", **self._authorization}
        if self._fault is not None:
            headers[FAULT_HEADER], self._fault = self._fault, None
        return headers

    def query(self) -> dict[str, Any]:
        """Return the parameters of the next request."""
        self._lines = 0
        query = {**self._query, "cursor": self._cursor}
        return {name: value for name, value in query.items() if value is not None}

    def received(self, line: Any) -> Any:
        """Record that a line has arrived; return it."""
        self._cursor = line["cursor"]
        self._lines += 1
        self._failures = 0
        return line

    def ended(self) -> None:
        """Record that a response is complete."""
        self.is_complete = self._lines < self._query["limit"]

    def delay(self, policy: RetryPolicy, error: Exception) -> float | None:
        """Return the seconds to wait before the next request, or None to give up."""
        now = time.monotonic()
        if not self._failures:
            self._failing_since = now
        self._failures += 1
        return policy.delay(self._failures, error, now - self._failing_since)
