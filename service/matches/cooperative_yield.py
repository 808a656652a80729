"""Taking turns: a request that computes for long lets the others of its process be answered in between."""

from __future__ import annotations

import time
from typing import Final

_TURN_S: Final = 0.005
_PAUSE_S: Final = 1e-4
"""How long one computes at a stretch, and then rests. In a rest of nothing gevent looks at no socket."""


class Turn:
    """The turn of a request that may take long."""

    def __init__(self) -> None:
        self._ends = time.monotonic() + _TURN_S

    def pass_on(self) -> None:
        """Let others have theirs, if this one has lasted long enough."""
        if time.monotonic() > self._ends:
            time.sleep(_PAUSE_S)
            self._ends = time.monotonic() + _TURN_S
