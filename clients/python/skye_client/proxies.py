"""The proxy between this process and a server: that of the caller, or the one that the environment names.

The environment has no say for servers of this machine: a proxy elsewhere cannot reach them.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from importlib.util import find_spec
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any, Final
from urllib.request import getproxies, getproxies_environment, proxy_bypass

import httpx

from skye_client.errors import InvalidAddressError, InvalidEnvironmentError
from skye_client.tls import tls_context

_NO_PROXY: Final = re.compile(r"(?:\[(?P<v6>[^\]]+)\]|(?P<name>[^:/\[\]]+))(?::(?P<port>\d+))?")


@dataclass(frozen=True, slots=True)
class ChosenProxy:
    """A proxy, and what chose it.

    :param source: the name of the environment variable, or of the argument.
    """

    proxy: httpx.Proxy
    source: str

    def __str__(self) -> str:
        """Return the address without its credentials, and the source."""
        url = self.proxy.url
        return f"the proxy {url.scheme}://{url.netloc.decode()} of {self.source}"


def client_options(proxy: ChosenProxy | None) -> dict[str, Any]:
    """Return the arguments of the httpx clients that this package makes."""
    nowhere = DefaultCookiePolicy(allowed_domains=())
    return {
        "verify": tls_context(),
        "proxy": proxy and proxy.proxy,
        "trust_env": False,
        "cookies": CookieJar(nowhere),  # a client has several players: no server links them by a cookie
    }


def is_of_this_machine(host: str) -> bool:
    """Return whether a host is this machine: `localhost`, a name below it, or a loopback address."""
    host = host.rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback


def proxy_for(url: str, explicit: str | None = None) -> ChosenProxy | None:
    """Return the proxy for the requests to a server.

    :param url: the address of the server.
    :param explicit: the address of the proxy that the caller chose.
    :raises InvalidAddressError: when `explicit` cannot be the address of a proxy.
    :raises InvalidEnvironmentError: when a variable of the environment has no address of a proxy.
    """
    if explicit is not None:
        try:
            return ChosenProxy(_proxy(explicit), "the argument `proxy`")
        except ValueError as error:
            raise InvalidAddressError(f"the argument `proxy` {error}") from None
    server = httpx.URL(url)
    if is_of_this_machine(server.host):
        return None
    found = getproxies()
    value = found.get(server.scheme) or found.get("all")
    if not value or _is_direct(server, found.get("no", "")):
        return None
    source = _variable_of(value, server.scheme)
    try:
        return ChosenProxy(_proxy(value), source)
    except ValueError as error:
        raise InvalidEnvironmentError(f"{source} {error}") from None


def _variable_of(value: str, scheme: str) -> str:
    """Return the name of the variable that has the address of a proxy."""
    names = [name for kind in (scheme, "all") for name in (f"{kind}_proxy", f"{kind}_PROXY".upper())]
    return next((name for name in names if os.environ.get(name) == value), "the system settings")


def _proxy(value: str) -> httpx.Proxy:
    """Return a proxy by its address, which is one of HTTP without a scheme.

    :raises ValueError: when httpx cannot use it. The text, the rest of a sentence, shows no credentials.
    """
    try:
        proxy = httpx.Proxy(value if "://" in value else f"http://{value}")
    except (ValueError, httpx.InvalidURL):
        schemes = "http://, https:// or socks5://"
        raise ValueError(f"is not the address of a proxy, with {schemes}") from None
    if not proxy.url.host:
        raise ValueError("names no host")
    if proxy.url.scheme.startswith("socks") and find_spec("socksio") is None:
        raise ValueError("names a SOCKS proxy, which needs a package: pip install 'httpx[socks]'")
    return proxy


def _is_direct(server: httpx.URL, no_proxy: str) -> bool:
    """Return whether `NO_PROXY` excepts a server.

    :raises InvalidEnvironmentError: when an entry cannot be one.
    """
    if not getproxies_environment():
        return bool(proxy_bypass(server.host))  # the settings of Windows or macOS
    excepted = [_excepts(entry, server) for entry in re.split(r"[,\s]+", no_proxy) if entry]
    return any(excepted)


def _excepts(entry: str, server: httpx.URL) -> bool:
    """Return whether an entry of `NO_PROXY` is a server: a name with all below it, an address or a network.

    :raises InvalidEnvironmentError: when it cannot be one.
    """
    host, entry = server.host.rstrip(".").lower(), entry.lower()
    if entry == "*":
        return True
    try:
        if "://" in entry:
            other = httpx.URL(entry)
            return other.scheme in (server.scheme, "all") and _names(other.host, host)
        if "/" in entry or (entry.count(":") > 1 and "[" not in entry):
            return _is_within(host, entry)
        found = _NO_PROXY.fullmatch(entry)
        if found is None:
            raise ValueError
        is_port = found["port"] is None or int(found["port"]) == _port(server)
        return is_port and (_is_within(host, found["v6"]) if found["v6"] else _names(found["name"], host))
    except (ValueError, httpx.InvalidURL):
        shown = entry.rpartition("@")[2]
        raise InvalidEnvironmentError(
            f"NO_PROXY has {shown!r}, which is neither a host nor an address nor a network such as fd00::/8"
        ) from None


def _port(server: httpx.URL) -> int:
    return server.port or {"http": 80, "https": 443}[server.scheme]


def _names(entry: str, host: str) -> bool:
    """Return whether a name is that of a host, or of a domain above it."""
    name = entry.removeprefix("*").strip(".")
    return bool(name) and (host == name or host.endswith(f".{name}"))


def _is_within(host: str, network: str) -> bool:
    """Return whether a host is an address of a network.

    :raises ValueError: when the network cannot be one.
    """
    within = ip_network(network.replace("[", "").replace("]", ""), strict=False)
    try:
        return ip_address(host) in within
    except ValueError:
        return False
