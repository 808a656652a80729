"""The answers of bots and language models: their JSON, and what is wrong with their moves."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any, Final

from skye.rules.moves import Move, SetOffer

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def json_of(text: str | bytes) -> Any:
    """Return the value of a JSON text; numbers without a fraction are integers.

    >>> json_of('{"price": 2.0, "rotation": 9e1, "x": 0.5}')
    {'price': 2, 'rotation': 90, 'x': 0.5}

    :raises ValueError: when the text is not JSON.
    :raises RecursionError: when it is too deep.
    """
    return json.loads(text, parse_float=_number)


def well_formed(text: str) -> str:
    r"""Return a text that UTF-8 can encode: each lone surrogate is replaced.

    >>> ascii(well_formed("1 \ud800"))
    "'1 \\ufffd'"
    """
    return _SURROGATE.sub("\ufffd", text)


def _number(text: str) -> int | float:
    value = float(text)
    return int(value) if value.is_integer() else value  # JSON does not tell 2.0 from 2


def wrong_value_in(move: Move, error: Exception) -> str:
    """Return what is wrong with a move that the engine refuses.

    >>> wrong_value_in(SetOffer("L01", (("L02", 1.5), ("L03", 1))), TypeError())
    'the price of L02 is an integer, not 1.5'

    :param error: what the engine raised.
    """
    if isinstance(move, SetOffer) and isinstance(error, TypeError):
        with suppress(TypeError, ValueError):  # a function may return an offer without pairs
            for tile, price in move.prices:
                if type(price) is not int:
                    return f"the price of {tile} is an integer, not {price!r:.40}"
    return str(error)
