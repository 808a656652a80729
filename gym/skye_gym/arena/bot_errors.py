"""What a user needs to see of an exception that a bot raised: its own lines, not those of this package."""

from __future__ import annotations

import sys
import traceback
from types import FrameType, TracebackType
from typing import Final

_PACKAGES: Final = ("skye_gym", "skye", "importlib", "_frozen_importlib", "_frozen_importlib_external")
"""The packages that load and call bots."""


def own_frames(error: BaseException) -> TracebackType | None:
    """Return the traceback of an exception from the first frame of a bot; None if the exception has none."""
    trace = error.__traceback__
    while trace is not None and _package(trace.tb_frame) in _PACKAGES:
        trace = trace.tb_next
    return trace


def explained(error: Exception) -> str:
    """Write the traceback of a bot to standard error; return the reason on one line.

    A `ValueError` of this package, which says what the bot lacks, is only the reason.
    """
    own = own_frames(error)
    if own is None and isinstance(error, ValueError):
        return str(error)
    shown = own if own is not None or isinstance(error, SyntaxError) else error.__traceback__
    sys.stderr.write("".join(traceback.format_exception(type(error), error, shown)))
    place = "" if own is None else f" ({_place(own)})"
    return " ".join(f"raised {type(error).__name__}: {error}{place}".split())


def _place(own: TracebackType) -> str:
    """Return the file and the line of the last frame in the package of the bot."""
    frames = [*traceback.walk_tb(own)]
    package = _package(frames[0][0])
    frame, line = [each for each in frames if _package(each[0]) == package][-1]
    return f"{frame.f_code.co_filename}, line {line}"


def _package(frame: FrameType) -> str:
    """Return the first name of the module of a frame, also of one that runs as `python -m module`."""
    spec = frame.f_globals.get("__spec__")
    name: str = spec.name if spec is not None else frame.f_globals.get("__name__", "")
    return name.partition(".")[0]
