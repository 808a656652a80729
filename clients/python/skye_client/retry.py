"""The retry policy: retried statuses, number of attempts, backoff. No input or output."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from skye_client.errors import ApiError

RETRIED_STATUSES: Final = frozenset({429, 502, 503, 504})


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """A retry policy with exponential backoff, for idempotent requests: each write has an `Idempotency-Key`.

    :param attempts: the maximum number of attempts.
    :param base_s: the first delay in seconds; it doubles with each attempt.
    :param max_s: the maximum delay between two attempts, in seconds.
    :param budget_s: the maximum time from the first attempt to the start of the last one, in seconds.
    """

    attempts: int = 6
    base_s: float = 0.25
    max_s: float = 8.0
    budget_s: float = 60.0

    def delay(self, attempt: int, error: Exception, elapsed_s: float) -> float | None:
        """Return the seconds to wait before the next attempt, or None to give up.

        :param attempt: the number of the attempt that failed, from 1.
        :param error: an `ApiError`, or an exception of the transport.
        :param elapsed_s: the seconds since the first attempt began.
        """
        if attempt >= self.attempts:
            return None
        delay = backoff(attempt, self.base_s, self.max_s)
        if isinstance(error, ApiError):
            if error.status not in RETRIED_STATUSES:
                return None
            if error.retry_after_s is not None:
                delay = error.retry_after_s + random.uniform(0, self.base_s)  # noqa: S311 - jitter
        return delay if elapsed_s + delay <= self.budget_s else None


def backoff(attempt: int, base_s: float, max_s: float) -> float:
    """Return an exponential delay with equal jitter, in seconds: from half of it to all of it, at random."""
    max_delay = min(max_s, base_s * 2.0 ** (attempt - 1))
    return max_delay * random.uniform(0.5, 1)  # noqa: S311 - jitter
