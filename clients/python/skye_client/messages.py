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
from http import HTTPStatus
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
from skye_client.proxies import ChosenProxy, is_of_this_machine
from skye_client.redaction import redacted
from skye_client.version import __version__

USER_AGENT: Final = f"skye-client-python/{__version__}"

MAX_PORT: Final = 65535

MAX_BODY_BYTES: Final = 16 * 1024 * 1024
"""The largest body of a response, or line or message of one that streams, after decompression."""

_NOT_MODIFIED: Final = 304
_START: Final = "`skye-server serve`, or `make serve` in a checkout"


def checked_url(url: str) -> str:
    """Return the address of a server without white space around it, and without a slash at its end.

    :raises InvalidAddressError: when it is no address, such as one without `http://`, has a user name, which
        would replace the tokens of requests, or ends in `/v1`, with which the paths of requests begin.
    """
    url = url.strip()
    if "@" in url:
        raise InvalidAddressError("An address with an `@` has a user name or password, which is not sent.")
    found = re.fullmatch(r"(https?)(://[^/?#\s][^?#\s]*)", url, re.IGNORECASE)
    if found is None or not _has_host_and_port(url):
        shown = redacted(url[:200])
        raise InvalidAddressError(f"{shown!r} is not the address of a server, such as http://127.0.0.1:8000")
    address = (found[1].lower() + found[2]).rstrip("/")
    if address.endswith("/v1"):
        raise InvalidAddressError(
            f"The address ends in /v1, with which every path begins: use {address.removesuffix('/v1')!r}"
        )
    return address


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


def response_error(
    response: httpx.Response, proxy: ChosenProxy | None = None
) -> ApiError | UnexpectedResponseError:
    """Return the exception for a response that is no success, whose body was read.

    :param proxy: the proxy that may have sent it.
    """
    if response.status_code < HTTPStatus.BAD_REQUEST and response.status_code != _NOT_MODIFIED:
        return _redirect(response)
    try:
        problem: Mapping[str, Any] = json.loads(response.content)
        problem["code"]  # a proxy may send JSON of another format
    except (ValueError, LookupError, TypeError):
        through = f" (through {proxy})" if proxy else ""
        problem = {"detail": f"{_beginning(response, 200)}{through}"}
    return ApiError(
        response.status_code,
        problem,
        retry_after_s=_seconds_until(response.headers.get("Retry-After", "")),
        request_id=response.headers.get("X-Request-Id"),
    )


def _redirect(response: httpx.Response) -> UnexpectedResponseError:
    """Return the exception for a redirect, with the place that it names, without its query."""
    request, status = response.request, response.status_code
    place = re.split(r"[?#]", response.headers.get("Location", ""))[0][:200]
    to = f" to {redacted(place)!r}" if place else ""
    return UnexpectedResponseError(
        f"{request.method} {request.url.path}: the server redirects{to} (status {status}). The client "
        "follows no redirect, which can lose the method and the token: use the address of the API itself."
    )


def too_large(response: httpx.Response) -> UnexpectedResponseError:
    """Return the exception for a response with more than `MAX_BODY_BYTES`."""
    request = response.request
    return UnexpectedResponseError(
        f"{request.method} {request.url.path}: the response of status {response.status_code} has more than "
        f"{MAX_BODY_BYTES} bytes"
    )


def without_encoding(response: httpx.Response) -> httpx.Headers:
    """Return the headers of a response whose body is decompressed."""
    headers = httpx.Headers(response.headers)
    for name in ("Content-Encoding", "Content-Length", "Transfer-Encoding"):
        headers.pop(name, None)
    return headers


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


def final_error(
    method: str, url: str, path: str, error: Exception, proxy: ChosenProxy | None = None
) -> Exception:
    """Return the exception to raise when no attempt is left.

    :param url: the address of the API.
    :param proxy: the proxy between this process and the API.
    """
    through = f" through {proxy}" if proxy else ""
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        server = httpx.URL(url)
        start = f": start one with {_START}" if is_of_this_machine(server.host) and not proxy else ""
        reason = str(error) or type(error).__name__
        text = f"no server responds at {server.scheme}://{server.netloc.decode()}{through} ({reason}){start}"
        return ConnectionFailedError(redacted(text))
    if isinstance(error, httpx.TransportError | ValueError):
        return ConnectionFailedError(redacted(f"{method} {path}{through}: {type(error).__name__}: {error}"))
    return error
