"""Failures of Redis: deadlines, which errors are temporary, and replies of another type than expected.

Protocol errors (malformed replies, because another service listens at the address) count as errors of Redis.
"""

from __future__ import annotations

import re
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

import gevent
import redis
from gevent.monkey import is_module_patched
from redis.exceptions import AuthenticationError, AuthorizationError, BusyLoadingError, ClusterDownError

from skye_server.redis_url import redacted

_RETRYABLE_REPLY: Final = re.compile(
    r"\b(LOADING|MASTERDOWN|READONLY|NOREPLICAS|BUSY|UNBLOCKED|CLUSTERDOWN|TRYAGAIN|MOVED|ASK)\b"
    r"|non local key"  # within a script, of a slot that moves
)
"""Temporary error replies. Those for full memory and wrong passwords are not temporary."""

PROTOCOL_ERRORS: Final = (TypeError, ValueError, LookupError, AttributeError)
"""What redis-py and this package raise when they read a malformed reply."""

_IS_COOPERATIVE: Final = is_module_patched("socket")
"""Whether gevent can interrupt a wait for a socket; without it the socket timeout is the only bound."""

_NO_DEADLINE: Final = nullcontext()

_MAX_REASON: Final = 200
"""The maximum length of a reason that is shown, in characters."""


class TooFewReplicas(redis.RedisError):
    """Fewer replicas than required have acknowledged a write."""


def is_retryable(error: redis.RedisError) -> bool:
    """Return whether an error may be temporary, or absent on another server."""
    if isinstance(error, AuthenticationError | AuthorizationError):
        return False
    if isinstance(error, redis.ConnectionError | redis.TimeoutError | BusyLoadingError | TooFewReplicas):
        return True
    # An error raised within a Lua script loses its class, but keeps its code in the text.
    kinds = redis.ReadOnlyError, redis.exceptions.ClusterDownError, redis.exceptions.TryAgainError
    moving = redis.exceptions.AskError
    return isinstance(error, (*kinds, moving)) or bool(_RETRYABLE_REPLY.search(str(error)))


def as_redis_error(error: Exception) -> redis.RedisError:
    """Return an error of Redis unchanged, and any other as `InvalidResponse`."""
    if isinstance(error, redis.RedisError):
        return error
    malformed = redis.InvalidResponse(f"malformed reply, is this a Redis? {error}")
    malformed.__cause__ = error
    return malformed


def describe_failure(error: BaseException | None, url: str | None) -> str:
    """Return what a Redis did that failed, with its reason, for a sentence about it.

    :param error: the cause of a `Problem` store_unavailable.
    :param url: the URL of the Redis, whose passwords are left out: a server may repeat what it was sent.
    """
    rejections = redis.ResponseError, AuthenticationError, AuthorizationError, BusyLoadingError
    if isinstance(error, redis.InvalidResponse):
        fault = "sends replies that are not those of a Redis"
    elif isinstance(error, rejections) and not isinstance(error, ClusterDownError):
        fault = "refuses commands"
    else:
        fault = "does not respond"
    reason = str(error or "")
    reason = (redacted(reason, url) if url else reason)[:_MAX_REASON].strip().rstrip(".")
    return f"{fault} ({reason})" if reason else fault


def expect_bytes(reply: Any) -> bytes | None:
    """Return a reply of bytes or nil.

    :raises TypeError: for any other type.
    """
    if reply is not None and not isinstance(reply, bytes):
        raise TypeError(f"expected bytes, got {type(reply).__name__}")
    return reply


def call_deadline(seconds: float | None, error: BaseException | None = None) -> AbstractContextManager[Any]:
    """Return a context that is interrupted after some seconds; None sets no deadline.

    A socket timeout bounds only the wait for each piece of a reply: one that arrives in many small pieces, as
    through a throttling proxy, could take far longer in total. redis-py closes the connection of an
    interrupted call.

    :param error: what to raise instead of a `redis.TimeoutError`.
    :raises redis.TimeoutError: inside the context.
    """
    if seconds is None or not _IS_COOPERATIVE:
        return _NO_DEADLINE
    return gevent.Timeout(seconds, error or redis.TimeoutError("Timeout: the call exceeded its deadline"))
