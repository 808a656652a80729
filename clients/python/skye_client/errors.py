"""The exceptions of the client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class SkyeError(Exception):
    """The base class of every exception of this package."""


class ConnectionFailedError(SkyeError):
    """No complete response arrived within all retries; a write may have taken effect or not."""


class HistoryLostError(SkyeError):
    """The server has lost events that were already delivered, for example in a failover: reload the view."""


class ApiError(SkyeError):
    """The server refused a request (RFC 9457).

    :param status: the HTTP status.
    :param problem: the JSON body of the response; empty when the body is no problem document.
    :param retry_after_s: the value of `Retry-After` in seconds, or None.
    :param request_id: the value of `X-Request-Id`, for bug reports.
    """

    def __init__(
        self,
        status: int,
        problem: Mapping[str, Any],
        retry_after_s: float | None = None,
        request_id: str | None = None,
    ) -> None:
        self.status = status
        self.problem = problem
        self.code: str = problem.get("code", f"http_{status}")
        self.detail: str = problem.get("detail", "")
        self.params: Mapping[str, Any] = problem.get("params") or {}
        self.errors: list[Mapping[str, str]] = problem.get("errors") or []
        self.retry_after_s = retry_after_s
        self.request_id = request_id
        super().__init__(f"{status} {self.code}: {self.detail}")
