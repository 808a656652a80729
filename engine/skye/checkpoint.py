"""Checkpoints of long computations, at which a program that does other work in the same thread can yield."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Final


def _go_on() -> None:
    """Do nothing."""


on_checkpoint: Final[ContextVar[Callable[[], None]]] = ContextVar("on_checkpoint", default=_go_on)
"""What bots call about every millisecond while they choose a move; it does nothing unless it is set."""


def checkpoint() -> None:
    """Call what is set."""
    on_checkpoint.get()()
