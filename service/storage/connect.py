"""The forms of Redis that a URL may name."""

from __future__ import annotations

from service.storage.cluster import ClusterTopology
from service.storage.redis_url import RedisUrl
from service.storage.sentinel import SentinelTopology
from service.storage.topology import Servers, SingleServer, create_client, create_client_at


def connected(url: RedisUrl, timeout_s: float) -> Servers:
    """Return the servers that a URL names; nobody is called before the first key is asked for."""
    if url.form == "sentinel":
        return SentinelTopology(url, timeout_s)
    if url.form == "cluster":
        return ClusterTopology(url, timeout_s)
    if url.addresses:
        return SingleServer(create_client_at(url.addresses[0], url.options, timeout_s))
    return SingleServer(create_client(url.options, timeout_s))
