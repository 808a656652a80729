"""Send one request to a URL of a user: bounded in time and size, to an address that is checked once.

httpcore sends it. Its network backend here resolves the name, refuses forbidden addresses and connects to the
address that it has checked, so that a second look-up cannot give another; TLS checks the certificate against
the name of the URL. There are no redirects, proxies or cookies.
Secrets and signatures are those of Standard Webhooks 1.0 (https://www.standardwebhooks.com).
"""

from __future__ import annotations

import hmac
import math
import os
import secrets
import socket
import ssl
import time
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any, Final, NamedTuple

import gevent
import httpcore
from gevent.monkey import is_module_patched

from skye_server.outgoing.targets import Target, TargetError, TargetPolicy

MAX_SECONDS: Final = 10.0
"""The time for a request: look-up, connection, TLS, request and response."""

MAX_ANSWER_BYTES: Final = 65_536
"""How much of a response's body is read."""

USER_AGENT: Final = "skye-server-webhooks/1"


class Reply(NamedTuple):
    """The outcome of a request.

    :param status: the HTTP status; None if there was no response.
    :param error: why there was none, or why it was not read to its end; empty otherwise.
    :param is_forbidden: whether the server does not send to the URL.
    :param retry_after_s: the seconds until the time of the header `Retry-After`.
    """

    status: int | None
    body: bytes = b""
    error: str = ""
    duration_ms: int = 0
    retry_after_s: int = 0
    is_forbidden: bool = False

    @property
    def is_ok(self) -> bool:
        """Whether the receiver has accepted the request."""
        return self.status is not None and 200 <= self.status < 300 and not self.error

    @property
    def problem(self) -> str:
        """Why the receiver has not accepted the request; empty if it has."""
        return "" if self.is_ok else self.error or f"The response has the status {self.status}."


class Sender:
    """Sends requests to the URLs that a policy allows."""

    def __init__(self, policy: TargetPolicy) -> None:
        self._policy = policy

    def post(
        self, url: str, secrets: Sequence[str], message_id: str, body: bytes, seconds: float = MAX_SECONDS
    ) -> Reply:
        """Send a signed request, and return its outcome; it raises no error of the network or the receiver.

        :param secrets: the valid secrets; each gives a signature.
        :param seconds: the time for the request.
        """
        headers = signed_headers(
            secrets, message_id, int(time.time()), body
        )  # receivers compare it with theirs
        started = time.monotonic()
        try:
            target = self._policy.target_of(url)
            with _interrupted_after(seconds):
                reply = self._sent(target, headers, body, started + seconds)
        except TargetError as error:
            reply = Reply(None, error=str(error), is_forbidden=True)
        except (TimeoutError, httpcore.TimeoutException):
            reply = Reply(None, error=f"No complete response within {round(seconds, 1):g} s.")
        except (OSError, httpcore.NetworkError, httpcore.ProtocolError) as error:
            reply = Reply(None, error=_reason(error))
        return reply._replace(duration_ms=round((time.monotonic() - started) * 1000))

    def _sent(self, target: Target, headers: dict[str, str], body: bytes, deadline: float) -> Reply:
        backend = _PinnedBackend(self._policy, target, deadline)
        url = httpcore.URL(
            scheme=target.scheme.encode(),
            host=target.host.encode(),
            port=target.port,
            target=target.path.encode(),
        )
        with (
            httpcore.HTTPConnection(url.origin, ssl_context=_tls(), network_backend=backend) as connection,
            connection.stream("POST", url, headers=_headers(target, headers), content=body) as response,
        ):
            return _read(response)


def _headers(target: Target, signed: dict[str, str]) -> list[tuple[bytes | str, bytes | str]]:
    host = f"[{target.host}]" if ":" in target.host else target.host
    named = host if target.port in (80, 443) else f"{host}:{target.port}"
    plain = {
        "Host": named,
        "User-Agent": USER_AGENT,
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Connection": "close",
    }
    return [*plain.items(), *signed.items()]


