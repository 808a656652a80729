"""The numbers in the arguments of commands."""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import Final, TypeVar

from skye_gym.arena.bot_process import MAX_SECONDS

_Number = TypeVar("_Number", int, float)


def positive(kind: type[_Number], most: float = sys.float_info.max) -> Callable[[str], _Number]:
    """Return a parser of finite numbers above 0.

    :param most: the maximum.
    """

    def parse(text: str) -> _Number:
        number = _parsed(kind, text, most)
        if not number > 0:
            raise ArgumentTypeError(f"{text} is not above 0")
        return number

    return parse


def not_negative(most: float = sys.float_info.max) -> Callable[[str], float]:
    """Return a parser of finite numbers from 0.

    :param most: the maximum.
    """

    def parse(text: str) -> float:
        number = _parsed(float, text, most)
        if not number >= 0:
            raise ArgumentTypeError(f"{text} is not 0 or above")
        return number

    return parse


def _parsed(kind: type[_Number], text: str, most: float) -> _Number:
    try:
        number = kind(text)
    except ValueError:
        raise ArgumentTypeError(f"invalid {kind.__name__} value: {text!r:.40}") from None  # as argparse does
    if number > most:
        raise ArgumentTypeError(f"{text:.40} is above {most:g}")
    return number


positive_seconds: Final = positive(float, MAX_SECONDS)
seconds: Final = not_negative(MAX_SECONDS)
