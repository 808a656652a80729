"""Checks of the actions and seeds that the environments are given, the same in all of them."""

from __future__ import annotations

from operator import index
from typing import Any


def checked_action(action: Any) -> int:
    """Return an action as an integer; NumPy's are accepted.

    >>> checked_action(3)
    3

    :raises TypeError: when it is not a whole number, such as a string, None, or 3.0.
    """
    return _whole_number("action", action)


def checked_seed(seed: Any) -> int | None:
    """Return a seed as an integer; None stays.

    :raises TypeError: when it is not a whole number.
    :raises ValueError: when it is negative.
    """
    if seed is None:
        return None
    number = _whole_number("seed", seed)
    if number < 0:
        raise ValueError(f"seed={number}: a seed is 0 or more")
    return number


def _whole_number(name: str, value: Any) -> int:
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{name}={value!r}: it is a whole number") from None
