"""The URLs and addresses to which the server may send requests of its own (protection from SSRF).

The names of URLs are resolved in the event loop, within a deadline; names that failed are remembered.
The host of Redis is looked up by the resolver of the system, which gevent calls in ten threads: a look-up
that its caller has given up occupies its thread for up to 30 seconds. Names that users choose must not be
looked up there. c-ares, which gevent contains, reads /etc/hosts and asks the servers of /etc/resolv.conf from
the event loop; the environment variables `GEVENTARES_SERVERS` and `GEVENTARES_UDP_PORT` name others.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cache
from ipaddress import IPv4Address, IPv6Address
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import SplitResult, urlsplit

import gevent
from gevent.monkey import is_module_patched
from gevent.resolver.ares import Resolver

from skye_server.settings import Settings

Address: TypeAlias = IPv4Address | IPv6Address

DEFAULT_PORTS: Final = {"http": 80, "https": 443}

_FORBIDDEN: Final = [
    ipaddress.ip_network(network)
    for network in (
        "100.64.0.0/10",  # carrier-grade NAT; 100.100.100.200 serves metadata
        "168.63.129.16/32",  # metadata and DNS of Azure, a public address
        "192.0.0.0/24",  # protocol assignments; 192.0.0.192 serves metadata
        "192.88.99.0/24",  # relays of 6to4
        "64:ff9b:1::/48",  # local NAT64 prefixes, whose embedding is unknown
        "2001::/23",  # protocol assignments, with Teredo
        "2002::/16",  # 6to4: contains an IPv4 address
        "3fff::/20",  # documentation
        "5f00::/16",  # segment routing
        "fec0::/10",  # site-local
    )
]
"""Further forbidden ranges: versions of `ipaddress` differ in which of them they call global."""

_LABEL: Final = re.compile("[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_MAX_HOST: Final = 253

_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
_COMPATIBLE: Final = ipaddress.ip_network("::/96")


class TargetError(Exception):
    """The server must not send to a target; the text says why."""


class Target(NamedTuple):
    """The parts of a URL that a request needs; `host` is in ASCII."""

    scheme: str
    host: str
    port: int
    path: str


class TargetPolicy:
    """The rules of an operator for URLs and addresses."""

    def __init__(self, settings: Settings, resolve: LookUp | None = None) -> None:
        self._schemes = ("https", "http") if settings.webhooks_http else ("https",)
        self._ports = settings.webhooks_ports
        self._allows_private = settings.webhooks_private
        self._resolve = resolve or NameResolver()

    def target_of(self, url: str) -> Target:
        """Return the target of a URL, without resolving its name.

        :raises TargetError: when the URL is malformed, or the server does not send there.
        """
        if not re.fullmatch(r"[!-~]+", url) or "\\" in url:
            raise TargetError("This has characters that a URL has not.")
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            raise TargetError("This is not a URL.") from None
        return self._checked(parts, port)

    def _checked(self, parts: SplitResult, port: int | None) -> Target:
        if parts.scheme not in self._schemes:
            raise TargetError(f"This does not begin with {'://, '.join(self._schemes)}://.")
        if not parts.hostname or parts.username is not None or parts.password is not None:
            raise TargetError("This has no host, or a user name before it.")
        if not _is_host(parts.hostname):
            raise TargetError("This is not the name of a host.")
        if parts.fragment:
            raise TargetError("This has a fragment.")
        port = DEFAULT_PORTS[parts.scheme] if port is None else port
        if self._ports and port not in self._ports:
            raise TargetError(f"This server sends to the ports {', '.join(map(str, self._ports))} only.")
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return Target(parts.scheme, parts.hostname, port, path)

    def address_of(self, target: Target) -> str:
        """Resolve the name of a target once, and return the address to connect to.

        :raises TargetError: when one of its addresses is forbidden.
        :raises OSError: when it cannot be resolved.
        """
        try:
            found = self._resolve(target.host, target.port)
        except UnicodeError:
            raise TargetError("This is not the name of a host.") from None
        if not self._allows_private and not all(map(_is_public, found)):
            raise TargetError("This is an address of a private network, or of this machine.")
        if not found:
            raise OSError("the name has no address")
        return found[0]


def _is_host(host: str) -> bool:
    """Return whether a host is an address, or a name that can be looked up (RFC 1123, with underscores).

    gevent's resolver logs a traceback for others.
    """
    if ":" in host:
        try:
            ipaddress.ip_address(host)
        except ValueError:
            return False
        return True
    return len(host) <= _MAX_HOST and all(map(_LABEL.fullmatch, host.removesuffix(".").split(".")))


def _is_public(text: str) -> bool:
    address = ipaddress.ip_address(text.partition("%")[0])
    embedded = _embedded(address)
    if embedded is not None:
        return _is_public(str(embedded))
    is_listed = any(address in network for network in _FORBIDDEN if network.version == address.version)
    is_routed = address.is_global and not address.is_multicast and not address.is_reserved
    return is_routed and not is_listed


def _embedded(address: Address) -> IPv4Address | None:
    """Return the IPv4 address that an IPv6 address stands for, None if there is none."""
    if isinstance(address, IPv4Address):
        return None
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in _NAT64 or address in _COMPATIBLE:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return None


RESOLVE_SECONDS: Final = 2.5
"""The time for a look-up, of all servers and attempts together."""

_ATTEMPT_S: Final = 1.0
_ATTEMPTS: Final = 4
"""How c-ares repeats a question. It waits less for a server that is usually fast: then all attempts fit."""

_FAILED_S: Final = 4.0
"""How long a name that has failed is not looked up: less than the pause before a bot is asked again. It is
twice as long after each further failure."""

_MAX_FAILED_S: Final = 300.0
_MAX_FAILED_NAMES: Final = 10_000

LookUp: TypeAlias = Callable[[str, int], list[str]]
"""Returns the addresses of a name; raises OSError, or UnicodeError for what is none."""


def look_up(host: str, port: int) -> list[str]:
    """Return the addresses of a name, or the address that it spells.

    :raises OSError: when it has none, or the look-up takes too long.
    :raises UnicodeError: when it is no name of a host.
    """
    if is_module_patched("socket"):
        return _look_up_in_event_loop(host, port)
    return _addresses(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))  # in this thread


def _look_up_in_event_loop(host: str, port: int) -> list[str]:
    resolver = _resolver()
    stream = (0, socket.SOCK_STREAM, 0)
    try:  # in every spelling of the C library, such as 0x7f.1; c-ares would ask for that as a name
        return _addresses(resolver.getaddrinfo(host, port, *stream, socket.AI_NUMERICHOST))
    except socket.gaierror:
        pass
    late = socket.gaierror(socket.EAI_AGAIN, "the look-up took too long")
    with gevent.Timeout(RESOLVE_SECONDS, late):
        return _addresses(resolver.getaddrinfo(host, port, *stream))


def _addresses(found: Sequence[tuple[Any, ...]]) -> list[str]:
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


@cache
def _resolver() -> Resolver:
    return Resolver(timeout=_ATTEMPT_S, tries=_ATTEMPTS)


class NameResolver:
    """Looks up names, except those that have failed recently (negative cache)."""

    def __init__(self, look_up: LookUp = look_up) -> None:
        self._look_up = look_up
        self._lock = threading.Lock()
        self._failed: OrderedDict[str, tuple[float, float, OSError]] = OrderedDict()
        """Of each name that has failed: until when it is not looked up, for how long, and why."""

    def __call__(self, host: str, port: int) -> list[str]:
        """Return the addresses of a name.

        :raises OSError: when it has none, or the look-up takes too long, now or recently.
        :raises UnicodeError: when it is no name of a host.
        """
        until, _, error = self._failed.get(host, (0.0, 0.0, OSError()))
        if time.monotonic() < until:
            raise type(error)(*error.args)
        try:
            found = self._look_up(host, port)
        except OSError as failed:
            self._remember(host, failed)
            raise
        with self._lock:
            self._failed.pop(host, None)
        return found

    def _remember(self, host: str, error: OSError) -> None:
        now = time.monotonic()
        with self._lock:
            until, pause_s, _ = self._failed.pop(host, (0.0, 0.0, error))
            if until <= now:  # otherwise look-ups at the same time have failed
                pause_s = min(2 * pause_s, _MAX_FAILED_S) if pause_s else _FAILED_S
                until = now + pause_s
            self._failed[host] = until, pause_s, error
            if len(self._failed) > _MAX_FAILED_NAMES:
                self._failed.popitem(last=False)
