"""When a failed request is sent again, and for how long a receiver that fails gets none."""

from __future__ import annotations

import random
from typing import Final

RETRIES_S: Final = (5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""The pauses between the attempts to send a message, in seconds, as Standard Webhooks 1.0 suggests."""

_MAX_RETRY_AFTER_S: Final = 86_400
_CIRCUIT_S: Final = (5, 30, 120, 300)
"""How long the circuit of a receiver is open, after further failures longer."""


def retry_ms(attempt: int, retry_after_s: int = 0) -> int | None:
    """Return the pause after a failed attempt, in milliseconds with jitter; None if there is no further one.

    :param attempt: the number of the attempt, from 1.
    :param retry_after_s: the least pause, as the receiver has asked for it.
    """
    if attempt > len(RETRIES_S):
        return None
    pause_s = RETRIES_S[attempt - 1] * random.uniform(1.0, 1.2)  # noqa: S311 - jitter, not secrets
    return round(1000 * max(pause_s, min(retry_after_s, _MAX_RETRY_AFTER_S)))


def circuit_ms(failures_beyond: int) -> int:
    """Return how long a circuit stays open.

    :param failures_beyond: how many failures have followed since it opened.
    """
    return 1000 * _CIRCUIT_S[min(failures_beyond, len(_CIRCUIT_S) - 1)]
