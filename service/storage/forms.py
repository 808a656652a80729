"""The forms of Redis that a URL may name."""

from __future__ import annotations

from service.storage.cluster import ClusterNodes
from service.storage.connections import OneServer, Servers, client_at, client_by
from service.storage.sentinels import SentinelMaster
from service.storage.url import RedisUrl


def connected(url: RedisUrl, timeout_s: float) -> Servers:
    """Return the servers that a URL names; nobody is called before the first key is asked for."""
    if url.form == "sentinel":
        return SentinelMaster(url, timeout_s)
    if url.form == "cluster":
        return ClusterNodes(url, timeout_s)
    if url.addresses:
        return OneServer(client_at(url.addresses[0], url.options, timeout_s))
    return OneServer(client_by(url.options, timeout_s))
