"""The address of the client of a request, which the API gets: it limits each agent, not all of them as one.

As a proxy does, the MCP server sends the address in `X-Forwarded-For`. The API uses it if its operator trusts
this proxy (`SKYE_TRUSTED_PROXIES`).
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, MutableMapping
from contextvars import ContextVar
from ipaddress import IPv6Address, ip_address
from typing import Any, Final

import httpx

from skye_client import AsyncSkye

Scope = MutableMapping[str, Any]
App = Callable[[Scope, Any, Any], Awaitable[None]]

_HEADER: Final = "X-Forwarded-For"
_KEY: Final = "skye.client_address"
_WITH_PORT: Final = re.compile(r"(?P<v4>[\d.]+):\d+|\[(?P<v6>[^\]]+)\](?::\d+)?")

_current: ContextVar[str | None] = ContextVar("client_address", default=None)


class ClientAddresses:
    """ASGI middleware that finds out the address of the client.

    :param trusted_proxies: how many proxies in front of this server append an address to `X-Forwarded-For`;
        with 0 the header has no meaning, and the client is the peer of the connection.
    """

    def __init__(self, app: App, trusted_proxies: int = 0) -> None:
        self._app, self._trusted_proxies = app, trusted_proxies

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """Handle a request with the address in its scope."""
        if scope["type"] == "http":
            scope = {**scope, _KEY: self._address_of(scope)}
        await self._app(scope, receive, send)

    def _address_of(self, scope: Scope) -> str | None:
        sent = b",".join(value for name, value in scope["headers"] if name == _HEADER.lower().encode())
        entries = sent.decode("latin-1").split(",") if sent else []
        number = self._trusted_proxies
        if number and len(entries) >= number:
            return _plain(entries[-number].strip())
        return _plain((scope.get("client") or ("",))[0] or "")


def _plain(text: str) -> str | None:
    """Return an IP address without the port that some proxies add; None if it is none.

    It has all its digits, so that a proxy can take the network from its beginning; one of IPv4 that is mapped
    to IPv6 is that of IPv4.

    >>> _plain("[2001:db8::7]:443"), _plain("::ffff:192.0.2.7"), _plain("unknown")
    ('2001:0db8:0000:0000:0000:0000:0000:0007', '192.0.2.7', None)
    """
    found = _WITH_PORT.fullmatch(text)
    try:
        address = ip_address((found["v4"] or found["v6"]) if found else text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return address.exploded


def set_client_of(request: Any) -> None:
    """Let the requests of this task be those of the client of a request; on stdio there is no address."""
    _current.set(getattr(request, "scope", {}).get(_KEY))


def forward_addresses(skye: AsyncSkye) -> None:
    """Make a client of the API send the address of the client on whose behalf it sends a request."""

    async def add_address(request: httpx.Request) -> None:
        address = _current.get()
        if address is not None:
            request.headers[_HEADER] = address

    http = skye.transport.http
    hooks = http.event_hooks
    http.event_hooks = {**hooks, "request": [*hooks["request"], add_address]}
