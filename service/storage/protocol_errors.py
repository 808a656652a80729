"""Making sense of what answers where Redis should be: it may be somebody else."""

from __future__ import annotations

from typing import Any, Final

import redis

PROTOCOL_ERRORS: Final = (TypeError, ValueError, LookupError, AttributeError)
"""What it leads to when an answer is read that is not of the form that Redis would give it."""


def as_redis_error(error: Exception) -> redis.RedisError:
    """Return what has failed: who answers in another form than Redis is no Redis."""
    if isinstance(error, redis.RedisError):
        return error
    strange = redis.InvalidResponse(f"no Redis says this: {error}")
    strange.__cause__ = error
    return strange


def expect_bytes(answer: Any) -> bytes | None:
    """Return an answer that is bytes or nothing.

    :raises TypeError: when it is not.
    """
    if answer is not None and not isinstance(answer, bytes):
        raise TypeError(f"{type(answer).__name__} for bytes")
    return answer


def expect_int(answer: Any) -> int:
    """Return an answer that is a number.

    :raises TypeError: when it is not.
    """
    if type(answer) is not int:
        raise TypeError(f"{type(answer).__name__} for a number")
    return answer
