"""Protocol errors: replies that no Redis sends, because another service answers at the address."""

from __future__ import annotations

from typing import Any, Final

import redis

PROTOCOL_ERRORS: Final = (TypeError, ValueError, LookupError, AttributeError)
"""What redis-py and this package raise when they read a malformed reply."""


def as_redis_error(error: Exception) -> redis.RedisError:
    """Return an error of Redis as it is, and any other as `InvalidResponse`."""
    if isinstance(error, redis.RedisError):
        return error
    malformed = redis.InvalidResponse(f"malformed reply, is this a Redis? {error}")
    malformed.__cause__ = error
    return malformed


def expect_bytes(reply: Any) -> bytes | None:
    """Return a reply of bytes or nil.

    :raises TypeError: for any other type.
    """
    if reply is not None and not isinstance(reply, bytes):
        raise TypeError(f"expected bytes, got {type(reply).__name__}")
    return reply


def expect_int(reply: Any) -> int:
    """Return a reply that is an integer.

    :raises TypeError: for any other type.
    """
    if type(reply) is not int:
        raise TypeError(f"expected an integer, got {type(reply).__name__}")
    return reply
