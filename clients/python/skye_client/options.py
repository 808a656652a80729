"""The options of requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypedDict

from skye_client.retry import RetryPolicy

FAULT_HEADER: Final = "X-Skye-Fault"
"""What a lab server does to a request. It is sent with one attempt, so that the next one can succeed."""


class CallOptions(TypedDict, total=False):
    """Options of one write.

    `idempotency_key`: a random one by default. `if_match`: refuse the write unless the game has this version.
    `timeout_s`: for each attempt. `retry`: instead of the client's policy. `fault`: what a lab server does to
    the first attempt, such as `drop` (see `X-Skye-Fault`); retries are sent without it.
    """

    idempotency_key: str | None
    if_match: int | None
    timeout_s: float | None
    retry: RetryPolicy | None
    fault: str | None


class RequestOptions(CallOptions, total=False):
    """Options of any request.

    `token`: sent as the bearer token. `body`: sent as JSON; None sends no body. `query`: parameters; None
    values are left out.
    """

    token: str | None
    body: object
    query: Mapping[str, Any] | None
