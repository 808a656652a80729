"""What a user needs to see of an exception that a bot raised: its own lines, not those of this package."""

from __future__ import annotations

import sys
import traceback
from types import FrameType, TracebackType
from typing import Final

from skye_client.errors import SkyeError

_PACKAGES: Final = sys.stdlib_module_names | {"skye_client", "skye", "anyio", "httpx", "httpcore"}
"""The packages that load and call bots, and those that they use."""


def own_frames(error: BaseException) -> TracebackType | None:
    """Return the traceback of an exception from the first frame of a bot; None if the exception has none."""
    trace = error.__traceback__
    while trace is not None and _package(trace.tb_frame) in _PACKAGES:
        trace = trace.tb_next
    return trace


def explained(error: Exception) -> str:
    """Return the traceback of a bot; the text of the exception if no frame is of a bot."""
    own = own_frames(error)
    if own is None and isinstance(error, (SkyeError, ValueError, OSError)):
        return str(error)
    shown = own if own is not None or isinstance(error, SyntaxError) else error.__traceback__
    return "".join(traceback.format_exception(type(error), error, shown)).rstrip()


def _package(frame: FrameType) -> str:
    """Return the first name of the module of a frame, also of one that runs as `python -m module`."""
    spec = frame.f_globals.get("__spec__")
    name: str = spec.name if spec is not None else frame.f_globals.get("__name__", "")
    return name.partition(".")[0]
