"""Checks of the numbers that the environments are given, the same in all of them.

A whole number is an integer of Python or NumPy. Booleans and floats are refused, also 1.0.
"""

from __future__ import annotations

from operator import index
from typing import Any


def checked_action(action: Any) -> int:
    """Return an action as an integer.

    >>> checked_action(3)
    3

    :raises TypeError: when it is not a whole number, such as a string, None, True, or 3.0.
    """
    return whole_number("action", action)


def checked_seed(seed: Any) -> int | None:
    """Return a seed as an integer; None stays.

    :raises TypeError: when it is not a whole number.
    :raises ValueError: when it is negative.
    """
    if seed is None:
        return None
    number = whole_number("seed", seed)
    if number < 0:
        raise ValueError(f"seed={number}: a seed is 0 or more")
    return number


def whole_number(name: str, value: Any) -> int:
    """Return the value of an argument as an integer.

    >>> whole_number("seat", 1)
    1
    >>> whole_number("seat", True)
    Traceback (most recent call last):
    TypeError: seat=True: it must be a whole number, not a bool

    :param name: the name of the argument.
    :raises TypeError: when it is not a whole number.
    """
    try:
        if value.__class__ is not bool:
            return index(value)
    except TypeError:
        pass
    raise TypeError(f"{name}={value!r:.100}: it must be a whole number, not a {type(value).__name__}")
