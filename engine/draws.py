"""Provably fair draws: everything random in a game follows from its seed.

Published before the first draw: `commitment(seed)`. Published when the game is over: the seed. Between
them anyone can re-derive every draw:

    number(label) = HMAC-SHA256(key = seed in UTF-8, message = label in ASCII), read big-endian
    index         = number(label) mod size of the list drawn from, the list sorted by id

| drawn                        | label                     | from                                        |
|------------------------------|---------------------------|---------------------------------------------|
| scoring tile for slot A to D | `scoring/A` ... `scoring/D` | the scoring tiles not yet taken            |
| starting seat                | `start`                   | the seats 0, 1, ...                         |
| n-th tile of a seat, n = 1-3 | `draw/{round}/{seat}/{n}` | the bag as it then is; seat 0 first, clockwise |

A tile that goes back into the bag takes its sorted place again, which is as good as shuffling: each draw
is by a number of its own.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import TypeVar

_T = TypeVar("_T")


def commitment(seed: str) -> str:
    """Return the SHA-256 of the seed in UTF-8, in hexadecimal.

    >>> commitment("skye")[:16]
    '52ccfa65ffd81164'
    """
    return hashlib.sha256(seed.encode()).hexdigest()


def index_of(seed: str, label: str, size: int) -> int:
    """Return the place in a sorted list of `size` elements that the seed gives to a label."""
    return int.from_bytes(hmac.digest(seed.encode(), label.encode(), "sha256"), "big") % size


def draw(seed: str, label: str, sorted_list: list[_T]) -> _T:
    """Take the element that the seed gives to a label out of a sorted list."""
    return sorted_list.pop(index_of(seed, label, len(sorted_list)))
