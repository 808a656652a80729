"""The forms of Redis that a URL may name."""

from __future__ import annotations

from service.storage.cluster import ClusterNodes
from service.storage.redis_url import RedisUrl
from service.storage.sentinel import SentinelMaster
from service.storage.topology import OneServer, Servers, client_at, client_by


def connected(url: RedisUrl, timeout_s: float) -> Servers:
    """Return the servers that a URL names; nobody is called before the first key is asked for."""
    if url.form == "sentinel":
        return SentinelMaster(url, timeout_s)
    if url.form == "cluster":
        return ClusterNodes(url, timeout_s)
    if url.addresses:
        return OneServer(client_at(url.addresses[0], url.options, timeout_s))
    return OneServer(client_by(url.options, timeout_s))
