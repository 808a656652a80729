"""The exceptions of the client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skye_client.redaction import redacted


class SkyeError(Exception):
    """The base class of every exception of this package."""


class ConnectionFailedError(SkyeError):
    """No complete response arrived within all retries; a write may have taken effect or not."""


class InvalidCredentialError(SkyeError, ValueError):
    """A player key or token cannot be one, and was not sent. The text does not contain it."""


class InvalidAddressError(SkyeError, ValueError):
    """An address of a server, or a path, cannot be one: no request was sent."""


class InvalidEnvironmentError(SkyeError, ValueError):
    """A variable of the environment, such as `HTTPS_PROXY`, cannot be used: no request was sent."""


class UnexpectedResponseError(SkyeError):
    """Something other than the API responds: with a redirect, no JSON, or a body over 16 MiB.

    The request is not repeated.
    """


class HistoryLostError(SkyeError):
    """The server has lost events that were already delivered, for example in a failover: reload the view."""


class InvalidWebhookError(SkyeError):
    """A request to a webhook or a bot is not signed by its secret, or too old: do not act on it."""


class ApiError(SkyeError):
    """The server returned an error (RFC 9457). Its text has the code, the detail, and every cause.

    :param status: the HTTP status.
    :param problem: the JSON body of the response; empty when the body is no problem document.
    :param retry_after_s: the seconds until the time of `Retry-After`, or None.
    :param request_id: the value of `X-Request-Id`, for bug reports.
    """

    def __init__(
        self,
        status: int,
        problem: Mapping[str, Any],
        retry_after_s: float | None = None,
        request_id: str | None = None,
    ) -> None:
        # The arguments of the constructor, which pickle and copy pass to it again.
        super().__init__(status, problem, retry_after_s, request_id)
        self.status = status
        self.problem = problem
        self.code: str = problem.get("code", f"http_{status}")
        self.detail: str = problem.get("detail", "")
        self.params: Mapping[str, Any] = problem.get("params") or {}
        self.errors: list[Mapping[str, str]] = problem.get("errors") or []
        self.retry_after_s = retry_after_s
        self.request_id = request_id

    def __str__(self) -> str:
        """Return the status, the code, the detail, and a line for each cause, without credentials."""
        causes = [f"\n  {_place(cause)}: {cause.get('detail', '')}" for cause in self.errors]
        return redacted(f"{self.status} {self.code}: {self.detail}{''.join(causes)}")


def _place(cause: Mapping[str, str]) -> str:
    """Return where a cause is: a JSON pointer, or the name of a parameter or header."""
    return cause.get("pointer") or cause.get("name") or "/"
