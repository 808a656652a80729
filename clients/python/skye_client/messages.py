"""Build request headers and parse responses. No input or output."""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any, Final

import httpx

from skye_client.errors import (
    ApiError,
    ConnectionFailedError,
    InvalidAddressError,
    UnexpectedResponseError,
)
from skye_client.keys import checked_credential
from skye_client.options import FAULT_HEADER, RequestOptions
from skye_client.redaction import redacted
from skye_client.version import __version__

USER_AGENT: Final = f"skye-client-python/{__version__}"

MAX_PORT: Final = 65535

_THIS_MACHINE: Final = ("127.0.0.1", "localhost", "::1")
_START: Final = "`skye-server serve`, or `make serve` in a checkout"


def checked_url(url: str) -> str:
    """Return the address of a server without white space around it, and without a slash at its end.

    :raises InvalidAddressError: when it is no address, such as one without `http://`.
    """
    url = url.strip()
    found = re.fullmatch(r"(https?)(://[^/?#\s][^?#\s]*)", url, re.IGNORECASE)
    if found is None or not _has_host_and_port(url):
        shown = redacted(url[:200])
        raise InvalidAddressError(f"{shown!r} is not the address of a server, such as http://127.0.0.1:8000")
    return (found[1].lower() + found[2]).rstrip("/")


def _has_host_and_port(url: str) -> bool:
    """Return whether the host and the port of a URL can be those of a server."""
    try:
        parsed = httpx.URL(url)
        parsed.host.encode("idna")  # as the resolver does
    except (httpx.InvalidURL, UnicodeError):
        return False
    return bool(parsed.host) and (parsed.port is None or 0 < parsed.port <= MAX_PORT)


def checked_path(path: str) -> str:
    """Return the path of a request.

    :raises InvalidAddressError: when it does not begin with a slash: it would change the host.
    """
    if not path.startswith("/"):
        raise InvalidAddressError(f"{redacted(path[:200])!r} is not the path of a request, such as /v1/games")
    return path


def read_json(response: httpx.Response) -> Any:
    """Return the JSON of a response; None for an empty body.

    :raises UnexpectedResponseError: when the body is not JSON.
    """
    try:
        return json.loads(response.content) if response.content else None
    except ValueError:
        raise UnexpectedResponseError(
            f"{response.request.method} {response.request.url.path}: the response of status "
            f"{response.status_code} is not JSON: {_beginning(response, 100)!r}"
        ) from None


def encoded(body: object) -> bytes | None:
    """Return a body as JSON; None for none.

    :raises TypeError: when it has values that JSON has not.
    :raises ValueError: when it has numbers that JSON has not.
    """
    return None if body is None else json.dumps(body, allow_nan=False, separators=(",", ":")).encode()


def api_error(response: httpx.Response) -> ApiError:
    """Return the exception for an error response, whose body was read."""
    try:
        problem: Mapping[str, Any] = json.loads(response.content)
        problem["code"]  # a proxy may send JSON of another format
    except (ValueError, LookupError, TypeError):
        problem = {"detail": _beginning(response, 200)}
    return ApiError(
        response.status_code,
        problem,
        retry_after_s=_seconds_until(response.headers.get("Retry-After", "")),
        request_id=response.headers.get("X-Request-Id"),
    )


def _beginning(response: httpx.Response, length: int) -> str:
    """Return the beginning of the text of a response, without credentials: a proxy may repeat a request."""
    return redacted(response.text[:10_000])[:length]


def _seconds_until(retry_after: str) -> float | None:
    """Return the seconds until the time of `Retry-After`: a number or an HTTP date (RFC 9110)."""
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after)
    with suppress(ValueError, OverflowError):
        at = parsedate_to_datetime(retry_after)
        return max(0.0, at.replace(tzinfo=at.tzinfo or UTC).timestamp() - time.time())
    return None


def authorization(token: str | None) -> dict[str, str]:
    """Return the header with a player key or token; none for None.

    :raises InvalidCredentialError: when it cannot be one.
    """
    return {} if token is None else {"Authorization": f"Bearer {checked_credential(token)}"}


def request_headers(method: str, options: RequestOptions) -> dict[str, str]:
    """Return the headers of a request; the caller removes the fault before the first retry.

    :raises InvalidCredentialError: when the token cannot be one.
    """
    headers = {"User-Agent": USER_AGENT}
    if options.get("body") is not None:
        headers["Content-Type"] = "application/json"
    headers |= authorization(options.get("token"))
    if method != "GET":
        headers["Idempotency-Key"] = options.get("idempotency_key") or str(uuid.uuid4())
    if (version := options.get("if_match")) is not None:
        headers["If-Match"] = f'"{version}"'
    if (fault := options.get("fault")) is not None:
        headers[FAULT_HEADER] = fault
    return headers


def query_of(options: RequestOptions) -> dict[str, Any]:
    """Return the query parameters of a request, without those that are None."""
    return {name: value for name, value in (options.get("query") or {}).items() if value is not None}


def final_error(method: str, url: str, path: str, error: Exception) -> Exception:
    """Return the exception to raise when no attempt is left.

    :param url: the address of the API.
    """
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        server = httpx.URL(url)
        start = f": start one with {_START}" if server.host in _THIS_MACHINE else ""
        reason = str(error) or type(error).__name__
        text = f"no server responds at {server.scheme}://{server.netloc.decode()} ({reason}){start}"
        return ConnectionFailedError(redacted(text))
    if isinstance(error, httpx.TransportError | ValueError):
        return ConnectionFailedError(redacted(f"{method} {path}: {type(error).__name__}: {error}"))
    return error
