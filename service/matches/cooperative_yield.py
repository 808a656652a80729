"""Cooperative yields: long computations let the other greenlets of their worker run in between."""

from __future__ import annotations

import time
from typing import Final

_SLICE_S: Final = 0.005
"""Longest computation without a yield, in seconds."""

_PAUSE_S: Final = 1e-4
"""Duration of a yield: gevent polls no socket during a `sleep(0)`."""


class TimeSlice:
    """The time slice of one computation on a cooperatively scheduled worker."""

    def __init__(self) -> None:
        self._ends = time.monotonic() + _SLICE_S

    def yield_if_expired(self) -> None:
        """Yield to the event loop if the time slice has expired, then begin the next slice."""
        if time.monotonic() > self._ends:
            time.sleep(_PAUSE_S)
            self._ends = time.monotonic() + _SLICE_S
