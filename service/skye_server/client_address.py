"""The address that identifies a client."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv6Address, ip_address


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
