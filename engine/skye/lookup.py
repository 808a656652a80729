"""Look up things by name; unknown names fail with a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

_T = TypeVar("_T")


def named(kind: str, name: str, things: Mapping[str, _T]) -> _T:
    """Return the thing with a name.

    >>> named("slot", "B", {"A": 1, "B": 2})
    2

    :param kind: what it is, for the message.
    :raises ValueError: when there is none.
    """
    try:
        return things[name]
    except (KeyError, TypeError):
        few = f"; there are {', '.join(things)}" if len(things) <= 20 else ""
        raise ValueError(f"there is no {kind} {name!r}{few}") from None