def _read(response: httpcore.Response) -> Reply:
    body = b""
    for chunk in response.iter_stream():
        body += chunk
        if len(body) > MAX_ANSWER_BYTES:
            return Reply(response.status, error=f"The response is longer than {MAX_ANSWER_BYTES} bytes.")
    headers = {name.lower(): value for name, value in response.headers}
    return Reply(
        response.status, body, retry_after_s=_seconds(headers.get(b"retry-after", b"").decode("latin-1"))
    )


def _seconds(text: str) -> int:
    """Return the seconds until the time of `Retry-After`: a number or an HTTP date (RFC 9110)."""
    if text.isascii() and text.isdigit() and len(text) < 9:
        return int(text)
    with suppress(ValueError, TypeError, OverflowError):
        at = parsedate_to_datetime(text)
        return max(0, math.ceil(at.replace(tzinfo=at.tzinfo or UTC).timestamp() - time.time()))
    return 0


def _reason(error: Exception) -> str:
    """Return why a request failed, without addresses of the server's network."""
    cause = error.__cause__ or error.__context__
    if isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN:
        return "The name of the host could not be looked up in time."
    if isinstance(error, socket.gaierror):
        return "The name of the host has no address."
    if isinstance(cause, ssl.SSLError):
        return f"TLS failed: {cause.reason or type(cause).__name__}."
    if isinstance(error, httpcore.ProtocolError):
        return "The response is not valid HTTP."
    reason = os.strerror(cause.errno) if isinstance(cause, OSError) and cause.errno else "it was closed"
    return f"The connection failed: {reason}."


def _interrupted_after(seconds: float) -> AbstractContextManager[Any]:
    """Return a context that ends after some seconds also within a TLS handshake, where gevent can do so."""
    return gevent.Timeout(seconds, TimeoutError()) if is_module_patched("socket") else nullcontext()


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


class _PinnedBackend(httpcore.NetworkBackend):
    """Connects to the one address of a target, and bounds the whole time of the connection."""

    def __init__(self, policy: TargetPolicy, target: Target, deadline: float) -> None:
        self._policy, self._target, self._deadline = policy, target, deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the address, whatever the name resolves to by then."""
        del host, timeout
        address = self._policy.address_of(self._target)
        left = _left(self._deadline)
        stream = httpcore.SyncBackend().connect_tcp(address, port, left, local_address, socket_options)
        return _BoundedStream(stream, self._deadline)


class _BoundedStream(httpcore.NetworkStream):
    """A stream whose reads and writes together end at a deadline; each alone could be prolonged forever."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: float) -> None:
        self._stream, self._deadline = stream, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read what has arrived."""
        del timeout
        return self._stream.read(max_bytes, _left(self._deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write all of a buffer."""
        del timeout
        self._stream.write(buffer, _left(self._deadline))

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """Begin TLS, and check the certificate against the name."""
        del timeout
        tls = self._stream.start_tls(ssl_context, server_hostname, _left(self._deadline))
        return _BoundedStream(tls, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        """Return what the connection is known by, such as `ssl_object`."""
        return self._stream.get_extra_info(info)


def _left(deadline: float) -> float:
    """Return the seconds until a deadline.

    :raises TimeoutError: when there are none.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


_PREFIX: Final = "whsec_"
_BYTES: Final = 32


def new_secret() -> str:
    """Return a random secret."""
    return _PREFIX + b64encode(secrets.token_bytes(_BYTES)).decode()


def key_of(secret: str) -> bytes:
    """Return the key that a secret holds.

    :raises ValueError: when it is no secret of 24 to 64 bytes.
    """
    key = b64decode(secret.removeprefix(_PREFIX), validate=True)
    if not secret.startswith(_PREFIX) or not 24 <= len(key) <= 64:
        raise ValueError("want whsec_ and 24 to 64 bytes in base64")
    return key


def signed_headers(secrets_of: Sequence[str], message_id: str, at_s: int, body: bytes) -> dict[str, str]:
    """Return the headers that identify and sign a message.

    :param secrets_of: the valid secrets; each gives a signature.
    :param at_s: the time of this attempt, in seconds since 1970.
    """
    signed = b"%s.%d.%s" % (message_id.encode(), at_s, body)
    signatures = [b64encode(hmac.digest(key_of(secret), signed, "sha256")).decode() for secret in secrets_of]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(at_s),
        "webhook-signature": " ".join(f"v1,{signature}" for signature in signatures),
    }
