"""Pub/sub subscriber: reports each committed change, on one connection to one server."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from typing import Any, Final

import redis

from skye_server.storage.connection.topology import Topology
from skye_server.storage.lua_scripts import CHANGES_CHANNEL

_POLL_S: Final = 1.0


def subscribe(topology: Topology, stopped: threading.Event) -> Iterator[str | None]:
    """Yield the id of each game that is committed; None when messages may have been missed.

    Ends when `stopped` is set, and when the topology no longer includes the server. A cluster forwards
    messages to all its nodes, so each process subscribes to a node chosen at random.

    :raises redis.RedisError: when the server does not respond.
    """
    random_key = f"skye:{secrets.token_hex(8)}"
    server = topology.connection_for(random_key)
    pubsub: Any = server.pubsub  # redis-py leaves it untyped
    with pubsub(ignore_subscribe_messages=True) as subscriber:
        subscriber.subscribe(CHANGES_CHANNEL)
        yield None
        is_pinged = False
        while not stopped.is_set():
            message = subscriber.get_message(timeout=_POLL_S)
            if message is not None:
                is_pinged = False
                if message["type"] == "message":
                    yield bytes(message["data"]).split(b":")[0].decode()
            elif is_pinged:
                raise redis.TimeoutError("the server of the subscription does not respond")
            elif topology.connection_for(random_key) is not server:
                return
            else:
                is_pinged = True
                subscriber.ping()
