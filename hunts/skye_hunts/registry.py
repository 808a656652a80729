"""The registry of defects: decorators that add a function, which changes an operation, under its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from skye_hunts.enums import Difficulty
from skye_hunts.hunts import Defect
from skye_hunts.seams import Seam, whole_view
from skye_hunts.witnesses import Request

REGISTERED: Final[dict[str, Defect]] = {}

Change = TypeVar("Change", bound=Callable[..., Any])


def defect(
    difficulty: str, operation: str, seam: Seam = whole_view, changes: Sequence[str] = ()
) -> Callable[[Change], Change]:
    """Register a function as a defect of the class that its module is named after; see `Defect`.

    :param seam: what the function changes.
    :param changes: at which operations; by default at the one that shows the defect.
    """

    def decorator(change: Change) -> Change:
        name, kind = change.__name__, change.__module__.rpartition(".")[2]
        assert name not in REGISTERED
        changed = tuple(changes or [operation])
        REGISTERED[name] = Defect(
            name, kind, Difficulty(difficulty), operation, changed, seam(change), **vars(change)
        )
        return change

    return decorator


def breaks(sentence: str) -> Callable[[Change], Change]:
    """Say which sentence of the contract or of the rules a defect breaks."""
    return _noted(breaks=sentence)


def shown_by(*witness: Request, at: str = "") -> Callable[[Change], Change]:
    """Say which requests show a defect, and at which part of the last response; see `Defect`."""
    return _noted(witness=witness, shows=at)


def _noted(**facts: Any) -> Callable[[Change], Change]:
    def decorator(change: Change) -> Change:
        vars(change).update(facts)
        return change

    return decorator
