"""Openers of `urllib` that follow no redirect, and reach servers of this machine without a proxy.

With `Deadlines` the timeout of a request limits the whole response.
"""

from __future__ import annotations

import http.client
import io
import time
import urllib.request
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit


def opener_for(url: str, *handlers: Any) -> urllib.request.OpenerDirector:
    """Return an opener for the requests to a URL.

    A redirect is an `HTTPError`: to follow one turns POST into GET, and sends keys to another host. The
    environment names the proxy, unless the URL is of this machine, which a proxy elsewhere cannot reach.

    :raises ValueError: when the URL has a name or password, which `urllib` would take for a part of the host.
    """
    if "@" in urlsplit(url).netloc:
        raise ValueError("a URL with a name and password is not supported: name it without them")
    direct = [urllib.request.ProxyHandler({})] if _is_of_this_machine(urlsplit(url).hostname or "") else []
    return urllib.request.build_opener(_NoRedirects, *direct, *handlers)


class Deadlines(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    """Makes the timeout of a request the time limit of the whole response, not of each read."""

    def do_open(self, http_class: Any, req: urllib.request.Request, **arguments: Any) -> Any:
        """Send a request; its response has a deadline."""
        deadline = time.monotonic() + (req.timeout or 0)

        def response(sock: Any, **kind: Any) -> http.client.HTTPResponse:
            made = http.client.HTTPResponse(sock, **kind)
            made.fp.close()
            made.fp = io.BufferedReader(_ReaderWithDeadline(sock, deadline))
            return made

        def connection(*place: Any, **options: Any) -> Any:
            made = http_class(*place, **options)
            made.response_class = response
            return made

        return super().do_open(connection, req, **arguments)


class _ReaderWithDeadline(io.RawIOBase):
    """Reads from a socket; raises `TimeoutError` at a deadline."""

    def __init__(self, sock: Any, deadline: float) -> None:
        self._socket, self._deadline = sock, deadline
        self._stream = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self._socket.settimeout(left)
        read: int | None = self._stream.readinto(buffer)
        return read

    def close(self) -> None:
        self._stream.close()
        super().close()


def _is_of_this_machine(host: str) -> bool:
    host = host.rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def http_error_302(self, *_: Any, **__: Any) -> None:
        return None

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302
