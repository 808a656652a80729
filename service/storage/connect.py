"""Create the topology that a Redis URL names."""

from __future__ import annotations

from service.storage.cluster import ClusterTopology
from service.storage.redis_calls import SingleServer, Topology
from service.storage.redis_clients import create_client, create_client_at
from service.storage.redis_url import RedisUrl
from service.storage.sentinel import SentinelTopology


def create_topology(url: RedisUrl, timeout_s: float) -> Topology:
    """Return the topology that a URL names; nothing connects before the first call."""
    if url.form == "sentinel":
        return SentinelTopology(url, timeout_s)
    if url.form == "cluster":
        return ClusterTopology(url, timeout_s)
    if url.addresses:
        return SingleServer(create_client_at(url.addresses[0], url.options, timeout_s))
    return SingleServer(create_client(url.options, timeout_s))
