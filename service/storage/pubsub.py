"""Hearing of what is committed, as it happens, by whatever process: on one connection to one server."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from typing import Any, Final

import redis

from service.storage.topology import Servers

CHANGES_CHANNEL: Final = "skye:changes"
"""Every commit publishes `ID:LAST_EVENT` here."""

_LISTEN_S: Final = 1.0


def heard(servers: Servers, stopped: threading.Event) -> Iterator[str | None]:
    """Yield the id of each game that is committed; None when some may have been missed.

    It ends when `stopped` is set, and when the server that is listened to is no longer one of those to ask.
    A cluster tells all its nodes, so which of them a process listens to is left to chance.

    :raises redis.RedisError: when that server does not answer.
    """
    any_key = f"skye:{secrets.token_hex(8)}"
    server = servers.holding(any_key)
    pubsub: Any = server.pubsub  # which redis-py leaves untyped
    with pubsub(ignore_subscribe_messages=True) as ear:
        ear.subscribe(CHANGES_CHANNEL)
        yield None
        asked = False
        while not stopped.is_set():
            message = ear.get_message(timeout=_LISTEN_S)
            if message is not None:
                asked = False
                if message["type"] == "message":
                    yield bytes(message["data"]).split(b":")[0].decode()
            elif asked:
                raise redis.TimeoutError("the server that is listened to does not answer")
            elif servers.holding(any_key) is not server:
                return
            else:
                asked = True
                ear.ping()
