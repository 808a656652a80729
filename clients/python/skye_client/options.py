"""The options of requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypedDict

from skye_client.retry import RetryPolicy

FAULT_HEADER: Final = "Skye-Fault"
"""The header of the fault to inject into one attempt, for servers with `SKYE_LAB=on`."""


class ReadOptions(TypedDict, total=False):
    """Options of one request.

    :param timeout_s: the timeout of each attempt in seconds.
    :param retry: the retry policy, instead of that of the client.
    :param fault: the fault to inject into the first attempt, such as `drop` (`SKYE_LAB=on`).
    """

    timeout_s: float | None
    retry: RetryPolicy | None
    fault: str | None


class CallOptions(ReadOptions, total=False):
    """Options of one write.

    :param idempotency_key: the key of the write; a random one by default.
    :param if_match: the version that the game must have; otherwise the server refuses the write.
    """

    idempotency_key: str | None
    if_match: int | None


class SendOptions(CallOptions, total=False):
    """Options of any request with a given body.

    :param token: the bearer token.
    :param query: the query parameters; those that are None are omitted.
    """

    token: str | None
    query: Mapping[str, Any] | None


class RequestOptions(SendOptions, total=False):
    """Options of any request.

    :param body: the JSON body; None sends none.
    """

    body: object


def waiting(options: ReadOptions, wait_ms: int | None, timeout_s: float) -> ReadOptions:
    """Return options whose timeout leaves the server the time to wait.

    :param timeout_s: the timeout of the client.
    """
    return {"timeout_s": timeout_s + (wait_ms or 0) / 1000, **options}
