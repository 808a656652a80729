"""The address that identifies a client."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv6Address, ip_address

from skye_server.setting_parsers import Network


@lru_cache(maxsize=4096)
def network(address: str | None) -> str:
    """Return the part of an address that identifies one client.

    >>> network("192.0.2.7"), network("2001:db8:1:2:3:4:5:6"), network("::ffff:192.0.2.7")
    ('192.0.2.7', '20010db800010002', '192.0.2.7')
    """
    try:
        ip = ip_address(address or "")
    except ValueError:  # a Unix socket, or an invalid header of an untrusted proxy
        return "unknown"
    if isinstance(ip, IPv6Address):
        return str(ip.ipv4_mapped) if ip.ipv4_mapped else ip.packed[:8].hex()
    return str(ip)


@lru_cache(maxsize=4096)
def site(address: str | None) -> str | None:
    """Return the /48 network of an IPv6 address, which providers assign to a site; None for other addresses.

    >>> site("2001:db8:1:2:3:4:5:6"), site("::ffff:192.0.2.7"), site("192.0.2.7")
    ('20010db80001', None, None)
    """
    found = network(address)
    return found[:12] if len(found) == 16 and "." not in found else None


def is_within(address: str | None, networks: Sequence[Network]) -> bool:
    """Return whether an address is in one of some networks.

    >>> from ipaddress import IPv4Network
    >>> is_within("::ffff:192.0.2.7", [IPv4Network("192.0.2.0/24")]), is_within(None, [])
    (True, False)
    """
    try:
        ip = ip_address(address or "")
    except ValueError:
        return False
    plain = ip.ipv4_mapped or ip if isinstance(ip, IPv6Address) else ip
    return any(plain in each for each in networks)
