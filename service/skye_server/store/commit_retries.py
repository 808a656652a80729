"""Bounded retries of optimistic concurrency, with randomized exponential backoff."""

from __future__ import annotations

import random
import time
from typing import Final

MAX_ATTEMPTS: Final = 20
"""How often a change is attempted when other requests keep changing the game first."""


def back_off(attempt: int) -> None:
    """Sleep for a random time that grows with the attempts, so that contenders do not meet again."""
    time.sleep(random.uniform(0, 0.002 * 1.5 ** min(attempt, 10)))  # noqa: S311 - jitter, not secrets
