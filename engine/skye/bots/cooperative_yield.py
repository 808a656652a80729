"""Cooperative yield points of long computations, so that an event loop in the same thread can run."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Final


def _do_nothing() -> None:
    """Return at once."""


on_checkpoint: Final[ContextVar[Callable[[], None]]] = ContextVar("on_checkpoint", default=_do_nothing)
"""The function that bots call about every millisecond while they choose a move."""


def checkpoint() -> None:
    """Call the function in `on_checkpoint`."""
    on_checkpoint.get()()
