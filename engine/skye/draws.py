"""Provably fair draws: every random choice of a game is derived from its seed.

The commitment, `commitment(seed, nonce)`, is published before the first draw; the seed and the nonce are
published when the game is over. With them anyone can verify every draw:

    number(label) = HMAC-SHA256(key = seed in UTF-8, message = label in ASCII), read big-endian
    index         = number(label) mod size of the list drawn from, the list sorted by id

| drawn                        | label                     | from                                        |
|------------------------------|---------------------------|---------------------------------------------|
| scoring tile for slot A to D | `scoring/A` ... `scoring/D` | the scoring tiles not yet taken            |
| starting seat                | `start`                   | the seats 0, 1, ...                         |
| n-th tile of a seat, n = 1-3 | `draw/{round}/{seat}/{n}` | the bag as it then is; seat 0 first, clockwise |

In a ruleset other than `base` each label begins with the id of the ruleset: `<ruleset>/draw/1/0/1`.

A tile that returns to the bag returns to its sorted place. The bag needs no shuffling, because each draw uses
an independent number. A position may name the next tiles instead (`next_draws`); the seed determines the
draws after them.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from typing import Final

from skye.tiles.tile_set import DEFAULT_RULESET

_BLOCK: Final = 64
"""The block size of SHA-256 in bytes."""

_INNER_PAD: Final = bytes([byte ^ 0x36 for byte in range(256)])
_OUTER_PAD: Final = bytes([byte ^ 0x5C for byte in range(256)])


@lru_cache(maxsize=256)
def commitment(seed: str, nonce: str = "") -> str:
    """Return the commitment to a seed: SHA-256 of the nonce and the seed in UTF-8, in hexadecimal.

    :param nonce: random characters, so that a guessable seed cannot be found by hashing guesses.

    >>> commitment("skye")[:16]
    '52ccfa65ffd81164'
    """
    return sha256(f"{nonce}{seed}".encode()).hexdigest()


class SeededDraws:
    """The draws of a seed, by label.

    :param next_draws: the elements to draw first, whatever the seed assigns to their labels.
    :param ruleset_id: the ruleset of the game.

    It computes HMAC by its definition (RFC 2104) from two SHA-256 hashes whose first block, the padded key,
    is hashed once. `hmac.digest` takes several times as long.
    """

    def __init__(
        self, seed: str, next_draws: tuple[str, ...] = (), ruleset_id: str = DEFAULT_RULESET
    ) -> None:
        self.next_draws = next_draws
        key = seed.encode()
        block = (key if len(key) <= _BLOCK else sha256(key).digest()).ljust(_BLOCK, b"\0")
        self._inner = sha256(block.translate(_INNER_PAD))
        if ruleset_id != DEFAULT_RULESET:
            self._inner.update(f"{ruleset_id}/".encode())
        self._outer = sha256(block.translate(_OUTER_PAD))

    def index(self, label: str, size: int) -> int:
        """Return the index below `size` that the seed assigns to a label."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(label.encode())
        outer.update(inner.digest())
        return int.from_bytes(outer.digest(), "big") % size

    def draw(self, label: str, sorted_list: list[str]) -> str:
        """Remove the next draw, or the element that the seed assigns to a label, from a sorted list."""
        if self.next_draws:
            drawn, *left = self.next_draws
            self.next_draws = tuple(left)
            sorted_list.remove(drawn)
            return drawn
        return sorted_list.pop(self.index(label, len(sorted_list)))
