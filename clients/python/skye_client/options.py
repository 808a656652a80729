"""The options of requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypedDict

from skye_client.retry import RetryPolicy

FAULT_HEADER: Final = "Skye-Fault"
"""The header of the fault to inject into one attempt, for servers with `SKYE_LAB=on`."""


class CallOptions(TypedDict, total=False):
    """Options of one write.

    :param idempotency_key: the key of the write; a random one by default.
    :param if_match: the version that the game must have; otherwise the server refuses the write.
    :param timeout_s: the timeout of each attempt in seconds.
    :param retry: the retry policy, instead of that of the client.
    :param fault: the fault to inject into the first attempt, such as `drop` (`SKYE_LAB=on`).
    """

    idempotency_key: str | None
    if_match: int | None
    timeout_s: float | None
    retry: RetryPolicy | None
    fault: str | None


class RequestOptions(CallOptions, total=False):
    """Options of any request.

    :param token: the bearer token.
    :param body: the JSON body; None sends none.
    :param query: the query parameters; those that are None are omitted.
    """

    token: str | None
    body: object
    query: Mapping[str, Any] | None
